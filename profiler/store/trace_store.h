#pragma once

#include "engine/base/new_file.h"
#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/op_timing.h"
#include "engine/timeline/run.h"

#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

struct OpenFile;

// A row of BS_metric.
struct Metric
{
    std::string name;
    double value = 0;
    std::string unit;
};

// Rows of one commit: a whole iteration in emulate mode, what came in 200 ms in live mode.
struct Batch
{
    // begun or finished ones; the last row of a number wins
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
    std::vector<Metric> metrics; // numbers of the whole run that were not known at its begin
    engine::GpuTrace gpu;        // on the timeline's clock; ops and iterations that are in the file
};

// The rows of iterations [firstIteration, end) of a timeline and the memory events from
// `firstMemory` on.
Batch batchOf(const engine::Timeline& timeline, std::size_t firstIteration,
              std::size_t firstMemory);

// Writes one run into one .sqlite file. SCHEMA.md beside this header is the format. A thread of its
// own does the disk work (WAL while it grows). Not copyable; dropped without finish() it leaves a
// file that opens and shows what was committed.
class TraceWriter
{
public:
    // Publishes `file` as a run without iterations and keeps its lock until the writer is
    // destroyed. Io: the disk is full, or the file exists.
    static engine::Result<TraceWriter> create(engine::NewFile file, const engine::RunInfo& info,
                                              const engine::Schedule& schedule);
    static engine::Result<TraceWriter> create(const std::filesystem::path& file,
                                              const engine::RunInfo& info,
                                              const engine::Schedule& schedule,
                                              engine::IfExists ifExists = engine::IfExists::Refuse);
    TraceWriter(TraceWriter&&) noexcept;
    TraceWriter& operator=(TraceWriter&&) noexcept;
    ~TraceWriter(); // commits what was appended

    // The file system refused WAL: one commit a second, which the view should say.
    bool growsSlowly() const;

    // Any thread. Never waits for the disk; a failed write is reported by flush() and finish().
    void append(Batch batch);
    // Waits until everything appended is committed; returns the number of rows committed so far
    // ({"event":"rows","last":N}), or what went wrong.
    engine::Result<std::int64_t> flush();
    // Everything on disk, journal_mode=DELETE, fsync: the file complete in itself (no -wal beside
    // it). Nothing may be appended after it. `arenas`: as RunInfo's, with what was touched;
    // `clocks`: what RunInfo's did not know yet.
    engine::Result<void> finish(engine::Outcome outcome, const std::string& failure = {},
                                std::span<const engine::ArenaUse> arenas = {},
                                const engine::GpuClocks& clocks = {});

private:
    struct Impl;
    explicit TraceWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

// The whole of a finished run, in one go (simulate -o).
engine::Result<void> writeRun(engine::NewFile file, const engine::Run& run);
engine::Result<void> writeRun(const std::filesystem::path& file, const engine::Run& run,
                              engine::IfExists ifExists = engine::IfExists::Refuse);

// Reads a run, finished or still being written. One thread at a time. Holds no connection between
// calls.
class TraceReader
{
public:
    // Errors say what the file is instead (not SQLite, truncated, of another program or format) and
    // what to do. `warning()`: the file is updated only once a second.
    static engine::Result<TraceReader> open(const std::filesystem::path& file);

    // Adds what was committed since the last call to `run` (info and schedule on the first). True
    // when something was added or the outcome changed. After an error `run` keeps what was read.
    engine::Result<bool> poll(engine::Run& run);
    const std::string& warning() const { return m_warning; }
    const std::filesystem::path& file() const { return m_file; }

private:
    struct Chunk
    {
        bool changed = false, more = false;
    };
    engine::Result<Chunk> readChunk(OpenFile& open, engine::Run& run);

    std::filesystem::path m_file;
    std::string m_warning;
    std::int64_t m_cursor = 0;                      // last row seen, over all row tables
    std::pair<std::uint64_t, std::uint64_t> m_disk; // device and inode: the file that was opened
    bool m_begun = false;
};

// Opens and reads everything there is; `warning`, where given, is what TraceReader::warning() says.
engine::Result<engine::Run> readRun(const std::filesystem::path& file,
                                    std::string* warning = nullptr);

// Unsupported, in one sentence: `run` was recorded without ops (--trace off), so that there is
// nothing to draw or to analyse.
engine::Result<void> checkHasOps(const engine::Run& run, const std::filesystem::path& file);

// What ran on the GPUs of a run, where anything was recorded, between two times of its timeline
// (nanoseconds). Strings are those that rows name.
engine::Result<engine::GpuTrace> readGpuTrace(const std::filesystem::path& file,
                                              engine::Window window
                                              = {std::numeric_limits<std::int64_t>::min(),
                                                 std::numeric_limits<std::int64_t>::max()});

} // namespace profiler
