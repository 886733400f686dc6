// Whole runs on a device whose memory this process cannot touch: the CUDA kernels emulated on the
// CPU, and a GPU where there is one.
#include "engine/exec/emulation.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/plan/token_batches.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/conformance/kernels/suite.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <fmt/format.h>

#include <cmath>

using namespace engine;

namespace {

ModelSpec miniature(Family family)
{
    ModelSpec model;
    model.family = family;
    model.layers = 8;
    model.width = 16;
    model.heads = 4;
    model.kvHeads = family == Family::Llama ? 2 : 0;
    model.patch = family == Family::Vit ? 4 : 0;
    model.sequence = family == Family::Vit ? 9 : 8;
    model.microBatchSize = 2;
    model.vocabulary = 256;
    return model;
}

struct Setting
{
    std::string scheme;
    ModelSpec model;
    Accumulate accumulate = Accumulate::Float;
    int devices = 2, microBatches = 4;
};

Experiment experimentOf(const Setting& setting)
{
    Experiment experiment;
    experiment.schedule.scheme = setting.scheme;
    experiment.schedule.devices = setting.devices;
    experiment.schedule.microBatches = setting.microBatches;
    experiment.model = setting.model;
    return experiment;
}

std::string textOf(const Setting& setting)
{
    return fmt::format("{}, {}", setting.scheme, nameIn(kPrecisionNames, setting.model.precision));
}

struct Trained
{
    std::vector<double> losses, norms;              // norms: of synchronous schemes
    std::vector<float> firstGradient, lastGradient; // of stage 0, down
    std::vector<std::int64_t> durations;
};

// Two iterations, of which each ends with a step of the optimizer. No device: this process's
// memory.
Trained train(const Setting& setting, const Device* device)
{
    Run run;
    run.schedule = scheduleOf(experimentOf(setting)).value();
    const PassSpec spec = passSpec(setting.model, run.schedule).value();
    const Device& on = device != nullptr ? *device : *kernel_test::cpu();
    const auto model = makeTransformer(spec.model, run.schedule.shape.stages, on, spec.slices);
    const Bytes tokenBytes
        = TokenBatches::bytes(setting.model, run.schedule.shape.allMicroBatches());
    Pipeline::Setup pipeline{run.schedule, *model, on.kernels(), 1, setting.accumulate, tokenBytes};
    pipeline.device = device;
    pipeline.poison = Poison::Freed;
    Emulation emulation({pipeline}, run);

    Trained trained;
    emulation.pipeline().observeGradients(
        [&](int replica, StageId stage, std::span<const float> gradient) {
            if (replica != 0 || stage.value != 0)
                return;
            trained.lastGradient.assign(gradient.begin(), gradient.end());
            if (trained.firstGradient.empty())
                trained.firstGradient = trained.lastGradient;
        });
    const TextData data = TextData::builtIn(1);
    TokenBatches tokens(setting.model, run.schedule.shape.allMicroBatches(), spec.slices);
    const std::atomic<bool> cancel{false};
    for (int k = 0; k < 2; ++k) {
        tokens.load(data, k);
        Iteration iteration;
        iteration.number = k;
        iteration.kind = Iteration::Kind::Measured;
        REQUIRE(emulation.iterate(
            iteration, tokens, [](std::size_t, std::size_t) {}, cancel));
        trained.losses.push_back(run.timeline.iterations.back().loss.value());
        if (const auto norm = run.timeline.iterations.back().gradientNorm)
            trained.norms.push_back(*norm);
        for (const OpTiming& timing : emulation.timings())
            trained.durations.push_back(timing.opTime);
    }
    return trained;
}

double relativeError(const std::vector<float>& a, const std::vector<float>& truth)
{
    REQUIRE(a.size() == truth.size());
    double difference = 0, square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(truth[i]), 2);
        square += std::pow(static_cast<double>(truth[i]), 2);
    }
    return std::sqrt(difference / square);
}

