#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "tests/support/pipelines.h"

#include <fmt/format.h>

#include <map>
#include <set>

using namespace engine;
using namespace tests;

// Defects of published generators that the validator finds.

namespace {

// What torch 2.8's Schedule1F1B._get_pipeline_order prints: right but for the last rank, whose
// first forward is that of micro-batch 1.
std::string torch28OneFOneB(int devices, int microBatches)
{
    std::string text;
    for (int rank = 0; rank < devices; ++rank) {
        const int warmUp = devices - 1 - rank;
        std::vector<std::string> cells;
        int forward = 0;
        for (int i = 0; i < warmUp; ++i) {
            cells.push_back(fmt::format("{}F{}", rank, i));
            forward = i;
        }
        cells.insert(cells.end(), static_cast<std::size_t>(2 * warmUp), "");
        int backward = 0;
        for (; backward < microBatches - warmUp; ++backward) {
            cells.push_back(fmt::format("{}F{}", rank, ++forward));
            cells.push_back(fmt::format("{}B{}", rank, backward));
        }
        for (; backward < microBatches; ++backward)
            cells.push_back(fmt::format("{}B{}", rank, backward));
        cells.push_back(fmt::format("{}REDUCE_GRAD", rank));
        text += fmt::format("{}\r\n", fmt::join(cells, ","));
    }
    return text;
}

// What Chimera's AutoGeneratePipelineRank emits for D >= 6 and N > 2D: it starts a unit of D
// micro-batches at every micro-batch that finishes, not at every unit, and what comes later takes
// the slots of what was there. (Section 14 has the slot table; micro-batches are numbered by unit,
// the original repeats the numbers.)
Schedule chimeraWithOverwrittenSlots(int devices, int microBatches)
{
    Schedule schedule = scheduleOf("chimera", devices, microBatches);
    IdVector<DeviceId, std::map<int, Op>> slots(devices);
    for (const DeviceId device : slots.ids()) {
        auto& ops = schedule.program[device];
        std::ranges::stable_sort(ops, {}, [devices](const Op& op) {
            return op.microBatch.value / devices; // a unit after the other
        });
        for (const Op& op : ops) {
            const int unit = op.microBatch.value / devices;
            const int start = unit == 0 ? 0 : 2 * devices + 2 * (unit - 1);
            const int j = op.microBatch.value % (devices / 2);
            const int depth
                = op.kind == OpKind::Forward ? op.stage.value : 2 * devices - 1 - op.stage.value;
            slots[device][start + 2 * j + depth] = op;
        }
    }
    for (const DeviceId d : slots.ids()) {
        schedule.program[d].clear();
        for (const auto& [slot, op] : slots[d])
            schedule.program[d].push_back(op);
    }
    return schedule;
}

// What the validator must say is missing of `whole`: the ops of micro-batches that have one left,
// and the micro-batches that have none.
std::multiset<std::string> lost(const Schedule& whole, const Schedule& left)
{
    std::set<std::pair<DeviceId, Op>> kept;
    std::set<MicroBatchId> begun;
    for (const engine::DeviceId d : left.program.ids())
        for (const Op& op : left.program[d]) {
            kept.emplace(d, op);
            begun.insert(op.microBatch);
        }
    std::multiset<std::string> messages;
    std::set<MicroBatchId> gone;
    for (const engine::DeviceId d : whole.program.ids())
        for (const Op& op : whole.program[d])
            if (!begun.contains(op.microBatch))
                gone.insert(op.microBatch);
            else if (!kept.contains({d, op}))
                messages.insert(fmt::format("device {}: {} is missing", d.value, toString(op)));
    for (const MicroBatchId m : gone)
        messages.insert(
            fmt::format("micro-batch {} is missing: no device has an op of it", m.value));
    return messages;
}

} // namespace

TEST_CASE("the 1F1B that torch 2.8 prints has no F0 on the last rank and a micro-batch too many")
{
    for (const auto& [devices, microBatches] :
         {std::pair(2, 4), std::pair(4, 8), std::pair(8, 16)}) {
        const auto schedule = readScheduleText(torch28OneFOneB(devices, microBatches));
        REQUIRE(schedule);
        const int last = devices - 1;
        std::set<std::string> messages;
        for (const Violation& violation : validate(*schedule))
            messages.insert(violation.message);
        CHECK(messages.contains(fmt::format("device {}: {}F0 is missing", last, last)));
        CHECK(messages.contains(
            fmt::format("device {}: {}B{} is missing", last, last, microBatches)));
        CHECK(messages.contains(fmt::format("device 0: 0F{} is missing", microBatches)));
    }
}

TEST_CASE("the ops that Chimera's generator overwrites are all named")
{
    struct Case
    {
        int devices, microBatches;
        std::size_t emitted; // of a device, as the generator printed it
    };
    for (const auto& [devices, microBatches, emitted] :
         {Case{8, 32, 36}, Case{8, 24, 34}, Case{6, 18, 26}, Case{16, 48, 66}}) {
        INFO("D=" << devices << " N=" << microBatches);
        const Schedule schedule = chimeraWithOverwrittenSlots(devices, microBatches);
        for (const auto& ops : schedule.program)
            CHECK(ops.size() == emitted);
        std::multiset<std::string> missing;
        for (const Violation& violation : validate(schedule))
            if (violation.kind == Violation::Kind::Missing)
                missing.insert(violation.message);
        CHECK(missing == lost(scheduleOf("chimera", devices, microBatches), schedule));
        CHECK_FALSE(missing.empty());
    }
}

TEST_CASE("micro-batches that Chimera's generator numbers twice are named")
{
    // From the second unit on the numbers begin again.
    Schedule schedule = scheduleOf("chimera", 4, 8);
    for (auto& ops : schedule.program)
        for (Op& op : ops)
            op.microBatch.value %= 4;
    const auto violations = validate(schedule);
    CHECK(std::ranges::count(violations, Violation::Kind::Duplicate, &Violation::kind) == 32);
    CHECK_THAT(violations.back().message, Catch::Contains("does the same work"));
}
