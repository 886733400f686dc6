#include "app/cli/commands/interrupt.h"

#include "engine/base/process.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>

namespace cli {

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

} // namespace cli
