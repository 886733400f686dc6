#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/emulation.h"
#include "engine/experiment/check_experiment.h"
#include "engine/model/transformer.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

#include <map>

using namespace engine;

namespace {

ModelSpec stashModel(Precision precision)
{
    ModelSpec model = tests::narrowModel(16);
    model.precision = precision;
    return model;
}

// The memory model: how many bytes of stash an op adds when it begins and leaves when it ends, from
// the sizes of the stage alone. Schedules here cut no micro-batch.
struct Change
{
    Bytes begin = 0, end = 0;
};
Change changeOf(const Op& op, const StageSizes& sizes)
{
    const Bytes all = storedBytes(sizes, sizes.stash), rest = storedBytes(sizes, sizes.weightStash);
    switch (op.kind) {
    case OpKind::Forward:
        return {all, 0};
    case OpKind::Backward:
        return {0, -all};
    case OpKind::BackwardInput:
        return {0, rest - all};
    case OpKind::BackwardWeight:
        return {0, -rest};
    default:
        return {};
    }
}

// Trains one iteration and compares, on every device.
void checkStashes(const Schedule& lowered, Precision precision)
{
    const auto device = openCpuDevice().value();
    const ModelSpec spec = stashModel(precision);
    Run run;
    run.schedule = lowered;
    const auto model = makeTransformer(spec, run.schedule.shape.stages, *device);
    Pipeline::Setup setup{run.schedule, *model, device->kernels()};
    setup.tokenBytes = TokenBatches::bytes(spec, 8);
    Emulation emulation({setup}, run);
    TokenBatches tokens(spec, 8);
    tokens.load(TextData::builtIn(1), 0);
    REQUIRE(emulation.iterate(
        {}, tokens, [](auto, auto) {}, false));

    const OpIndex index(run.schedule);
    for (int d = 0; d < run.schedule.shape.devices; ++d) {
        std::map<std::int64_t, Bytes> predicted, recorded; // by time
        for (const Span& span : run.timeline.track(DeviceId{d}, Track::Kind::Compute)->spans) {
            const Op& op = opAt(run.schedule, index, span.op);
            const Change change = changeOf(op, model->sizes(op.stage));
            predicted[span.begin] += change.begin;
            predicted[span.end] += change.end;
        }
        for (const MemoryEvent& event : run.timeline.memory)
            if (event.device == d && event.category == MemoryCategory::Stash)
                recorded[event.time] += event.bytes;
        std::erase_if(predicted, [](const auto& entry) { return entry.second == 0; });
        std::erase_if(recorded, [](const auto& entry) { return entry.second == 0; });
        CHECK(recorded == predicted);
    }
}

} // namespace

TEST_CASE("at every op of every scheme the stash that is alive is what the memory model predicts, "
          "in either precision")
{
    int schemesSeen = 0;
    for (const Scheme& scheme : schemes()) {
        ScheduleRequest request;
        request.scheme = scheme.name;
        request.microBatches = 8;
        const auto built = buildSchedule(request);
        if (!built || built->shape.stages > 16 || built->shape.slices > 1 || scheme.name == "bpipe"
            || !checkRunnable(lower(*built)))
            continue;
        ++schemesSeen;
        for (const Precision precision : {Precision::Fp32, Precision::Bf16}) {
            INFO(scheme.name << ' ' << nameIn(kPrecisionNames, precision));
            checkStashes(lower(*built), precision);
        }
    }
    CHECK(schemesSeen > 20);
}
