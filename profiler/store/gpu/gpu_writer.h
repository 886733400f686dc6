#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/store/gpu/gpu_tables.h"
#include "profiler/store/sqlite.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace profiler {

// Writes GPU activity to the tables of Nsight Systems, and its links to ops to the BS_ tables,
// within the caller's transaction. Times are nanoseconds of the timeline.
class GpuWriter
{
public:
    // The database must outlive it.
    GpuWriter(Database& database, std::int64_t process);

    // `index`: of the run's schedule.
    engine::Result<void> write(const engine::GpuTrace& trace, const engine::OpIndex& index);

private:
    // The INSERT statement of a table, which is created with the first row.
    engine::Result<Statement*> into(const GpuTable& table);
    template<class Rows, class Write>
    engine::Result<void> writeAll(const GpuTable& table, const Rows& rows, Write write);
    engine::Result<void> writeKernels(const engine::GpuTrace& trace);
    engine::Result<void> writeCopies(const engine::GpuTrace& trace);
    engine::Result<void> writeCalls(const engine::GpuTrace& trace, const engine::OpIndex& index);
    engine::Result<void> writeOthers(const engine::GpuTrace& trace);
    engine::Result<void> writePlaces(const engine::GpuTrace& trace);
    engine::Result<void> writeLaunches(const engine::GpuTrace& trace);
    engine::Result<void> writeHealth(const engine::GpuTraceHealth& health);
    engine::Result<void> learnStrings(const engine::GpuTrace& trace);
    engine::Result<std::int64_t> stringId(const std::string& text);

    Database* m_database;
    std::int64_t m_process = 0;
    std::map<std::string_view, Statement> m_inserts;
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
