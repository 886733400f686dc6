#include "profiler/analysis/explain.h"
#include "profiler/analysis/metrics.h"
#include "profiler/import/import.h"
#include "profiler/store/trace_store.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

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

// Its iterations had the last ops of one and the first ops of the next.
TEST_CASE("a recording that begins within an iteration has the whole iterations after it")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.steps = false;
    Run run = simulatedRun("1f1b", 2, 4, 3);
    const std::vector<Iteration>& all = run.timeline.iterations;
    const std::int64_t cut = (all[0].window.begin + all[0].window.end) / 2;
    for (Track& track : run.timeline.tracks)
        std::erase_if(track.spans, [&](const Span& span) { return span.window().begin < cut; });
    writeTorchTraces(folder.path(), run, options);
    const ImportedRun result = imported(folder);
    CHECK(orderOf(result.run.schedule) == orderOf(run.schedule));
    REQUIRE(result.run.timeline.iterations.size() == 2);
    CHECK(result.run.timeline.iterations[0].window.end
          <= result.run.timeline.iterations[1].window.begin);
    for (const Track& track : result.run.timeline.tracks) // messages, too
        for (const Span& span : track.spans)
            CHECK(span.begin >= result.run.timeline.iterations[span.iteration].window.begin);
}

TEST_CASE("a rank without a trace is a device without ops, and is reported")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 4, 8), {}, 2);
    const ImportedRun result = imported(folder);
    const ImportReport& report = *result.run.info.import;
    CHECK(report.missingRanks == std::vector<int>{2});
    CHECK(report.ranks.size() == 3);
    CHECK(report.rankOf(2) == nullptr);
    REQUIRE(report.rankOf(3));
    CHECK(report.rankOf(3)->rank == 3); // the third trace was taken for device 2
    CHECK(result.run.schedule.shape.devices == 4);
    CHECK(result.run.schedule.program[DeviceId{2}].empty());
    CHECK_FALSE(report.replayError);
    CHECK(mentions(report.warnings, "1 of 4 ranks have no trace"));
    const auto numbers = metrics(result.run);
    REQUIRE(numbers);
    CHECK(numbers->devices[DeviceId{2}].bubble == 0);
    CHECK(numbers->recordedDevices == 3);
    // The means were divided by 4 devices, and the bubbles had a drain of device 2.
    // Idle time before the first op of a device counted, although nothing tells what it waits for.
    CHECK(numbers->mean(&DeviceMetrics::compute) + numbers->mean(&DeviceMetrics::bubble)
              + numbers->mean(&DeviceMetrics::exposedCommunication)
          == Approx(numbers->mean(&DeviceMetrics::whole)));
    CHECK(numbers->mean(&DeviceMetrics::whole) < static_cast<double>(numbers->duration));
    CHECK(std::ranges::count(Explainer(result.run, numbers->iteration).bubbles(), DeviceId{2},
                             &Bubble::device)
          == 0);
}

TEST_CASE("traces of two jobs, and one rank twice, are refused")
{
    const TemporaryFolder folder;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4));
    const auto copy = folder / "again.json";
    std::filesystem::copy_file(folder / "rank0.json", copy);
    CHECK(importError({folder.path()}).find("both have rank 0") != std::string::npos);
    writeText(copy, TorchTrace(simulatedRun("1f1b", 4, 4), 3, {}).text());
    CHECK(importError({folder.path()}).find("import the traces of one job") != std::string::npos);
    writeText(copy, TorchTrace(simulatedRun("1f1b", 2, 4), 5, {}).text());
    CHECK(importError({copy}).find("states that it is rank 5 of 2") != std::string::npos);
    std::filesystem::remove(folder / "rank1.json");
    TorchTraceOptions later;
    later.base += 3'600'000'000'000;
    writeText(copy, TorchTrace(simulatedRun("1f1b", 2, 4), 1, later).text());
    CHECK(importError({folder.path()}).find("import the traces of one recording")
          != std::string::npos);
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
    CHECK(mentions(result.run.info.import->warnings, "has no timestamped events"));
}

