#include "engine/schedule/check/validate.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;
using Kind = Violation::Kind;

namespace {

std::vector<std::string> messagesOf(const Schedule& schedule)
{
    std::vector<std::string> messages;
    for (const Violation& violation : validate(schedule))
        messages.push_back(violation.message);
    return messages;
}

using Messages = std::vector<std::string>;

} // namespace

TEST_CASE("every scheme is valid, as built and lowered")
{
    // No scheme may refuse: all take even devices and twice as many micro-batches or more.
    for (const Scheme& scheme : schemes())
        for (const int devices : {2, 4, 6, 8, 16})
            for (const int units : {2, 4}) {
                const Schedule schedule
                    = scheduleOf(std::string(scheme.name), devices, units * devices);
                INFO(scheme.name << " D=" << devices << " N=" << units * devices);
                CHECK(messagesOf(schedule).empty());
                CHECK(messagesOf(addP2P(schedule)).empty());
                for (const SyncPolicy policy :
                     {SyncPolicy::Eager, SyncPolicy::Late, SyncPolicy::EagerBlocking})
                    CHECK(messagesOf(lower(schedule, policy)).empty());
            }
}

TEST_CASE("split backwards, sequence slices, halves and joint ops are valid")
{
    CHECK(messagesOf(scheduleFrom({"0F0 0F1 0I0 0W0 0I1 0W1", "1F0 1I0 1F1 1I1 1W0 1W1"})).empty());
    CHECK(messagesOf(scheduleFrom({"0F0.0 0F0.1 0B0.1 0B0.0", "1F0.0 1F0.1 1B0.1 1B0.0"})).empty());
    CHECK(messagesOf(scheduleFrom({"0F0 0F1 0B0 0B1", "1F0 (1F1 1B0) 1B1"})).empty());
    Schedule halves = scheduleFrom({"0F0 0B0.0 0B0.1", "1F0 1B0.0 1B0.1"});
    for (auto& ops : halves.program)
        for (Op& op : ops)
            op.flags = isBackward(op.kind) ? OpFlag::Half : OpFlag::None;
    CHECK(messagesOf(halves).empty());
}

TEST_CASE("a stash is loaded before its backward, and an EVICT needs a partner")
{
    const auto of = [](const std::string& program) {
        return messagesOf(scheduleFrom({program, "1F0 1B0"}));
    };
    CHECK(of("0F0 0EVICT0 0LOAD0 0RECOMPUTE0 0B0").empty());
    CHECK(of("0F0 0EVICT0 0B0").front() == "device 0: 0LOAD0 is missing");
    CHECK(of("0F0 0LOAD0 0B0").front() == "device 0: 0EVICT0 is missing");
    CHECK(of("0EVICT0 0F0 0LOAD0 0B0")
          == Messages{"device 0, index 0: 0EVICT0 needs the stash of stage 0, micro-batch 0, which "
                      "0F0 provides only later, at index 1"});
    CHECK(of("0F0 0EVICT0 0B0 0LOAD0").front()
          == "device 0, index 2: 0B0 needs the stash of stage 0, micro-batch 0, which is on device "
             "1: evicted at index 1 and not loaded yet");
    CHECK(of("0F0 0LOAD0 0EVICT0 0B0").front()
          == "device 0, index 1: 0LOAD0 needs the stash of stage 0, micro-batch 0, which is not "
             "evicted (in place since index 0)");
    CHECK(of("0F0 0EVICT0 0RECOMPUTE0 0LOAD0 0B0").size() == 1);
    CHECK(of("0F0 0B0 0RECOMPUTE0").size() == 1);
    CHECK(messagesOf(scheduleFrom({"0F0 0EVICT0 0LOAD0 0B0"})).front()
          == "device 0, index 1: 0EVICT0: the middle device 0 has no partner");
}

