#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/trace_store.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace app {

// Makes snapshots of a growing run without copying it. A snapshot is a Run with its own reader. A
// new snapshot reuses a Run that the window no longer references, and appends the rows that were
// added since. Two Runs alternate, so every row is read twice and never copied.
//
//     window:  A      B      A'     B'        A' = A + the rows since A
//     pool:    -      A      B      A'
class SnapshotPool : public std::enable_shared_from_this<SnapshotPool>
{
public:
    struct Snapshot
    {
        std::shared_ptr<const engine::Run> run; // null: no rows were added
        std::string warning;
    };

    explicit SnapshotPool(std::filesystem::path file);

    // Only one thread may call this at a time. The snapshot may be released on any thread.
    engine::Result<Snapshot> next();

private:
    struct Buffer
    {
        profiler::TraceReader reader;
        engine::Run run;
    };
    engine::Result<std::unique_ptr<Buffer>> take();
    void giveBack(std::unique_ptr<Buffer> buffer);

    std::filesystem::path m_file;
    // A reader that has read nothing yet, which is copied for each new buffer. All copies read the
    // same file and fail if it was replaced.
    std::optional<profiler::TraceReader> m_opened;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Buffer>> m_free; // guarded by m_mutex; at most kKept
};

} // namespace app
