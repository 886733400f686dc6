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

// Snapshots of a growing run without copying it. A snapshot is a Run with a reader of its own; a
// new one is had by taking a Run that nobody looks at any more and adding the rows it lacks. While
// the window holds the newest snapshot the one before comes back here and is the next to grow, so
// every row is read twice and no row is ever copied, however long the run is.
//
//     window:  A      B      A'     B'        A' = A + the rows since A
//     pool:    -      A      B      A'
class SnapshotPool : public std::enable_shared_from_this<SnapshotPool>
{
public:
    struct Snapshot
    {
        std::shared_ptr<const engine::Run> run; // null: nothing was added
        std::string warning;
    };

    explicit SnapshotPool(std::filesystem::path file);

    // One thread at a time. The snapshot may be released in any thread.
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
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Buffer>> m_free; // guarded by m_mutex; at most kKept
};

} // namespace app