// Of losses, of the first gradients, and of those after a step, relative. The first steps of AdamW
// are of one size whatever the gradient is, so they make whole steps of the roundings of small
// ones: of 6e-3 in bf16 1.9e-2 become.
struct Tolerance
{
    double losses = 1e-5, firstGradients = 1e-6, gradients = 1e-4;

    explicit Tolerance(const ModelSpec& model)
    {
        if (model.precision == Precision::Bf16)
            *this = {2e-3, 1e-2, 2e-2};
        if (model.precision == Precision::Tf32)
            *this = {1e-4, 1e-3, 5e-3};
    }

private:
    Tolerance(double ofLosses, double ofFirst, double ofGradients)
        : losses(ofLosses)
        , firstGradients(ofFirst)
        , gradients(ofGradients)
    { }
};

double trainsAsTheCpu(const Setting& setting, const Device& device)
{
    INFO(device.info().name << ", " << textOf(setting));
    const Tolerance tolerance(setting.model);
    Setting onCpu = setting;
    if (setting.model.precision == Precision::Tf32)
        onCpu.model.precision = Precision::Fp32; // which is all that a CPU has of it
    const Trained cpu = train(onCpu, nullptr), other = train(setting, &device);
    REQUIRE(other.losses.size() == 2);
    for (std::size_t k = 0; k < 2; ++k)
        CHECK(other.losses[k] == Approx(cpu.losses[k]).epsilon(tolerance.losses));
    const double error = relativeError(other.lastGradient, cpu.lastGradient);
    CHECK(relativeError(other.firstGradient, cpu.firstGradient) < tolerance.firstGradients);
    REQUIRE(other.norms.size() == cpu.norms.size());
    for (std::size_t k = 0; k < cpu.norms.size(); ++k)
        CHECK(other.norms[k] == Approx(cpu.norms[k]).epsilon(tolerance.gradients));
    CHECK(error < tolerance.gradients);
    CHECK(other.durations.size() == cpu.durations.size());
    CHECK(std::ranges::all_of(other.durations, [](std::int64_t ns) { return ns > 0; }));
    return error;
}

// Messages and all-reduces (chimera), I and W apart (zb-h1), evicted stashes (bpipe, and to the
// host), slices (seq1f1b), kept weights (pipedream); every family and way of attention.
std::vector<Setting> settings()
{
    std::vector<Setting> all;
    for (const char* scheme : {"1f1b", "chimera", "zb-h1", "bpipe", "pipedream"})
        all.push_back({scheme, miniature(Family::Gpt)});
    all.push_back({"bitpipe", miniature(Family::Llama), Accumulate::Exact});
    all.push_back({"gpipe", miniature(Family::Bert)});
    all.back().model.offload = Fraction{3}; // of four activations
    for (const Precision precision : {Precision::Fp32, Precision::Bf16}) {
        all.push_back({"chimera", miniature(Family::Vit)});
        all.back().model.precision = precision;
    }
    all.push_back({"seq1f1b", miniature(Family::Gpt)});
    all.back().model.attention = AttentionKind::Recompute;
    all.push_back({"1f1b", miniature(Family::Gpt)});
    all.back().model.attention = AttentionKind::Flash;
    all.push_back({"1f1b", miniature(Family::Llama)});
    all.back().model.recompute = Recompute::Full;
    for (const Family family : {Family::Gpt, Family::Llama})
        for (const AttentionKind kind : {AttentionKind::Standard, AttentionKind::Flash}) {
            all.push_back({family == Family::Gpt ? "chimera" : "zb-h1", miniature(family)});
            all.back().model.attention = kind;
            all.back().model.precision = Precision::Bf16;
        }
    all.push_back({"1f1b", miniature(Family::Gpt)});
    all.back().model.precision = Precision::Tf32;
    all.push_back({"seq1f1b", miniature(Family::Gpt)}); // heads of 64 numbers: on tensor cores
    all.back().model.layers = 2;
    all.back().model.width = 128;
    all.back().model.heads = 2;
    all.back().model.attention = AttentionKind::Flash;
    all.back().model.precision = Precision::Bf16;
    return all;
}

