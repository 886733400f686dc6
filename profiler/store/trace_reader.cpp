#include "engine/base/try.h"
#include "engine/timeline/run.h"
#include "profiler/store/info.h"
#include "profiler/store/open_file.h"
#include "profiler/store/row_tables.h"
#include "profiler/store/trace_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace profiler {

using namespace engine;

namespace {

constexpr std::string_view kGrowingTables[]
    = {kTableOf<TrackRow>.name, kTableOf<IterationRow>.name, kTableOf<LossRow>.name,
       kTableOf<SpanRow>.name,  kTableOf<MemoryRow>.name,    kTableOf<OpRow>.name};

bool below(std::int64_t value, std::size_t limit)
{
    return value >= 0 && static_cast<std::uint64_t>(value) < limit;
}

// Sorts the rows unless they are in order. The first `known` rows are sorted and not checked.
template<class Rows, class Time>
void keepInOrder(Rows& rows, std::size_t known, Time time)
{
    const auto before = [&](const auto& a, const auto& b) { return time(a) < time(b); };
    const auto changed = rows.begin() + static_cast<std::ptrdiff_t>(known == 0 ? 0 : known - 1);
    if (!std::is_sorted(changed, rows.end(), before))
        std::ranges::stable_sort(rows, before);
}

// Returns the track of a device and lane; inserts it if it does not exist.
Track& trackIn(std::vector<Track>& tracks, DeviceId device, Track::Kind kind)
{
    const std::pair key(device, kind);
    const auto at = std::ranges::lower_bound(
        tracks, key, {}, [](const Track& track) { return std::pair(track.device, track.kind); });
    if (at != tracks.end() && at->device == device && at->kind == kind)
        return *at;
    return *tracks.insert(at, Track{device, kind, {}});
}

// Reads the rows of a connection into a run. All indices are checked. Fails with
// Error::Code::Corrupt; the message names the table and the row.
class RowReader
{
public:
    // `run` must already have its schedule. Adds the tracks of the file to the run.
    static Result<RowReader> open(Database& database, Run& run)
    {
        RowReader reader(database, run);
        TRY(reader.readTracks());
        return reader;
    }

