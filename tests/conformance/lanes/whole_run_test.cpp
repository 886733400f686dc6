// Whole runs of real models on GPUs that are emulated on the CPU: the same losses as on the CPU.
#include "engine/backend/cuda/runtime/device.h"
#include "engine/exec/run_experiment.h"
#include "tests/catch.h"
#include "tests/conformance/lanes/probe_training.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"
#include "tests/support/small_training.h"

#include <cmath>

using namespace engine;
using cuda_on_cpu::Turns;

namespace {

OpenDevices on(int gpus, Mode mode, TransportChoice transport = TransportChoice::Auto)
{
    return [=](int count) -> Result<RunDevices> {
        cuda_on_cpu::plugIn({.count = gpus});
        RunDevices opened{{}, mode, {}};
        for (auto& made : cuda::makeDevices(mode == Mode::Live ? count : 1, transport))
            opened.devices.push_back(std::move(made));
        return opened;
    };
}

Experiment experimentOf(Family family, const char* scheme, Precision precision, int copies = 1)
{
    Experiment experiment;
    experiment.model = tests::narrowModel(8);
    experiment.model.family = family;
    experiment.model.precision = precision;
    experiment.schedule.scheme = scheme;
    experiment.schedule.devices = 4;
    experiment.schedule.microBatches = 4;
    experiment.schedule.dataParallel = copies;
    experiment.iterations = 2;
    experiment.warmup = 1; // on parts of a GPU one op at a time
    return experiment;
}

std::vector<double> lossesOf(const Result<Run>& run)
{
    if (!run)
        FAIL(run.error().message);
    return tests::lossesOf(*run);
}

std::vector<double> lossesOnCpu(Experiment experiment)
{
    experiment.mode = Mode::Emulate;
    return lossesOf(runExperiment(experiment, {}, false));
}

Result<Run> runOn(Experiment experiment, const OpenDevices& devices, Mode mode = Mode::Live)
{
    experiment.backend = Backend::Cuda;
    experiment.mode = mode;
    auto run = runOnDevices(experiment, devices, {}, false);
    cuda_on_cpu::plugIn({});
    return run;
}

void checkClose(const std::vector<double>& losses, const std::vector<double>& truth, double bound)
{
    REQUIRE(losses.size() == truth.size());
    for (std::size_t i = 0; i < losses.size(); ++i)
        CHECK(std::abs(losses[i] - truth[i]) <= bound * truth[i]);
}

double boundOf(Precision precision)
{
    return precision == Precision::Fp32 ? 1e-5 : 1e-2;
}

void checkLiveTraining(Family family, Precision precision)
{
    CAPTURE(static_cast<int>(family), static_cast<int>(precision));
    cuda_on_cpu::takeTurns(Turns::Random, 11);
    Experiment experiment = experimentOf(family, "zb-h1", precision);
    experiment.iterations = 1;
    const auto truth = lossesOnCpu(experiment);
    std::vector<double> first;
    for (const int gpus : {1, 2, 4}) {
        CAPTURE(gpus);
        const auto run = runOn(experiment, on(gpus, Mode::Live));
        const auto losses = lossesOf(run);
        checkClose(losses, truth, boundOf(precision));
        if (first.empty())
            first = losses;
        CHECK(losses == first); // wherever the devices are: the same bits
        CHECK(run->info.mode == Mode::Live);
        CHECK(run->info.gpuMemory.size() == static_cast<std::size_t>(gpus));
        for (const GpuMemory& memory : run->info.gpuMemory)
            CHECK(memory.difference() == 0);
        CHECK(run->info.interference.empty() == (gpus == 4));
        for (const ArenaUse& use : run->info.arenas)
            CHECK(use.touched.value_or(0) > 0);
    }
    cuda_on_cpu::takeTurns(Turns::Oldest);
}

} // namespace

TEST_CASE("a model trains live on partitions and on several GPUs as it does on the CPU")
{
    checkLiveTraining(GENERATE(Family::Gpt, Family::Llama), Precision::Fp32);
}

TEST_CASE("a model trains live in bf16 on partitions and on several GPUs as on the CPU")
{
    checkLiveTraining(GENERATE(Family::Gpt, Family::Llama), Precision::Bf16);
}