TEST_CASE("a trace of 100,000 threads is read in a time that its size explains")
{
    const TemporaryFolder folder;
    std::string events;
    for (int i = 0; i < 100'000; ++i)
        events
            += fmt::format(R"({}{{"ph":"X","name":"{}","cat":"user_annotation","pid":1,"tid":{},)"
                           R"("ts":{},"dur":1}})",
                           i == 0 ? "" : ",", i % 2 == 0 ? "PP:0F0" : "PP:0B0", i, 3 * i);
    writeText(folder / "a.json", "[" + events + "]");
    // Every thread was a rank, and each rank was compared with all others.
    const ImportedRun result = imported(folder);
    CHECK(result.run.schedule.shape.devices == 1);
    CHECK(result.run.timeline.iterations.size() == 50'000);
    for (int i = 0; i < 20'000; ++i)
        events
            += fmt::format(R"(,{{"ph":"X","name":"cudaLaunchKernel","cat":"cuda_runtime","pid":1,)"
                           R"("tid":7,"ts":{0},"dur":1,"args":{{"correlation":{1}}}}},)"
                           R"({{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":7,"ts":{0},)"
                           R"("dur":1,"args":{{"device":0,"correlation":{1}}}}})",
                           400'000 + 2 * i, i + 1);
    writeText(folder / "a.json", "[" + events + "]");
    // No kernel is launched in a range, so there is no op.
    CHECK(importError({folder.path()}).find("no complete iteration") != std::string::npos);
}

// "No complete iteration ...; record with annotations of the pipeline", which the traces have.
TEST_CASE("ranks that recorded different steps are named with their steps")
{
    const TemporaryFolder folder;
    engine::Run run = simulatedRun("1f1b", 2, 2);
    writeText(folder / "rank0.json", TorchTrace(run, 0, {}).text());
    for (engine::Iteration& iteration : run.timeline.iterations)
        iteration.number += 5;
    writeText(folder / "rank1.json", TorchTrace(run, 1, {}).text());
    CHECK(importError({folder.path()})
          == "rank 1 has steps 5 to 6, and the ranks before it have steps 0 to 1, so that no step "
             "is complete on every rank; record the same steps on every rank");
}

TEST_CASE("an op that names no stage is of the only stage that its rank names")
{
    const TemporaryFolder folder;
    const std::string events = R"({"ph":"X","name":"PP:0F0","pid":1,"tid":1,"ts":1,"dur":8},
        {"ph":"X","name":"Forward 0","pid":1,"tid":1,"ts":2,"dur":2},
        {"ph":"X","name":"PP:0B0","pid":1,"tid":1,"ts":10,"dur":8})";
    writeText(folder / "a.json", "[" + events + "]");
    CHECK(orderOf(imported(folder).run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
    writeText(folder / "a.json",
              "[" + events + R"(,{"ph":"X","name":"PP:1F0","pid":1,"tid":1,"ts":30,"dur":8}])");
    const auto leftOut = imported(folder).run.info.import->leftOut;
    CHECK(std::ranges::count(leftOut, "Ops whose stage is unknown", &ImportReport::LeftOut::what)
          == 1);
}

TEST_CASE("without names, the stage is the rank in the job and not the number of the file")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.name = [](const Op& op) {
        if (op.kind != OpKind::Forward && op.kind != OpKind::Backward)
            return std::string();
        return fmt::format("{} {}", op.kind == OpKind::Forward ? "Forward" : "Backward",
                           op.microBatch.value);
    };
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 3, 4), options, 1);
    const ImportedRun result = imported(folder);
    CHECK(result.run.schedule.shape.stages == 3);
    CHECK(toString(result.run.schedule.program[DeviceId{2}].front()) == "2F0");
    CHECK(result.run.schedule.program[DeviceId{1}].empty());
}

TEST_CASE("ranks of other process groups are copies of the pipeline")
{
    const TemporaryFolder folder;
    const Run simulated = simulatedRun("1f1b", 3, 4);
    for (const int copy : {0, 1}) {
        TorchTraceOptions options;
        options.onGpu = true;
        options.copies = 2;
        options.copy = copy;
        options.host = copy == 0 ? "host a" : "host b";
        options.name = [](const Op&) { return ""; };
        writeTorchTraces(folder.path(), simulated, options, copy == 0 ? 1 : -1);
    }
    const ImportedRun result = imported(folder);
    const Shape& shape = result.run.schedule.shape;
    CHECK(shape.devices == 3);
    CHECK(shape.stages == 3);
    CHECK(shape.dataParallel == 2);
    CHECK(result.run.schedule.program[DeviceId{1}].empty()); // rank 2, whose trace is missing
    CHECK(toString(result.run.schedule.program[DeviceId{2}].front()) == "2RECV_F0");
    CHECK(mentions(result.run.info.import->warnings, "2 pipelines of 3 ranks"));
    // The run has no device of host b.
    CHECK_FALSE(mentions(result.run.info.import->warnings, "cannot be aligned"));
}

TEST_CASE("a backward whose weight gradient is an op of its own computes the input's gradient")
{
    const TemporaryFolder folder;
    writeText(folder / "a.json", R"([
        {"ph":"X","name":"F0.0.0","pid":1,"tid":1,"ts":1,"dur":2},
        {"ph":"X","name":"B0.0.0","pid":1,"tid":1,"ts":4,"dur":3},
        {"ph":"X","name":"W0.0.0","pid":1,"tid":1,"ts":8,"dur":3}])");
    CHECK(orderOf(imported(folder).run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0I0", "0W0"}});
}

TEST_CASE("an iteration with another number of ops does not count")
{
    const TemporaryFolder folder;
    std::string events;
    for (int step = 0; step < 4; ++step)
        events += fmt::format(
            R"({0}{{"ph":"X","name":"ProfilerStep#{1}","pid":1,"tid":1,"ts":{2},"dur":90}},
            {{"ph":"X","name":"PP:0F0","pid":1,"tid":1,"ts":{3},"dur":9}},
            {{"ph":"X","name":"PP:0B0","pid":1,"tid":1,"ts":{4},"dur":9}})",
            step == 0 ? "" : ",", step, 100 * step, 100 * step + 10, 100 * step + 30);
    events += R"(,{"ph":"X","name":"PP:0F1","pid":1,"tid":1,"ts":60,"dur":9})";
    writeText(folder / "a.json", "[" + events + "]");
    CHECK(imported(folder).run.timeline.iterations.size() == 3);
}

namespace {
// The number of iterations of a trace with these ops: F, B, and O for an optimizer step.
std::size_t iterationsWith(std::string_view ops)
{
    const TemporaryFolder folder;
    std::string events;
    for (std::size_t i = 0; i < ops.size(); ++i)
        events += fmt::format(
            R"({}{{"ph":"X","name":"{}","pid":1,"tid":1,"ts":{},"dur":9}})", i == 0 ? "" : ",",
            ops[i] == 'O' ? "Optimizer.step#SGD.step" : fmt::format("block({})", ops[i]), 10 * i);
    writeText(folder / "a.json", "[" + events + "]");
    return tests::imported(folder).run.timeline.iterations.size();
}
} // namespace

// They were further iterations, shorter than all others.
TEST_CASE("parts of iterations before and after whole ones do not count")
{
    CHECK(iterationsWith("FFBBOFFBBO") == 2);
    CHECK(iterationsWith("BOFFBBOFFBBOF") == 2);
    CHECK(iterationsWith("FFBBOFF") == 1);
    CHECK(iterationsWith("BOFFBB") == 1);
}

// Memory began at 0 bytes, so peaks lacked the weights, and frees led to negative sizes.
TEST_CASE("imported memory begins with what was allocated before the recording")
{
    const TemporaryFolder folder;
    const auto memory = [](int time, int bytes, int total) {
        return fmt::format(R"(,{{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,)"
                           R"("tid":1,"ts":{},"args":{{"Bytes":{},"Total Allocated":{},)"
                           R"("Device Type":1,"Device Id":0}}}})",
                           time, bytes, total);
    };
    // The events of a file are not sorted by time.
    writeText(folder / "a.json",
              R"([{"ph":"X","name":"PP:0F0","pid":1,"tid":1,"ts":1,"dur":8},
        {"ph":"X","name":"PP:0B0","pid":1,"tid":1,"ts":10,"dur":8})"
                  + memory(12, 500, 1500) + memory(3, -24, 1000) + memory(14, -400, 1100) + "]");
    const Run run = imported(folder).run;
    REQUIRE(run.timeline.memory.size() == 4);
    std::int64_t bytes = 0;
    for (const MemoryEvent& event : run.timeline.memory)
        bytes += event.bytes;
    CHECK(bytes == 1100);
    CHECK(metrics(run)->devices[DeviceId{0}].peakBytes == 1500);
}

