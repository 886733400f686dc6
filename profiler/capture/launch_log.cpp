#include "profiler/capture/launch_log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <utility>

namespace profiler {

namespace {

thread_local std::vector<engine::GpuOpLaunch> openLaunches;

std::int64_t wallNow()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace

void LaunchLog::begin(engine::OpOfIteration op)
{
    thread_local const std::uint32_t thread = syscall(SYS_gettid);
    openLaunches.push_back({{wallNow(), 0}, op, thread});
}

void LaunchLog::end()
{
    engine::GpuOpLaunch launch = openLaunches.back();
    openLaunches.pop_back();
    launch.window.end = wallNow();
    const std::lock_guard lock(m_mutex);
    m_done.push_back(launch);
}

std::vector<engine::GpuOpLaunch> LaunchLog::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_done, {});
}

} // namespace profiler
