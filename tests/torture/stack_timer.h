// CPU time of a thread, and its stack when it has used too much of it.
#pragma once

#include <execinfo.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

// CPU time of the calling thread in ms.
inline double cpuTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// Prints the addresses of the stack for addr2line.
inline void printStack()
{
    constexpr int kMost = 100;
    void* frames[kMost];
    backtrace_symbols_fd(frames, backtrace(frames, kMost), STDERR_FILENO);
}

// Prints the stack when the thread that created it has used `ms` of CPU time since start().
class StackTimer
{
public:
    explicit StackTimer(long ms)
        : m_ms(ms)
    {
        std::signal(SIGPROF, [](int) { printStack(); });
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGPROF;
        event._sigev_un._tid = gettid();
        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &m_timer);
    }
    ~StackTimer() { timer_delete(m_timer); }
    StackTimer(const StackTimer&) = delete;
    StackTimer& operator=(const StackTimer&) = delete;

    void start() { set(m_ms * 1'000'000); }
    void stop() { set(0); }

private:
    void set(long nanoseconds)
    {
        itimerspec time{};
        time.it_value.tv_nsec = nanoseconds;
        timer_settime(m_timer, 0, &time, nullptr);
    }

    long m_ms;
    timer_t m_timer{};
};
