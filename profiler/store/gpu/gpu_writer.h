#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/store/sqlite.h"

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
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

} // namespace profiler
