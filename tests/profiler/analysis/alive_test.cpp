#include "profiler/analysis/alive.h"
#include "tests/profiler/analysis/hand_made.h"

using namespace analysis_test;
using namespace engine;
using namespace profiler;

namespace {

constexpr auto kStash = MemoryCategory::Stash;

// Device 0 evicts the stash of micro-batch 0 to device 1 and loads it again.
//
//   time      0   2   4   6   8   10  12
//   device 0  F0  F1                  B0
//                 EV0         LD0
Run evicting()
{
    Run run = handMade({.devices = 2, .stages = 1, .microBatches = 2}, {0, 14},
                       {{0, "0F0", 0, 2},
                        {0, "0EVICT0", 2, 4},
                        {0, "0F1", 2, 4},
                        {0, "0LOAD0", 8, 10},
                        {0, "0B0", 10, 12}});
    for (Op& op : run.schedule.program[{0}])
        if (isCopy(op.kind))
            op.peer = 1;
    const std::uint32_t none = MemoryEvent::kNoOp;
    run.timeline.memory = {{-5, 100, none, 0, MemoryCategory::Weights},
                           {-5, 40, none, 1, MemoryCategory::Weights},
                           {0, 10, 0, 0, kStash},
                           {0, 3, 0, 0, MemoryCategory::Buffers},
                           {2, -3, 2, 0, MemoryCategory::Buffers},
                           {2, 10, 1, 1, kStash},
                           {2, 10, 2, 0, kStash},
                           {4, -10, 1, 0, kStash},
                           {8, 10, 3, 0, kStash},
                           {10, -10, 3, 1, kStash},
                           {12, -10, 4, 0, kStash}};
    return run;
}

std::int64_t bytesIn(const std::vector<AliveTensor>& tensors)
{
    std::int64_t bytes = 0;
    for (const AliveTensor& one : tensors)
        bytes += one.bytes;
    return bytes;
}

} // namespace

TEST_CASE("an evicted stash is a guest on its partner and is missing on its device")
{
    const auto steps = memorySteps(evicting(), 0);
    REQUIRE(steps.size() == 2);
    const MemoryStep& away = stepAt(steps[{0}], 5);
    CHECK(away.bytes[MemoryKind::Stash] == 10); // of micro-batch 1
    CHECK(away.bytes[kindOf(MemoryCategory::Weights)] == 100);
    CHECK(away.evicted == 10);
    CHECK(away.withoutMoves() == 120);
    const MemoryStep& partner = stepAt(steps[{1}], 5);
    CHECK(partner.bytes[MemoryKind::Guest] == 10);
    CHECK(partner.bytes[MemoryKind::Stash] == 0);
    CHECK(partner.withoutMoves() == 40);
    CHECK(stepAt(steps[{1}], 11).bytes[MemoryKind::Guest] == 0);
    CHECK(stepAt(steps[{0}], 11).evicted == 0);
    CHECK(stepAt(steps[{0}], -100).time == 0); // before the iteration: its begin
}

TEST_CASE("the peak is the first highest step, after the frees of its time")
{
    const auto steps = memorySteps(evicting(), 0);
    CHECK(peakOf(steps[{0}]).time == 2);
    CHECK(peakOf(steps[{0}]).total() == 120);
    CHECK(peakTimes(steps[{0}]) == std::vector<std::int64_t>{2, 8});
    CHECK(peakTimes({}).empty());
}

TEST_CASE("what is alive at a time adds up to the memory at that time")
{
    const Run run = evicting();
    const auto steps = memorySteps(run, 0);
    for (const std::int64_t time : {0, 1, 2, 3, 4, 6, 8, 9, 10, 12, 13})
        for (const DeviceId device : steps.ids()) {
            CAPTURE(time, device.value);
            CHECK(bytesIn(aliveAt(run, device, time)) == stepAt(steps[device], time).total());
        }
    const auto alive = aliveAt(run, {0}, 5);
    REQUIRE(alive.size() == 2);
    CHECK(alive[0].kind == MemoryKind::Stash);
    CHECK(alive[0].op == 2u); // 0F1; that of 0F0 is on device 1
    CHECK(alive[0].since == 2);
    CHECK(alive[1].kind == kindOf(MemoryCategory::Weights));
    CHECK_FALSE(alive[1].op.has_value());
    const auto guests = aliveAt(run, {1}, 5);
    REQUIRE(guests.size() == 2);
    CHECK(guests[0].kind == MemoryKind::Guest);
    CHECK(guests[0].owner == DeviceId{0});
}

