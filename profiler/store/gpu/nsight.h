#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "profiler/store/gpu/nsight_tables.h"

#include <map>
#include <string>
#include <vector>

// How a run looks to scripts that know Nsight Systems' tables.

namespace profiler {

// <hardware:8><virtual machine:8><process:24><thread:24>. A device has a synthetic thread, above
// the highest id that Linux gives to a real one (2^22).
std::int64_t globalPid(std::int64_t process);
std::int64_t globalTid(std::int64_t process, engine::DeviceId device);

// Process, threads, start time, clock, versions; categories and domain of the NVTX ranges.
engine::Result<void> writeNsightSession(Database& database, const engine::Run& run,
                                        std::int64_t process);

// The NVTX range of a span: push/pop on its device's thread; start/end for what overlaps compute.
class NvtxWriter
{
public:
    static engine::Result<NvtxWriter> prepare(Database& database, const engine::RunInfo& info,
                                              std::int64_t process);

    // False: the database's error() says why. `id` is the span's row.
    bool write(std::int64_t id, const engine::Op& op, engine::DeviceId device,
               const engine::Span& span);
    // A range that a library marked, on its own thread; `strings`: GpuTrace::strings.
    bool writeRange(Database& database, std::int64_t id, const engine::GpuRange& range,
                    const std::vector<std::string>& strings);
    // The range of an op goes to where the host launched it: nanoseconds of the timeline.
    bool moveRange(std::int64_t id, engine::Window window);
    std::int64_t lastEnd() const { return m_lastEnd; } // ns, of all ranges so far

private:
    NvtxWriter(Insert<NvtxRow> insert, Statement move, engine::RunInfo info, std::int64_t process);
    bool insert(NvtxRow row, bool nests);
    bool linkRange(Database& database, std::int64_t id, const engine::OpOfIteration& of);

    Insert<NvtxRow> m_insert;
    Statement m_move;
    engine::RunInfo m_info;
    std::int64_t m_process = 0, m_lastEnd = 0;
    std::map<std::string, int> m_domains; // of libraries, by name
};

} // namespace profiler
