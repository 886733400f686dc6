#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/check_runnable.h"
#include "engine/exec/emulation.h"
#include "engine/model/transformer.h"
#include "engine/schedule/passes.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

#include <map>

using namespace engine;

namespace {

// The memory model: how many bytes of stash an op adds when it begins and leaves when it ends, from
// the sizes of the stage alone. Schedules here cut no micro-batch.
struct Change
{
    Bytes begin = 0, end = 0;
};
Change changeOf(const Op& op, const StageSizes& sizes)
{
    const Bytes all = floatBytes(sizes.stash), rest = floatBytes(sizes.weightStash);
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

} // namespace

TEST_CASE("at every op of every scheme the stash that is alive is what the memory model predicts")
{
    const auto device = openCpuDevice().value();
    int schemesSeen = 0;
    for (const Scheme& scheme : schemes()) {
        ScheduleRequest request;
        request.scheme = scheme.name;
        request.microBatches = 8;
        const auto built = buildSchedule(request);
        if (!built || built->shape.stages > 16 || built->shape.slices > 1 || scheme.name == "bpipe"
            || !checkRunnable(lower(*built)))
            continue;
        INFO(scheme.name);
        ++schemesSeen;
        Run run;
        run.schedule = lower(*built);
        const Transformer<float> model(tests::narrowModel(16), run.schedule.shape.stages,
                                       device->kernels());
        Pipeline::Setup setup{run.schedule, model, device->kernels()};
        setup.tokenBytes = TokenBatches::bytes(tests::narrowModel(16), 8);
        Emulation emulation({setup, {}}, run);
        TokenBatches tokens(tests::narrowModel(16), 8);
        tokens.load(TextData::builtIn(1), 0);
        REQUIRE(emulation.iterate(
            {}, tokens, [](auto, auto) {}, false));

        const OpIndex index(run.schedule);
        for (int d = 0; d < run.schedule.shape.devices; ++d) {
            std::map<std::int64_t, Bytes> predicted, recorded; // by time
            for (const Span& span : run.timeline.track(DeviceId{d}, Track::Kind::Compute)->spans) {
                const Op& op = opAt(run.schedule, index, span.op);
                const Change change = changeOf(op, model.sizes(op.stage));
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
    CHECK(schemesSeen > 20);
}
