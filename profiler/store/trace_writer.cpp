#include "engine/base/check.h"
#include "engine/base/try.h"
#include "profiler/store/info.h"
#include "profiler/store/new_run.h"
#include "profiler/store/open_file.h"
#include "profiler/store/row_writer.h"
#include "profiler/store/trace_store.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace profiler {

using engine::Error;
using engine::Result;
using Clock = std::chrono::steady_clock;

// A commit that waits longer than this for the lock of another program is reported to the caller of
// flush().
constexpr int kLockedMilliseconds = 1000;

// Producers put batches into a queue. One thread commits all queued batches in one transaction.
struct TraceWriter::Impl
{
    Impl(engine::NewFile locked, Database opened)
        : file(std::move(locked))
        , database(std::move(opened))
    { }

    Result<void> begin(const engine::RunInfo& info, const engine::Schedule& schedule);
    void commitUntilStopped();
    Result<void> commit(const std::vector<Batch>& batches);
    Result<void> executeWhenFree(const std::string& sql);
    void stop();
    Result<void> end(RunEnd end);

    engine::NewFile file; // holds the lock
    Database database;
    std::optional<RowWriter> rows; // used by the thread while it runs
    bool wal = false;
    DiskFile disk; // identity of the published file

    std::mutex mutex; // protects the members below
    std::condition_variable work, done, unlocked;
    std::vector<Batch> queue;
    // Numbers of batches; `committed` includes batches that failed.
    std::int64_t appended = 0, committed = 0;
    std::int64_t lastRow = 0;
    std::optional<Error> failure; // the first failure; nothing is written after it
    int flushing = 0;
    // Whether another program locks the file. The thread waits until flush() clears this flag.
    bool isLocked = false;
    bool givesUp = false; // set if a caller of flush() does not want to wait for the lock
    bool stopping = false;

    std::thread thread;
};

Result<void> TraceWriter::Impl::begin(const engine::RunInfo& info, const engine::Schedule& schedule)
{
    const auto mode = TRY(database.text("PRAGMA journal_mode=WAL"));
    wal = mode == "wal";
    disk = onDisk(database.file());
    sqlite3_busy_timeout(database.handle(), kLockedMilliseconds);
    // With synchronous=NORMAL, no commit is lost if the program is killed. A power failure may lose
    // the last seconds, but does not damage the file.
    TRY(database.execute("PRAGMA synchronous=NORMAL"));
    TRY(writeJournal(database, mode));
    auto writer = TRY(RowWriter::prepare(database, info, schedule, getpid()));
    rows.emplace(std::move(writer));
    thread = std::thread([this] { commitUntilStopped(); });
    return {};
}

void TraceWriter::Impl::commitUntilStopped()
{
    // Without WAL, the thread commits at most once per second, because each commit waits for the
    // disk twice and locks out readers.
    const auto pause = wal ? Clock::duration::zero() : std::chrono::seconds(1);
    auto next = Clock::now();
    std::unique_lock lock(mutex);
    while (true) {
        work.wait(lock, [&] { return stopping || !queue.empty(); });
        work.wait_until(lock, next, [&] { return stopping || flushing > 0; });
        if (queue.empty())
            return;
        const std::vector<Batch> batches = std::exchange(queue, {});
        const bool write = !failure;
        lock.unlock();
        const Result<void> written = write ? commit(batches) : Result<void>();
        lock.lock();
        if (!written)
            failure = written.error();
        else if (write)
            lastRow = rows->lastRow();
        committed += batches.size();
        next = Clock::now() + pause;
        done.notify_all();
    }
}

Result<void> TraceWriter::Impl::commit(const std::vector<Batch>& batches)
{
    if (onDisk(database.file()) != disk)
        return engine::fail(Error::Code::NotFound,
                            "{} was deleted or replaced while it was recorded: start "
                            "the run again",
                            database.file().string());
    Result<void> written = executeWhenFree("BEGIN IMMEDIATE");
    for (const Batch& batch : batches)
        written = written.and_then([&] { return rows->write(batch); });
    written = written.and_then([&] { return executeWhenFree("COMMIT"); });
    if (!written)
        (void)database.execute("ROLLBACK"); // SQLite may already have rolled back
    return written;
}