// The sizes of the events were added, so the peak of a trace with lost events was 88 MB instead of
// 56, and that of a trace without totals lacked all earlier memory. The memory of two GPUs was one.
TEST_CASE("imported memory is what the allocator had in total, on the GPU of the rank")
{
    const TemporaryFolder folder;
    const auto peak = [&](const std::string& events) {
        writeText(folder / "a.json",
                  R"([{"ph":"X","name":"PP:0F0","pid":1,"tid":1,"ts":1,"dur":8},
            {"ph":"X","name":"PP:0B0","pid":1,"tid":1,"ts":10,"dur":8})"
                      + events + "]");
        return metrics(imported(folder).run)->devices[DeviceId{0}].peakBytes;
    };
    const auto memory = [](int time, int bytes, const std::string& total, int gpu = 0) {
        return fmt::format(R"(,{{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,)"
                           R"("tid":1,"ts":{},"args":{{"Bytes":{},{}"Device Type":1,)"
                           R"("Device Id":{}}}}})",
                           time, bytes, total, gpu);
    };
    const std::string all = R"("Total Allocated":1500,)";
    CHECK(peak(memory(3, 500, all) + memory(6, 500, all)) == 1500); // a free between them is lost
    CHECK(peak(memory(3, 500, "")) == std::nullopt);
    CHECK(peak(memory(3, 500, all) + memory(6, 500, all, 1)) == std::nullopt);
}

