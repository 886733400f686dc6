#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/nvtx_range.h"
#include "engine/timeline/run.h"
#include "profiler/store/gpu/nsight_tables.h"

#include <map>
#include <string>
#include <vector>

// The rows that scripts for Nsight Systems' tables need to read a run.

namespace profiler {

// Ids as Nsight Systems builds them, with the bits <hardware:8><virtual
// machine:8><process:24><thread:24>. A device has a synthetic thread, whose number is above the
// highest id of a Linux thread (2^22).
std::int64_t globalPid(std::int64_t process);
std::int64_t globalTid(std::int64_t process, engine::DeviceId device);
// Compute ops are on the thread of their device. Other ops can overlap compute, so each device has
// one more thread per category of range. If ops of a category overlap each other, the category has
// several threads, numbered by `row`. The ranges of a thread therefore nest, unless more than
// twelve ops of a category overlap.
std::int64_t globalTid(std::int64_t process, engine::DeviceId device, engine::OpKind kind, int row,
                       const engine::Shape& shape);

// Writes process, threads, start time, clock and versions, and the categories and the domain of the
// NVTX ranges.
engine::Result<void> writeNsightSession(Database& database, const engine::Run& run,
                                        std::int64_t process);

// Writes the NVTX range of a span as push/pop, the only type that the recipes of Nsight Systems
// join. The range is on the thread of its device, or on a separate thread if the op can overlap
// compute.
class NvtxWriter
{
public:
    static engine::Result<NvtxWriter> prepare(Database& database, const engine::RunInfo& info,
                                              const engine::Shape& shape, std::int64_t process);

    // `id` is the id of the span's row. Returns false on failure; Database::error() has the reason.
    bool write(std::int64_t id, const engine::Op& op, engine::DeviceId device,
               const engine::Span& span);
    std::int64_t lastThread() const { return m_lastThread; }
    // Writes a range of a library, on the thread that pushed it. `strings` is GpuTrace::strings.
    bool writeRange(Database& database, std::int64_t id, const engine::GpuRange& range,
                    const std::vector<std::string>& strings);
    // Moves the range of an op to the time of the op's launch on the host, in ns of the timeline,
    // and to the thread of its device, which launched it.
    bool moveRange(std::int64_t id, engine::DeviceId device, engine::Window window);
    std::int64_t lastEnd() const { return m_lastEnd; } // latest end of the ranges so far, in ns

private:
    NvtxWriter(Insert<NvtxRow> insert, Insert<ThreadRow> thread, Statement move,
               const engine::RunInfo& info, const engine::Shape& shape, std::int64_t process);
    bool insert(NvtxRow row, bool nests);
    std::optional<std::int64_t> threadOf(const engine::Op& op, engine::DeviceId device,
                                         engine::Window window);
    bool linkRange(Database& database, std::int64_t id, const engine::OpOfIteration& of);

    Insert<NvtxRow> m_insert;
    Insert<ThreadRow> m_thread;
    Statement m_move;
    engine::RunInfo m_info;
    engine::Shape m_shape;
    engine::NvtxGrammar m_grammar = engine::NvtxGrammar::Bubblescope;
    std::int64_t m_process = 0, m_lastEnd = 0, m_lastThread = 0;
    // For each device and category, the end of the last range of each row.
    std::map<std::pair<engine::DeviceId, int>, std::vector<std::int64_t>> m_rows;
    std::map<std::string, int> m_domains; // name of a library's domain -> its number
};

} // namespace profiler
