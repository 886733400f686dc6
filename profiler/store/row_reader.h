#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/row_tables.h"

#include <vector>

namespace profiler {

// Reads the rows of a connection into a run. All indices are checked. Fails with
// Error::Code::Corrupt; the message names the table and the row.
class RowReader
{
public:
    // `run` must already have its schedule. Adds the tracks of the file to the run.
    static engine::Result<RowReader> open(Database& database, engine::Run& run);

    // The largest id over all tables.
    engine::Result<std::int64_t> lastRow();
    // Returns the id up to which to read, so that no table contributes more than `rows` rows after
    // the id `after`. Returns the largest integer if every table has fewer rows left.
    engine::Result<std::int64_t> rowAfter(std::int64_t after, std::int64_t rows);
    // Adds the rows with ids in (after, last] to the run.
    engine::Result<void> read(std::int64_t after, std::int64_t last);

private:
    RowReader(Database& database, engine::Run& run);
    engine::Result<void> readTracks();
    engine::Result<void> readIterations();
    engine::Result<void> readLosses();
    engine::Result<void> readSpans();
    engine::Result<void> readMemory();
    // Calls `use(row)` for the new rows of a table. `use` returns false for an invalid row.
    template<class Row, class Use>
    engine::Result<void> forEachNew(Use use);
    bool isOpOf(std::uint32_t op, const TrackRow& track) const;
    const TrackRow* trackRow(std::int64_t id) const; // nullptr if unknown

    Database* m_database;
    engine::Run* m_run;
    engine::OpIndex m_index;
    std::int64_t m_after = 0, m_last = 0; // the rows being read: (after, last]
    std::vector<TrackRow> m_tracks;       // sorted by id
};

} // namespace profiler
