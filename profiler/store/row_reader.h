#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/sqlite.h"

#include <optional>
#include <vector>

namespace profiler {

// Reads the rows of a connection into a run. All indices are checked: Corrupt names the table
// and the row.
class RowReader
{
public:
    // `run` must have its schedule; tracks of the file are added to it. `schema`: version of the
    // file.
    static engine::Result<RowReader> open(Database& database, engine::Run& run,
                                          std::int64_t schema);

    // The last row of the file, over all tables.
    engine::Result<std::int64_t> lastRow();
    // Adds the rows of (after, last] to the run.
    engine::Result<void> read(std::int64_t after, std::int64_t last);

private:
    RowReader(Database& database, engine::Run& run, std::int64_t schema);
    engine::Result<void> readTracks();
    engine::Result<void> readIterations();
    engine::Result<void> readLosses();
    engine::Result<void> readSpans();
    engine::Result<void> readMemory();
    // Calls `use(row)` for the rows of a table; it returns false for an invalid row.
    template<class Use>
    engine::Result<void> forEach(std::string_view table, std::string_view columns, Use use);

    struct TrackRow
    {
        std::int64_t id = 0;
        engine::DeviceId device;
        std::optional<engine::Track::Kind> kind; // none: not known
    };
    const TrackRow* trackRow(std::int64_t id) const; // nullptr: there is none

    Database* m_database;
    engine::Run* m_run;
    engine::OpIndex m_index;
    std::int64_t m_after = 0, m_last = 0; // the rows being read: (after, last]
    std::int64_t m_schema;
    std::vector<TrackRow> m_tracks; // by id
};

} // namespace profiler
