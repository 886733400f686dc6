#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/options/prediction_options.h"
#include "app/cli/text/output.h"
#include "engine/base/process.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "engine/exec/op_costs.h"
#include "profiler/study/reproduce.h"
#include "profiler/study/run_study.h"
#include "profiler/study/study_answer.h"
#include "profiler/study/study_file.h"

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace cli {

using namespace engine;
using namespace profiler;
namespace fs = std::filesystem;

namespace {
constexpr std::array<std::string_view, 1> kStudyFolders{"studies/"};

struct StudyOptions
{
    std::string file, folder; // `file` is the name of a preset or a path
    int threads = 0;          // 0: one per core
    bool json = false, print = false;
    ProgressKind progress = ProgressKind::Auto;
};

// Simulates points. Points with the same arguments are simulated once: an option of one scheme
// makes several points of every other scheme. Thread-safe.
class SimulatedPoints
{
public:
    Result<StudyValues> at(const std::vector<std::string>& arguments)
    {
        {
            const std::scoped_lock lock(m_mutex);
            if (const auto known = m_values.find(arguments); known != m_values.end())
                return known->second;
        }
        auto values = simulateArguments(arguments).map([](const PredictedRun& one) {
            StudyValues all = valuesOf(one.run, one.metrics);
            all.mapping = one.mapping;
            return all;
        });
        const std::scoped_lock lock(m_mutex);
        return m_values.emplace(arguments, std::move(values)).first->second;
    }

private:
    std::mutex m_mutex;
    std::map<std::vector<std::string>, Result<StudyValues>> m_values;
};

// Returns the error in the last line of a text file; "" without one.
std::string lastError(const fs::path& file)
{
    constexpr std::string_view kPrefix = "bscope: ";
    std::string text = readFile(file).value_or("");
    while (text.ends_with('\n'))
        text.pop_back();
    text.erase(0, text.rfind('\n') + 1);
    return text.substr(text.starts_with(kPrefix) ? kPrefix.size() : 0);
}

// Waits for a child process and returns its exit status. If the study is cancelled, sends SIGTERM
// to the child and continues to wait.
int waitFor(pid_t child, const std::atomic<bool>& cancelled)
{
    constexpr std::chrono::milliseconds kPoll{10};
    int status = 0;
    for (bool isStopping = false; waitpid(child, &status, WNOHANG) == 0;) {
        if (cancelled && !isStopping)
            kill(child, SIGTERM);
        isStopping = cancelled;
        std::this_thread::sleep_for(kPoll);
    }
    return status;
}

// Runs `bscope ARGUMENTS --output file` in a separate process and waits for it. Call it for one run
// at a time, because a run needs the whole machine. If the process fails, the error is its message.
// It is Error::Code::Io if a file cannot be written, and Error::Code::Cancelled if the process is
// terminated.
Result<void> writeByProcess(std::vector<std::string> arguments, const fs::path& file,
                            const std::atomic<bool>& cancelled)
{
    const fs::path errors = file.parent_path() / "point.log";
    arguments.insert(arguments.begin(), std::string(kPointProcess));
    arguments.insert(arguments.end(), {"--force", "--output", file.string()});
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (std::string& argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); // if the study is killed, its run must end as well
        const int log = open(errors.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        execv("/proc/self/exe", words.data());
        _exit(127);
    }
    const int status = child > 0 ? waitFor(child, cancelled) : 0;
    const std::string reason = lastError(errors);
    std::error_code ignored;
    fs::remove(errors, ignored);
    if (child < 0 || !WIFEXITED(status) || cancelled) // a cancelled run is incomplete
        return fail(Error::Code::Cancelled,
                    "the run of a point was terminated; the same command continues the study");
    if (WEXITSTATUS(status) == 0)
        return {};
    if (WEXITSTATUS(status) != kIoStatus && !reason.empty())
        return invalid(reason);
    return fail(Error::Code::Io, "{}; the same command continues the study",
                reason.empty() ? "the run of a point failed without a message: check the disk of "
                        + file.parent_path().string()
                               : reason);
}

Result<StudyValues> recordedPoint(const Study& study, std::vector<std::string> arguments,
                                  const fs::path& folder, const std::atomic<bool>& cancelled)
{
    const fs::path file = folder / "point.sqlite";
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--progress", "none"});
    const auto written = writeByProcess(std::move(arguments), file, cancelled);
    const auto run
        = written ? openRun(file.string()) : Result<Run>(tl::unexpected(written.error()));
    removeWithCompanions(file);
    if (!run)
        return tl::unexpected(run.error());
    const auto numbers = TRY(metrics(*run));
    StudyValues values = valuesOf(*run, numbers, study.targetLoss);
    if (const auto experiment = TRY(experimentFromToml(run->info.experiment));
        experiment.devicesPerNode > 0)
        values.mapping = describe(TRY(emulatedLinks(experiment, run->schedule)).mapping);
    return values;
}

// Writes the files of a study that are missing in its folder.
Result<void> writeFiles(const Study& study, const fs::path& folder,
                        const std::atomic<bool>& cancelled)
{
    std::error_code ignored;
    for (const auto& [name, arguments] : study.files) {
        if (fs::exists(folder / name, ignored))
            continue;
        fs::create_directories(folder, ignored); // runStudy() reports a failure
        const fs::path unfinished = folder / ("point." + name);
        TRY(inContext("[files] " + name, writeByProcess(arguments, unfinished, cancelled)));
        fs::rename(unfinished, folder / name, ignored);
    }
    return {};
}

Result<StudyValues> valuesAt(const Study& study, const StudyPoint& point, const fs::path& folder,
                             SimulatedPoints& simulated, const std::atomic<bool>& cancelled)
{
    std::vector<std::string> arguments = point.arguments;
    for (std::string& argument : arguments)
        if (study.files.contains(argument))
            argument = (folder / argument).string();
    if (point.mode == Study::Mode::Simulate)
        return simulated.at(arguments);
    arguments.insert(arguments.end(), {"--mode", std::string(modeName(point.mode))});
    return recordedPoint(study, std::move(arguments), folder, cancelled);
}

using A = AnsweredQuestion;
constexpr std::array kAnswer{
    Measure({"conditions"},
            [](const A& a) {
                std::map<std::string, Reading> sorted;
                for (const auto& [key, text] : a.conditions)
                    sorted[key] = text;
                return Reading(Reading::Fields(sorted.begin(), sorted.end()));
            }),
    Measure({"interval"},
            [](const A& a) {
                return a.interval ? Reading(Reading::List{a.interval->first, a.interval->second})
                                  : Reading();
            }),
    Measure({"kind"}, [](const A& a) { return StudyAnswer::kKinds[std::size_t(a.kind)]; }),
    Measure({"sentence"}, Of<&A::sentence>()),
    Measure({"unit"}, Of<&A::unit>()),
    Measure({"unknown"}, Of<&A::unknown>()),
    Measure({"value"}, Of<&A::value>()),
};

Sheet resultsSheet(const StudyOptions& options, const StudyData& data)
{
    const fs::path folder(options.folder);
    Sheet sheet;
    sheet.data(Reading::Fields{{"title", data.study.title},
                               {"points", data.points.size()},
                               {"not_possible", data.refused()},
                               {"answer", answersText(data)},
                               {"answers", Table(kAnswer, studyAnswers(data)).json()},
                               {"results", (folder / "results.sqlite").string()},
                               {"csv", (folder / "results.csv").string()},
                               {"report", (folder / "report.html").string()}});
    sheet.lines(fmt::format("{}\n{} points, {} of them not possible\n{}\n", answersText(data),
                            data.points.size(), data.refused(), (folder / "report.html").string()));
    return sheet;
}

Result<int> runAndPrint(const StudyOptions& options)
{
    const auto toml = TRY(SpecFile::textOf(kStudyFolders, options.file, "study"));
    if (options.print) {
        printText(toml);
        return 0;
    }
    if (options.folder.empty())
        return invalid("the results need a folder: add -o FOLDER");
    TRY(checkIsNoText(options.folder));
    const auto study = TRY(readStudy(toml, options.file));
    const Interrupt interrupt;
    SimulatedPoints simulated;
    const EvaluatePoint evaluate = [&](const StudyPoint& point) {
        return valuesAt(study, point, options.folder, simulated, interrupt.requested());
    };
    Progress progress(options.progress);
    if (auto written = writeFiles(study, options.folder, interrupt.requested()); !written) {
        progress.failed(written.error().message);
        return tl::unexpected(written.error());
    }
    RunStudyOptions how;
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    how.threads = study.isMeasured() ? 1 : options.threads > 0 ? options.threads : cores;
    how.onProgress = [&progress](const StudyProgress& of) {
        progress.points(of.done, of.all, of.left.count());
    };
    how.cancelled = &interrupt.requested();
    if (!study.isMeasured()) // otherwise the run of a point has to be stopped first
        how.onCancelled = [&progress](const Error& error) {
            progress.failed(error.message);
            printError("bscope: " + error.message + "\n");
            std::fflush(nullptr);
            std::_Exit(1);
        };
    auto results = runStudy(study, toml, options.folder, evaluate, how);
    if (!results) {
        std::string& message = results.error().message;
        progress.failed(message);
        if (results.error().code != Error::Code::Cancelled && !message.starts_with(options.file))
            message = options.file + ": " + message;
        return tl::unexpected(results.error());
    }
    progress.finished(options.folder, Outcome::Finished);
    cli::print(resultsSheet(options, *results), options.json);
    return 0;
}
} // namespace

Action prepareStudy(CLI::App& app)
{
    const auto options = std::make_shared<StudyOptions>();
    app.add_option("NAME|FILE.toml", options->file,
                   fmt::format("{}, or a .toml file with a grid, answers and charts",
                               fmt::join(SpecFile::names(kStudyFolders), ", ")))
        ->required();
    addOption(app, "-o,--output FOLDER", options->folder,
              "Folder of results.sqlite, results.csv and report.html; an interrupted study "
              "continues");
    auto* print = app.add_flag("--print", options->print,
                               "Print the study as TOML, as a template for another one");
    addOption(app, "--threads K", options->threads,
              "Points to simulate concurrently (default: one per core)")
        ->check(between(1, 1024));
    addProgressOption(app, options->progress);
    app.add_flag("--json", options->json, "Print JSON")->excludes(print);
    return [options] { return runAndPrint(*options); };
}

namespace {
struct ReproduceOptions
{
    std::string paper;
    bool json = false;
};

using R = Reproduced;

constexpr std::array kReproduced{
    Measure(column("what"), Of<&R::what>()),
    Measure(column("conditions"), Of<&R::conditions>()),
    Measure(column("published"), Of<&R::published>()),
    Measure(column("computed"), Of<&R::computed>()),
    Measure(column("deviation", "deviation", Unit::Change), Of<&R::deviation>()),
    Measure(column("tolerance"), Of<&R::tolerance>()),
    Measure(column("within"), Of<&R::isWithin>()),
    Measure(column("grade"), Of<&R::grade>()),
    Measure(column("mapping"), [](const R& r) { return textOrUnknown(r.mapping); }),
    Measure(column("cause"), [](const R& r) { return textOrUnknown(r.cause); }),
};

Result<int> print(const ReproduceOptions& options)
{
    const auto [answers, rows]
        = TRY(reproduce(options.paper == "bitpipe" ? Paper::BitPipe : Paper::Bpipe));
    Sheet sheet;
    sheet.data("paper", options.paper);
    sheet.data("answers", answers);
    for (const std::string& answer : answers)
        sheet.sentence(answer + ".");
    sheet.table(Table(kReproduced, rows), "rows");
    sheet.sentence(fmt::format("{} of {} numbers are within their tolerance",
                               std::ranges::count_if(rows, &Reproduced::isWithin), rows.size()));
    cli::print(sheet, options.json);
    return 0;
}
} // namespace

Action prepareReproduce(CLI::App& app)
{
    const auto options = std::make_shared<ReproduceOptions>();
    app.add_option("PAPER", options->paper,
                   "bitpipe (arXiv 2410.19367), or bpipe (arXiv 2401.02088 and 2205.05198)")
        ->required()
        ->check(oneOf({"bitpipe", "bpipe"}));
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return print(*options); };
}

} // namespace cli
