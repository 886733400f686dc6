#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/nccl_waits.h"
#include "profiler/import/import.h"
#include "profiler/store/trace_store.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

ImportedRun imported(const TemporaryFolder& folder)
{
    auto result = importTraces({folder.path()}, Rules::shipped());
    INFO((result ? "" : result.error().message));
    REQUIRE(result);
    return *std::move(result);
}

std::string importError(const std::vector<std::filesystem::path>& paths)
{
    const auto result = importTraces(paths, Rules::shipped());
    REQUIRE(!result);
    return result.error().message;
}

bool mentions(const std::vector<std::string>& texts, const std::string& part)
{
    return std::ranges::any_of(
        texts, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

// The compute ops of each device in order.
std::vector<std::vector<std::string>> orderOf(const Schedule& schedule)
{
    std::vector<std::vector<std::string>> order;
    for (const auto& program : schedule.program) {
        order.emplace_back();
        for (const Op& op : program)
            if (op.kind == OpKind::Forward || isBackward(op.kind))
                order.back().push_back(toString(op));
    }
    return order;
}

} // namespace

TEST_CASE("a trace of PyTorch's pipeline runtime becomes the run that it shows")
{
    for (const char* scheme :
         {"gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "zb-v", "chimera", "bitpipe"}) {
        CAPTURE(scheme);
        const TemporaryFolder folder;
        const Run run = simulatedRun(scheme, 4, 8);
        writeTorchTraces(folder.path(), run);
        const ImportedRun result = imported(folder);
        CHECK(result.run.info.mode == Mode::Imported);
        CHECK(result.run.info.scheme == scheme);
        CHECK(orderOf(result.run.schedule) == orderOf(run.schedule));
        CHECK(result.run.schedule.deviceOf == run.schedule.deviceOf);
        REQUIRE(result.run.timeline.iterations.size() == 2);
        // One tick of the simulation is a microsecond of the trace.
        const auto wanted = metrics(run, 1), got = metrics(result.run, 1);
        REQUIRE(wanted);
        REQUIRE(got);
        CHECK(got->duration == 1000 * wanted->duration);
        CHECK(got->bubbleRatio == Approx(wanted->bubbleRatio));
        const ImportReport& report = *result.run.info.import;
        CHECK(report.classified() == 1);
        CHECK(report.stagesKnown);
        CHECK(report.microBatchesKnown);
        CHECK(report.missingRanks.empty());
        REQUIRE(report.replayError);
        CHECK(std::abs(*report.replayError) < 0.001);
    }
}

TEST_CASE("without ranges of iterations, an op that occurs again begins the next one")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.steps = false;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4, 3), options);
    const ImportedRun result = imported(folder);
    CHECK(result.run.timeline.iterations.size() == 3);
    CHECK(result.run.info.import->iterationsFrom == "repeated ops");
}

TEST_CASE("kernels belong to the range that encloses their launch, on any thread")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    const Run run = simulatedRun("1f1b", 2, 4);
    writeTorchTraces(folder.path(), run, options);
    const ImportedRun result = imported(folder);
    const ImportReport& report = *result.run.info.import;
    CHECK(report.onGpu);
    CHECK(report.kernels == static_cast<std::int64_t>(result.gpu.kernels.size()));
    CHECK(report.classified() == 1);
    CHECK(orderOf(result.run.schedule) == orderOf(run.schedule));
    CHECK(result.run.info.deviceName == "NVIDIA H100");
    for (const GpuKernel& kernel : result.gpu.kernels)
        CHECK(kernel.of.isKnown());
    const GpuActivity activity(result.run, result.gpu);
    CHECK(activity.withoutPlace() == 0);
    CHECK(activity.streams(DeviceId{1}).size() == 2); // compute and NCCL
}

TEST_CASE("without ranges, backward kernels are those of the autograd engine's threads")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    options.name = [](const Op&) { return std::string(); };
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 1, 1), options);
    const ImportedRun result = imported(folder);
    CHECK_FALSE(result.run.info.import->stagesKnown);
    CHECK(orderOf(result.run.schedule) == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
    CHECK(result.run.info.import->classified() == 1);
}

TEST_CASE("a rank without a trace is a device without ops, and is reported")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 4, 8), {}, 2);
    const ImportedRun result = imported(folder);
    const ImportReport& report = *result.run.info.import;
    CHECK(report.missingRanks == std::vector<int>{2});
    CHECK(report.ranks.size() == 3);
    CHECK(result.run.schedule.shape.devices == 4);
    CHECK(result.run.schedule.program[DeviceId{2}].empty());
    CHECK_FALSE(report.replayError);
    CHECK(mentions(report.warnings, "1 of 4 ranks have no trace"));
    const auto numbers = metrics(result.run);
    REQUIRE(numbers);
    CHECK(numbers->devices[DeviceId{2}].bubble == 0);
}