    // The largest id over all tables.
    Result<std::int64_t> lastRow()
    {
        std::int64_t last = 0;
        for (const std::string_view table : kGrowingTables) {
            const auto row = TRY(m_database->integer(fmt::format("SELECT max(id) FROM {}", table)));
            last = std::max(last, row);
        }
        return last;
    }
    // The id up to which to read, so that no table contributes more than `rows` rows after the id
    // `after`. Returns the largest integer if every table has fewer rows left. Uses OFFSET to count
    // rows and does not compute with ids, because ids of a damaged file can have gaps of any size.
    Result<std::int64_t> rowAfter(std::int64_t after, std::int64_t rows)
    {
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const std::string_view table : kGrowingTables) {
            const auto row = TRY(m_database->integer(
                fmt::format("SELECT id FROM {} WHERE id > {} ORDER BY id LIMIT 1 OFFSET {}", table,
                            after, rows - 1)));
            if (row > after)
                first = std::min(first, row);
        }
        return first;
    }
    // The tables share the numbers of their rows. If one of a finished run is missing, another
    // program deleted its row, and the numbers of the run would be wrong. A count without a WHERE
    // clause ignores the time limit of a statement.
    Result<void> checkNoneMissing(std::int64_t last)
    {
        std::int64_t rows = 0;
        for (const std::string_view table : kGrowingTables)
            rows += TRY(
                m_database->integer(fmt::format("SELECT count(*) FROM {} WHERE id > 0", table)));
        if (rows >= last)
            return {};
        return tl::unexpected(
            m_database->damaged(fmt::format("{} of {} rows are missing", last - rows, last)));
    }
    // Adds the rows with ids in (after, last] to the run.
    Result<void> read(std::int64_t after, std::int64_t last)
    {
        m_after = after;
        m_last = last;
        TRY(readIterations());
        TRY(readLosses());
        TRY(readSpans());
        return readMemory();
    }

private:
    RowReader(Database& database, Run& run)
        : m_database(&database)
        , m_run(&run)
        , m_index(run.schedule)
    { }
    Result<void> readTracks()
    {
        m_after = -1;
        m_last = std::numeric_limits<std::int64_t>::max();
        const std::size_t devices = m_run->schedule.shape.devices;
        return forEachNew<TrackRow>([&](const TrackRow& row) {
            if (!below(row.device.value, devices))
                return false;
            trackIn(m_run->timeline.tracks, row.device, row.kind);
            m_tracks.push_back(row);
            return true;
        });
    }
    Result<void> readIterations()
    {
        auto& iterations = m_run->timeline.iterations;
        return forEachNew<IterationRow>([&](IterationRow& row) {
            const Iteration& iteration = row.iteration;
            if (row.index > iterations.size() || iteration.number < 0
                || !isWindow(iteration.window))
                return false;
            if (row.index == iterations.size())
                iterations.emplace_back();
            iterations[row.index] = std::move(row.iteration);
            return true;
        });
    }
    Result<void> readLosses()
    {
        auto& iterations = m_run->timeline.iterations;
        return forEachNew<LossRow>([&](const LossRow& row) {
            if (row.iteration >= iterations.size())
                return false;
            auto& losses = iterations[row.iteration].microBatchLoss;
            if (row.microBatch > losses.size())
                return false;
            if (row.microBatch == losses.size())
                losses.push_back(0);
            losses[row.microBatch] = row.loss;
            return true;
        });
    }
    Result<void> readSpans()
    {
        const std::size_t iterations = m_run->timeline.iterations.size();
        std::vector<Track>& tracks = m_run->timeline.tracks;
        std::vector<std::size_t> known; // by track: the number of spans before this call
        known.reserve(tracks.size());
        for (const Track& track : tracks)
            known.push_back(track.spans.size());
        const TrackRow* row = nullptr;
        Track* track = nullptr;
        auto read = forEachNew<SpanRow>([&](const SpanRow& span) {
            if (row == nullptr || span.track != row->id) {
                row = trackRow(span.track);
                track = row != nullptr ? &trackIn(tracks, row->device, row->kind) : nullptr;
            }
            if (row == nullptr || span.span.iteration >= iterations || !isOpOf(span.span.op, *row)
                || !isWindow(span.span.window()))
                return false;
            track->spans.push_back(span.span);
            return true;
        });
        for (std::size_t i = 0; i < tracks.size(); ++i)
            keepInOrder(tracks[i].spans, known[i], [](const Span& span) { return span.begin; });
        return read;
    }
    Result<void> readMemory()
    {
        auto& memory = m_run->timeline.memory;
        const std::size_t known = memory.size();
        auto read = forEachNew<MemoryRow>([&](MemoryRow& row) {
            MemoryEvent& event = row.event;
            if ((event.op != MemoryEvent::kNoOp && event.op >= m_index.count())
                || event.device >= m_run->schedule.shape.devices
                || row.category >= kMemoryCategories || !isTime(event.time)
                || event.bytes > kMostBytes || event.bytes < -kMostBytes)
                return false;
            event.category = static_cast<MemoryCategory>(row.category);
            memory.push_back(event);
            return true;
        });
        keepInOrder(memory, known, [](const MemoryEvent& event) { return event.time; });
        return read;
    }
    // Calls `use(row)` for the new rows of a table. `use` returns false for an invalid row.
    template<class Row, class Use>
    Result<void> forEachNew(Use use)
    {
        std::int64_t previous = m_after;
        return forEachRow<Row>(
            *m_database, "WHERE id > ?1 AND id <= ?2 ORDER BY id",
            [&](Row& row) {
                // In a damaged B-tree, a row can be returned twice.
                return row.id > std::exchange(previous, row.id) && use(row);
            },
            m_after, m_last);
    }
    bool isOpOf(std::uint32_t op, const TrackRow& track) const
    {
        return op < m_index.count() && m_index.deviceOf(op) == track.device
            && laneOf(opAt(m_run->schedule, m_index, op).kind) == track.kind;
    }
    // nullptr if unknown
    const TrackRow* trackRow(std::int64_t id) const
    {
        const auto row = std::ranges::lower_bound(m_tracks, id, {}, &TrackRow::id);
        return row == m_tracks.end() || row->id != id ? nullptr : &*row;
    }

    Database* m_database;
    Run* m_run;
    OpIndex m_index;
    std::int64_t m_after = 0, m_last = 0; // the rows being read: (after, last]
    std::vector<TrackRow> m_tracks;       // sorted by id
};

