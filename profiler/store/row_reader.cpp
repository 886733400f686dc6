#include "profiler/store/row_reader.h"

#include "engine/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace profiler {
namespace {

using engine::Iteration;
using engine::MemoryEvent;
using engine::Result;
using engine::Span;
using engine::Track;

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

bool orderOfTracks(const Track& track, const std::pair<engine::DeviceId, Track::Kind>& key)
{
    return std::pair(track.device, track.kind) < key;
}

// Returns the track of a device and lane; inserts it if it does not exist.
Track& trackIn(std::vector<Track>& tracks, engine::DeviceId device, Track::Kind kind)
{
    const std::pair key(device, kind);
    const auto at = std::lower_bound(tracks.begin(), tracks.end(), key, orderOfTracks);
    if (at != tracks.end() && at->device == device && at->kind == kind)
        return *at;
    return *tracks.insert(at, Track{device, kind, {}});
}

} // namespace

Result<RowReader> RowReader::open(Database& database, engine::Run& run)
{
    RowReader reader(database, run);
    TRY(reader.readTracks());
    return reader;
}

RowReader::RowReader(Database& database, engine::Run& run)
    : m_database(&database)
    , m_run(&run)
    , m_index(run.schedule)
{ }

template<class Row, class Use>
Result<void> RowReader::forEachNew(Use use)
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

Result<std::int64_t> RowReader::lastRow()
{
    std::int64_t last = 0;
    for (const std::string_view table : kGrowingTables) {
        auto row = m_database->integer(fmt::format("SELECT max(id) FROM {}", table));
        if (!row)
            return row;
        last = std::max(last, *row);
    }
    return last;
}

// Uses OFFSET to count rows and does not compute with ids, because ids of a damaged file can have
// gaps of any size.
Result<std::int64_t> RowReader::rowAfter(std::int64_t after, std::int64_t rows)
{
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const std::string_view table : kGrowingTables) {
        auto row = m_database->integer(
            fmt::format("SELECT id FROM {} WHERE id > {} ORDER BY id LIMIT 1 OFFSET {}", table,
                        after, rows - 1));
        if (!row)
            return row;
        if (*row > after)
            first = std::min(first, *row);
    }
    return first;
}

Result<void> RowReader::read(std::int64_t after, std::int64_t last)
{
    m_after = after;
    m_last = last;
    return readIterations()
        .and_then([&] { return readLosses(); })
        .and_then([&] { return readSpans(); })
        .and_then([&] { return readMemory(); });
}

Result<void> RowReader::readTracks()
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

Result<void> RowReader::readIterations()
{
    auto& iterations = m_run->timeline.iterations;
    return forEachNew<IterationRow>([&](IterationRow& row) {
        const Iteration& iteration = row.iteration;
        if (row.index > iterations.size() || iteration.number < 0 || !isWindow(iteration.window)
            || iteration.interval.least < 0 || iteration.interval.most < iteration.interval.least)
            return false;
        if (row.index == iterations.size())
            iterations.emplace_back();
        iterations[row.index] = std::move(row.iteration);
        return true;
    });
}

Result<void> RowReader::readLosses()
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

Result<void> RowReader::readSpans()
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

Result<void> RowReader::readMemory()
{
    auto& memory = m_run->timeline.memory;
    const std::size_t known = memory.size();
    auto read = forEachNew<MemoryRow>([&](MemoryRow& row) {
        MemoryEvent& event = row.event;
        if ((event.op != MemoryEvent::kNoOp && event.op >= m_index.count())
            || event.device >= m_run->schedule.shape.devices
            || row.category >= engine::kMemoryCategories || !isTime(event.time)
            || event.bytes > kMostBytes || event.bytes < -kMostBytes)
            return false;
        event.category = static_cast<engine::MemoryCategory>(row.category);
        memory.push_back(event);
        return true;
    });
    keepInOrder(memory, known, [](const MemoryEvent& event) { return event.time; });
    return read;
}

bool RowReader::isOpOf(std::uint32_t op, const TrackRow& track) const
{
    return op < m_index.count() && m_index.deviceOf(op) == track.device
        && laneOf(opAt(m_run->schedule, m_index, op).kind) == track.kind;
}

const TrackRow* RowReader::trackRow(std::int64_t id) const
{
    const auto row = std::ranges::lower_bound(m_tracks, id, {}, &TrackRow::id);
    return row == m_tracks.end() || row->id != id ? nullptr : &*row;
}

} // namespace profiler
