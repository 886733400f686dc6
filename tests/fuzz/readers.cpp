#include "tests/fuzz/readers.h"

#include "engine/base/read_file.h"
#include "engine/cost/hardware.h"
#include "engine/cost/mapping.h"
#include "engine/cost/transformer.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/metrics.h"
#include "profiler/export/exporters.h"
#include "profiler/figure/layout.h"
#include "profiler/import/import.h"
#include "profiler/import/readers/readers.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
#include "tests/profiler/import/memory_snapshots.h"
#include "tests/profiler/import/rocprofv3_traces.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/paths.h"
#include "tests/support/small_training.h"

#include <fstream>

namespace tests {
namespace {

using namespace engine;
using namespace std::string_literals;
namespace fs = std::filesystem;

Schedule small(const char* scheme)
{
    ScheduleRequest request;
    request.scheme = scheme;
    request.devices = 2;
    request.microBatches = 4;
    return buildSchedule(request).value();
}

template<class T>
std::string errorOf(const Result<T>& result)
{
    return result ? "" : result.error().message;
}

Experiment trainingOf(const fs::path& schedule)
{
    Experiment experiment;
    experiment.scheduleFile = schedule.string();
    experiment.model = narrowModel(8);
    experiment.iterations = 1;
    experiment.warmup = 0;
    return experiment;
}

// A valid schedule simulates, and it trains unless training refuses it with an error.
std::string readSchedule(const fs::path& file)
{
    const auto schedule = readScheduleText(readFile(file.string()).value());
    if (!schedule)
        return schedule.error().message;
    if (const auto violations = validate(*schedule); !violations.empty())
        return violations.front().message;
    if (opCount(*schedule) > 200) // would take too long
        return "";
    const auto run = runOf(trainingOf(file));
    return errorOf(run);
}

std::string readWholeRun(const fs::path& file)
{
    const auto run = profiler::readRun(file);
    if (!run)
        return run.error().message;
    (void)profiler::readNotes(file);
    (void)profiler::readGpuTrace(file);
    if (run->timeline.iterations.empty())
        return "";
    for (std::size_t i = 0; i < run->timeline.iterations.size(); ++i)
        (void)profiler::metrics(*run, static_cast<int>(i));
    const std::vector<const Run*> runs{&*run, &*run};
    (void)profiler::compare(runs);
    (void)profiler::layoutFigure(runs, {});
    (void)profiler::htmlReport(runs);
    for (const profiler::Exporter& exporter : profiler::exporters())
        (void)exporter.write(
            *run, [&](const auto& use) { return profiler::readGpuPieces(file, use); },
            [](std::string_view) {});
    return "";
}

std::string recordedRun()
{
    const fs::path file = buildPath("fuzz/seed.sqlite");
    const fs::path schedule = buildPath("fuzz/seed.csv");
    fs::remove(file);
    std::ofstream(schedule) << writeCsv(small("bitpipe"));
    (void)profiler::writeRun(file, runOf(trainingOf(schedule)).value());
    return readFile(file.string()).value();
}

std::string readExperiment(const fs::path& file)
{
    return errorOf(experimentFromToml(readFile(file.string()).value()));
}

std::string readModel(const fs::path& file)
{
    (void)loadTransformer(file.string());
    return errorOf(loadModel(file.string()));
}

std::string readHardware(const fs::path& file)
{
    return errorOf(loadHardware(file.string()));
}

std::string readMapping(const fs::path& file)
{
    ScheduleRequest request;
    request.scheme = "1f1b";
    request.devices = request.microBatches = 2;
    Schedule schedule = buildSchedule(request).value();
    schedule.shape.dataParallel = 2;
    return errorOf(Mapping::of(schedule, file.string(), {2, 2}));
}

std::string readTraces(const fs::path& file)
{
    return errorOf(profiler::importTraces({file}, profiler::Rules::shipped()));
}

std::string readSnapshot(const fs::path& file)
{
    return errorOf(profiler::readMemorySnapshot(file.string(), readFile(file.string()).value()));
}

// A file of Primus with the config.json of a job of one rank.
std::string readPrimusRank(const fs::path& file)
{
    const fs::path folder = buildPath("fuzz/primus");
    fs::create_directories(folder);
    std::ofstream(folder / "config.json")
        << R"({"world_size": 1, "pp_size": 1, "vp_size": 2, "num_mbs": 1})";
    fs::copy_file(file, folder / "pp_rank_0.json", fs::copy_options::overwrite_existing);
    return errorOf(profiler::importTraces({folder}, profiler::Rules::shipped()));
}

std::string readTimerFile(const fs::path& file)
{
    const fs::path folder = buildPath("fuzz/timer");
    fs::create_directories(folder);
    fs::copy_file(file, folder / "event_times_PP1_VPP2_TPxCPxDP_rank_0_pp_rank_0_rank_0.json",
                  fs::copy_options::overwrite_existing);
    return errorOf(profiler::importTraces({folder}, profiler::Rules::shipped()));
}

std::string readRules(const fs::path& file)
{
    return errorOf(profiler::Rules::parse(readFile(file.string()).value(), file.string()));
}

// A trace of PyTorch's profiler with a kernel per op, and one with an op per range.
std::vector<std::string> torchTraces()
{
    std::vector<std::string> traces;
    for (const bool onGpu : {true, false}) {
        TorchTraceOptions options;
        options.onGpu = onGpu;
        traces.push_back(TorchTrace(simulatedRun("1f1b", 1, 3), 0, options).text());
    }
    return traces;
}

// A run that was imported from the trace with kernels, with its report and GPU work.
std::string importedRun()
{
    const fs::path trace = buildPath("fuzz/seed.json"), file = buildPath("fuzz/seed.sqlite");
    std::ofstream(trace) << torchTraces().front();
    auto imported = profiler::importTraces({trace}, profiler::Rules::shipped()).value();
    (void)profiler::writeRun(NewFile::beside(file, IfExists::Replace).value(), imported.run,
                             std::move(imported.gpu));
    return readFile(file.string()).value();
}

// The content of a file that `write` writes.
template<class Write>
std::string contentOf(Write write)
{
    const fs::path file = buildPath("fuzz/seed.sqlite");
    fs::remove(file);
    write(file);
    return readFile(file.string()).value();
}

std::string source(const std::string& path)
{
    return readFile(sourcePath(path)).value();
}

} // namespace

std::vector<Reader> readers()
{
    std::vector<std::string> schedules;
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe", "zb-h1"})
        schedules.push_back(writeCsv(lower(small(scheme))));
    return {
        {"schedule.csv", schedules, readSchedule, 8000},
        {"torch.csv", {writeTorch(small("interleaved-1f1b")).value()}, readSchedule, 2500},
        {"experiment.toml",
         {source("sample_runs/gpipe-d4-n8.toml"), toToml(Experiment())},
         readExperiment,
         20000},
        {"model.toml", {source("resources/models/tiny.toml")}, readModel, 20000},
        {"mapping.toml",
         {"copies = [[\"0:0\", \"1:0\"], [\"0:1\", \"1:1\"]]\n"},
         readMapping,
         20000},
        {"hardware.toml", {source("resources/hardware/h100-sxm.toml")}, readHardware, 20000},
        {"run.sqlite", {recordedRun(), importedRun()}, readWholeRun, 2000},
        {"trace.json", torchTraces(), readTraces, 4000},
        {"primus.json",
         {R"({"1": {"total": 9, "memory": 1.5, "fwd_start": [0, 1], "fwd_end": [1, 2.5],)"
          R"( "bwd_start": [3, 5], "bwd_end": [5, 8]}})"},
         readPrimusRank,
         4000},
        {"timer.json",
         {R"({"forward-0-0-start": 0, "forward-0-0-end": 1, "forward-1-0-start": 1,)"
          R"( "forward-1-0-end": 2, "backward-1-0-start": 2, "backward-1-0-end": 4,)"
          R"( "backward-0-0-start": 4, "backward-0-0-end": 6})"},
         readTimerFile,
         4000},
        {"export.sqlite", {contentOf(writeNsightExport)}, readTraces, 1500},
        {"rocpd.sqlite",
         {contentOf([](const fs::path& file) { writeRocpd(file, 0, 1); })},
         readTraces,
         1500},
        {"rocprofv3.json", {rocprofJson(0)}, readTraces, 4000},
        {"memory.pickle", {pickledSnapshot(2), pickledSnapshot(4)}, readSnapshot, 4000},
        {"rules.toml", {source("resources/import/rules.toml")}, readRules, 3000},
    };
}

} // namespace tests