TEST_CASE("spans of centuries, and times after them, are left out")
{
    const TemporaryFolder folder;
    writeText(folder / "a.json", R"({"baseTimeNanoseconds":4000000000000000000,"traceEvents":[
        {"ph":"X","name":"PP:0F0","pid":1,"tid":1,"ts":1,"dur":4000000000000000},
        {"ph":"X","name":"PP:0F0","pid":1,"tid":1,"ts":1,"dur":4},
        {"ph":"X","name":"PP:0B0","pid":1,"tid":1,"ts":8,"dur":4}]})");
    const ImportedRun result = imported(folder);
    CHECK(result.run.timeline.iterations.front().window.duration() == 11000);
    CHECK(result.run.info.import->leftOut.front().what == "Events that cannot be read");
    // Each fits, but not their sum. The size has no absolute value.
    writeText(folder / "a.json", R"({"baseTimeNanoseconds":1800000000000000000,"traceEvents":[
        {"ph":"X","name":"PP:0F0","pid":1,"tid":1,"ts":1,"dur":4},
        {"ph":"X","name":"PP:0B0","pid":1,"tid":1,"ts":8,"dur":4},
        {"ph":"X","name":"PP:0B1","pid":1,"tid":1,"ts":1800000000000000,"dur":4},
        {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":9,
         "args":{"Bytes":-9223372036854775808,"Device Type":1}}]})");
    const ImportedRun summed = imported(folder);
    CHECK(summed.run.timeline.iterations.front().window.duration() == 11000);
    CHECK(summed.run.timeline.memory.empty());
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
        {"ph":"X","name":"0F0","pid":1,"tid":1,"ts":1,"dur":2},
        {"ph":"X","name":"0F0.60000","pid":1,"tid":1,"ts":5,"dur":2}])");
    CHECK(importError({folder.path()}).find("does not exist") != std::string::npos);
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
    CHECK(importError({file}).find("is a run of Bubblescope") != std::string::npos);
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
