#include "engine/exec/run_experiment.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

using namespace engine;

namespace {

Result<Run> train(std::string scheme, Mode mode, SyncPolicy sync)
{
    Experiment experiment;
    experiment.schedule.scheme = std::move(scheme);
    experiment.schedule.microBatches = 8;
    experiment.model = tests::narrowModel(8);
    experiment.iterations = 2;
    experiment.warmup = 1;
    experiment.mode = mode;
    experiment.sync = sync;
    experiment.accumulate = Accumulate::Exact;
    const std::atomic<bool> cancel{false};
    return runExperiment(experiment, {}, cancel);
}

// Of one iteration, how often a compute op begins before an all-reduce that stands ahead of it in
// the program of its device has ended.
int overtakes(const Run& run, std::uint32_t iteration)
{
    const OpIndex index(run.schedule);
    std::vector<Window> windows(index.count());
    for (const Track& track : run.timeline.tracks)
        for (const Span& span : track.spans)
            if (span.iteration == iteration)
                windows[span.op] = span.window();
    int count = 0;
    for (const engine::DeviceId d : run.schedule.program.ids()) {
        std::int64_t reduced = 0;
        for (std::size_t i = 0; i < run.schedule.program[d].size(); ++i) {
            const Op& op = run.schedule.program[d][i];
            const Window window = windows[index.of(d, i)];
            if (op.kind == OpKind::AllReduce)
                reduced = std::max(reduced, window.end);
            count += isCompute(op.kind) && window.begin < reduced ? 1 : 0;
        }
    }
    return count;
}

} // namespace

TEST_CASE("with --sync eager-blocking a live device waits where its all-reduce stands, and trains "
          "the same")
{
    for (const char* scheme : {"bitpipe", "chimera", "dualpipe", "gems"}) {
        INFO(scheme);
        const auto blocking = train(scheme, Mode::Live, SyncPolicy::EagerBlocking);
        const auto emulated = train(scheme, Mode::Emulate, SyncPolicy::EagerBlocking);
        const auto eager = train(scheme, Mode::Emulate, SyncPolicy::Eager);
        if (!blocking)
            FAIL(blocking.error().message);
        REQUIRE(emulated);
        REQUIRE(eager);
        CHECK(tests::lossesOf(*blocking) == tests::lossesOf(*emulated));
        CHECK(tests::lossesOf(*blocking) == tests::lossesOf(*eager));
        for (std::uint32_t k = 0; k < blocking->timeline.iterations.size(); ++k)
            CHECK(overtakes(*blocking, k) == 0);
    }
}
