#include "app/cli/commands/long_task.h"

#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/process.h"
#include "engine/base/version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>

namespace cli {
namespace {
double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
} // namespace

LongTask::LongTask(std::string what)
    : m_what(std::move(what))
    , m_begin(now())
{
    if (errorIsTerminal())
        m_thread = std::thread([this] { show(); });
}

LongTask::~LongTask()
{
    {
        const std::lock_guard lock(m_mutex);
        m_hasEnded = true;
    }
    m_ended.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

void LongTask::next(std::string what, double secondsLeft)
{
    const std::lock_guard lock(m_mutex);
    m_what = std::move(what);
    m_expectedEnd = secondsLeft > 0 ? seconds() + secondsLeft : 0;
}

double LongTask::seconds() const
{
    return now() - m_begin;
}

void LongTask::show()
{
    constexpr std::chrono::seconds kPatience(2), kPause(1);
    bool isShown = false;
    std::unique_lock lock(m_mutex);
    while (!m_ended.wait_for(lock, isShown ? kPause : kPatience, [this] { return m_hasEnded; })) {
        printError("\r\033[K" + line());
        isShown = true;
    }
    if (isShown)
        printError("\r\033[K");
}

std::string LongTask::line() const
{
    const double left = std::max(1.0, m_expectedEnd - seconds());
    return fmt::format("{}: {:.0f} s{}", m_what, seconds(),
                       m_expectedEnd > 0 ? fmt::format(", about {:.0f} s left", left) : "");
}

namespace {
// The state that signal handlers use; they can only access static data.
std::atomic<bool> stopRequested = false;
static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<pid_t> watchedParent = 0; // process whose exit requests a stop; 0: none

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCONT};
constexpr std::size_t kStops = 3;                         // the first of kSignals request a stop
std::array<struct sigaction, kSignals.size()> oldActions; // with their flags
int oldParentSignal = 0;

std::atomic<std::int64_t> firstRequest = 0; // time of the first signal, in ns; 0: none
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
// `timeout` and a study send a second signal at once, which is still the first request.
constexpr std::chrono::milliseconds kSameRequest(500);

void setAction(int signal, void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
}

// The second request ends the process, because a thread may hang in a library or wait for a file.
void request(int signal)
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    std::int64_t first = 0;
    if (!firstRequest.compare_exchange_strong(first, std::chrono::nanoseconds(now).count())
        && now - std::chrono::nanoseconds(first) > kSameRequest)
        engine::endBySignal(signal);
    stopRequested = true;
}

void goOn(int)
{
    if (watchedParent != 0 && getppid() != watchedParent)
        stopRequested = true;
}
} // namespace

Interrupt::Interrupt()
{
    stopRequested = false;
    firstRequest = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], nullptr, &oldActions[i]);
    prctl(PR_GET_PDEATHSIG, &oldParentSignal);
    for (std::size_t i = 0; i < kStops; ++i)
        if (oldActions[i].sa_handler != SIG_IGN) // as with nohup
            setAction(kSignals[i], request);
    setAction(SIGPIPE, SIG_IGN);
}

Interrupt::~Interrupt()
{
    watchedParent = 0;
    prctl(PR_SET_PDEATHSIG, oldParentSignal);
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], &oldActions[i], nullptr);
}

// Makes the kernel send SIGCONT when the parent exits. A suspended worker (SIGSTOP) would not react
// to other signals. The handler of SIGCONT then checks whether the parent still exists.
void Interrupt::stopWithParent()
{
    watchedParent = getppid();
    setAction(SIGCONT, goOn);
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    if (getppid() != watchedParent) // the parent exited before the request
        stopRequested = true;
}

const std::atomic<bool>& Interrupt::requested() const
{
    return stopRequested;
}

using namespace engine;
using nlohmann::ordered_json;