TEST_CASE("a missing op is named with the device that should have it")
{
    CHECK(messagesOf(scheduleFrom({"0F0 0F1 0B0 0B1", "1F0 1B0 1B1"}))
          == Messages{"device 1: 1F1 is missing"});
    CHECK(messagesOf(scheduleFrom({"0F0 0F1 0B0", "1F0 1B0 1F1 1B1"}))
          == Messages{"device 0: 0B1 is missing"});
    CHECK(messagesOf(scheduleFrom({"0F0 0I0", "1F0 1B0"})) == Messages{"device 0: 0W0 is missing"});
    CHECK(messagesOf(scheduleFrom({"0F0 0F2 0B0 0B2"}))
          == Messages{"device 0: 0F1 is missing", "device 0: 0B1 is missing"});
    CHECK(messagesOf(scheduleFrom({"0F0.0 0B0.1 0B0.0"}))
          == Messages{"device 0: 0F0.1 is missing"});
}

TEST_CASE("torch 2.8's printed 1F1B is rejected: its last device has no F0 and one F too many")
{
    // PyTorch 2.8 prints "F1 B0 F2 B1 .. FN B(N-1)" on the last device.
    const std::vector<Violation> violations
        = validate(scheduleFrom({"0F0 0F1 0B0 0F2 0B1 0B2", "1F1 1B0 1F2 1B1 1F3 1B2"}));
    REQUIRE_FALSE(violations.empty());
    CHECK(violations[0].message == "device 0: 0F3 is missing");
}

TEST_CASE("a duplicate op is reported with both positions")
{
    CHECK(messagesOf(scheduleFrom({"0F0 0F0 0B0"}))
          == Messages{"device 0, index 1: 0F0: 0F0 at index 0 does the same work"});
    CHECK(messagesOf(scheduleFrom({"0F0 0B0 0I0 0W0"}))
          == Messages{"device 0, index 2: 0I0: 0B0 at index 1 does the same work",
                      "device 0, index 3: 0W0: 0B0 at index 1 does the same work"});
    CHECK(messagesOf(scheduleFrom({"0F0 0F0.0 0F0.1 0B0"})).size() == 2);
    CHECK(messagesOf(scheduleFrom({"0F0 1F0u 1B0u 0B0", "1F0 1B0 0F0u 0B0u"})).front()
          == "device 0, index 1: 1F0u: earlier ops of micro-batch 0 have direction down");
}

TEST_CASE("an op on a device without its stage, or of no stage at all, is named")
{
    Schedule schedule = scheduleOf("1f1b", 2, 2);
    std::swap(schedule.program[{0}][0], schedule.program[{1}][0]);
    const Messages messages = messagesOf(schedule);
    REQUIRE(messages.size() == 4);
    CHECK(messages[0] == "device 0: 0F0 is missing");
    CHECK(messages[1] == "device 0, index 0: 1F0: stage 1 is on device 1");

    schedule = scheduleOf("1f1b", 2, 2);
    schedule.program[{1}][0].microBatch = MicroBatchId{2};
    CHECK(validate(schedule).back().kind == Kind::OutOfRange);
}

TEST_CASE("an op before what it needs on its own device is named with what it needs")
{
    CHECK(messagesOf(scheduleFrom({"0B0 0F0"}))
          == Messages{"device 0, index 0: 0B0 needs the stash of stage 0, micro-batch 0, which 0F0 "
                      "provides only later, at index 1"});
    CHECK(messagesOf(scheduleFrom({"0F0 0W0 0I0"})).size() == 1);
    const Messages sent
        = messagesOf(scheduleFrom({"0SEND_F0 0F0 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"}));
    REQUIRE_FALSE(sent.empty());
    CHECK_THAT(sent[0],
               Catch::StartsWith("device 0, index 0: 0SEND_F0 needs the activation of stage 0"));
    const Messages received
        = messagesOf(scheduleFrom({"0F0 0SEND_F0 0RECV_B0 0B0", "1F0 1RECV_F0 1B0 1SEND_B0"}));
    REQUIRE_FALSE(received.empty());
    CHECK_THAT(received[0], Catch::EndsWith("which 1RECV_F0 provides only later, at index 1"));
}

