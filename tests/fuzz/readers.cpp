#include "tests/fuzz/readers.h"

#include "engine/base/read_file.h"
#include "engine/cost/hardware.h"
#include "engine/cost/transformer.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/csv.h"
#include "engine/schedule/formats/read_schedule.h"
#include "engine/schedule/formats/torch_csv.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/metrics.h"
#include "profiler/export/exporters.h"
#include "profiler/figure/layout.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
#include "tests/support/paths.h"
#include "tests/support/small_training.h"

#include <fstream>

namespace tests {
namespace {

using namespace engine;
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
    for (const profiler::Exporter& exporter : profiler::exporters())
        exporter.write(*run, [](std::string_view) {});
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
        {"schedule.csv", schedules, readSchedule, 15000},
        {"torch.csv", {writeTorch(small("interleaved-1f1b")).value()}, readSchedule, 2500},
        {"experiment.toml",
         {source("sample_runs/gpipe-d4-n8.toml"), toToml(Experiment())},
         readExperiment,
         20000},
        {"model.toml", {source("resources/models/tiny.toml")}, readModel, 20000},
        {"hardware.toml", {source("resources/hardware/h100-sxm.toml")}, readHardware, 20000},
        {"run.sqlite", {recordedRun()}, readWholeRun, 3000},
    };
}

} // namespace tests
