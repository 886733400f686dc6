#include "app/cli/commands/interrupt.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace cli {

namespace {
// The state that signal handlers use; they can only access static data.
std::atomic<bool> stopRequested = false;
static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<pid_t> watchedParent = 0; // process whose exit requests a stop; 0: none

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> oldActions;
void (*oldPipe)(int) = SIG_DFL;

void request(int)
{
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
    struct sigaction action = {};
    action.sa_handler = request;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &action, &oldActions[i]);
        if (oldActions[i].sa_handler == SIG_IGN) // as with nohup
            sigaction(kSignals[i], &oldActions[i], nullptr);
    }
    oldPipe = std::signal(SIGPIPE, SIG_IGN);
}

Interrupt::~Interrupt()
{
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], &oldActions[i], nullptr);
    std::signal(SIGPIPE, oldPipe);
    std::signal(SIGCONT, SIG_DFL);
    watchedParent = 0;
}

// Makes the kernel send SIGCONT when the parent exits. A suspended worker (SIGSTOP) would not react
// to other signals. The handler of SIGCONT then checks whether the parent still exists.
void Interrupt::stopWithParent()
{
    watchedParent = getppid();
    struct sigaction action = {};
    action.sa_handler = goOn;
    action.sa_flags = SA_RESTART;
    sigaction(SIGCONT, &action, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    if (getppid() != watchedParent) // the parent exited before the request
        stopRequested = true;
}

const std::atomic<bool>& Interrupt::requested() const
{
    return stopRequested;
}

} // namespace cli
