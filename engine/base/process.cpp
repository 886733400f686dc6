#include "engine/base/process.h"

#include "engine/base/clock.h"
#include "engine/base/hidden_file.h"
#include "engine/base/text.h"

#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <numeric>
#include <system_error>

namespace engine {
namespace {

// Opens /dev/null for each standard stream that is closed, for reading only, so that writes to the
// stream still fail.
void occupyStandardStreams()
{
    int descriptor = 0;
    do
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    close(descriptor);
}

void cleanUpOnSignals()
{
    std::signal(SIGXFSZ, SIG_IGN);
    for (const int signal :
         {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGPOLL,
          SIGVTALRM, SIGPROF, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        struct sigaction old = {}, action = {};
        action.sa_handler = endBySignal;
        if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) // respects nohup
            sigaction(signal, &action, nullptr);
    }
}

} // namespace

void prepareProcess()
{
    occupyStandardStreams();
    cleanUpOnSignals();
}

void endBySignal(int signal)
{
    struct sigaction end = {};
    end.sa_handler = SIG_DFL;
    sigaction(signal, &end, nullptr);
    removeHiddenFiles();
    raise(signal);
}

void printError(std::string_view text)
{
    const std::string safe = withoutControls(text);
    std::fwrite(safe.data(), 1, safe.size(), stderr);
}

void printText(std::string_view text)
{
    const std::string safe = withoutControls(text);
    std::fwrite(safe.data(), 1, safe.size(), stdout);
    (void)flushOutput();
}

int flushOutput()
{
    static int firstError = 0; // kept, because a later flush may succeed
    const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (failed && firstError == 0)
        firstError = errno;
    return firstError;
}

std::optional<std::string> limitReached(const std::exception& error)
{
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
        return "out of memory: close other programs, or use fewer devices, micro-batches or layers";
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system == nullptr || system->code() != std::errc::resource_unavailable_try_again)
        return std::nullopt;
    return "the system lets this process start no more threads: raise the limit of processes "
           "(ulimit -u) or of memory (ulimit -v), or use fewer threads";
}

std::string messageOf(const std::exception& error)
{
    return limitReached(error).value_or(error.what());
}

std::optional<std::int64_t> cpuTimeOfOthers()
{
    std::ifstream in("/proc/stat");
    std::string name;
    std::array<std::int64_t, 8> ticks{}; // user nice system idle iowait irq softirq steal
    in >> name;
    for (std::int64_t& one : ticks)
        in >> one;
    const std::int64_t perSecond = sysconf(_SC_CLK_TCK);
    if (!in || name != "cpu" || perSecond <= 0)
        return std::nullopt;
    const std::int64_t busy
        = std::accumulate(ticks.begin(), ticks.end(), std::int64_t{0}) - ticks[3] - ticks[4];
    return busy * (1'000'000'000 / perSecond) - readClock(CLOCK_PROCESS_CPUTIME_ID);
}

std::filesystem::path dataFolder()
{
    const char* data = std::getenv("XDG_DATA_HOME");
    if (data != nullptr && *data != 0)
        return std::filesystem::path(data) / "bubblescope";
    const char* home = std::getenv("HOME");
    const passwd* const user = home == nullptr || *home == 0 ? getpwuid(geteuid()) : nullptr;
    return std::filesystem::path(user != nullptr       ? user->pw_dir
                                     : home != nullptr ? home
                                                       : "")
        / ".local/share/bubblescope";
}

std::filesystem::path programFolder()
{
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::string hostName()
{
    std::array<char, HOST_NAME_MAX + 1> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

} // namespace engine