Trained trainAlone(Setting setting, const Device& device)
{
    setting.scheme = "gpipe";
    setting.devices = 1;
    return train(setting, &device);
}

// Sums of integers have no order, so what a scheme adds up is what one device alone adds up.
bool addsUpAs(const Trained& one, const Setting& setting, const Device& device)
{
    INFO(device.info().name << ", " << setting.scheme << " on " << setting.devices);
    const Trained other = train(setting, &device);
    REQUIRE(!other.lastGradient.empty());
    REQUIRE(other.lastGradient.size() < one.lastGradient.size());
    const bool same
        = std::equal(other.lastGradient.begin(), other.lastGradient.end(),
                     one.lastGradient.begin()); // the first stage: the whole one's begin
    CHECK(same);
    CHECK(other.losses == one.losses);
    return same && other.losses == one.losses;
}

void checkTraining(bool inFp32)
{
    for (const Setting& setting : settings()) {
        if ((setting.model.precision == Precision::Fp32) != inFp32)
            continue;
        if (kernel_test::isEmulated())
            trainsAsTheCpu(setting, *kernel_test::emulatedCuda());
        if (kernel_test::gpu()) {
            const double error = trainsAsTheCpu(setting, **kernel_test::gpu());
            const bool good = error < Tolerance(setting.model).gradients;
            kernel_test::row("P7 training " + textOf(setting), good ? "PASS" : "FAIL",
                             fmt::format("gradients {:.1e} from the CPU's", error));
        }
    }
}

} // namespace

TEST_CASE("schemes on a device add up what one device alone does, bit for bit")
{
    if (!kernel_test::isEmulated())
        return;
    const Device& device = *kernel_test::emulatedCuda();
    const Trained one = trainAlone({"gpipe", miniature(Family::Gpt), Accumulate::Exact}, device);
    for (const char* scheme :
         {"1f1b", "interleaved-1f1b", "zb-h1", "chimera", "bitpipe", "bpipe", "dualpipev"})
        addsUpAs(one, {scheme, miniature(Family::Gpt), Accumulate::Exact}, device);
}

// All of the table but those that do not flush, or cut samples, whose sums run differently.
TEST_CASE("every scheme on a GPU adds up what one device alone does, bit for bit")
{
    if (!kernel_test::gpu())
        return; // suite.cpp has said why
    for (const Scheme& scheme : schemes()) {
        Setting setting{std::string(scheme.name), miniature(Family::Gpt), Accumulate::Exact, 4, 8};
        setting.model.layers = 16;
        const auto schedule = scheduleOf(experimentOf(setting));
        const std::string check = "P7 exact gradients " + setting.scheme;
        if (!schedule || scheme.asynchronous || schedule->shape.slices > 1) {
            kernel_test::row(check, "SKIPPED",
                             schedule ? "its sums are others by design" : schedule.error().message);
            continue;
        }
        const Device& device = **kernel_test::gpu();
        const bool same = addsUpAs(trainAlone(setting, device), setting, device);
        kernel_test::row(check, same ? "PASS" : "FAIL",
                         "D = 4, N = 8 against one device, bit for bit");
    }
}

TEST_CASE("a device whose memory the CPU cannot access trains as the CPU does")
{
    checkTraining(true);
}

TEST_CASE("a device whose memory the CPU cannot access trains in bf16 as the CPU does")
{
    checkTraining(false);
}

// What is lost is within the tolerances above, so they do not tell tf32 from fp32.
TEST_CASE("training in tf32 is not training in fp32")
{
    if (!kernel_test::isEmulated())
        return;
    Setting setting{"1f1b", miniature(Family::Gpt)};
    const Trained exact = train(setting, kernel_test::emulatedCuda().get());
    setting.model.precision = Precision::Tf32;
    const Trained rounded = train(setting, kernel_test::emulatedCuda().get());
    CHECK(relativeError(rounded.firstGradient, exact.firstGradient) > 1e-5);
    CHECK(rounded.losses != exact.losses);
}
