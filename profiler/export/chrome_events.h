#pragma once

#include "engine/timeline/timeline.h"
#include "profiler/export/text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// Nanoseconds as the microseconds of Chrome's format: "12.345".
std::string microseconds(std::int64_t ns);

// A number of JSON; text beyond 2^53, where viewers lose digits.
std::string chromeNumber(std::int64_t number);
std::string chromeNumber(std::uint64_t number);

// A row that gets its threads as slices are added.
struct ChromeRow
{
    int process = 0;
    std::int64_t major = 0, minor = 0; // distinguish the rows of a process

    friend auto operator<=>(const ChromeRow&, const ChromeRow&) = default;
};

// Writes the events of a Chrome trace.
class ChromeEvents
{
public:
    explicit ChromeEvents(TextPieces& text)
        : m_text(text)
    { }

    // The format is the inside of an event's braces.
    template<class... Values>
    void add(fmt::format_string<Values...> text, Values&&... values)
    {
        m_text.add("{}", std::exchange(m_isFirst, false) ? "\n{" : ",\n{");
        m_text.add(text, std::forward<Values>(values)...);
        m_text.add("}}");
    }
    void nameProcess(int process, const std::string& name);
    void nameThread(int process, int thread, const std::string& name);

    // The thread for a slice of a row: the first one whose slices end before it, because viewers
    // drop slices that overlap on one thread. `name` is called for a new thread.
    template<class Name>
    int threadOf(const ChromeRow& row, engine::Window window, Name name)
    {
        constexpr std::size_t kMostThreads = 64; // the last one takes what does not fit
        std::vector<Thread>& threads = m_rows[row];
        for (Thread& thread : threads)
            if (thread.end <= window.begin || &thread == threads.data() + kMostThreads - 1)
                return take(thread, window.end);
        const std::string number = threads.empty() ? "" : fmt::format(" {}", threads.size() + 1);
        return take(addThread(row.process, threads, name() + number), window.end);
    }
    // The first thread of a row, for slices that nest.
    template<class Name>
    int threadOf(const ChromeRow& row, Name name)
    {
        std::vector<Thread>& threads = m_rows[row];
        return (threads.empty() ? addThread(row.process, threads, name()) : threads.front()).id;
    }

private:
    struct Thread
    {
        int id = 0;
        std::int64_t end = INT64_MIN; // of its last slice
    };
    Thread& addThread(int process, std::vector<Thread>& threads, const std::string& name);
    static int take(Thread& thread, std::int64_t end)
    {
        thread.end = std::max(thread.end, end);
        return thread.id;
    }

    TextPieces& m_text;
    bool m_isFirst = true;
    std::map<ChromeRow, std::vector<Thread>> m_rows;
    std::map<int, int> m_last; // process -> thread
};

} // namespace profiler
