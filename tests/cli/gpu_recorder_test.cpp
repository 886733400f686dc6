#include "app/cli/commands/gpu_recorder.h"
#include "app/cli/text/output.h"
#include "tests/cli/bscope.h"
#include "tests/support/gpu_run.h"

#include <algorithm>
#include <map>

using namespace cli;
using namespace cli_test;
using namespace engine;

TEST_CASE("a run whose kernels cannot be recorded continues and states the reason")
{
    GpuRecorder recorder(Trace::Kernels, Backend::Cuda);
    if (!recorder.timingSuffix().empty()) {
        WARN("SKIPPED: this machine has a GPU that CUPTI traces");
        return;
    }
    REQUIRE(recorder.notes().size() == 1);
    CHECK(recorder.notes()[0].starts_with("kernels are not recorded, only ops: "));
    const Run run = tests::gpuRun().run;
    const GpuMachine machine = recorder.begin(run);
    CHECK_FALSE((machine.clocks.reason.empty() && recorder.clocks().samples == 0));
    const LaunchHooks hooks = recorder.hooks();
    {
        const LaunchScope scope(hooks, {0, 0});
    }
    CHECK(recorder.take(run).isEmpty());
    CHECK(recorder.finish(run).isEmpty());
    CHECK(recorder.missing().empty());
}

TEST_CASE("a recorder that is off does not sample the clocks of GPUs")
{
    GpuRecorder recorder(Trace::Off, Backend::Cuda);
    CHECK(recorder.begin(tests::gpuRun().run).clocks == GpuClocks{});
    CHECK(recorder.clocks() == GpuClocks{});
}

TEST_CASE("a run on the CPU mentions GPUs only if kernels were requested")
{
    GpuRecorder plain(Trace::Auto, Backend::Cpu);
    CHECK(plain.notes().empty());
    CHECK(plain.begin(tests::gpuRun().run) == GpuMachine{});
    const GpuRecorder asked(Trace::All, Backend::Cpu);
    REQUIRE(asked.notes().size() == 1);
    CHECK(contains(asked.notes()[0], "--trace all records GPU activity"));
}

TEST_CASE("each missing part of a trace is named in one sentence")
{
    CHECK(missingText(10, {}).empty());
    CHECK(missingText(7012, {12, 3, 0, 0, 0})
          == "3 of 7012 kernels belong to no op, 12 records were "
             "lost");
    CHECK(missingText(5, {0, 0, 1, 2, 3})
          == "1 kernels have no times, 2 records have unknown kinds, 3 buffers for records could "
             "not be allocated");
}

TEST_CASE("the GPU that emulates all devices of an emulated run has a row for each")
{
    CudaReport report;
    report.driver = "13.0";
    report.tf32 = "off";
    report.moduleLoading = "lazy";
    report.libraries = {{"NVML", "580.95.05", "", ""}, {"NCCL", "", "", "not found"}};
    report.peers = {{false}};
    CudaDevice& device = report.devices.emplace_back();
    device.name = "NVIDIA H200";
    device.bus = "0000:19:00.0";
    device.numbers = {{"smCount", 132}};
    Run run = tests::gpuRun().run;
    CHECK(gpuMachine(report, run).gpus.size() == 1);
    run.info.mode = Mode::Emulate;
    const GpuMachine machine = gpuMachine(report, run);
    REQUIRE(machine.gpus.size() == 4);
    CHECK(machine.gpus[2].name == "NVIDIA H200 (emulated, 3 of 4)");
    CHECK(machine.gpus[2].device == 2);
    CHECK(machine.gpus[2].numbers == device.numbers);
    CHECK(machine.settings
          == std::vector<std::pair<std::string, std::string>>{{"cuda_driver", "13.0"},
                                                              {"nvidia_driver", "580.95.05"},
                                                              {"module_loading", "lazy"},
                                                              {"tf32", "off"}});
    CHECK(gpuMachine({}, run) == GpuMachine{});
}

TEST_CASE("slower code paths of GPUs are in the file and in analyze, once")
{
    CudaReport report;
    report.devices.resize(4);
    report.devices[1].fallback = report.devices[2].fallback = "no tensor cores for heads of 128";
    report.devices[3].fallback = "no tensor cores at all";
    tests::GpuRun made = tests::gpuRun();
    const auto settings = gpuMachine(report, made.run).settings;
    using Setting = std::pair<std::string, std::string>;
    const Setting fallback{"fallback", "no tensor cores for heads of 128; no tensor cores at all"};
    CHECK(std::ranges::count(settings, "fallback", &Setting::first) == 1);
    CHECK(std::ranges::count(settings, fallback) == 1);

    const Folder folder;
    tests::writeGpuRun(folder / "plain.sqlite", made);
    CHECK_FALSE(contains(bscope(folder, "analyze plain.sqlite").out, "tensor cores"));
    made.run.info.machine.settings.push_back(fallback);
    tests::writeGpuRun(folder / "gpu.sqlite", made);
    CHECK(contains(bscope(folder, "analyze gpu.sqlite").out, fallback.second + "\n"));
    const auto json = bscope(folder, "analyze gpu.sqlite --json").json()["gpu"];
    CHECK(json["machine"]["fallback"] == fallback.second);
}

