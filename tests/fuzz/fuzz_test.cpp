// Every reader of files reads mutated files: it returns a value that can be used, or an error of
// one line. BUBBLESCOPE_FUZZ_ROUNDS and BUBBLESCOPE_FUZZ_SEED set the number of files per reader
// and the random numbers; the file that crashed a reader is BUILD/fuzz/NAME.
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
#include "profiler/report/html_report.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
#include "tests/catch.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/paths.h"
#include "tests/support/small_training.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <functional>

using namespace engine;
using namespace tests;
namespace fs = std::filesystem;

namespace {

// The error of a reader; "" if the file was read.
using Read = std::function<std::string(const fs::path& file)>;

struct Reader
{
    std::string name; // of the mutated file
    std::vector<std::string> seeds;
    Read read;
    int rounds;
};

std::uint64_t setting(const char* name, std::uint64_t usual)
{
    const char* text = std::getenv(name);
    return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

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
    const auto text = readFile(file.string());
    REQUIRE(text);
    const auto schedule = readScheduleText(*text);
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
    REQUIRE(profiler::writeRun(file, runOf(trainingOf(schedule)).value()));
    return readFile(file.string()).value();
}

std::string sample(const char* name)
{
    return readFile(sourcePath("sample_runs/") + name).value();
}

// One line per reader.
std::vector<Reader> readers()
{
    std::vector<std::string> schedules;
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe", "zb-h1"})
        schedules.push_back(writeCsv(lower(small(scheme))));
    return {
        {"schedule.csv", schedules, readSchedule, 1500},
        {"torch.csv", {writeTorch(small("interleaved-1f1b")).value()}, readSchedule, 500},
        {"experiment.toml",
         {sample("gpipe-d4-n8.toml"), toToml(Experiment())},
         [](const fs::path& file) { return errorOf(experimentFromToml(*readFile(file.string()))); },
         3000},
        {"model.toml",
         {readFile(sourcePath("resources/models/tiny.toml")).value()},
         [](const fs::path& file) {
             (void)loadTransformer(file.string());
             return errorOf(loadModel(file.string()));
         },
         2000},
        {"hardware.toml",
         {readFile(sourcePath("resources/hardware/h100-sxm.toml")).value()},
         [](const fs::path& file) { return errorOf(loadHardware(file.string())); },
         2000},
        {"run.sqlite", {recordedRun()}, readWholeRun, 800},
    };
}

void write(const fs::path& file, const std::string& content)
{
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

void writeMutated(const Reader& reader, const fs::path& file, Random& random)
{
    const std::string& seed = reader.seeds[random() % reader.seeds.size()];
    const bool isDatabase = file.extension() == ".sqlite";
    if (random() % 4 == 0) {
        write(file, mutateBytes(seed, random));
    } else if (isDatabase) {
        write(file, seed);
        mutateValues(file, random);
    } else {
        write(file, mutateLines(seed, random));
    }
}

void limitMemory()
{
#ifndef __SANITIZE_ADDRESS__ // it reserves terabytes
    constexpr rlim_t kMost = rlim_t{6} << 30;
    const rlimit limit{kMost, kMost};
    setrlimit(RLIMIT_AS, &limit);
#endif
}

} // namespace

TEST_CASE("readers of mutated files return a value or an error of one line")
{
    constexpr unsigned kMostSeconds = 30; // for one file
    limitMemory();
    fs::create_directories(buildPath("fuzz"));
    const std::uint64_t seed = setting("BUBBLESCOPE_FUZZ_SEED", 20261122);
    for (const Reader& reader : readers()) {
        const std::uint64_t rounds
            = setting("BUBBLESCOPE_FUZZ_ROUNDS", static_cast<std::uint64_t>(reader.rounds));
        int read = 0, refused = 0;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            const fs::path file = buildPath("fuzz/") + reader.name;
            for (const char* suffix : {"-wal", "-shm", "-journal"})
                fs::remove(file.string() + suffix);
            Random random(seed + round);
            writeMutated(reader, file, random);
            CAPTURE(reader.name, seed, round);
            alarm(kMostSeconds); // ends the process: the file is kept
            const std::string error = reader.read(file);
            alarm(0);
            ++(error.empty() ? read : refused);
            CHECK(error.find('\n') == std::string::npos);
            CHECK(error.size() < 2000);
        }
        INFO(reader.name << ": " << read << " read, " << refused << " refused");
        CHECK(read > 0);
        CHECK(refused > 0);
    }
}