TEST_CASE("an all-reduce or a step before the last backward of its stage is named")
{
    CHECK_THAT(messagesOf(scheduleFrom({"0F0 0ALLREDUCE 0B0"})).front(),
               Catch::StartsWith("device 0, index 1: 0ALLREDUCE needs the gradient of stage 0"));
    CHECK_THAT(messagesOf(scheduleFrom({"0F0 0OPT 0B0"})).front(),
               Catch::EndsWith("to which 0B0 contributes only later, at index 2"));
    CHECK(messagesOf(scheduleFrom({"0F0 0B0 0OPT", "1F0 1B0"}))
          == Messages{"device 1: 1OPT is missing"});
}

TEST_CASE("a sharded stage computes only while its weights are gathered")
{
    CHECK(messagesOf(scheduleFrom({"0UNSHARD 0F0 0RESHARD 0UNSHARD 0B0 0RESHARD", "1F0 1B0"}))
          == Messages{});
    CHECK(messagesOf(scheduleFrom({"0F0 0UNSHARD 0UNSHARD 0RESHARD 0B0 0RESHARD"}))
          == Messages{
              "device 0, index 0: 0F0 needs the weights of stage 0, which no UNSHARD has gathered",
              "device 0, index 2: 0UNSHARD: the weights of stage 0 are already gathered",
              "device 0, index 4: 0B0 needs the weights of stage 0, which no UNSHARD has gathered",
              "device 0, index 5: 0RESHARD: the weights of stage 0 are not gathered"});
}

TEST_CASE("in a schedule with transfers each value is sent and received")
{
    CHECK(messagesOf(scheduleFrom({"0F0 0RECV_B0 0B0", "1RECV_F0 1F0 1B0"}))
          == Messages{"device 0: 0SEND_F0 is missing", "device 1: 1SEND_B0 is missing"});
    CHECK(messagesOf(scheduleFrom({"0F0 0SEND_F0 0B0", "1F0 1B0 1SEND_B0"}))
          == Messages{"device 0: 0RECV_B0 is missing", "device 1: 1RECV_F0 is missing"});
    Schedule schedule = addP2P(scheduleOf("1f1b", 3, 1));
    schedule.program[{0}][1].peer = 2;
    CHECK(messagesOf(schedule).front()
          == "device 0, index 1: 0SEND_F0 names device 2, but stage 1 is on device 1");
}

TEST_CASE("validate names the circle of devices that wait for ever")
{
    // Device 0 wants the gradient of micro-batch 1 before it sends micro-batch 2 on its way;
    // device 1 the other way round.
    const std::vector<Violation> violations
        = validate(scheduleFrom({"0F0 0B0 0F1 0B1", "1F0 1F1 1B0 1B1"}));
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].kind == Kind::Deadlock);
    CHECK(violations[0].device == DeviceId{0});
    CHECK(violations[0].index == 1);
    CHECK(violations[0].message
          == "no device can proceed: device 0, index 1: 0B0 waits for the gradient of stage 1, "
             "micro-batch 0 from device 1; device 1, index 1: 1F1 waits for the activation of "
             "stage 0, micro-batch 1 from device 0");
}

TEST_CASE("a circle is named beside other violations, and in a schedule with transfers")
{
    const Schedule schedule = scheduleFrom({"0F0 0B0 0F1 0B1", "1F0 1F1 1B0 1B1", "2F0"});
    CHECK(validate(addP2P(scheduleFrom({"0F0 0B0 0F1 0B1", "1F0 1F1 1B0 1B1"}))).back().kind
          == Kind::Deadlock);
    const auto violations = validate(schedule);
    CHECK(std::ranges::count(violations, Kind::Deadlock, &Violation::kind) == 1);
    CHECK(std::ranges::count(violations, Kind::Missing, &Violation::kind) > 0);
}

