#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/executor.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/sim/simulate.h"
#include "engine/verify/verify.h"
#include "tests/catch.h"
#include "tests/support/pipelines.h"
#include "tests/support/small_training.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <fstream>

using namespace engine;

namespace {

ModelSpec tiedModel()
{
    ModelSpec model = tests::narrowModel(16);
    model.tied = true;
    return model;
}

Schedule tiedSchedule(std::string_view scheme, int devices, int microBatches,
                      SyncPolicy sync = SyncPolicy::Eager)
{
    return trainable(
               buildSchedule(tests::requestOf(std::string(scheme), devices, microBatches)).value(),
               tiedModel(), sync)
        .value();
}

int tiedAllReduces(const Schedule& schedule)
{
    int count = 0;
    for (const auto& program : schedule.program)
        count += static_cast<int>(std::ranges::count_if(program, [](const Op& op) {
            return op.kind == OpKind::AllReduce && tiesEmbeddings(op);
        }));
    return count;
}

} // namespace

TEST_CASE("with a tied head the gradients of every synchronous scheme are sequential training's, "
          "bit for bit, in both modes")
{
    int proved = 0;
    for (const Scheme& scheme : schemes())
        for (const auto& [devices, microBatches] : {std::pair{1, 2}, {2, 4}, {4, 8}}) {
            const ScheduleRequest wanted
                = tests::requestOf(std::string(scheme.name), devices, microBatches);
            if (scheme.asynchronous || !buildSchedule(wanted))
                continue;
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                INFO(scheme.name << " D=" << devices << ' ' << modeName(mode));
                const auto check = checkRealGradients(wanted, {.model = tiedModel(), .mode = mode});
                if (!check)
                    FAIL(check.error().message);
                if (scheme.name == "seq1f1b")
                    CHECK(check->passed());
                else
                    CHECK(check->bitEqual());
                ++proved;
            }
        }
    CHECK(proved > 100);
}

TEST_CASE("whichever way all-reduces wait, a tied head trains the same")
{
    for (const char* scheme : {"1f1b", "interleaved-1f1b", "bitpipe"})
        for (const SyncPolicy sync : {SyncPolicy::Late, SyncPolicy::EagerBlocking})
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                INFO(scheme << ' ' << syncName(sync) << ' ' << modeName(mode));
                const auto check
                    = checkRealGradients(tests::requestOf(std::string(scheme), 4, 8),
                                         {.model = tiedModel(), .mode = mode, .sync = sync});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
}

TEST_CASE("an all-reduce ties the ends where two devices hold them, and none where one does")
{
    CHECK(tiedAllReduces(tiedSchedule("1f1b", 4, 8)) == 2);
    CHECK(tiedAllReduces(tiedSchedule("interleaved-1f1b", 4, 8)) == 2);
    CHECK(tiedAllReduces(tiedSchedule("1f1b", 1, 2)) == 0);
    CHECK(tiedAllReduces(tiedSchedule("zb-v", 4, 8)) == 0);    // device 0 holds both ends
    CHECK(tiedAllReduces(tiedSchedule("bitpipe", 4, 8)) == 0); // and here two devices do
}

TEST_CASE("the ends of a tied head stay one tensor, bit for bit")
{
    const auto device = openCpuDevice().value();
    for (const char* scheme : {"1f1b", "zb-v", "chimera", "bitpipe"}) {
        INFO(scheme);
        Run run;
        run.schedule = tiedSchedule(scheme, 4, 8);
        const int stages = run.schedule.shape.stages;
        const Transformer<float> model(tiedModel(), stages, device->kernels());
        const auto executor
            = makeExecutor({.pipeline = {run.schedule, model, device->kernels()}}, run);
        TokenBatches tokens(tiedModel(), 8);
        for (int k = 0; k < 2; ++k) {
            tokens.load(TextData::builtIn(1), k);
            REQUIRE(executor->iterate(
                {}, tokens, [](auto, auto) {}, false));
        }
        const TiedParameters tied = model.tied().value();
        for (int replica = 0; replica < run.schedule.shape.replicas; ++replica) {
            const auto first = executor->pipeline().weights(replica, tied.first);
            const auto last = executor->pipeline().weights(replica, tied.last);
            CHECK(std::ranges::equal(first.subspan(tied.firstOffset, tied.count),
                                     last.subspan(tied.lastOffset, tied.count)));
        }
    }
}

TEST_CASE("a tied model trains the same from a schedule file, whatever of its all-reduces is in it")
{
    const auto lossesOf = [](const Experiment& experiment) {
        const auto run = tests::runOf(experiment);
        if (!run)
            FAIL(run.error().message);
        return tests::lossesOf(*run);
    };
    Experiment experiment;
    experiment.model = tiedModel();
    experiment.iterations = 3;
    experiment.warmup = 0;
    experiment.accumulate = Accumulate::Exact;
    experiment.schedule = tests::requestOf("1f1b", 4, 8);
    const std::vector<double> losses = lossesOf(experiment);
    REQUIRE(losses.size() == 3);

    const Schedule computes = buildSchedule(experiment.schedule).value();
    Schedule copies = computes; // all stages are reduced, as between copies, and as PyTorch has it
    copies.shape.dataParallel = 2;
    const tests::TemporaryFolder folder;
    const auto path = folder / "tied.csv";
    experiment.scheduleFile = path;
    for (const std::string& text :
         {writeCsv(computes), writeCsv(lower(computes)), writeCsv(tiedSchedule("1f1b", 4, 8)),
          writeCsv(lower(copies)), writeTorch(addP2P(copies)).value()}) {
        INFO(text.substr(0, 400));
        std::ofstream(path) << text;
        CHECK(lossesOf(experiment) == losses);
    }
    experiment.model.tied = false;
    std::ofstream(path) << writeCsv(tiedSchedule("1f1b", 4, 8));
    const auto untied = tests::runOf(experiment);
    REQUIRE_FALSE(untied);
    CHECK(untied.error().message.find("tied = true") != std::string::npos);
}

TEST_CASE("the steps of tied embeddings wait for both, simulated")
{
    const Schedule schedule = tiedSchedule("1f1b", 2, 2);
    OpCosts costs;
    for (const auto& program : schedule.program) {
        auto& own = costs.of.emplace_back();
        for (const Op& op : program)
            own.push_back({op.kind == OpKind::AllReduce ? 10 : isCompute(op.kind) ? 1 : 0, 0});
    }
    const auto timeline = simulate(schedule, costs);
    REQUIRE(timeline);
    // 1B1 ends at 5 and 0B1 at 6; the all-reduce lasts 10, then both step.
    const OpIndex index(schedule);
    for (const Track& track : timeline->tracks)
        for (const Span& span : track.spans)
            if (opAt(schedule, index, span.op).kind == OpKind::OptimizerStep)
                CHECK(span.window() == Window{16, 17});
}
