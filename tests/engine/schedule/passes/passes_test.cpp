#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "tests/support/golden.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

#include <numeric>

using namespace engine;
using namespace tests;

namespace {

int total(const std::vector<int>& counts)
{
    return std::accumulate(counts.begin(), counts.end(), 0);
}

} // namespace

TEST_CASE("a value is sent right behind its maker and received right before its consumer")
{
    const Schedule lowered = addP2P(scheduleOf("1f1b", 2, 2));
    CHECK(programOf(lowered)
          == std::vector<std::string>{"0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1",
                                      "1RECV_F0 1F0 1B0 1SEND_B0 1RECV_F1 1F1 1B1 1SEND_B1"});
    for (const auto& ops : lowered.program)
        for (const Op& op : ops)
            CHECK((op.peer == Op::kNoPeer) == !isTransfer(op.kind));
    CHECK(lowered.program[{0}][1].peer == 1);
    CHECK(lowered.program[{1}][0].peer == 0);
}

TEST_CASE("stages on one device hand over locally")
{
    const Schedule lowered = addP2P(scheduleFrom({"0F0 3F0 3B0 0B0", "1F0 2F0 2B0 1B0"}));
    CHECK(programOf(lowered)
          == std::vector<std::string>{"0F0 0SEND_F0 3RECV_F0 3F0 3B0 3SEND_B0 0RECV_B0 0B0",
                                      "1RECV_F0 1F0 2F0 2SEND_F0 2RECV_B0 2B0 1B0 1SEND_B0"});
    CHECK(localCopies(lowered) == std::vector<int>{0, 2});
    CHECK(messagesSent(lowered) == std::vector<int>{2, 2});
}

TEST_CASE("a joint pair stays adjacent: receives before it, sends after it")
{
    const Schedule lowered = addP2P(scheduleFrom({"0F0 0F1 0B0 0B1", "1F0 (1F1 1B0) 1B1"}));
    CHECK(programOf(lowered)[1] == "1RECV_F0 1F0 1RECV_F1 1F1 1B0 1SEND_B0 1B1 1SEND_B1");
    CHECK(lowered.program[{1}][3].flags == OpFlag::JointWithNext);
}

TEST_CASE("one direction sends 2N(D-1) messages, BitPipe 4N(D-1) and copies 2N")
{
    for (const int devices : {2, 4, 8, 16})
        for (const int units : {1, 2, 4}) {
            const int microBatches = units * devices;
            INFO("D=" << devices << " N=" << microBatches);
            for (const std::string scheme : {"gpipe", "1f1b"}) {
                const Schedule lowered = lower(scheduleOf(scheme, devices, microBatches));
                CHECK(total(messagesSent(lowered)) == 2 * microBatches * (devices - 1));
                CHECK(total(localCopies(lowered)) == 0);
            }
            const Schedule lowered = lower(scheduleOf("bitpipe", devices, microBatches));
            CHECK(total(messagesSent(lowered)) == 4 * microBatches * (devices - 1));
            CHECK(total(localCopies(lowered)) == 2 * microBatches);
        }
}

TEST_CASE("an all-reduce follows its stage's last backward, or comes late")
{
    const Schedule schedule = scheduleFrom({"0F0 1F1u 1B1u 0B0", "0F1u 1F0 1B0 0B1u"});
    CHECK(programOf(addAllReduce(schedule, SyncPolicy::Eager))
          == std::vector<std::string>{"0F0 1F1u 1B1u 1ALLREDUCEu 0B0 0ALLREDUCE",
                                      "0F1u 1F0 1B0 1ALLREDUCE 0B1u 0ALLREDUCEu"});
    CHECK(programOf(addAllReduce(schedule, SyncPolicy::Late))
          == std::vector<std::string>{"0F0 1F1u 1B1u 0B0 1ALLREDUCEu 0ALLREDUCE",
                                      "0F1u 1F0 1B0 0B1u 1ALLREDUCE 0ALLREDUCEu"});
}

// As in the code of BitPipe's authors.
TEST_CASE(
    "eager and blocking, BitPipe reduces its second half before the last backward, but in the "
    "middle")
{
    const std::vector<std::string> programs
        = programOf(addAllReduce(scheduleOf("bitpipe", 4, 4), SyncPolicy::EagerBlocking));
    CHECK_THAT(programs[0],
               Catch::EndsWith("0B0 7ALLREDUCE 4ALLREDUCEu 0B1 0ALLREDUCE 3ALLREDUCEu"));
    CHECK_THAT(programs[1], Catch::EndsWith("1B1 6ALLREDUCE 5ALLREDUCEu 1ALLREDUCE 2ALLREDUCEu"));
    CHECK_THAT(programs[2], Catch::EndsWith("1B3u 6ALLREDUCEu 5ALLREDUCE 1ALLREDUCEu 2ALLREDUCE"));
    CHECK_THAT(programs[3],
               Catch::EndsWith("0B2u 7ALLREDUCEu 4ALLREDUCE 0B3u 0ALLREDUCEu 3ALLREDUCE"));
    for (const int devices : {2, 6, 8, 16})
        for (const int units : {1, 2, 3}) {
            const Schedule lowered
                = lower(scheduleOf("bitpipe", devices, units * devices), SyncPolicy::EagerBlocking);
            CHECK(validate(lowered).empty());
            const auto& ops = lowered.program.front();
            const auto last = std::ranges::find_if(
                ops.rbegin(), ops.rend(), [](const Op& op) { return isBackward(op.kind); });
            CHECK(std::count_if(ops.begin(), last.base(),
                                [](const Op& op) { return op.kind == OpKind::AllReduce; })
                  == (devices > 2 ? 2 : 0));
        }
}

