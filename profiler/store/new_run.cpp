#include "profiler/store/new_run.h"

#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/store/check_schedule.h"
#include "profiler/store/gpu/machine_tables.h"
#include "profiler/store/gpu/nsight.h"
#include "profiler/store/info.h"
#include "profiler/store/schema.h"

#include <unistd.h>

#include <chrono>
#include <thread>

namespace profiler {

using engine::Result;

Result<void> writeEmptyRun(const std::filesystem::path& file, const engine::RunInfo& info,
                           const engine::Schedule& schedule)
{
    TRY(checkSchedule(schedule));
    auto database = TRY(Database::open(file, Database::Access::Create));
    const std::int64_t process = getpid();
    const engine::Run run{info, schedule, {}};
    // No other process knows the name of the file yet, so it needs no journal.
    return database.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN")
        .and_then([&] { return createTables(database); })
        .and_then([&] { return writeInfo(database, info); })
        .and_then([&] { return writeSchedule(database, schedule); })
        .and_then([&] { return writeDevices(database, run, process); })
        .and_then([&] { return writeMachine(database, info.machine, process); })
        .and_then([&] { return writeNsightSession(database, run, process); })
        .and_then([&] { return database.execute("COMMIT"); });
}

Result<void> writeEnd(Database& database, const RunEnd& end)
{
    return database.execute("BEGIN IMMEDIATE")
        .and_then([&] { return writeOutcome(database, end.outcome, end.failure); })
        .and_then([&] { return writeArenas(database, end.arenas); })
        .and_then([&] { return writeClocks(database, end.clocks); })
        .and_then([&] {
            return writeRows<AnalysisRow>(database, {{0, end.lastEnd, 0, end.lastEnd}});
        })
        .and_then([&] { return database.execute("COMMIT"); });
}

Result<void> seal(Database database)
{
    const std::filesystem::path file = database.file();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    // EXCLUSIVE locks out readers while SQLite removes the WAL and then changes the header. A
    // reader between these two steps would create a new WAL.
    if (auto ok = database.execute("PRAGMA synchronous=FULL; PRAGMA locking_mode=EXCLUSIVE"); !ok)
        return ok;
    while (true) {
        const auto mode = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").and_then([&] {
            return database.text("PRAGMA journal_mode=DELETE");
        });
        if (mode && *mode != "wal")
            break;
        const bool inUse = mode || (database.code() & 0xFF) == SQLITE_BUSY;
        if (!inUse)
            return tl::unexpected(mode.error());
        if (std::chrono::steady_clock::now() > deadline)
            return engine::fail(engine::Error::Code::Io,
                                "another program has {0} open: the run is complete, "
                                "but part of it is in {0}-wal; keep both files",
                                file.string());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    {
        const Database closed = std::move(database);
    }
    return engine::syncToDisk(file);
}

} // namespace profiler