TEST_CASE("BPipe's stashes move between parts and between GPUs, and nothing is lost")
{
    cuda_on_cpu::takeTurns(Turns::Newest);
    Experiment experiment = experimentOf(Family::Gpt, "bpipe", Precision::Fp32);
    experiment.schedule.microBatches = 8;
    const auto truth = lossesOnCpu(experiment);
    for (const int gpus : {1, 4}) {
        const auto run = runOn(experiment, on(gpus, Mode::Live));
        checkClose(lossesOf(run), truth, 1e-5);
        std::size_t moved = 0;
        for (const Track& track : run->timeline.tracks)
            if (track.kind == Track::Kind::Copy)
                for (const Span& span : track.spans) {
                    CHECK(span.end > span.begin);
                    ++moved;
                }
        CHECK(moved > 0);
    }
    cuda_on_cpu::takeTurns(Turns::Oldest);
}

TEST_CASE("graphs on parts and emulated ones give the bits that launches give")
{
    Experiment experiment = experimentOf(Family::Llama, "1f1b", Precision::Bf16);
    experiment.iterations = 4; // an OPT that is a graph would repeat its step from the third on
    experiment.graphs = Graphs::Off;
    const auto live = runOn(experiment, on(1, Mode::Live));
    const auto emulated = runOn(experiment, on(1, Mode::Emulate), Mode::Emulate);
    CHECK(lossesOf(live) == lossesOf(emulated));
    CHECK(live->info.graphOps == 0);
    experiment.graphs = Graphs::On;
    const auto withGraphs = runOn(experiment, on(1, Mode::Live));
    CHECK(lossesOf(withGraphs) == lossesOf(live));
    CHECK(withGraphs->info.graphOps > 0);
    const auto emulatedWithGraphs = runOn(experiment, on(1, Mode::Emulate), Mode::Emulate);
    CHECK(lossesOf(emulatedWithGraphs) == lossesOf(live));
    CHECK(emulatedWithGraphs->info.graphOps == withGraphs->info.graphOps);
}

TEST_CASE("the transport selects the GPUs of a run")
{
    const Experiment experiment = experimentOf(Family::Gpt, "1f1b", Precision::Fp32);
    const auto truth = lossesOnCpu(experiment);
    const auto local = runOn(experiment, on(4, Mode::Live, TransportChoice::Local));
    checkClose(lossesOf(local), truth, 1e-5);
    CHECK(local->info.gpuMemory.size() == 1);
    const auto peer = runOn(experiment, on(4, Mode::Live, TransportChoice::Peer));
    checkClose(lossesOf(peer), truth, 1e-5);
    CHECK(peer->info.gpuMemory.size() == 4);
}

TEST_CASE("a run that does not fit on one of its GPUs fails before it starts and names the GPU")
{
    const Experiment experiment = experimentOf(Family::Gpt, "1f1b", Precision::Fp32);
    const auto crowded = [](int count) -> Result<RunDevices> {
        auto opened = on(2, Mode::Live)(count);
        cuda_on_cpu::useMemory(1, (std::size_t{16} << 30) - cuda_on_cpu::usedMemory(1) - 40'000);
        return opened;
    };
    const auto run = runOn(experiment, crowded);
    REQUIRE_FALSE(run);
    CHECK_THAT(run.error().message,
               Catch::StartsWith("GPU 1 needs ") && Catch::Contains("for 2 of 4 devices"));
}

TEST_CASE("a run on a GPU that never ends fails and reports lost devices")
{
    bool ended = false;
    RunObserver observer;
    observer.iteration = [](const Run&, std::size_t) {
        cuda_on_cpu::hangAt(100);
        return Result<void>();
    };
    observer.ended = [&](const RunInfo& info) {
        ended = true;
        CHECK(info.gpuMemory.empty()); // it was not asked
    };
    Experiment experiment = experimentOf(Family::Gpt, "1f1b", Precision::Fp32);
    experiment.backend = Backend::Cuda;
    experiment.mode = Mode::Emulate;
    CHECK_FALSE(devicesAreLost());
    const auto run = runOnDevices(experiment, on(1, Mode::Emulate), observer, false);
    REQUIRE_FALSE(run);
    CHECK(run.error().code == Error::Code::Device);
    CHECK_THAT(run.error().message, Catch::EndsWith("without completing"));
    CHECK(devicesAreLost()); // nothing of it was destroyed, which would have waited
    CHECK(ended);
    cuda_on_cpu::wakeUp();
}
