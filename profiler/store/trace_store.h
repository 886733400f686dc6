#pragma once

#include "engine/base/new_file.h"
#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profiler {

struct OpenFile;

// A row of the table BS_metric.
struct Metric
{
    std::string name;
    double value = 0;
    std::string unit;
};

// Rows of BS_metric of a finished run; empty for runs without GPUs.
std::vector<Metric> gpuMetrics(const engine::RunInfo& info);
// Reads one metric into `info`; ignores other names. Returns false if the value is not possible.
bool takeGpuMetric(std::string_view name, std::int64_t value, engine::RunInfo& info);

// The rows of one commit: a whole iteration in emulate mode, or the rows of 200 ms in live mode.
struct Batch
{
    // Iterations that began or finished. An iteration with the kind and number of an earlier one
    // replaces that iteration.
    std::vector<engine::Iteration> iterations;
    struct TrackSpans
    {
        engine::DeviceId device;
        engine::Track::Kind kind = engine::Track::Kind::Compute;
        std::vector<engine::Span> spans;
    };
    std::vector<TrackSpans> spans;
    std::vector<engine::MemoryEvent> memory;
    std::vector<engine::OpTiming> measured;
    std::vector<Metric> metrics; // metrics of the whole run that were unknown at its start
    // New values of RunInfo::arenas when the touched bytes are known; empty: no change.
    engine::IdVector<engine::DeviceId, engine::ArenaUse> arenas = {};
    // Times are on the timeline's clock. The ops and iterations of these records must be in the
    // file or in this batch.
    engine::GpuTrace gpu;
};

// The rows of the iterations from `firstIteration` on, and the memory events from `firstMemory` on.
Batch batchOf(const engine::Timeline& timeline, std::size_t firstIteration,
              std::size_t firstMemory);

// Writes one run to one .sqlite file, in the format of run-files.md. A background thread writes to
// disk (with WAL while the file grows). Not copyable. If the writer is destroyed without finish(),
// the file can still be opened and has all rows that were committed.
class TraceWriter
{
public:
    // Publishes `file` as a run without iterations, and locks it until the writer is destroyed.
    // Fails with Error::Code::Io if the disk is full or the file exists.
    static engine::Result<TraceWriter> create(engine::NewFile file, const engine::RunInfo& info,
                                              const engine::Schedule& schedule);
    static engine::Result<TraceWriter> create(const std::filesystem::path& file,
                                              const engine::RunInfo& info,
                                              const engine::Schedule& schedule,
                                              engine::IfExists ifExists = engine::IfExists::Refuse);
    TraceWriter(TraceWriter&&) noexcept;
    TraceWriter& operator=(TraceWriter&&) noexcept;
    ~TraceWriter(); // commits all appended rows

    // Whether the file system does not support WAL. The writer then commits only once per second,
    // and the user interface should report this.
    bool growsSlowly() const;

    // Thread-safe. Never waits for the disk; flush() and finish() report a failed write.
    void append(Batch batch);
    // Waits until everything appended is committed. Returns the number of rows committed so far
    // ({"event":"rows","last":N}), or the failure. Calls `waits` about once a second while another
    // program has locked the file. If `waits` returns true, flush() continues to wait; otherwise it
    // fails with Error::Code::Locked. Fails with NotFound if the file was deleted or replaced.
    engine::Result<std::int64_t> flush(const std::function<bool()>& waits = {});
    // Writes everything to disk, changes to journal_mode=DELETE and flushes, so that the file is
    // complete without a -wal file. Do not append anything afterwards. `arenas` replaces
    // RunInfo::arenas; it has the touched bytes, which are known only now. Pass `clocks` if RunInfo
    // lacks them.
    engine::Result<void> finish(engine::Outcome outcome, const std::string& failure = {},
                                std::span<const engine::ArenaUse> arenas = {},
                                const engine::GpuClocks& clocks = {});

private:
    struct Impl;
    explicit TraceWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

// Writes a complete run at once (simulate -o, import).
engine::Result<void> writeRun(engine::NewFile file, const engine::Run& run,
                              engine::GpuTrace gpu = {});
engine::Result<void> writeRun(const std::filesystem::path& file, const engine::Run& run,
                              engine::IfExists ifExists = engine::IfExists::Refuse);

// Reads a run that is finished or still being written. Not thread-safe. No connection is open
// between calls.
class TraceReader
{
public:
    // If the file is not a run, the error message says what it is (not SQLite, truncated, of
    // another program or format) and what to do. warning() states if the file is updated only once
    // a second. `lockWait` is how long open() and poll() wait for another program's lock.
    static engine::Result<TraceReader> open(const std::filesystem::path& file,
                                            std::chrono::milliseconds lockWait
                                            = std::chrono::seconds(5));

    // Adds the rows committed since the last call to `run`; the first call also sets info and
    // schedule. Returns true if rows were added or the outcome changed. After an error, `run` keeps
    // the rows read so far. After Error::Code::Locked the next poll continues.
    engine::Result<bool> poll(engine::Run& run);
    // Like poll(), but adds at most about 260,000 rows per table, so that a reader of a large file
    // can show its beginning, report progress and stop.
    struct Chunk
    {
        bool changed = false; // as poll() returns it
        bool more = false;    // whether committed rows remain to be read
        double share = 1;     // rows read so far / committed rows
    };
    engine::Result<Chunk> pollChunk(engine::Run& run);
    const std::string& warning() const { return m_warning; }
    const std::filesystem::path& file() const { return m_file; }

private:
    engine::Result<OpenFile> reopen() const;
    engine::Result<Chunk> readChunk(OpenFile& open, engine::Run& run);

    std::filesystem::path m_file;
    std::chrono::milliseconds m_lockWait{};
    std::string m_warning;
    std::int64_t m_cursor = 0;                      // last id that was read, over all row tables
    std::pair<std::uint64_t, std::uint64_t> m_disk; // device and inode of the opened file
    bool m_begun = false;
};

// Opens a run and reads all of it. `warning`, if not nullptr, receives TraceReader::warning().
engine::Result<engine::Run> readRun(const std::filesystem::path& file,
                                    std::string* warning = nullptr);

// Fails with Error::Code::Unsupported if `run` was recorded without ops (--trace off), so that it
// cannot be drawn or analysed; the message is one sentence.
engine::Result<void> checkHasOps(const engine::Run& run, const std::filesystem::path& file);

// Reads the GPU activity of a run in a window of its timeline (ns); empty if none was recorded. The
// result has only the strings that it uses.
engine::Result<engine::GpuTrace> readGpuTrace(const std::filesystem::path& file,
                                              engine::Window window
                                              = {std::numeric_limits<std::int64_t>::min(),
                                                 std::numeric_limits<std::int64_t>::max()});

// Reads all GPU activity of a run in pieces of bounded size, each with its own strings: first the
// contexts, streams and their names, then launches and ranges, then all other records.
engine::Result<void> readGpuPieces(const std::filesystem::path& file,
                                   const std::function<void(const engine::GpuTrace&)>& use);

// Whether a file should be imported instead of opened: a folder or, according to the first bytes,
// JSON, SQLite of another program, a compressed file or an archive.
bool mayBeTrace(const std::filesystem::path& file);

} // namespace profiler