TEST_CASE("analyze prints kernels and clocks as text and as JSON")
{
    const Folder folder;
    const tests::GpuRun made = tests::gpuRun();
    tests::writeGpuRun(folder / "gpu.sqlite", made);
    const Printed text = bscope(folder, "analyze gpu.sqlite");
    CAPTURE(text.out);
    CHECK(contains(
        text.out, std::to_string(made.gpu.kernels.size()) + " kernels, all linked to their ops\n"));
    CHECK(contains(text.out, "clocks 1755..1980 MHz (median 1875), throttled: power cap\n"));
    CHECK(contains(text.out, "an iteration launches "));
    const auto json = bscope(folder, "analyze gpu.sqlite --json").json()["gpu"];
    CHECK(json["kernels"] == made.gpu.kernels.size());
    CHECK(json["kernels_per_iteration"].size() == 4);
    CHECK(json["kernels_per_iteration"][0] > 0);
    CHECK(json["kernels_without_op"] == 0);
    CHECK(json["clocks"]["most_mhz"] == 1980);
    CHECK(json["clocks"]["throttled"] == "power cap");
    CHECK(json["machine"]["tf32"] == "off");
}

TEST_CASE("the Chrome trace of a run with kernels has all of them")
{
    const Folder folder;
    const tests::GpuRun made = tests::gpuRun();
    tests::writeGpuRun(folder / "gpu.sqlite", made);
    const auto trace = bscope(folder, "export gpu.sqlite --format chrome").json();
    std::map<std::string, std::size_t> slices;
    for (const auto& event : trace["traceEvents"])
        if (event["ph"] == "X")
            ++slices[event["cat"]];
    CHECK(slices["kernel"] == made.gpu.kernels.size());
    CHECK(slices["gpu_memcpy"] == made.gpu.copies.size());
    CHECK(slices["cuda_runtime"] == made.gpu.calls.size());
    CHECK(slices["F"] == 2 * 32); // the ops of the run remain
}

TEST_CASE("analyze prints GPU activity only for runs on GPUs, with what the trace lacks")
{
    const Folder folder;
    REQUIRE(
        bscope(folder, "simulate --scheme 1f1b --devices 2 --micro-batches 2 -o cpu.sqlite").status
        == 0);
    CHECK_FALSE(contains(bscope(folder, "analyze cpu.sqlite").out, "kernels"));
    CHECK(bscope(folder, "analyze cpu.sqlite --json").json()["gpu"].is_null());
    tests::GpuRun made = tests::gpuRun();
    made.gpu.health.dropped = 4;
    made.run.info.machine.clocks = {};
    made.run.info.machine.clocks.reason = "NVML cannot be started: no permission";
    tests::writeGpuRun(folder / "gpu.sqlite", made);
    const std::string text = bscope(folder, "analyze gpu.sqlite").out;
    CHECK(contains(text, "kernels, incomplete: 4 records were lost\n"));
    CHECK(contains(text, "clocks are unknown: NVML cannot be started: no permission\n"));
}

TEST_CASE("analyze prints the memory of each GPU by owner, and the difference to the driver")
{
    const Folder folder;
    tests::GpuRun made = tests::gpuRun();
    for (const int gpu : {0, 1}) {
        GpuMemory& memory = made.run.info.gpuMemory.emplace_back();
        memory.gpu = gpu;
        memory[GpuMemoryOwner::Weights] = std::int64_t{3} << 30;
        memory[GpuMemoryOwner::Contexts] = std::int64_t{512} << 20;
        memory.used = memory.known() + (std::int64_t{gpu} << 28); // 256 MiB
    }
    tests::writeGpuRun(folder / "gpu.sqlite", made);
    const std::string text = bscope(folder, "analyze gpu.sqlite").out;
    CAPTURE(text);
    CHECK(contains(text, "memory of the GPUs at the end, by owner:\n"));
    // Owners of 0 bytes have no column.
    CHECK(contains(text,
                   "GPU  weights   contexts    total  reported by the driver  difference %\n"
                   "  0  3.0 GiB  512.0 MiB  3.5 GiB                 3.5 GiB           0.0\n"
                   "  1  3.0 GiB  512.0 MiB  3.5 GiB                 3.8 GiB           6.7\n"));
    CHECK(contains(text,
                   "GPU 1: the driver reports 6.7 % more memory (256 MiB) than accounted for\n"));
    const auto json = bscope(folder, "analyze gpu.sqlite --json").json()["gpu_memory"];
    CHECK(json["used"] == (std::int64_t{7} << 30) + (std::int64_t{1} << 28));
    CHECK(json["taken"] == std::int64_t{6} << 30);
    CHECK(json["gpus"].size() == 2);
    CHECK(json["gpus"][1]["gpu"] == 1);
    CHECK(json["gpus"][1]["weights"] == std::int64_t{3} << 30);
    CHECK(json["gpus"][1]["stash"] == 0);
    CHECK(json["gpus"][1]["difference"] == std::int64_t{1} << 28);
    CHECK(json["gpus"][1]["difference_share"] > 0.06);
}
