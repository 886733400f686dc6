// The Chrome trace of a run with kernels, read as a reader of Kineto's traces does.
#include "profiler/export/exporters.h"
#include "profiler/import/import.h"
#include "tests/profiler/export/text_of.h"
#include "tests/support/gpu_run.h"
#include "tests/support/temporary_folder.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>

using namespace engine;
using namespace tests;
using nlohmann::json;

namespace {

profiler::GpuPieces piecesOf(const GpuTrace& trace)
{
    return [&trace](const auto& use) -> Result<void> {
        use(trace);
        return {};
    };
}

std::vector<json> gpuEventsOf(const GpuRun& made)
{
    return json::parse(textOf(profiler::exportChrome, made.run, piecesOf(made.gpu)))["traceEvents"];
}

std::vector<json> ofCategory(const std::vector<json>& events, const std::string& category,
                             const std::string& phase = "X")
{
    std::vector<json> found;
    for (const json& event : events)
        if (event["ph"] == phase && event.value("cat", "") == category)
            found.push_back(event);
    return found;
}

std::string nameOfProcess(const std::vector<json>& events, int process)
{
    for (const json& event : events)
        if (event["name"] == "process_name" && event["pid"] == process)
            return event["args"]["name"];
    return "";
}

std::uint32_t addText(GpuTrace& trace, const char* text)
{
    trace.strings.emplace_back(text);
    return trace.strings.size() - 1;
}

} // namespace

TEST_CASE("every kernel, copy and memset is a slice with device, context, stream and correlation")
{
    GpuRun made = gpuRun();
    GpuMemset memset;
    memset.window = {1000, 2000};
    memset.place = {2, 3, 7, 0};
    memset.bytes = 4096;
    memset.memory = 3;
    made.gpu.memsets.push_back(memset);
    const auto events = gpuEventsOf(made);
    const auto kernels = ofCategory(events, "kernel"), copies = ofCategory(events, "gpu_memcpy"),
               memsets = ofCategory(events, "gpu_memset");
    REQUIRE(kernels.size() == made.gpu.kernels.size());
    CHECK(copies.size() == made.gpu.copies.size());
    REQUIRE(memsets.size() == 1);
    CHECK(memsets[0]["name"] == "Memset (Device)");
    CHECK(nameOfProcess(events, memsets[0]["pid"]) == "device 2"); // of its context
    CHECK(copies[0]["name"] == "Memcpy PtoP (Device -> Device)");
    CHECK(copies[0]["args"]["bytes"] == 1024 * 768 * 2);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const GpuKernel& kernel = made.gpu.kernels[i];
        const json& arguments = kernels[i]["args"];
        CHECK(arguments["device"] == kernel.place.device);
        CHECK(arguments["context"] == kernel.place.context);
        CHECK(arguments["stream"] == kernel.place.stream);
        CHECK(arguments["correlation"] == kernel.place.correlation);
        CHECK(arguments["grid"] == kernel.grid);
        CHECK(arguments["registers per thread"] == kernel.registers);
        CHECK(kernels[i]["ts"].get<double>() * 1000 == Approx(kernel.window.begin));
        CHECK(kernels[i]["dur"].get<double>() * 1000 == Approx(kernel.window.duration()));
    }
    CHECK(kernels[0]["name"].get<std::string>().find("layerNorm") != std::string::npos);
    CHECK(kernels[0]["name"].get<std::string>().find("_ZN") == std::string::npos);
    CHECK(kernels[0]["args"]["op"] == "0F0");
}

TEST_CASE("a flow leads from each launch to its kernel, and both ends are within a slice")
{
    const GpuRun made = gpuRun();
    const auto events = gpuEventsOf(made);
    const auto starts = ofCategory(events, "ac2g", "s"), ends = ofCategory(events, "ac2g", "f");
    CHECK(starts.size() == made.gpu.calls.size());
    REQUIRE(ends.size() == made.gpu.kernels.size() + made.gpu.copies.size());
    std::map<int, json> callOf;
    for (const json& call : ofCategory(events, "cuda_runtime"))
        callOf[call["args"]["correlation"]] = call;
    for (const json& start : starts) {
        const json& call = callOf.at(start["id"]);
        CHECK(start["tid"] == call["tid"]);
        CHECK(start["ts"] == call["ts"]);
        CHECK(nameOfProcess(events, call["pid"]) == "host");
    }
    std::set<std::tuple<int, int, double>> begins;
    for (const char* category : {"kernel", "gpu_memcpy"})
        for (const json& work : ofCategory(events, category))
            begins.emplace(work["pid"], work["tid"], work["ts"]);
    for (const json& end : ends) {
        CHECK(callOf.contains(end["id"].get<int>()));
        CHECK(begins.contains({end["pid"], end["tid"], end["ts"]}));
    }
}

TEST_CASE("an annotation of an op encloses the calls of the op, on their thread")
{
    const GpuRun made = GENERATE(0, 1) == 0 ? gpuRun() : emulatedGpuRun();
    const auto events = gpuEventsOf(made);
    std::map<std::pair<std::string, int>, json> rangeOf;
    for (const json& range : ofCategory(events, "user_annotation"))
        rangeOf[{range["name"], range["args"]["iteration"]}] = range;
    const auto calls = ofCategory(events, "cuda_runtime");
    REQUIRE(calls.size() == made.gpu.calls.size());
    for (const json& call : calls) {
        const json& range = rangeOf.at(
            {"PP:" + call["args"]["op"].get<std::string>(), call["args"]["iteration"]});
        CHECK(call["tid"] == range["tid"]);
        CHECK(call["ts"].get<double>() >= range["ts"].get<double>());
        CHECK(call["ts"].get<double>() + call["dur"].get<double>()
              <= range["ts"].get<double>() + range["dur"].get<double>() + 1e-6);
    }
}