TEST_CASE("an evicted stash is listed with its partner and the time it comes back")
{
    const Run run = evicting();
    const auto away = evictedAt(run, {0}, 5);
    REQUIRE(away.size() == 1);
    CHECK(away[0].partner == DeviceId{1});
    CHECK(away[0].left == 4);
    CHECK(away[0].back == 8);
    CHECK(away[0].bytes == 10);
    CHECK(evictedAt(run, {0}, 3).empty());
    CHECK(evictedAt(run, {0}, 9).empty());
    CHECK(evictedAt(run, {1}, 5).empty());
}

TEST_CASE("partners know each other, and what moved between them")
{
    const auto partners = memoryPartners(evicting(), 0);
    REQUIRE(partners[{0}].has_value());
    CHECK(partners[{0}]->isEvictor);
    CHECK(partners[{0}]->device == DeviceId{1});
    CHECK(partners[{0}]->moves == 1);
    CHECK(partners[{0}]->bytes == 10);
    REQUIRE(partners[{1}].has_value());
    CHECK_FALSE(partners[{1}]->isEvictor);
    CHECK(partners[{1}]->bytes == 10);
    CHECK_FALSE(memoryPartners(simulated("1f1b", 2, 2), 0)[{0}].has_value());
}

TEST_CASE("a stash in host memory is missing on its device, and counts on no other")
{
    Run run = evicting();
    for (Op& op : run.schedule.program[{0}])
        op.peer = Op::kNoPeer;
    std::erase_if(run.timeline.memory,
                  [](const MemoryEvent& event) { return event.device == 1 && event.time > 0; });
    const auto steps = memorySteps(run, 0);
    const MemoryStep &away = stepAt(steps[{0}], 5), &back = stepAt(steps[{0}], 9);
    CHECK(away.bytes[MemoryKind::Stash] == 10); // of micro-batch 1
    CHECK(away.evicted == 10);
    CHECK(away.withoutMoves() == away.total() + 10);
    CHECK(back.evicted == 0);
    CHECK(peakOf(steps[{1}]).total() == 40);
    const auto evicted = evictedAt(run, {0}, 5);
    REQUIRE(evicted.size() == 1);
    CHECK_FALSE(evicted[0].partner);
    CHECK(evicted[0].bytes == 10);
    const auto partners = memoryPartners(run, 0);
    REQUIRE(partners[{0}]);
    CHECK_FALSE(partners[{0}]->device);
    CHECK(partners[{0}]->moves == 1);
    CHECK(partners[{0}]->bytes == 10);
    CHECK_FALSE(partners[{1}]);
}

// The message of 1F0 to 2F0 stays on the device; 2F0 frees it.
TEST_CASE("a message within a device is freed by the op of its micro-batch on the next stage")
{
    Run run = handMade({.devices = 1, .stages = 2, .microBatches = 2}, {0, 10},
                       {{0, "0F1", 0, 2}, {0, "0F0", 2, 4}, {0, "1F0", 4, 6}, {0, "1F1", 6, 8}});
    const auto kBuffers = MemoryCategory::Buffers;
    run.timeline.memory = {{0, 7, 0, 0, kBuffers}, {2, 7, 1, 0, kBuffers}, {6, -7, 2, 0, kBuffers}};
    const auto alive = aliveAt(run, {0}, 6);
    REQUIRE(alive.size() == 1);
    CHECK(alive[0].op == 0u); // 0F1, which is older but of another micro-batch
}

// After every free, all allocations so far were visited, even those that were freed long ago: the
// memory page did not answer.
TEST_CASE("a long run is listed in time that does not grow with what was freed")
{
    constexpr int kMicroBatches = 300'000;
    Run run = handMade({.devices = 1, .stages = 1, .microBatches = kMicroBatches}, {0, 1},
                       {{0, "0F0", 0, 1}});
    auto& program = run.schedule.program[{0}];
    program.resize(kMicroBatches, program.front());
    for (int m = 0; m < kMicroBatches; ++m) {
        const auto op = static_cast<std::uint32_t>(m);
        program[op].microBatch = MicroBatchId{m};
        run.timeline.memory.push_back({m, 10, op, 0, kStash});
        run.timeline.memory.push_back({m, m % 2 == 0 ? -10 : -9, op, 0, kStash});
    }
    CHECK(bytesIn(aliveAt(run, {0}, kMicroBatches)) == kMicroBatches / 2);
}