// Rows per table and transaction. A reader's transaction delays the writer's checkpoint, so it must
// be short: 256 k rows take about a tenth of a second.
constexpr std::int64_t kChunk = 1 << 18;

std::string warningOf(OpenFile& open, const std::filesystem::path& file)
{
    const auto wal = usedWal(open.database);
    if (!wal || *wal)
        return {};
    return fmt::format("{} is on a file system that does not support SQLite's WAL mode: while the "
                       "run is recorded, the file is updated once a second",
                       file.string());
}

Result<bool> updateInfo(Database& database, Run& run)
{
    auto info = TRY(readInfo(database));
    info.damage = run.info.damage;
    const bool changed = info != run.info;
    run.info = std::move(info);
    return changed;
}

} // namespace

Result<TraceReader> TraceReader::open(const std::filesystem::path& file,
                                      std::chrono::milliseconds lockWait)
{
    sealAbandoned(file);
    auto open = TRY(openFile(file, lockWait));
    TraceReader reader;
    reader.m_file = file;
    reader.m_lockWait = lockWait;
    reader.m_disk = onDisk(file);
    reader.m_warning = warningOf(open, file);
    return reader;
}

Result<OpenFile> TraceReader::reopen() const
{
    auto open = openFile(m_file, m_lockWait);
    if (!open && open.error().code == Error::Code::NotFound)
        return fail(Error::Code::NotFound, "{} was deleted or moved: its timeline no longer grows",
                    m_file.string());
    if (!open)
        return tl::unexpected(open.error());
    if (onDisk(m_file) != m_disk)
        return fail(Error::Code::NotFound, "{} was replaced by another run: open it again",
                    m_file.string());
    return open;
}

Result<TraceReader::Chunk> TraceReader::pollChunk(Run& run)
{
    return reopen().and_then([&](OpenFile open) { return readChunk(open, run); });
}

Result<bool> TraceReader::poll(Run& run)
{
    auto open = TRY(reopen());
    bool changed = false, more = true;
    while (more) {
        const auto read = readChunk(open, run);
        if (!read && changed && read.error().code == Error::Code::Locked)
            return true; // if the lock persists, the next poll() reports it
        if (!read)
            return tl::unexpected(read.error());
        changed = changed || read->changed;
        more = read->more;
    }
    return changed;
}

Result<TraceReader::Chunk> TraceReader::readChunk(OpenFile& open, Run& run)
{
    Database& database = open.database;
    TRY(database.execute("BEGIN"));
    bool changed = !m_begun;
    if (!m_begun) {
        run.schedule = TRY(readSchedule(database));
        run.timeline = {};
    }
    changed = TRY(updateInfo(database, run)) || changed;
    if (!m_begun)
        TRY(readKernelTimes(database, run));
    m_begun = true;
    auto rows = TRY(RowReader::open(database, run));
    const auto last = TRY(rows.lastRow());
    const auto until = TRY(rows.rowAfter(m_cursor, kChunk));
    const std::int64_t end = std::min(last, until);
    const bool grew = end > m_cursor;
    TRY(rows.read(m_cursor, end));
    m_cursor = std::max(m_cursor, end);
    if (grew && end == last && run.info.outcome == Outcome::Finished)
        TRY(rows.checkNoneMissing(last));
    if (end == last && run.info.outcome != Outcome::Running)
        run.info.damage = damageOf(run);
    TRY(database.execute("COMMIT"));
    const auto all = static_cast<double>(std::max<std::int64_t>(last, 1));
    return Chunk{changed || grew, end < last, static_cast<double>(m_cursor) / all};
}

Result<void> checkHasOps(const Run& run, const std::filesystem::path& file)
{
    if (run.timeline.iterations.empty() || !run.timeline.tracks.empty())
        return {};
    return fail(Error::Code::Unsupported,
                "{} has losses and durations, but no ops: it was recorded with --trace "
                "off; record it again without --trace off",
                file.string());
}

Result<Run> readRun(const std::filesystem::path& file, std::string* warning)
{
    auto reader = TRY(TraceReader::open(file));
    Run run;
    TRY(reader.poll(run));
    if (warning != nullptr)
        *warning = reader.warning();
    return run;
}

} // namespace profiler
