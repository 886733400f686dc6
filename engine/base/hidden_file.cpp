#include "engine/base/hidden_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace engine {
namespace {

// A path that removeHiddenFiles() deletes. The slots are static, because a signal handler may not
// allocate memory or lock a mutex.
struct RemovalSlot
{
    std::atomic<bool> isUsed = false, isReady = false;
    std::array<char, PATH_MAX> path{};
};
std::array<RemovalSlot, 16> removalSlots;

} // namespace

void removeHiddenFiles() noexcept
{
    for (const RemovalSlot& slot : removalSlots)
        if (slot.isReady)
            unlink(slot.path.data());
}

void RemovedOnSignal::remember(const std::filesystem::path& path)
{
    for (std::size_t i = 0; i < removalSlots.size(); ++i) {
        RemovalSlot& slot = removalSlots[i];
        bool isUsed = false;
        if (path.native().size() >= slot.path.size()
            || !slot.isUsed.compare_exchange_strong(isUsed, true))
            continue;
        *std::ranges::copy(path.native(), slot.path.begin()).out = '\0';
        slot.isReady = true;
        m_slot = static_cast<int>(i);
        return;
    }
}

void RemovedOnSignal::forget()
{
    if (m_slot < 0)
        return;
    RemovalSlot& slot = removalSlots[static_cast<std::size_t>(std::exchange(m_slot, -1))];
    slot.isReady = false;
    slot.isUsed = false;
}

LockFile::LockFile(std::filesystem::path path)
    : m_path(std::move(path))
{ }

LockFile::~LockFile()
{
    if (m_descriptor < 0)
        return;
    unlink(m_path.c_str());
    m_removal.forget();
    close(m_descriptor);
}

int LockFile::acquire()
{
    // Tries again, because removeDead() in another process holds the lock for an instant.
    constexpr int kAttempts = 6;
    int error = EWOULDBLOCK;
    for (int i = 0; i < kAttempts && error == EWOULDBLOCK; ++i) {
        if (i > 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        error = tryOnce();
    }
    if (error == 0)
        m_removal.remember(m_path);
    return error;
}

int LockFile::tryOnce()
{
    // O_NONBLOCK: opening a FIFO of this name would wait for its writer.
    m_descriptor
        = open(m_path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (m_descriptor < 0)
        return errno;
    // On a file system without flock() the file is treated as unlocked.
    const bool isTaken = flock(m_descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!isTaken && isStillThere()) // else the previous holder has just deleted the file
        return 0;
    close(std::exchange(m_descriptor, -1));
    return EWOULDBLOCK;
}

bool LockFile::isStillThere() const
{
    struct stat locked = {}, named = {};
    return fstat(m_descriptor, &locked) == 0 && stat(m_path.c_str(), &named) == 0
        && locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

} // namespace engine
