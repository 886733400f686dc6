#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/run_experiment.h"
#include "engine/model/transformer.h"
#include "engine/verify/reference.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

#include <cmath>

using namespace engine;

namespace {

constexpr int kSteps = 200;

Experiment onText(std::string scheme, Accumulate accumulate)
{
    Experiment experiment;
    experiment.schedule.scheme = std::move(scheme);
    experiment.schedule.devices = 2;
    experiment.schedule.microBatches = 4;
    experiment.model = tests::narrowModel(4);
    experiment.iterations = kSteps;
    experiment.warmup = 0;
    experiment.accumulate = accumulate;
    experiment.textFile = TextData::kShipped;
    return experiment;
}

std::vector<double> curveOf(const Experiment& experiment)
{
    const std::atomic<bool> cancel{false};
    const auto run = runExperiment(experiment, {}, cancel);
    REQUIRE(run);
    std::vector<double> losses;
    for (const Iteration& iteration : run->timeline.iterations)
        if (iteration.loss)
            losses.push_back(*iteration.loss);
    REQUIRE(losses.size() >= kSteps); // an asynchronous scheme also fills and drains
    losses.resize(kSteps);
    return losses;
}

std::vector<double> sequentialCurve(Accumulate accumulate)
{
    const Experiment experiment = onText("1f1b", accumulate);
    const auto device = openCpuDevice().value();
    const Transformer<float> model(experiment.model, 1, device->kernels());
    SequentialTrainer trainer(model, device->kernels(), experiment.seed, accumulate);
    TokenBatches tokens(experiment.model, experiment.schedule.microBatches);
    const TextData text = TextData::shipped(experiment.seed);
    std::vector<double> losses;
    for (int k = 0; k < kSteps; ++k) {
        tokens.load(text, k);
        losses.push_back(trainer.accumulate(tokens, experiment.schedule.microBatches));
        trainer.update();
    }
    return losses;
}

} // namespace

TEST_CASE(
    "over 200 steps on real text the losses of synchronous schemes are sequential training's, "
    "bit for bit, and the model learns")
{
    const std::vector<double> sequential = sequentialCurve(Accumulate::Exact);
    CHECK(sequential.back() < sequential.front() - 1);
    for (const char* scheme :
         {"gpipe", "1f1b", "bitpipe", "chimera", "zb-h1", "zb-v", "dualpipe"}) {
        INFO(scheme);
        CHECK(curveOf(onText(scheme, Accumulate::Exact)) == sequential);
    }
}

TEST_CASE("with sums in float the curves are also the same")
{
    const std::vector<double> sequential = sequentialCurve(Accumulate::Float);
    for (const char* scheme : {"1f1b", "bitpipe"}) {
        const std::vector<double> curve = curveOf(onText(scheme, Accumulate::Float));
        for (std::size_t k = 0; k < curve.size(); ++k)
            CHECK(std::abs(curve[k] - sequential[k]) < 1e-3);
    }
}

TEST_CASE("an asynchronous scheme learns on another curve")
{
    Experiment experiment = onText("pipedream", Accumulate::Exact);
    const std::vector<double> curve = curveOf(experiment);
    CHECK(curve.back() < curve.front() - 1);
    CHECK(curve != sequentialCurve(Accumulate::Exact));
}
