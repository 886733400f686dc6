#include "profiler/export/chrome_events.h"

#include <cstdlib>

namespace profiler {
namespace {

// Thread ids below this one are reserved for the lanes of a device.
constexpr int kFirstThread = 1000;
constexpr std::int64_t kMostExact = std::int64_t{1} << 53;

} // namespace

std::string microseconds(std::int64_t ns)
{
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(ns % 1000));
}

std::string chromeNumber(std::int64_t number)
{
    const bool isExact = -kMostExact <= number && number <= kMostExact;
    return fmt::format(fmt::runtime(isExact ? "{}" : "\"{}\""), number);
}

std::string chromeNumber(std::uint64_t number)
{
    return fmt::format(fmt::runtime(number <= std::uint64_t{kMostExact} ? "{}" : "\"{}\""), number);
}

void ChromeEvents::nameProcess(int process, const std::string& name)
{
    add(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", process, jsonText(name));
    add(R"("ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}})", process,
        process);
}

void ChromeEvents::nameThread(int process, int thread, const std::string& name)
{
    add(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}})", process, thread,
        jsonText(name));
    add(R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})",
        process, thread, thread);
}

ChromeEvents::Thread& ChromeEvents::addThread(int process, std::vector<Thread>& threads,
                                              const std::string& name)
{
    const int id = m_last.try_emplace(process, kFirstThread - 1).first->second += 1;
    nameThread(process, id, name);
    return threads.emplace_back(Thread{id});
}

} // namespace profiler
