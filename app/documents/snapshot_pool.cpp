#include "app/documents/snapshot_pool.h"

#include "engine/base/try.h"

#include <algorithm>
#include <utility>

namespace app {
namespace {

// The time for which a read waits for the lock of another program. If the lock lasts longer, the
// read fails, the lock is reported, and the next read continues.
constexpr std::chrono::milliseconds kLockWait{1000};

} // namespace

SnapshotPool::SnapshotPool(std::filesystem::path file)
    : m_file(std::move(file))
{ }

engine::Result<std::unique_ptr<SnapshotPool::Buffer>> SnapshotPool::take()
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_free.empty()) {
            std::unique_ptr<Buffer> buffer = std::move(m_free.back());
            m_free.pop_back();
            return buffer;
        }
    }
    if (!m_opened)
        m_opened = TRY(profiler::TraceReader::open(m_file, kLockWait));
    return std::make_unique<Buffer>(Buffer{*m_opened, {}});
}

void SnapshotPool::giveBack(std::unique_ptr<Buffer> buffer)
{
    // One buffer is enough: while the window shows the newest snapshot, the buffer of the previous
    // one is reused.
    constexpr std::size_t kKept = 1;
    const std::lock_guard lock(m_mutex);
    m_free.push_back(std::move(buffer));
    if (m_free.size() > kKept)
        m_free.erase(m_free.begin());
}

engine::Result<SnapshotPool::Snapshot> SnapshotPool::next()
{
    auto buffer = TRY(take());
    const engine::Result<bool> grew = buffer->reader.poll(buffer->run);
    Snapshot snapshot{nullptr, buffer->reader.warning()};
    if (!grew || !*grew) {
        giveBack(std::move(buffer));
        if (!grew)
            return tl::unexpected(grew.error());
        return snapshot;
    }
    // The last owner of a snapshot may release it on any thread, even after the pool was destroyed.
    auto release = [pool = weak_from_this()](Buffer* done) {
        std::unique_ptr<Buffer> owned(done);
        if (const auto alive = pool.lock())
            alive->giveBack(std::move(owned));
    };
    const std::shared_ptr<Buffer> shared(buffer.release(), release);
    snapshot.run = std::shared_ptr<const engine::Run>(shared, &shared->run);
    return snapshot;
}

} // namespace app
