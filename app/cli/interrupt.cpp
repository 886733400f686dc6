#include "app/cli/interrupt.h"

#include <array>
#include <csignal>

namespace cli {

namespace {
// A signal handler reaches nothing but static data.
std::atomic<bool> stopRequested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array kSignals{SIGINT, SIGTERM};

void request(int)
{
    stopRequested = true;
}
} // namespace

Interrupt::Interrupt()
{
    stopRequested = false;
    struct sigaction action = {};
    action.sa_handler = request;
    action.sa_flags = SA_RESTART;
    for (const int signal : kSignals)
        sigaction(signal, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

Interrupt::~Interrupt()
{
    for (const int signal : kSignals)
        std::signal(signal, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
}

const std::atomic<bool>& Interrupt::requested() const
{
    return stopRequested;
}

} // namespace cli
