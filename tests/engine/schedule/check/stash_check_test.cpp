#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/validate.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;

namespace {

// Four devices, one micro-batch through the others, device 0 with its partner 3.
Schedule withDevice0(const std::string& program)
{
    Schedule schedule
        = scheduleFrom({program, "1F0 1F1 1B0 1B1", "2F0 2F1 2B0 2B1", "3F0 3F1 3B0 3B1"});
    for (Op& op : schedule.program[{0}])
        if (isCopy(op.kind))
            op.peer = 3;
    return schedule;
}

std::vector<std::string> stashFaults(const Schedule& schedule)
{
    std::vector<std::string> messages;
    for (const Violation& violation : validate(schedule)) {
        CHECK(violation.kind == Violation::Kind::Stash);
        messages.push_back(violation.message);
    }
    return messages;
}

using Faults = std::vector<std::string>;

} // namespace

TEST_CASE("a stash that is evicted and loaded before its use is valid")
{
    CHECK(stashFaults(withDevice0("0F0 0EVICT0 0F1 0LOAD0 0B0 0B1")).empty());
    CHECK(stashFaults(withDevice0("0F0 0EVICT0 0F1 0LOAD0 0RECOMPUTE0 0B0 0B1")).empty());
    CHECK(
        stashFaults(withDevice0("0F0 0F1 0EVICT0 0LOAD0 0EVICT1 0I0 0LOAD1 0I1 0W0 0W1")).empty());
    for (const Scheme& scheme : schemes())
        if (const auto built = buildSchedule(requestOf(std::string(scheme.name), 4, 8)))
            CHECK(checkStashes(*built).empty());
}

TEST_CASE("a stash that is needed while it is away is named, with where it is and since when")
{
    CHECK(stashFaults(withDevice0("0F0 0EVICT0 0F1 0B0 0LOAD0 0B1"))
          == Faults{"device 0, index 3: 0B0 needs the stash of stage 0, micro-batch 0, which is on "
                    "device 3: evicted at index 1 and not loaded yet",
                    "device 0, index 4: 0LOAD0 needs the stash of stage 0, micro-batch 0, which "
                    "was freed at index 3"});
    CHECK(stashFaults(withDevice0("0F0 0EVICT0 0F1 0RECOMPUTE0 0LOAD0 0B0 0B1"))
          == Faults{"device 0, index 3: 0RECOMPUTE0 needs the stash of stage 0, micro-batch 0, "
                    "which is on device 3: evicted at index 1 and not loaded yet"});
}

TEST_CASE("a stash on the host is loaded from there, as all others of the schedule are")
{
    Schedule schedule = withDevice0("0F0 0EVICT0 0F1 0B0 0LOAD0 0B1");
    for (Op& op : schedule.program[{0}])
        op.peer = Op::kNoPeer;
    CHECK_THAT(stashFaults(schedule).front(), Catch::Contains("which is on the host: evicted at"));
    schedule = withDevice0("0F0 0EVICT0 0F1 0LOAD0 0B0 0B1");
    schedule.program[{0}][1].peer = Op::kNoPeer;
    CHECK(std::ranges::any_of(validate(schedule), [](const Violation& violation) {
        return violation.message.ends_with("use the host, others the partner; use one of them");
    }));
    CHECK(checkStashes(schedule).front().message
          == "device 0, index 3: 0LOAD0 needs the stash of stage 0, micro-batch 0, which is on the "
             "host: evicted at index 1 and not loaded yet");
}

TEST_CASE("a stash that is moved or rebuilt after its last use is named")
{
    CHECK(stashFaults(withDevice0("0F0 0F1 0B0 0EVICT0 0LOAD0 0B1"))
          == Faults{"device 0, index 3: 0EVICT0 needs the stash of stage 0, micro-batch 0, which "
                    "was freed at index 2"});
    CHECK(stashFaults(withDevice0("0F0 0F1 0B0 0RECOMPUTE0 0B1"))
          == Faults{"device 0, index 3: 0RECOMPUTE0 needs the stash of stage 0, micro-batch 0, "
                    "which was freed at index 2"});
    CHECK(stashFaults(withDevice0("0F0 0F1 0I0 0EVICT0 0LOAD0 0W0 0B1"))
          == Faults{"device 0, index 3: 0EVICT0 needs the stash of stage 0, micro-batch 0, which "
                    "was used at index 2"});
}

// Between its RECOMPUTE and its backward, a stash has its full size, for which no EVICT accounts.
TEST_CASE("a RECOMPUTE may be anywhere between its forward and its backward, but not before an "
          "EVICT of the stash")
{
    CHECK(stashFaults(withDevice0("0F0 0RECOMPUTE0 0F1 0RECOMPUTE1 0B0 0B1")).empty());
    CHECK(stashFaults(withDevice0("0F0 0RECOMPUTE0 0EVICT0 0F1 0LOAD0 0B0 0B1"))
          == Faults{"device 0, index 2: 0EVICT0 needs the stash of stage 0, micro-batch 0, which "
                    "was recomputed at index 1: only a stash that is not recomputed yet can be "
                    "moved"});
}

TEST_CASE("a LOAD of a stash that was not evicted is reported")
{
    CHECK(stashFaults(withDevice0("0F0 0LOAD0 0EVICT0 0F1 0B0 0B1"))
          == Faults{"device 0, index 1: 0LOAD0 needs the stash of stage 0, micro-batch 0, which is "
                    "not evicted (in place since index 0)",
                    "device 0, index 4: 0B0 needs the stash of stage 0, micro-batch 0, which is on "
                    "device 3: evicted at index 2 and not loaded yet"});
    CHECK_THAT(validate(withDevice0("0LOAD0 0F0 0EVICT0 0F1 0B0 0B1")).front().message,
               Catch::Contains("0LOAD0 needs the stash") && Catch::Contains("not created yet"));
}

TEST_CASE("stash peaks of the op order equal the closed forms of the schemes")
{
    for (const int devices : {2, 4, 8}) {
        const Schedule schedule = scheduleOf("1f1b", devices, 3 * devices);
        const auto peaks = stashPeaks(schedule);
        const std::int64_t one = stashPartsPerActivation(schedule.shape);
        for (int d = 0; d < devices; ++d) {
            CHECK(peaks[{d}].own == (devices - d) * one);
            CHECK(peaks[{d}].guests == 0);
        }
        CHECK(checkStashLimit(schedule, devices * one).empty());
        CHECK(checkStashLimit(schedule, devices * one - 1).size() == 1);
    }
}

TEST_CASE("a device above the limit is named, its guests counted")
{
    const Schedule schedule = withDevice0("0F0 0EVICT0 0F1 0LOAD0 0B0 0B1");
    const std::int64_t one = stashPartsPerActivation(schedule.shape);
    CHECK(checkStashLimit(schedule, 3 * one).empty());
    const auto violations = checkStashLimit(schedule, 2 * one);
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].message
          == "device 3, index 1: with 3F1 the device holds 2 activations of its own and up to 1 of "
             "its partner, more than the limit of 2");
}
