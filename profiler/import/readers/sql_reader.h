#pragma once

#include "profiler/import/rank_trace.h"
#include "profiler/import/readers/readers.h"
#include "profiler/store/sqlite.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// What the readers of SQLite databases share. The first two columns of the queries for work and
// ranges are their begin and end.
class SqlReader
{
public:
    SqlReader(Database& database, ImportProgress progress, const OnImportProgress& onProgress)
        : m_database(database)
        , m_progress(std::move(progress))
        , m_onProgress(onProgress)
    { }

protected:
    // Reads consecutive columns; a value that does not fit leaves its field as it is.
    static void take(const Statement& row, int first, auto&... fields)
    {
        ((void)row.get(first++, fields), ...);
    }

    template<class Use>
    engine::Result<void> forEachRowOf(Statement& row, Use& use)
    {
        constexpr std::int64_t kRowsBetweenReports = 1 << 16;
        for (std::int64_t rows = 1; row.next(); ++rows) {
            use(row);
            if (rows % kRowsBetweenReports == 0 && m_onProgress && !m_onProgress(m_progress))
                return engine::fail(engine::Error::Code::Cancelled, "the import was cancelled");
        }
        return row.failed() ? tl::unexpected(m_database.error()) : engine::Result<void>();
    }
    // The function that calls `use(row, window)`. Rows with an impossible time are left out and
    // counted.
    template<class Use>
    auto timed(Use use)
    {
        return [this, use](const Statement& row) {
            const std::int64_t begin = row.integer(0), end = row.integer(1);
            if (row.isNull(1) || begin < 0 || end < begin || end > kMostTime - m_epoch)
                ++m_unreadable;
            else
                use(row, engine::Window{begin + m_epoch, end + m_epoch});
        };
    }
    // The traces that `isRank(trace)` accepts. `processes` has objects with a trace.
    template<class Processes, class IsRank>
    std::vector<RankTrace> ranksOf(Processes& processes, const std::string& program, IsRank isRank)
    {
        const auto texts = std::make_shared<const std::vector<std::string>>(m_strings.take());
        std::vector<RankTrace> ranks;
        for (auto& [key, process] : processes) {
            RankTrace& trace = process.trace;
            if (!isRank(trace))
                continue;
            trace.file = m_progress.file;
            trace.program = program;
            trace.unit = "ns";
            trace.texts = texts;
            trace.unreadable = ranks.empty() ? m_unreadable : 0;
            ranks.push_back(std::move(trace));
        }
        return ranks;
    }
    std::uint32_t textOf(std::string_view text)
    {
        return m_strings.number(text.substr(0, kMostText));
    }

    Database& m_database;
    ImportProgress m_progress;
    const OnImportProgress& m_onProgress;
    StringTable m_strings;
    std::int64_t m_epoch = 0, m_unreadable = 0; // m_epoch: ns that are added to all times
};

} // namespace profiler