// Executes the statement. If another program has locked the file, the thread waits until a caller
// of flush() decides whether to try again or to give up.
Result<void> TraceWriter::Impl::executeWhenFree(const std::string& sql)
{
    constexpr int kMostTries = 5; // limit after stop() was called
    for (int tries = 1;; ++tries) {
        auto executed = database.execute(sql);
        if (executed || executed.error().code != Error::Code::Locked)
            return executed;
        std::unique_lock lock(mutex);
        isLocked = true;
        done.notify_all();
        unlocked.wait(lock, [&] { return !isLocked || stopping; });
        if (givesUp || (stopping && tries >= kMostTries))
            return executed;
    }
}

void TraceWriter::Impl::stop()
{
    if (!thread.joinable())
        return;
    {
        const std::lock_guard lock(mutex);
        stopping = true;
    }
    work.notify_all();
    unlocked.notify_all();
    thread.join();
}

Result<void> TraceWriter::Impl::end(RunEnd last)
{
    if (failure) {
        // Stores the failure. This often succeeds even if the disk is full, because the pages of
        // the failed transaction are free again.
        (void)writeOutcome(database, engine::Outcome::Failed, failure->message);
        rows.reset();
        (void)seal(std::move(database)); // if the disk has space for the pages of "-wal"
        return tl::unexpected(*failure);
    }
    last.lastEnd = rows->lastEnd();
    rows.reset();
    sqlite3_busy_timeout(database.handle(), static_cast<int>(kLockWait.count()));
    return writeEnd(database, last).and_then([&] { return seal(std::move(database)); });
}

Result<TraceWriter> TraceWriter::create(engine::NewFile file, const engine::RunInfo& info,
                                        const engine::Schedule& schedule)
{
    TRY(writeEmptyRun(file.path(), info, schedule));
    TRY(file.publish());
    auto database = TRY(Database::open(file.target(), Database::Access::ReadWrite));
    auto impl = std::make_unique<Impl>(std::move(file), std::move(database));
    TRY(impl->begin(info, schedule));
    return TraceWriter(std::move(impl));
}

Result<TraceWriter> TraceWriter::create(const std::filesystem::path& file,
                                        const engine::RunInfo& info,
                                        const engine::Schedule& schedule, engine::IfExists ifExists)
{
    return engine::NewFile::beside(file, ifExists).and_then([&](engine::NewFile created) {
        return create(std::move(created), info, schedule);
    });
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{ }

TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;

TraceWriter& TraceWriter::operator=(TraceWriter&& other) noexcept
{
    if (m_impl)
        m_impl->stop();
    m_impl = std::move(other.m_impl);
    return *this;
}

TraceWriter::~TraceWriter()
{
    if (m_impl)
        m_impl->stop();
}

bool TraceWriter::growsSlowly() const
{
    return !m_impl->wal;
}

void TraceWriter::append(Batch batch)
{
    CHECK(m_impl->thread.joinable());
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->queue.push_back(std::move(batch));
        ++m_impl->appended;
    }
    m_impl->work.notify_one();
}

Result<std::int64_t> TraceWriter::flush(const std::function<bool()>& waits)
{
    std::unique_lock lock(m_impl->mutex);
    const std::int64_t target = m_impl->appended;
    ++m_impl->flushing;
    m_impl->work.notify_one();
    while (m_impl->committed < target) {
        m_impl->done.wait(lock, [&] { return m_impl->committed >= target || m_impl->isLocked; });
        if (!m_impl->isLocked)
            continue;
        lock.unlock();
        const bool again = waits && waits();
        lock.lock();
        m_impl->givesUp = !again;
        m_impl->isLocked = false;
        m_impl->unlocked.notify_all();
    }
    --m_impl->flushing;
    if (m_impl->failure)
        return tl::unexpected(*m_impl->failure);
    return m_impl->lastRow;
}

Result<void> TraceWriter::finish(engine::Outcome outcome, const std::string& failure,
                                 std::span<const engine::ArenaUse> arenas,
                                 const engine::GpuClocks& clocks)
{
    CHECK(m_impl->thread.joinable());
    m_impl->stop();
    const engine::NewFile unlocked = std::move(m_impl->file);
    return m_impl->end({outcome, failure, arenas, 0, clocks});
}

} // namespace profiler
