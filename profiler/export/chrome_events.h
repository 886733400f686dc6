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

// Converts nanoseconds to microseconds as Chrome's format writes them: "12.345".
std::string microseconds(std::int64_t ns);

// Returns a JSON number, or a JSON string if the magnitude exceeds 2^53, because viewers would lose
// digits.
std::string chromeNumber(std::int64_t number);
std::string chromeNumber(std::uint64_t number);

// A row of the trace. It needs several threads if its slices overlap.
struct ChromeRow
{
    int process = 0;
    std::int64_t major = 0, minor = 0; // identify the row within its process

    friend auto operator<=>(const ChromeRow&, const ChromeRow&) = default;
};

// Writes the events of a Chrome trace.
class ChromeEvents
{
public:
    explicit ChromeEvents(TextPieces& text)
        : m_text(text)
    { }

    // Adds an event. `text` is the fmt format of the event's JSON without the outer braces.
    template<class... Values>
    void add(fmt::format_string<Values...> text, Values&&... values)
    {
        m_text.add("{}", std::exchange(m_isFirst, false) ? "\n{" : ",\n{");
        m_text.add(text, std::forward<Values>(values)...);
        m_text.add("}}");
    }
    void nameProcess(int process, const std::string& name);
    void nameThread(int process, int thread, const std::string& name);

    // Returns the thread for a slice. Viewers drop overlapping slices of one thread, so this is the
    // first thread of the row whose slices have all ended when `window` begins. If there is no such
    // thread, a new one is added, with the name that `name` returns.
    template<class Name>
    int threadOf(const ChromeRow& row, engine::Window window, Name name)
    {
        // The maximum number of threads per row. When it is reached, the last thread takes the
        // remaining slices, even if they overlap.
        constexpr std::size_t kMostThreads = 64;
        std::vector<Thread>& threads = m_rows[row];
        for (Thread& thread : threads)
            if (thread.end <= window.begin || &thread == threads.data() + kMostThreads - 1)
                return take(thread, window.end);
        const std::string number = threads.empty() ? "" : fmt::format(" {}", threads.size() + 1);
        return take(addThread(row.process, threads, name() + number), window.end);
    }
    // Returns the first thread of a row. Use it for slices that nest.
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
        std::int64_t end = INT64_MIN; // end of the thread's last slice
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
    std::map<int, int> m_last; // process -> number of its last thread
};

} // namespace profiler