// Late and EagerBlocking put the all-reduces behind the OPTs of a schedule file, which wait for
// them.
TEST_CASE("all-reduces are before the optimizer steps that a schedule already has")
{
    for (const char* scheme : {"1f1b", "chimera", "bitpipe", "dualpipe"})
        for (const SyncPolicy sync :
             {SyncPolicy::Eager, SyncPolicy::Late, SyncPolicy::EagerBlocking}) {
            INFO(scheme << ' ' << syncName(sync));
            Schedule schedule = addP2P(scheduleOf(scheme, 4, 8));
            schedule.shape.dataParallel = 2;
            Schedule stepped = addAllReduce(addOptimizer(schedule), sync);
            CHECK(validate(stepped).empty());
            for (auto& ops : stepped.program)
                std::erase_if(ops, [](const Op& op) { return op.kind == OpKind::OptimizerStep; });
            CHECK(stepped.program == addAllReduce(schedule, sync).program);
        }
}

TEST_CASE("devices that finish their stages in another order still agree on the all-reduces")
{
    const Schedule lowered
        = addAllReduce(scheduleFrom({"0F0 1F1u 1B1u 0B0", "0F1u 1F0 0B1u 1B0"}), SyncPolicy::Eager);
    CHECK(programOf(lowered)
          == std::vector<std::string>{"0F0 1F1u 1B1u 0B0 0ALLREDUCE 1ALLREDUCEu",
                                      "0F1u 1F0 0B1u 0ALLREDUCEu 1B0 1ALLREDUCE"});
}

// The directions of GEMS with N = 3 have 2 and 1 micro-batches. Such an asynchronous schedule file
// caused std::out_of_range.
TEST_CASE("an update that only one direction completes has no all-reduce")
{
    Schedule schedule = scheduleFrom({"0F0 0B0 1F1u 1B1u 0F2 0B2", "1F0 1B0 0F1u 0B1u 1F2 1B2"});
    schedule.shape.updateEvery = 3;
    CHECK(programOf(addAllReduce(schedule, SyncPolicy::Eager))
          == std::vector<std::string>{"0F0 0B0 0ALLREDUCE 1F1u 1B1u 1ALLREDUCEu 0F2 0B2",
                                      "1F0 1B0 0F1u 0B1u 0ALLREDUCEu 1ALLREDUCE 1F2 1B2"});
}

TEST_CASE("without copies nothing is reduced, with data parallelism every stage is")
{
    CHECK(addAllReduce(scheduleOf("1f1b", 4, 4), SyncPolicy::Eager) == scheduleOf("1f1b", 4, 4));
    ScheduleRequest request = requestOf("1f1b", 2, 1);
    request.dataParallel = 2;
    CHECK(programOf(addAllReduce(buildSchedule(request).value(), SyncPolicy::Eager))
          == std::vector<std::string>{"0F0 0B0 0ALLREDUCE", "1F0 1B0 1ALLREDUCE"});
}

TEST_CASE("the optimizer steps come last, in the order of the all-reduces")
{
    CHECK(programOf(lower(scheduleOf("bitpipe", 2, 2)))[0]
          == "0F0 0SEND_F0 1RECV_F1u 1F1u 2F1u 2SEND_F1u 3RECV_F0 3F0 3B0 3SEND_B0 3ALLREDUCE "
             "2RECV_B1u 2B1u 2ALLREDUCEu 1B1u 1SEND_B1u 1ALLREDUCEu 0RECV_B0 0B0 0ALLREDUCE "
             "3OPT 2OPTu 1OPTu 0OPT");
    CHECK(programOf(lower(scheduleOf("1f1b", 2, 1)))
          == std::vector<std::string>{"0F0 0SEND_F0 0RECV_B0 0B0 0OPT",
                                      "1RECV_F0 1F0 1B0 1SEND_B0 1OPT"});
}

TEST_CASE("a lowered schedule is unchanged under every policy")
{
    for (const char* scheme : {"1f1b", "bitpipe", "dualpipe", "pipedream"}) {
        INFO(scheme);
        const Schedule lowered = lower(scheduleOf(scheme, 4, 8));
        CHECK(lower(lowered, SyncPolicy::Late) == lowered);
    }
}