TEST_CASE("GPU slices of one thread do not overlap, not even with those of lanes")
{
    GpuRun made = gpuRun();
    GpuKernel beside = made.gpu.kernels[5]; // a graph runs kernels of one stream concurrently
    beside.window.begin += 1000;
    made.gpu.kernels.insert(made.gpu.kernels.begin() + 6, beside);
    std::map<std::pair<int, int>, double> end;
    auto slices = gpuEventsOf(made);
    std::erase_if(slices, [](const json& event) {
        return event["ph"] != "X" || event["cat"] == "cuda_runtime" || event["cat"] == "cuda_sync";
    });
    std::ranges::stable_sort(slices, {}, [](const json& e) { return e["ts"].get<double>(); });
    for (const json& slice : slices) {
        double& last = end[{slice["pid"], slice["tid"]}];
        CHECK(slice["ts"].get<double>() >= last - 1e-6);
        last = slice["ts"].get<double>() + slice["dur"].get<double>();
    }
}

TEST_CASE("counters have the name of their GPU, and emulated runs have no clocks on the timeline")
{
    GpuRun made = gpuRun();
    std::set<std::string> names;
    for (const json& event : gpuEventsOf(made))
        if (event["ph"] == "C")
            names.insert(event["name"]);
    CHECK(names.contains("GPU 3 SM clock"));
    CHECK(names.contains("GPU 0 power"));
    CHECK(names.size() == 16); // four of each GPU
    made.run.info.mode = Mode::Emulate;
    for (const json& event : gpuEventsOf(made))
        CHECK(event["ph"] != "C");
}

TEST_CASE("numbers beyond 2^53 are text, and ranges of libraries keep domain and payload")
{
    GpuRun made = gpuRun();
    made.gpu.copies[0].bytes = std::uint64_t{1} << 60;
    made.gpu.ranges.push_back({.window = {5000, 9000},
                               .of = {},
                               .text = addText(made.gpu, "ncclSend"),
                               .domain = addText(made.gpu, "NCCL"),
                               .category = 0,
                               .color = 0,
                               .thread = 77,
                               .payload = (std::int64_t{1} << 53) + 1,
                               .nests = true});
    made.gpu.allocations.push_back({3000, {1, 2, 7, 9}, 4096, 512, 3, true});
    const auto events = gpuEventsOf(made);
    CHECK(ofCategory(events, "gpu_memcpy")[0]["args"]["bytes"] == "1152921504606846976");
    bool found = false;
    for (const json& range : ofCategory(events, "user_annotation"))
        if (range["name"] == "ncclSend") {
            found = true;
            CHECK(range["args"]["domain"] == "NCCL");
            CHECK(range["args"]["payload"] == "9007199254740993");
        }
    CHECK(found);
    const auto memory = ofCategory(events, "cpu_instant_event", "i");
    REQUIRE(memory.size() == 1);
    CHECK(memory[0]["args"]["Bytes"] == -512);
}

TEST_CASE("work whose op and context belong to no device is in a process of its GPU")
{
    GpuRun made = gpuRun();
    GpuKernel stray = made.gpu.kernels[0];
    stray.of = {};
    stray.place = {3, 99, 7, 0};
    made.gpu.kernels.push_back(stray);
    GpuKernel copy = made.gpu.kernels[0];
    copy.of.op = OpOfIteration::kOtherCopy; // of a data-parallel copy that is not recorded
    copy.place = {3, 98, 7, 0};
    made.gpu.kernels.push_back(copy);
    const auto events = gpuEventsOf(made);
    const auto kernels = ofCategory(events, "kernel");
    REQUIRE(kernels.size() == made.gpu.kernels.size());
    CHECK(nameOfProcess(events, kernels.back()["pid"]) == "GPU 3 (no device)");
    CHECK_FALSE(kernels.back()["args"].contains("op"));
}

// The kernels made the trace that of one rank, so the run had one device.
TEST_CASE("an exported GPU run is imported with its devices, without its kernels")
{
    const GpuRun made = gpuRun();
    const TemporaryFolder folder;
    std::ofstream(folder / "run.json")
        << textOf(profiler::exportChrome, made.run, piecesOf(made.gpu));
    const auto result = profiler::importTraces({folder.path()}, profiler::Rules::shipped());
    REQUIRE(result);
    const Run& run = result->run;
    REQUIRE(run.schedule.shape.devices == 4);
    CHECK(run.schedule.deviceOf == made.run.schedule.deviceOf);
    CHECK(run.timeline.iterations.size() == 2);
    for (const DeviceId device : run.schedule.program.ids()) {
        const Track* const track = run.timeline.track(device, Track::Kind::Compute);
        REQUIRE(track);
        CHECK(track->spans.size()
              == made.run.timeline.track(device, Track::Kind::Compute)->spans.size());
    }
    CHECK(result->gpu.kernels.empty());
    REQUIRE_FALSE(run.info.import->warnings.empty());
    CHECK(run.info.import->warnings.front().find("GPU records are left out") != std::string::npos);
}

TEST_CASE("a trace whose records cannot be read is a failure")
{
    const GpuRun made = gpuRun();
    const profiler::GpuPieces damaged
        = [](const auto&) -> Result<void> { return fail(Error::Code::Corrupt, "row 3"); };
    const auto done = profiler::exportChrome(made.run, damaged, [](std::string_view) {});
    REQUIRE_FALSE(done);
    CHECK(done.error().message == "row 3");
}
