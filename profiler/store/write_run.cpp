#include "engine/base/try.h"
#include "profiler/store/info.h"
#include "profiler/store/new_run.h"
#include "profiler/store/row_writer.h"
#include "profiler/store/trace_store.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace profiler {
namespace {

using engine::Result;

// Splits a timeline into one batch per iteration.
class IterationBatches
{
public:
    explicit IterationBatches(const engine::Timeline& timeline)
        : m_timeline(timeline)
        , m_next(timeline.tracks.size(), 0)
    { }
    bool hasNext() const { return m_iteration < m_timeline.iterations.size(); }
    Batch next();

private:
    const engine::Timeline& m_timeline;
    std::size_t m_iteration = 0, m_memory = 0;
    std::vector<std::size_t> m_next; // by track: the first span that was not taken yet
};

Batch IterationBatches::next()
{
    const auto& iterations = m_timeline.iterations;
    Batch batch;
    batch.iterations = {iterations[m_iteration]};
    for (std::size_t t = 0; t < m_next.size(); ++t) {
        const engine::Track& track = m_timeline.tracks[t];
        auto& rows = batch.spans.emplace_back(Batch::TrackSpans{track.device, track.kind, {}});
        while (m_next[t] < track.spans.size() && track.spans[m_next[t]].iteration <= m_iteration)
            rows.spans.push_back(track.spans[m_next[t]++]);
    }
    ++m_iteration;
    const auto& memory = m_timeline.memory;
    while (m_memory < memory.size()
           && (!hasNext() || memory[m_memory].time < iterations[m_iteration].window.begin))
        batch.memory.push_back(memory[m_memory++]);
    return batch;
}

// Writes the iterations one by one, in the order in which a run is recorded, so that a reader of a
// large file can show the first iterations early. A run with GPU activity is written as one batch,
// because that activity refers to all spans.
Result<void> writeTimeline(RowWriter& rows, const engine::Timeline& timeline, engine::GpuTrace gpu)
{
    if (!gpu.launches.empty() || !gpu.calls.empty() || timeline.iterations.empty()) {
        Batch batch = batchOf(timeline, 0, 0);
        batch.gpu = std::move(gpu);
        return rows.write(batch);
    }
    Result<void> written;
    for (IterationBatches batches(timeline); written && batches.hasNext();) {
        Batch batch = batches.next();
        if (!batches.hasNext())
            batch.gpu = std::exchange(gpu, {});
        written = rows.write(batch);
    }
    return written;
}

Result<void> writeRows(Database& database, const engine::Run& run, engine::GpuTrace gpu)
{
    auto rows = TRY(RowWriter::prepare(database, run.info, run.schedule, getpid()));
    return database.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN")
        .and_then([&] { return writeTimeline(rows, run.timeline, std::move(gpu)); })
        .and_then([&] { return database.execute("COMMIT"); })
        .and_then([&] {
            return writeEnd(database,
                            {run.info.outcome, run.info.failure, run.info.arenas, rows.lastEnd()});
        });
}

} // namespace

Batch batchOf(const engine::Timeline& timeline, std::size_t firstIteration, std::size_t firstMemory)
{
    const auto from = [](const auto& all, std::size_t first) {
        return all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size()));
    };
    Batch batch;
    batch.iterations.assign(from(timeline.iterations, firstIteration), timeline.iterations.end());
    batch.memory.assign(from(timeline.memory, firstMemory), timeline.memory.end());
    for (const engine::Track& track : timeline.tracks) {
        Batch::TrackSpans& rows = batch.spans.emplace_back();
        rows.device = track.device;
        rows.kind = track.kind;
        // Iterations are in order, so the new spans are at the end.
        auto first = track.spans.end();
        while (first != track.spans.begin() && std::prev(first)->iteration >= firstIteration)
            --first;
        rows.spans.assign(first, track.spans.end());
    }
    return batch;
}

// Writes the complete run to a temporary file next to its target, so that readers see either all of
// it or nothing.
Result<void> writeRun(engine::NewFile file, const engine::Run& run, engine::GpuTrace gpu)
{
    TRY(writeEmptyRun(file.path(), run.info, run.schedule));
    auto database = TRY(Database::open(file.path(), Database::Access::ReadWrite));
    TRY(writeRows(database, run, std::move(gpu)));
    TRY(seal(std::move(database)));
    return file.publish();
}

Result<void> writeRun(const std::filesystem::path& file, const engine::Run& run,
                      engine::IfExists ifExists)
{
    return engine::NewFile::beside(file, ifExists).and_then([&](engine::NewFile created) {
        return writeRun(std::move(created), run);
    });
}

} // namespace profiler
