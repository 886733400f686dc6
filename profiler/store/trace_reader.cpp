#include "engine/base/try.h"
#include "profiler/store/open_file.h"
#include "profiler/store/read_info.h"
#include "profiler/store/row_reader.h"
#include "profiler/store/trace_store.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

// Rows per table and transaction. A reader's transaction delays the writer's checkpoint, so it must
// be short: 256 k rows take about a tenth of a second.
constexpr std::int64_t kChunk = 1 << 18;

std::string warningOf(OpenFile& open, const std::filesystem::path& file)
{
    const auto wal = usedWal(open.database);
    if (!wal || *wal)
        return {};
    return fmt::format("{} is on a file system that does not support SQLite's WAL mode: while the "
                       "run is recorded, the file is updated once a second",
                       file.string());
}

Result<bool> readBeginning(Database& database, engine::Run& run)
{
    run.schedule = TRY(readSchedule(database));
    run.timeline = {};
    return true;
}

Result<bool> updateInfo(Database& database, engine::Run& run)
{
    auto info = TRY(readInfo(database));
    const bool changed = info != run.info;
    run.info = std::move(info);
    return changed;
}

} // namespace

Result<TraceReader> TraceReader::open(const std::filesystem::path& file,
                                      std::chrono::milliseconds lockWait)
{
    sealAbandoned(file);
    auto open = TRY(openFile(file, lockWait));
    TraceReader reader;
    reader.m_file = file;
    reader.m_lockWait = lockWait;
    reader.m_disk = onDisk(file);
    reader.m_warning = warningOf(open, file);
    return reader;
}

Result<OpenFile> TraceReader::reopen() const
{
    auto open = openFile(m_file, m_lockWait);
    if (!open && open.error().code == Error::Code::NotFound)
        return fail(
            Error::Code::NotFound,
            fmt::format("{} was deleted or moved: its timeline no longer grows", m_file.string()));
    if (!open)
        return tl::unexpected(open.error());
    if (onDisk(m_file) != m_disk)
        return fail(Error::Code::NotFound,
                    fmt::format("{} was replaced by another run: open it again", m_file.string()));
    return open;
}

Result<TraceReader::Chunk> TraceReader::pollChunk(engine::Run& run)
{
    return reopen().and_then([&](OpenFile open) { return readChunk(open, run); });
}

Result<bool> TraceReader::poll(engine::Run& run)
{
    auto open = TRY(reopen());
    bool changed = false, more = true;
    while (more) {
        const auto read = readChunk(open, run);
        if (!read && changed && read.error().code == Error::Code::Locked)
            return true; // if the lock persists, the next poll() reports it
        if (!read)
            return tl::unexpected(read.error());
        changed = changed || read->changed;
        more = read->more;
    }
    return changed;
}

Result<TraceReader::Chunk> TraceReader::readChunk(OpenFile& open, engine::Run& run)
{
    Database& database = open.database;
    TRY(database.execute("BEGIN"));
    Result<bool> changed = m_begun ? Result<bool>(false) : readBeginning(database, run);
    if (changed)
        changed = updateInfo(database, run).map([&](bool info) { return info || *changed; });
    if (!changed)
        return tl::unexpected(changed.error());
    m_begun = true;
    auto rows = RowReader::open(database, run);
    const auto last = rows.and_then([](RowReader& reader) { return reader.lastRow(); });
    if (!last)
        return tl::unexpected(last.error());
    const auto until = TRY(rows->rowAfter(m_cursor, kChunk));
    const std::int64_t end = std::min(*last, until);
    const bool grew = end > m_cursor;
    TRY(rows->read(m_cursor, end));
    m_cursor = std::max(m_cursor, end);
    TRY(database.execute("COMMIT"));
    const auto all = static_cast<double>(std::max<std::int64_t>(*last, 1));
    return Chunk{*changed || grew, end < *last, static_cast<double>(m_cursor) / all};
}

Result<void> checkHasOps(const engine::Run& run, const std::filesystem::path& file)
{
    if (run.timeline.iterations.empty() || !run.timeline.tracks.empty())
        return {};
    return fail(Error::Code::Unsupported,
                fmt::format("{} has losses and durations, but no ops: it was recorded with --trace "
                            "off; record it again without --trace off",
                            file.string()));
}

Result<engine::Run> readRun(const std::filesystem::path& file, std::string* warning)
{
    auto reader = TRY(TraceReader::open(file));
    engine::Run run;
    TRY(reader.poll(run));
    if (warning != nullptr)
        *warning = reader.warning();
    return run;
}

} // namespace profiler
