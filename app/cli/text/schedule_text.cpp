#include "app/cli/text/schedule_text.h"

#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

using namespace engine;
using nlohmann::ordered_json;
using namespace profiler;

namespace {
ordered_json placement(const Schedule& schedule)
{
    ordered_json replicas = ordered_json::array();
    for (const auto& stages : schedule.deviceOf) {
        ordered_json devices = ordered_json::array();
        for (const DeviceId device : stages)
            devices.push_back(device.value);
        replicas.push_back(devices);
    }
    return replicas;
}
} // namespace

std::string scheduleText(const Schedule& schedule)
{
    std::string text;
    for (const engine::DeviceId d : schedule.program.ids()) {
        text += fmt::format("device {:<3} |", d.value);
        for (const Op& op : schedule.program[d])
            text += " " + toString(op);
        text += "\n";
    }
    return text + "\n" + transportTable(checkTransports(schedule)).text();
}

std::string scheduleJson(const Schedule& schedule)
{
    ordered_json programs = ordered_json::array();
    for (const auto& program : schedule.program) {
        ordered_json ops = ordered_json::array();
        for (const Op& op : program)
            ops.push_back(toString(op));
        programs.push_back(ops);
    }
    const Shape& shape = schedule.shape;
    return ordered_json{
               {"scheme", schedule.scheme},
               {"devices", shape.devices},
               {"stages", shape.stages},
               {"micro_batches", shape.microBatches},
               {"chunks", shape.chunks()},
               {"replicas", shape.replicas},
               {"slices", shape.slices},
               {"device_of", placement(schedule)},
               {"asynchronous", isAsynchronous(schedule)},
               {"program", programs},
               {"communication", profiler::toJson(communicationData(checkTransports(schedule)))}}
               .dump()
        + "\n";
}

namespace {
using V = TransportVerdict;

// A field of the first failure; null if the transport is safe.
Reading ofFailure(const V& verdict, Reading value)
{
    return verdict.safe ? Reading() : value;
}

constexpr std::array kVerdict{
    Measure<V>({"name"}, [](const V& v) { return transportName(v.transport); }),
    Measure<V>({"title", "transport", Unit::None, kColumn},
               [](const V& v) { return transportTitle(v.transport); }),
    Measure<V>({"safe", "safe", Unit::None, kColumn}, Of<&V::safe>()),
    Measure<V>({"device"}, [](const V& v) { return ofFailure(v, v.device.value); }),
    Measure<V>({"index"}, [](const V& v) { return ofFailure(v, v.index); }),
    Measure<V>({"op"}, [](const V& v) { return ofFailure(v, v.safe ? "" : toString(v.op)); }),
    Measure<V>({"reason"}, [](const V& v) { return ofFailure(v, v.reason); }),
    Measure<V>({"", "first failure", Unit::None, kColumn}, Of<&V::reason>()),
};
} // namespace

CommunicationReport checkTransports(const Schedule& schedule)
{
    return checkCommunication(hasTransfers(schedule) ? schedule : addP2P(schedule));
}

Table transportTable(const CommunicationReport& report)
{
    return {kVerdict, report.verdicts};
}

Reading communicationData(const CommunicationReport& report)
{
    return Reading::Fields{{"messages", report.messages},
                           {"transports", transportTable(report).json()}};
}

} // namespace cli
