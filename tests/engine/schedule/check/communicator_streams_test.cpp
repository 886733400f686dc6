#include "engine/schedule/check/communication.h"
#include "engine/schedule/notation.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

#include <set>

using namespace engine;
using namespace tests;

namespace {

// Of every scheme that there is for D and N.
template<class Use>
void forEachScheme(Use use)
{
    for (const Scheme& scheme : schemes())
        for (const int devices : {2, 3, 4, 8})
            for (const int units : {1, 2, 4}) {
                const std::string name(scheme.name);
                const auto built = buildSchedule(requestOf(name, devices, units * devices));
                if (!built)
                    continue;
                INFO(name << " D=" << devices << " N=" << units * devices);
                use(name, lower(*built));
            }
}

std::string reasonOf(const std::optional<TransportFault>& fault)
{
    return fault ? fault->reason : "";
}

} // namespace

TEST_CASE("NCCL carries every scheme with a communicator for each directed pair and kind")
{
    forEachScheme([](const std::string& name, const Schedule& lowered) {
        // Early concatenation of BitPipe's units is refused; see communication_test.cpp.
        const bool isEarly = name == "bitpipe-async"
            && lowered.shape.microBatches > lowered.shape.devices && lowered.shape.devices > 2;
        CHECK(reasonOf(findNcclFault(lowered)).empty() == !isEarly);
    });
}

TEST_CASE("with all devices in one communicator, rings and V-shaped placements wait for ever")
{
    const std::set<std::string, std::less<>> straight{
        "gpipe", "1f1b", "eager-1f1b", "1f1b-overlap", "zb-h1", "zb-h2", "zb-1p", "zb-2p"};
    std::set<std::string> stuck;
    forEachScheme([&](const std::string& name, const Schedule& lowered) {
        const bool faulty = findStreamFault(lowered, Ranks::All).has_value();
        if (straight.contains(name))
            CHECK_FALSE(faulty);
        if (faulty)
            stuck.insert(name);
    });
    for (const char* name : {"interleaved-1f1b", "interleaved-zb", "looped-bfs", "zb-v", "hanayo"})
        CHECK(stuck.contains(name));
    CHECK(reasonOf(findStreamFault(lower(scheduleOf("looped-bfs", 2, 4)), Ranks::All))
          == "device 0, index 5: 0SEND_F2 waits for 1RECV_F2 of device 1; device 1, index 2: "
             "1SEND_F0 waits for 2RECV_F0 of device 0");
}

TEST_CASE("two ranks that sum in different orders wait for each other")
{
    Schedule schedule = scheduleFrom({"0F0 0B0 0ALLREDUCE 1ALLREDUCE", "1F1u 0ALLREDUCEu"});
    schedule.program[{1}].insert(schedule.program[{1}].begin() + 1, *parseOp("1ALLREDUCEu"));
    CHECK(reasonOf(findStreamFault(schedule, Ranks::Pair)).empty()); // nothing computes in between
    schedule.program[{0}].insert(schedule.program[{0}].begin() + 3, *parseOp("1F1"));
    schedule.program[{1}].insert(schedule.program[{1}].begin() + 2, *parseOp("0F0u"));
    CHECK(reasonOf(findStreamFault(schedule, Ranks::Pair))
          == "device 0, index 2: 0ALLREDUCE waits for 0ALLREDUCE of device 1; device 1, index 1: "
             "1ALLREDUCEu waits for 1ALLREDUCEu of device 0");
}

TEST_CASE("an order that gives a message in another's place is refused first")
{
    const Schedule schedule = scheduleFrom({"0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B1 0B1 0RECV_B0 0B0",
                                            "1RECV_F1 1F1 1B1 1SEND_B1 1RECV_F0 1F0 1B0 1SEND_B0"});
    CHECK(reasonOf(findNcclFault(schedule)).find("would receive message 0") != std::string::npos);
}
