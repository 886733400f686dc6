#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/store/gpu/nsight.h"
#include "profiler/store/row_tables.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/trace_store.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

// Writes GPU activity to the tables of Nsight Systems, and writes the links between this activity
// and ops to BS_ tables, within the caller's transaction. Times are ns of the timeline.
class GpuWriter
{
public:
    // The database must outlive this object.
    GpuWriter(Database& database, std::int64_t process);

    // `threadOf` returns the globalTid of the NVTX range of an op; nullopt if it is not known.
    using ThreadOf = std::function<std::optional<std::int64_t>(const engine::OpOfIteration&)>;
    engine::Result<void> write(const engine::GpuTrace& trace, const ThreadOf& threadOf);

private:
    engine::Result<void> writeAll(const engine::GpuTrace& trace, const ThreadOf& threadOf);
    engine::Result<void> writeHealth(const engine::GpuTraceHealth& health);
    engine::Result<void> learnStrings(const engine::GpuTrace& trace);
    engine::Result<std::int64_t> stringId(const std::string& text);

    Database* m_database;
    std::int64_t m_process = 0;
    std::unordered_map<std::string, std::int64_t> m_strings; // text -> StringIds.id
    std::int64_t m_nextString = -1; // next id of StringIds; -1: not read yet
    struct Name
    {
        std::int64_t mangled = 0, demangled = 0, brief = 0;
    };
    std::vector<Name> m_names; // by index into GpuTrace::strings
    engine::GpuTraceHealth m_health;
};

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

    template<class Row>
    bool insert(const Row& row)
    {
        return std::get<Insert<Row>>(m_inserts).run(row);
    }
    engine::Result<void> result(bool ok) const;

    Database* m_database = nullptr; // must outlive the writer
    engine::Schedule m_schedule;
    engine::OpIndex m_index;
    NvtxWriter m_nvtx;
    GpuWriter m_gpu;
    std::int64_t m_process = 0;
    template<class... Rows>
    using Inserts = std::tuple<Insert<Rows>...>;
    Inserts<IterationRow, LossRow, TrackRow, SpanRow, MemoryRow, OpRow> m_inserts;
    std::int64_t m_lastRow = 0;
    std::map<std::pair<engine::DeviceId, engine::Track::Kind>, std::int64_t> m_tracks;
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
