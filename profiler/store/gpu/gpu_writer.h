#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/store/sqlite.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace profiler {

// Writes what ran on GPUs into Nsight Systems' tables, inside the caller's transaction; what links
// it to ops into our own. Times as they are in the trace: nanoseconds of the timeline.
class GpuWriter
{
public:
    GpuWriter(Database& database, std::int64_t process); // the database outlives it

    // `index`: of the run's schedule.
    engine::Result<void> write(const engine::GpuTrace& trace, const engine::OpIndex& index);

private:
    engine::Result<void> writeAll(const engine::GpuTrace& trace, const engine::OpIndex& index);
    engine::Result<void> writeHealth(const engine::GpuTraceHealth& health);
    engine::Result<void> learnStrings(const engine::GpuTrace& trace);
    engine::Result<std::int64_t> stringId(const std::string& text);

    Database* m_database;
    std::int64_t m_process = 0;
    std::unordered_map<std::string, std::int64_t> m_strings; // text -> StringIds.id
    std::int64_t m_nextString = -1;                          // -1: not asked yet
    struct Name
    {
        std::int64_t mangled = 0, demangled = 0, brief = 0;
    };
    std::vector<Name> m_names; // [GpuTrace::strings]
    engine::GpuTraceHealth m_health;
};

} // namespace profiler
