#include "app/cli/text/communication_text.h"

#include "app/cli/text/table.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <nlohmann/json.hpp>

namespace cli {

using namespace engine;
using nlohmann::ordered_json;

CommunicationReport communicationOf(const Schedule& schedule)
{
    return checkCommunication(hasTransfers(schedule) ? schedule : addP2P(schedule));
}

std::string communicationTable(const CommunicationReport& report)
{
    Table table({{"transport", Table::Align::Left},
                 {"safe", Table::Align::Left},
                 {"first failure", Table::Align::Left}});
    for (const TransportVerdict& verdict : report.verdicts)
        table.add({std::string(transportTitle(verdict.transport)), verdict.safe ? "yes" : "no",
                   verdict.reason});
    return table.text();
}

ordered_json communicationJson(const CommunicationReport& report)
{
    ordered_json transports = ordered_json::array();
    for (const TransportVerdict& verdict : report.verdicts) {
        ordered_json json{{"name", transportName(verdict.transport)},
                          {"title", transportTitle(verdict.transport)},
                          {"safe", verdict.safe},
                          {"device", nullptr},
                          {"index", nullptr},
                          {"op", nullptr},
                          {"reason", nullptr}};
        if (!verdict.safe) {
            json["device"] = verdict.device.value;
            json["index"] = verdict.index;
            json["op"] = toString(verdict.op);
            json["reason"] = verdict.reason;
        }
        transports.push_back(std::move(json));
    }
    return {{"messages", report.messages}, {"transports", transports}};
}

} // namespace cli