TEST_CASE("all-reduces in different orders wait for each other for ever")
{
    const std::vector<Violation> violations
        = validate(scheduleFrom({"0F0 1F1u 1B1u 1ALLREDUCEu 0B0 0ALLREDUCE 0OPT 1OPTu",
                                 "1F0 0F1u 1B0 0B1u 0ALLREDUCEu 1ALLREDUCE 1OPT 0OPTu"}));
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].kind == Kind::Deadlock);
    CHECK_THAT(violations[0].message,
               Catch::Contains("all-reduce of stage 0 waits for device 0")
                   && Catch::Contains("all-reduce of stage 1 waits for device 1"));
}

TEST_CASE("a sliced stage after an unsliced one waits for values that are never produced")
{
    const std::vector<Violation> violations
        = validate(scheduleFrom({"0F0 0B0", "1F0.0 1F0.1 1B0.1 1B0.0"}));
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].kind == Kind::Deadlock);
}

TEST_CASE("the grid marks an op among its neighbours")
{
    CHECK(gridAround(scheduleOf("1f1b", 2, 3), DeviceId{1}, 2, 2)
          == "device 0 | 0F0  0F1  0B0  0F2  0B1\n"
             "device 1 | 1F0  1B0 [1F1] 1B1  1F2\n");
    CHECK(gridAround(scheduleOf("1f1b", 2, 3), DeviceId{0}, 5, 1)
          == "device 0 | .. 0B1 [0B2]\n"
             "device 1 | .. 1F2  1B2\n");
}

TEST_CASE("joint ops start together, so one cannot need the other or wait for it in a circle")
{
    const auto join = [](Schedule schedule, int device, std::size_t index) {
        schedule.program[DeviceId{device}][index].flags = OpFlag::JointWithNext;
        return schedule;
    };
    ScheduleRequest request;
    request.scheme = "1f1b";
    request.devices = 2;
    request.microBatches = 2;
    const Schedule plain = buildSchedule(request).value();
    // Device 1: F1^0 B1^0 F1^1 B1^1. A backward needs the stash of its forward.
    const auto own = validate(join(plain, 1, 0));
    REQUIRE(own.size() == 1);
    CHECK(own[0].kind == Violation::Kind::Order);
    CHECK(own[0].message.find("starts together with") != std::string::npos);
    // Device 0: F0^0 F0^1 B0^0 B0^1. The second forward may start with the first.
    CHECK(validate(join(plain, 0, 0)).empty());
    // F0^1 joint with B0^0, which waits for device 1, which waits for F0^1 only later.
    CHECK(validate(join(plain, 0, 1)).empty());
    // B0^0 joint with B0^1: device 1 makes both without waiting for device 0 in between.
    CHECK(validate(join(plain, 0, 2)).empty());
    // B1^0 joint with F1^1, whose input is F0^1: with F0^1 joint with B0^0 each waits for the
    // other.
    const auto circle = validate(join(join(plain, 0, 1), 1, 1));
    REQUIRE(circle.size() == 1);
    CHECK(circle[0].kind == Violation::Kind::Deadlock);
}

// A joint op at the end of its device was valid, and a live run read beyond its program.
TEST_CASE("a joint op is followed by a compute op of a micro-batch")
{
    Schedule schedule = scheduleFrom({"0F0 0B0", "1F0 1B0"});
    schedule.program[{0}].back().flags = OpFlag::JointWithNext;
    const auto last = validate(schedule);
    REQUIRE(last.size() == 1);
    CHECK(last[0].kind == Kind::Order);
    CHECK_THAT(last[0].message, Catch::StartsWith("device 0, index 1: 0B0 is joint with no op;"));
    CHECK_THAT(messagesOf(lower(schedule)).front(),
               Catch::StartsWith("device 0, index 3: 0B0 is joint with 0OPT;"));
    schedule = scheduleFrom({"0F0 0EVICT0 0LOAD0 0B0", "1F0 1B0"});
    schedule.program[{0}][2].flags = OpFlag::JointWithNext;
    CHECK_THAT(messagesOf(schedule).front(),
               Catch::StartsWith("device 0, index 2: 0LOAD0 is joint with 0B0;"));
}
