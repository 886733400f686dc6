#include "app/cli/text/communication_text.h"

#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

namespace cli {

using namespace engine;
using namespace profiler;

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
