// The norm of an iteration's gradient is that of training without a pipeline.
#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/emulation.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/plan/token_batches.h"
#include "engine/verify/reference.h"
#include "tests/catch.h"

#include <cmath>

using namespace engine;

namespace {

constexpr int kMicroBatches = 4, kIterations = 2;

struct Setting
{
    const char* scheme;
    bool tied = false;
    int copies = 1; // of the pipeline
    Accumulate accumulate = Accumulate::Float;
};

ModelSpec modelOf(const Setting& setting)
{
    ModelSpec model;
    model.layers = 8;
    model.width = 16;
    model.sequence = 8;
    model.tied = setting.tied;
    return model;
}

const CpuDevice& cpu()
{
    static const std::shared_ptr<const CpuDevice> kDevice = openCpuDevice().value();
    return *kDevice;
}

std::vector<std::optional<double>> normsOf(const Setting& setting)
{
    Experiment experiment;
    experiment.schedule.scheme = setting.scheme;
    experiment.schedule.devices = 2;
    experiment.schedule.microBatches = kMicroBatches;
    experiment.schedule.dataParallel = setting.copies;
    experiment.model = modelOf(setting);
    Run run;
    run.schedule = scheduleOf(experiment).value();
    const PassSpec spec = passSpec(experiment.model, run.schedule).value();
    const auto model = makeTransformer(spec.model, run.schedule.shape.stages, cpu(), spec.slices);
    Emulation emulation({{run.schedule, *model, cpu().kernels(), 1, setting.accumulate}}, run);
    const TextData data = TextData::builtIn(1);
    TokenBatches tokens(experiment.model, run.schedule.shape.allMicroBatches() * setting.copies,
                        spec.slices);
    const std::atomic<bool> cancel{false};
    std::vector<std::optional<double>> norms;
    for (int k = 0; k < kIterations; ++k) {
        tokens.load(data, k);
        Iteration iteration;
        iteration.number = k;
        REQUIRE(emulation.iterate(
            iteration, tokens, [](std::size_t, std::size_t) {}, cancel));
        norms.push_back(run.timeline.iterations.back().gradientNorm);
    }
    return norms;
}

// Over the parameters that training without a pipeline has: a tied matrix is one of them.
double normOf(std::span<const float> gradient, const std::optional<TiedParameters>& tied)
{
    double squares = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i)
        if (!tied || i < tied->lastOffset || i >= tied->lastOffset + tied->count)
            squares += std::pow(static_cast<double>(gradient[i]), 2);
    return std::sqrt(squares);
}

std::vector<double> sequentialNormsOf(const Setting& setting)
{
    const ModelSpec model = modelOf(setting);
    const auto whole = makeTransformer(model, 1, cpu());
    SequentialTrainer trainer(*whole, cpu().kernels(), 1, setting.accumulate);
    const TextData data = TextData::builtIn(1);
    const int microBatches = kMicroBatches * setting.copies;
    TokenBatches tokens(model, microBatches);
    std::vector<double> norms;
    for (int k = 0; k < kIterations; ++k) {
        tokens.load(data, k);
        trainer.accumulate(tokens, microBatches);
        norms.push_back(normOf(trainer.gradients(), whole->tied()));
        trainer.update();
    }
    return norms;
}

} // namespace

TEST_CASE("the gradient norm of every synchronous scheme is that of sequential training")
{
    for (const Setting& setting :
         {Setting{"1f1b"}, Setting{"1f1b", true}, Setting{"zb-h1", true}, Setting{"chimera"},
          Setting{"bitpipe", true}, Setting{"interleaved-1f1b"}, Setting{"dualpipev", true},
          Setting{"1f1b", true, 2}, Setting{"bitpipe", false, 2},
          Setting{"1f1b", true, 1, Accumulate::Exact}}) {
        INFO(setting.scheme << (setting.tied ? ", tied" : "") << ", W = " << setting.copies);
        const auto norms = normsOf(setting);
        const auto truth = sequentialNormsOf(setting);
        for (std::size_t k = 0; k < truth.size(); ++k) {
            REQUIRE(norms[k]);
            CHECK(*norms[k] == Approx(truth[k]).epsilon(1e-4));
        }
        CHECK(truth[0] != Approx(truth[1]).epsilon(1e-3));
    }
}

TEST_CASE("an iteration with several updates has no gradient norm")
{
    for (const std::optional<double>& norm : normsOf({"pipedream"}))
        CHECK(!norm);
}