namespace {
using Clock = std::chrono::steady_clock;

class JsonLines final : public Progress
{
public:
    explicit JsonLines(std::optional<std::size_t> run)
        : m_run(run)
    { }
    void started(const std::string& file, const RunInfo& info) override
    {
        say("started",
            {{"file", file},
             {"build", std::string(buildId())},
             {"scheme", info.scheme},
             {"iterations", info.plannedWarmup + info.plannedIterations},
             {"warmup", info.plannedWarmup}});
    }
    void ops(const OpsDone& at) override
    {
        constexpr std::chrono::milliseconds kInterval{100};
        const auto now = Clock::now();
        if (now < m_nextOps)
            return;
        m_nextOps = now + kInterval;
        say("ops",
            {{"index", at.iteration}, {"done", at.done}, {"all", at.ops}, {"devices", at.devices}});
    }
    void rows(std::int64_t last) override { say("rows", {{"last", last}}); }
    void points(std::size_t done, std::size_t all, double left) override
    {
        say("points", {{"done", done}, {"all", all}, {"left", left}});
    }
    void iteration(std::size_t index, const Iteration& iteration) override
    {
        say("iteration",
            {{"index", index},
             {"warmup", iteration.kind == Iteration::Kind::Warmup},
             {"loss", iteration.loss ? ordered_json(*iteration.loss) : ordered_json()},
             {"gradient_norm",
              iteration.gradientNorm ? ordered_json(*iteration.gradientNorm) : ordered_json()},
             {"duration", iteration.window.duration()}});
    }
    void warning(const std::string& message) override { say("warning", {{"message", message}}); }
    void locked(const std::string& file) override
    {
        say("locked", {{"file", file}, {"message", lockedSentence(file)}});
    }
    void finishing() override { say("finishing", ordered_json::object()); }
    void finished(const std::string& file, Outcome outcome) override
    {
        say("finished", {{"file", file}, {"outcome", outcomeName(outcome)}});
    }
    void failed(const std::string& message) override { say("failed", {{"message", message}}); }

private:
    void say(const char* event, const ordered_json& fields)
    {
        const std::chrono::duration<double> t = Clock::now() - m_begin;
        ordered_json line{{"event", event}, {"t", t.count()}};
        if (m_run)
            line["run"] = *m_run;
        line.update(fields);
        printError(line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
    }

    const std::optional<std::size_t> m_run;
    Clock::time_point m_begin = Clock::now(), m_nextOps = m_begin;
};

// A progress line on the terminal. Each report overwrites it, and it is removed at the end.
class Bar final : public Progress
{
public:
    ~Bar() override { clear(); }

    void started(const std::string&, const RunInfo& info) override
    {
        m_planned = static_cast<std::size_t>(info.plannedWarmup)
            + static_cast<std::size_t>(info.plannedIterations);
        draw(0);
    }
    void ops(const OpsDone& at) override
    {
        // For a stream, iteration() is called only after the last iteration has ended.
        m_done = static_cast<std::size_t>(at.iteration);
        draw(at.ops == 0 ? 0 : ratio(at.done, at.ops));
    }
    void iteration(std::size_t index, const Iteration& iteration) override
    {
        m_done = index + 1;
        if (iteration.loss)
            m_loss = fmt::format(", loss {:.3f}", *iteration.loss);
        draw(0);
    }
    void points(std::size_t done, std::size_t all, double left) override
    {
        m_shown = true;
        printError(fmt::format("\r\033[K{} of {} points, {:.0f} s left", done, all, left));
    }
    void finished(const std::string&, Outcome) override { clear(); }
    void warning(const std::string& message) override
    {
        clear();
        Progress::warning(message);
    }
    void finishing() override { clear(); }
    void failed(const std::string&) override { clear(); }

private:
    static constexpr int kCells = 30;

    void draw(double shareOfCurrent)
    {
        const double planned = std::max<std::size_t>(m_planned, 1);
        const double share = (static_cast<double>(m_done) + shareOfCurrent) / planned;
        const int full = std::min(kCells, static_cast<int>(share * kCells));
        const std::size_t current = std::min(m_done + 1, m_planned);
        m_shown = true;
        printError(fmt::format("\r\033[K[{}{}] iteration {} of {}{}", std::string(full, '#'),
                               std::string(kCells - full, '.'), current, m_planned, m_loss));
    }
    void clear()
    {
        if (m_shown)
            printError("\r\033[K");
        m_shown = false;
    }

    std::size_t m_planned = 0, m_done = 0;
    std::string m_loss;
    bool m_shown = false;
};

} // namespace

void Progress::warning(const std::string& message)
{
    printError("note: " + message + "\n");
}

std::string Progress::lockedSentence(const std::string& file)
{
    return file + " is locked by another program; the run continues when the lock is released";
}

CLI::Option* addProgressOption(CLI::App& app, ProgressKind& kind)
{
    return app
        .add_option("--progress", kind,
                    "Progress on standard error (default: bar on a terminal, "
                    "otherwise none)")
        ->type_name("{bar,jsonl,none}")
        ->transform(choice<ProgressKind>({{"bar", ProgressKind::Bar},
                                          {"jsonl", ProgressKind::JsonLines},
                                          {"none", ProgressKind::None}}));
}

std::unique_ptr<Progress> makeProgress(ProgressKind kind, std::optional<std::size_t> run)
{
    if (kind == ProgressKind::JsonLines)
        return std::make_unique<JsonLines>(run);
    const bool bar = kind == ProgressKind::Bar || (kind == ProgressKind::Auto && errorIsTerminal());
    if (bar)
        return std::make_unique<Bar>();
    return std::make_unique<Progress>();
}

} // namespace cli
