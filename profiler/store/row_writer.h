#pragma once

#include "engine/schedule/schedule.h"
#include "profiler/store/gpu/gpu_writer.h"
#include "profiler/store/gpu/nsight.h"
#include "profiler/store/row_tables.h"
#include "profiler/store/trace_store.h"

#include <map>
#include <utility>
#include <vector>

namespace profiler {

// Writes batches as rows, within the caller's transaction. Do not use it after a failure, because
// its count of rows is then wrong.
class RowWriter
{
public:
    static engine::Result<RowWriter> prepare(Database& database, const engine::RunInfo& info,
                                             const engine::Schedule& schedule,
                                             std::int64_t process);

    // Fails with Error::Code::InvalidArgument if a row refers to an op or an iteration that does
    // not exist.
    engine::Result<void> write(const Batch& batch);
    std::int64_t lastRow() const { return m_lastRow; }
    std::int64_t lastEnd() const { return m_nvtx.lastEnd(); }

private:
    RowWriter(Database& database, engine::Schedule schedule, NvtxWriter nvtx, std::int64_t process);
    engine::Result<void> prepareStatements(Database& database);
    engine::Result<void> writeIteration(const engine::Iteration& iteration);
    engine::Result<void> writeTrack(const Batch::TrackSpans& track);
    engine::Result<void> writeSpan(const engine::Span& span, engine::DeviceId device,
                                   std::int64_t track);
    engine::Result<void> writeMemory(const engine::MemoryEvent& event);
    engine::Result<void> writeMeasured(const engine::OpTiming& measured);
    engine::Result<void> moveToLaunches(const engine::GpuTrace& gpu);
    std::optional<std::int64_t> threadOf(const engine::OpOfIteration& of) const;
    engine::Result<void> writeRanges(const engine::GpuTrace& gpu);
    engine::Result<void> checkTarget(std::uint32_t op, std::uint32_t iteration) const;

    engine::Result<void> result(bool ok) const;

    Database* m_database = nullptr; // must outlive the writer
    engine::Schedule m_schedule;
    engine::OpIndex m_index;
    NvtxWriter m_nvtx;
    GpuWriter m_gpu;
    std::int64_t m_process = 0;
    Insert<IterationRow> m_iteration;
    Insert<LossRow> m_loss;
    Insert<TrackRow> m_track;
    Insert<SpanRow> m_span;
    Insert<MemoryRow> m_memory;
    Insert<OpRow> m_op;
    std::int64_t m_lastRow = 0;
    std::map<std::pair<engine::DeviceId, engine::Track::Kind>, std::int64_t> m_tracks;
    // Kind and number of each iteration.
    std::vector<std::pair<engine::Iteration::Kind, int>> m_iterations;
    struct RangeRef
    {
        std::int64_t id = 0, thread = 0;
    };
    bool m_keepsRanges = false;
    // The NVTX ranges of this batch, by op and iteration.
    std::map<std::pair<std::uint32_t, std::uint32_t>, RangeRef> m_ranges;
};

} // namespace profiler
