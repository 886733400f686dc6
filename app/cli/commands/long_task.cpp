#include "app/cli/commands/long_task.h"

#include "app/cli/text/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

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

} // namespace cli
