#include "app/cli/commands/long_task.h"

#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/process.h"
#include "engine/base/version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <iterator>

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
        m_thread = std::jthread([this](const std::stop_token& stop) { show(stop); });
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

void LongTask::show(const std::stop_token& stop)
{
    constexpr std::chrono::seconds kPatience(2), kPause(1);
    bool isShown = false;
    std::unique_lock lock(m_mutex);
    while (!m_ended.wait_for(lock, stop, isShown ? kPause : kPatience,
                             [&stop] { return stop.stop_requested(); })) {
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

Progress::Progress(ProgressKind kind, std::optional<std::size_t> run)
    : m_kind(kind == ProgressKind::Auto && errorIsTerminal() ? ProgressKind::Bar : kind)
    , m_run(run)
{ }

void Progress::report(const char* event, profiler::Reading::Fields fields)
{
    if (m_kind != ProgressKind::JsonLines)
        return;
    const std::chrono::duration<double> t = std::chrono::steady_clock::now() - m_begin;
    profiler::Reading::Fields line{{"event", event}, {"t", t.count()}};
    if (m_run)
        line.emplace_back("run", *m_run);
    std::ranges::move(fields, std::back_inserter(line));
    printError(jsonText(line, profiler::JsonLines::One));
}

// Each line of the bar overwrites the one before.
void Progress::draw(const std::string& line)
{
    if (!isBar())
        return;
    m_isShown = true;
    printError("\r\033[K" + line);
}

void Progress::draw(double shareOfCurrent)
{
    constexpr int kCells = 30;
    const double planned = std::max<std::size_t>(m_planned, 1);
    const double share = (static_cast<double>(m_done) + shareOfCurrent) / planned;
    const int full = std::min(kCells, static_cast<int>(share * kCells));
    draw(fmt::format("[{}{}] iteration {} of {}{}", std::string(full, '#'),
                     std::string(kCells - full, '.'), std::min(m_done + 1, m_planned), m_planned,
                     m_loss));
}

void Progress::clear()
{
    if (std::exchange(m_isShown, false))
        printError("\r\033[K");
}

void Progress::started(const std::string& file, const RunInfo& info)
{
    m_planned = static_cast<std::size_t>(info.plannedWarmup)
        + static_cast<std::size_t>(info.plannedIterations);
    report("started",
           {{"file", file},
            {"build", std::string(buildId())},
            {"scheme", info.scheme},
            {"iterations", m_planned},
            {"warmup", info.plannedWarmup}});
    draw(0);
}

void Progress::ops(const OpsDone& at)
{
    constexpr std::chrono::milliseconds kInterval{100};
    const auto now = std::chrono::steady_clock::now();
    if (!isBar() && now < m_nextOps)
        return;
    m_nextOps = now + kInterval;
    report("ops",
           {{"index", at.iteration}, {"done", at.done}, {"all", at.ops}, {"devices", at.devices}});
    // For a stream, iteration() is called only after the last iteration has ended.
    m_done = static_cast<std::size_t>(at.iteration);
    draw(at.ops == 0 ? 0 : ratio(at.done, at.ops));
}

void Progress::points(std::size_t done, std::size_t all, double left)
{
    report("points", {{"done", done}, {"all", all}, {"left", left}});
    draw(fmt::format("{} of {} points, {:.0f} s left", done, all, left));
}

void Progress::iteration(std::size_t index, const Iteration& iteration)
{
    report("iteration",
           {{"index", index},
            {"warmup", iteration.kind == Iteration::Kind::Warmup},
            {"loss", iteration.loss},
            {"gradient_norm", iteration.gradientNorm},
            {"duration", iteration.window.duration()}});
    m_done = index + 1;
    if (iteration.loss)
        m_loss = fmt::format(", loss {:.3f}", *iteration.loss);
    draw(0);
}

void Progress::warning(const std::string& message)
{
    clear();
    report("warning", {{"message", message}});
    if (m_kind != ProgressKind::JsonLines)
        printError("note: " + message + "\n");
}

void Progress::locked(const std::string& file)
{
    const std::string message
        = file + " is locked by another program; the run continues when the lock is released";
    if (m_kind == ProgressKind::JsonLines)
        report("locked", {{"file", file}, {"message", message}});
    else
        warning(message);
}

void Progress::finishing()
{
    clear();
    report("finishing", {});
}

void Progress::finished(const std::string& file, Outcome outcome)
{
    clear();
    report("finished", {{"file", file}, {"outcome", outcomeName(outcome)}});
}

void Progress::failed(const std::string& message)
{
    clear();
    report("failed", {{"message", message}});
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

} // namespace cli