TEST_CASE("the clock of another host is moved to that of the first rank's host")
{
    for (const bool onGpu : {false, true}) {
        CAPTURE(onGpu);
        const TemporaryFolder folder;
        const Run run = simulatedRun("1f1b", 2, 8);
        TorchTraceOptions options;
        options.onGpu = onGpu;
        writeText(folder / "0.json", TorchTrace(run, 0, options).text());
        options.host = "host b";
        options.base += 1'284'000; // ns
        writeText(folder / "1.json", TorchTrace(run, 1, options).text());
        const ImportedRun result = imported(folder);
        const auto& clocks = result.run.info.import->clocks;
        REQUIRE(clocks.size() == 1);
        CHECK(clocks[0].host == "host b");
        CHECK(std::abs(clocks[0].offset - 1'284'000) < 1000);
        CHECK(clocks[0].spread < 1000);
        CHECK(clocks[0].pairs == 32);
        CHECK(metrics(result.run, 1)->duration
              == Approx(1000 * metrics(run, 1)->duration).epsilon(0.001));
    }
}

TEST_CASE("traces of two jobs, and one rank twice, are refused")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4));
    const auto copy = folder / "again.json";
    std::filesystem::copy_file(folder / "rank0.json", copy);
    CHECK(importError({folder.path()}).find("are both of rank 0") != std::string::npos);
    writeText(copy, TorchTrace(simulatedRun("1f1b", 4, 4), 3, {}).text());
    CHECK(importError({folder.path()}).find("import the traces of one job") != std::string::npos);
}

TEST_CASE("a truncated trace is used until its damage, and an unusable file is left out")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4));
    std::string text = TorchTrace(simulatedRun("1f1b", 2, 4), 0, {}).text();
    writeText(folder / "rank0.json", text.substr(0, text.size() - 40));
    writeText(folder / "notes.json", "{\"a\": [1, 2]}");
    const ImportedRun result = imported(folder);
    CHECK(mentions(result.run.info.import->warnings, "is truncated or damaged"));
    CHECK(mentions(result.run.info.import->warnings, "has no events with a time"));
}

TEST_CASE("files without a pipeline fail with one sentence")
{
    const TemporaryFolder folder;
    CHECK(importError({folder / "none.json"}).find("does not exist") != std::string::npos);
    CHECK(importError({folder.path()}).find("has no traces") != std::string::npos);
    CHECK(importError({"/dev/zero"}).find("is not a file") != std::string::npos);
    writeText(folder / "a.json", "hello");
    CHECK(importError({folder.path()}).find("is not a trace") != std::string::npos);
    writeText(folder / "a.json", R"([{"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":2}])");
    CHECK(importError({folder.path()}).find("--rules") != std::string::npos);
    writeText(folder / "a.json", R"([{"ph":"X","name":"0F0","pid":1,"tid":1,"ts":NaN,"dur":2},
        {"ph":"X","name":"60000F60000","pid":1,"tid":1,"ts":1,"dur":2}])");
    CHECK(importError({folder.path()}).find("too few for") != std::string::npos);
}

TEST_CASE("an imported run is stored with its report and its kernels")
{
    const TemporaryFolder folder, output;
    TorchTraceOptions options;
    options.onGpu = true;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
    const ImportedRun result = imported(folder);
    const auto file = output / "run.sqlite";
    REQUIRE(writeRun(NewFile::beside(file, IfExists::Refuse).value(), result.run, result.gpu));
    const auto read = readRun(file);
    REQUIRE(read);
    CHECK(read->info.import == result.run.info.import);
    CHECK(read->schedule == result.run.schedule);
    CHECK(read->timeline == result.run.timeline);
    const auto gpu = readGpuTrace(file);
    REQUIRE(gpu);
    CHECK(gpu->kernels.size() == result.gpu.kernels.size());
    CHECK(gpu->calls.size() == result.gpu.calls.size());
}

TEST_CASE("rules of the user come first")
{
    const TemporaryFolder folder;
    writeText(folder / "a.json", R"([
        {"ph":"X","name":"my forward of stage 0, batch 0","pid":1,"tid":1,"ts":1,"dur":2},
        {"ph":"X","name":"my backward of stage 0, batch 0","pid":1,"tid":1,"ts":4,"dur":3}])");
    const auto rules = Rules::parse(R"([[rule]]
        name = "mine"
        range = 'my (?P<kind>forward|backward) of stage (?P<stage>\d+), batch (?P<microbatch>\d+)'
        kinds = { forward = "F", backward = "B" })",
                                    "rules.toml");
    REQUIRE(rules);
    const auto result = importTraces({folder.path()}, *rules);
    REQUIRE(result);
    CHECK(orderOf(result->run.schedule) == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
    CHECK(result->run.info.import->rules.front().name == "mine");
}
