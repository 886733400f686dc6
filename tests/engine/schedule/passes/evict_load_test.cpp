#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "tests/support/golden.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;

namespace {

Schedule evicting(const std::string& scheme, int devices, int microBatches)
{
    const auto schedule
        = addEvictLoad(scheduleOf(scheme, devices, microBatches), EvictPolicy::Lazy);
    INFO(scheme);
    REQUIRE(schedule);
    return *schedule;
}

std::string evictError(const Schedule& schedule)
{
    const auto evicting = addEvictLoad(schedule, EvictPolicy::Lazy);
    REQUIRE_FALSE(evicting);
    return evicting.error().message;
}

} // namespace

TEST_CASE("a stash is evicted after its forward and loaded one op before its backward")
{
    CHECK(programOf(evicting("1f1b", 4, 6)).front()
          == "0F0 0F1 0EVICT1 0F2 0F3 0EVICT3 0B0 0LOAD1 0F4 0B1 0F5 0B2 0LOAD3 0B3 0B4 0B5");
    CHECK(evicting("1f1b", 4, 6).program[{0}][2].peer == 3);
}

TEST_CASE("whatever scheme of one direction holds more on one end can share it with the other")
{
    for (const std::string scheme :
         {"1f1b", "eager-1f1b", "1f1b-overlap", "interleaved-1f1b", "hanayo"}) {
        INFO(scheme);
        const Schedule before = scheduleOf(scheme, 8, 32);
        const Schedule after = evicting(scheme, 8, 32);
        CHECK(validate(after).empty());
        CHECK(validate(lower(after)).empty());
        Schedule without = after;
        for (auto& ops : without.program)
            std::erase_if(ops, [](const Op& op) { return isCopy(op.kind); });
        CHECK(without == before);
    }
}

TEST_CASE("where there is nothing to share, or no way to, the reason is named")
{
    CHECK(evictError(scheduleOf("gpipe", 4, 8))
          == "gpipe on 4 devices: sharing stashes between devices d and D-1-d would not reduce the "
             "peak, so there is nothing to evict");
    CHECK_THAT(evictError(scheduleOf("1f1b", 2, 8)), Catch::EndsWith("there is nothing to evict"));
    CHECK_THAT(evictError(scheduleOf("bitpipe", 8, 16)), Catch::EndsWith("nothing to evict"));
    CHECK(evictError(scheduleOf("dualpipe", 4, 8))
          == "dualpipe has joint ops, and no stash can be evicted between joint ops; use a scheme "
             "without them");
    CHECK(evictError(scheduleOf("seq1f1b", 8, 16))
          == "seq1f1b splits micro-batches, and each part needs the stash of another, so no stash "
             "can be evicted; use a scheme of whole micro-batches");
    CHECK_THAT(evictError(addP2P(scheduleOf("1f1b", 8, 16))),
               Catch::StartsWith("1f1b already has transfers"));
    CHECK_THAT(evictError(evicting("1f1b", 8, 16)),
               Catch::StartsWith("1f1b already has evicts and loads"));
}

TEST_CASE("a balanced schedule is returned unchanged")
{
    const Schedule schedule = scheduleOf("1f1b", 2, 8);
    CHECK(balanceStash(schedule, EvictPolicy::Steady).value() == schedule);
}

// Counted by hand: an evicted stash is on the device for one more op after its forward, and again
// from one op before its backward. Without copies the device holds 4 stashes from F3 to B3.
TEST_CASE("offload evicts the stash that is needed last and loads it where the device has memory")
{
    const auto order = addOffload(scheduleOf("1f1b", 4, 6), 3);
    REQUIRE(order);
    CHECK(programOf(*order).front()
          == "0F0 0F1 0EVICT1 0F2 0F3 0EVICT3 0B0 0LOAD1 0F4 0EVICT4 0B1 0LOAD3 0F5 0B2 0LOAD4 0B3 "
             "0B4 0B5");
    CHECK(programOf(*order)[1] == programOf(scheduleOf("1f1b", 4, 6))[1]); // it holds 3
    CHECK(usesHost(order->program[{0}][2]));
    CHECK(*addOffload(scheduleOf("1f1b", 4, 6), 4) == scheduleOf("1f1b", 4, 6));
}

TEST_CASE("an all-reduce between the compute ops of a file hides no copy")
{
    const Schedule order = scheduleOf("1f1b", 4, 6);
    Schedule reducing = order;
    auto& ops = reducing.program[{0}];
    const Op all = opOf(OpKind::AllReduce, StageId{0});
    ops.insert(ops.begin() + 6, all); // directly before B1, of which F4 hides the load
    const auto offloaded = addOffload(reducing, 3);
    REQUIRE(offloaded);
    CHECK(keepOps(*offloaded, [](OpKind kind) { return kind != OpKind::AllReduce; })
          == *addOffload(order, 3));
}

TEST_CASE("with offload every scheme of whole micro-batches holds at most the limit")
{
    int evicting = 0;
    for (const Scheme& scheme : schemes()) {
        if (scheme.slices != nullptr || scheme.name == "bpipe")
            continue;
        const Schedule before = scheduleOf(std::string(scheme.name), 4, 8);
        for (const double most : {1.5, 2.5, 3.5, 8.0}) {
            INFO(scheme.name << ", at most " << most);
            const auto after = addOffload(before, most);
            if (!after) {
                CHECK_THAT(after.error().message, Catch::Contains("or more"));
                continue;
            }
            CHECK(validate(*after).empty());
            CHECK(validate(lower(*after)).empty());
            const auto parts = static_cast<double>(stashPartsPerActivation(before.shape));
            for (const StashPeak& peak : stashPeaks(*after))
                CHECK(static_cast<double>(peak.own + peak.guests) <= most * parts);
            CHECK(keepOps(*after, [](OpKind kind) { return !isCopy(kind); }) == before);
            evicting += *after == before ? 0 : 1;
        }
    }
    CHECK(evicting > 30);
}

TEST_CASE("an offload that is not possible names the least limit or the reason")
{
    const auto errorOf = [](const Schedule& schedule, double most) {
        const auto refused = addOffload(schedule, most);
        REQUIRE_FALSE(refused);
        return refused.error().message;
    };
    // Device 1 runs F0 F1 F2 B0. No stash can leave before B0, because the next op needs that of
    // F0.
    CHECK(errorOf(scheduleOf("1f1b", 4, 8), 1)
          == "--offload 1: a stash is on its device until the op after its forward, and again from "
             "the op before its backward to the end of its backward or W; use 3 or more");
    CHECK(addOffload(scheduleOf("1f1b", 4, 8), 3));
    CHECK_THAT(errorOf(scheduleOf("bpipe", 4, 8), 2), Catch::Contains("already has evicts"));
    CHECK_THAT(errorOf(scheduleOf("seq1f1b", 4, 8), 2), Catch::Contains("whole micro-batches"));
}
