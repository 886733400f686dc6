#include "profiler/store/row_reader.h"

#include "engine/timeline/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace profiler {
namespace {

using engine::Iteration;
using engine::MemoryEvent;
using engine::Result;
using engine::Span;
using engine::Track;

constexpr std::string_view kRowTables[]
    = {"BS_track", "BS_iteration", "BS_loss", "BS_span", "BS_memory", "BS_op"};

bool below(std::int64_t value, std::size_t limit)
{
    return value >= 0 && static_cast<std::uint64_t>(value) < limit;
}

// Rows come nearly in order: only what was late is moved. The first `known` were in order already.
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

// The track of a device and lane, made where it belongs when there is none.
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
    if (auto ok = reader.readTracks(); !ok)
        return tl::unexpected(ok.error());
    return reader;
}

RowReader::RowReader(Database& database, engine::Run& run)
    : m_database(&database)
    , m_run(&run)
    , m_index(run.schedule)
{ }

template<class Use>
Result<void> RowReader::forEach(std::string_view table, std::string_view columns, Use use)
{
    auto row = m_database->prepare(fmt::format(
        "SELECT id, {} FROM {} WHERE id > ?1 AND id <= ?2 ORDER BY id", columns, table));
    if (!row)
        return tl::unexpected(row.error());
    row->bind(m_after, m_last);
    std::int64_t previous = m_after;
    while (row->next()) {
        const std::int64_t id = row->integer(0);
        // A damaged tree can show a row twice.
        if (id <= previous || !use(*row))
            return tl::unexpected(m_database->damaged(fmt::format("{}, row {}", table, id)));
        previous = id;
    }
    if (row->failed())
        return tl::unexpected(m_database->error());
    return {};
}

Result<std::int64_t> RowReader::lastRow()
{
    std::int64_t last = 0;
    for (const std::string_view table : kRowTables) {
        auto row = m_database->integer(fmt::format("SELECT max(id) FROM {}", table));
        if (!row)
            return row;
        last = std::max(last, *row);
    }
    return last;
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
    const auto devices = static_cast<std::size_t>(m_run->schedule.shape.devices);
    return forEach("BS_track", "device, lane", [&](const Statement& row) {
        const auto kind = engine::laneNamed(row.text(2));
        if (!kind || !below(row.integer(1), devices))
            return false;
        const engine::DeviceId device{static_cast<std::int32_t>(row.integer(1))};
        trackIn(m_run->timeline.tracks, device, *kind);
        m_tracks.push_back({row.integer(0), device, *kind});
        return true;
    });
}

Result<void> RowReader::readIterations()
{
    auto& iterations = m_run->timeline.iterations;
    constexpr std::string_view kColumns
        = "iteration, kind, number, begin, \"end\", loss, gradient_norm";
    return forEach("BS_iteration", kColumns, [&](const Statement& row) {
        const auto kind = engine::iterationKindNamed(row.text(2));
        const std::int64_t number = row.integer(3);
        Iteration iteration;
        iteration.window = {row.integer(4), row.integer(5)};
        if (!kind || !below(row.integer(1), iterations.size() + 1)
            || !below(number, std::numeric_limits<int>::max())
            || iteration.window.end < iteration.window.begin)
            return false;
        iteration.kind = *kind;
        iteration.number = static_cast<int>(number);
        if (!row.isNull(6))
            iteration.loss = row.real(6);
        if (!row.isNull(7))
            iteration.gradientNorm = row.real(7);
        const auto index = static_cast<std::size_t>(row.integer(1));
        if (index == iterations.size())
            iterations.emplace_back();
        iterations[index] = std::move(iteration);
        return true;
    });
}

Result<void> RowReader::readLosses()
{
    auto& iterations = m_run->timeline.iterations;
    return forEach("BS_loss", "iteration, microbatch, loss", [&](const Statement& row) {
        if (!below(row.integer(1), iterations.size()))
            return false;
        auto& losses = iterations[static_cast<std::size_t>(row.integer(1))].microBatchLoss;
        if (!below(row.integer(2), losses.size() + 1))
            return false;
        const auto microBatch = static_cast<std::size_t>(row.integer(2));
        if (microBatch == losses.size())
            losses.push_back(0);
        losses[microBatch] = static_cast<float>(row.real(3));
        return true;
    });
}

Result<void> RowReader::readSpans()
{
    const std::size_t iterations = m_run->timeline.iterations.size();
    std::vector<Track>& tracks = m_run->timeline.tracks;
    std::vector<std::size_t> known; // spans of each track so far
    known.reserve(tracks.size());
    for (const Track& track : tracks)
        known.push_back(track.spans.size());
    const TrackRow* row = nullptr;
    Track* track = nullptr;
    auto read
        = forEach("BS_span", "iteration, track, op, begin, \"end\"", [&](const Statement& span) {
              if (row == nullptr || span.integer(2) != row->id) {
                  row = trackRow(span.integer(2));
                  track = row != nullptr ? &trackIn(tracks, row->device, row->kind) : nullptr;
              }
              if (row == nullptr || !below(span.integer(1), iterations)
                  || !below(span.integer(3), m_index.count()) || span.integer(5) < span.integer(4))
                  return false;
              track->spans.push_back({span.integer(4), span.integer(5),
                                      static_cast<std::uint32_t>(span.integer(3)),
                                      static_cast<std::uint32_t>(span.integer(1))});
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
    const auto devices = static_cast<std::size_t>(m_run->schedule.shape.devices);
    auto read
        = forEach("BS_memory", "time, bytes, op, device, category", [&](const Statement& row) {
              MemoryEvent event;
              event.time = row.integer(1);
              event.bytes = row.integer(2);
              if (!row.isNull(3))
                  event.op = static_cast<std::uint32_t>(row.integer(3));
              if ((!row.isNull(3) && !below(row.integer(3), m_index.count()))
                  || !below(row.integer(4), devices)
                  || !below(row.integer(5), engine::kMemoryCategories))
                  return false;
              event.device = static_cast<std::uint16_t>(row.integer(4));
              event.category = static_cast<engine::MemoryCategory>(row.integer(5));
              memory.push_back(event);
              return true;
          });
    keepInOrder(memory, known, [](const MemoryEvent& event) { return event.time; });
    return read;
}

const RowReader::TrackRow* RowReader::trackRow(std::int64_t id) const
{
    const auto row = std::ranges::lower_bound(m_tracks, id, {}, &TrackRow::id);
    return row == m_tracks.end() || row->id != id ? nullptr : &*row;
}

} // namespace profiler
