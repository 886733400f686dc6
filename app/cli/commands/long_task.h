#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cli {

// Shows the current step of a command on a terminal, with the time left if it is known. The line
// appears when the command has run for two seconds. The destructor removes it.
class LongTask
{
public:
    explicit LongTask(std::string what);
    ~LongTask();
    LongTask(const LongTask&) = delete;
    LongTask& operator=(const LongTask&) = delete;

    // Shows `what` as the current step, and `secondsLeft` as the estimated time left; 0: unknown.
    void next(std::string what, double secondsLeft);
    double seconds() const; // seconds since construction

private:
    void show();
    std::string line() const;

    std::mutex m_mutex; // protects m_what, m_expectedEnd and m_hasEnded
    std::condition_variable m_ended;
    std::string m_what;
    double m_expectedEnd = 0; // in seconds since construction; 0: not known
    bool m_hasEnded = false;
    double m_begin;
    std::thread m_thread;
};

} // namespace cli
