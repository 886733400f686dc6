#pragma once

#include <filesystem>

namespace engine {

// Deletes the lock files and unfinished files of this process. Async-signal-safe, for handlers of
// signals that end the process.
void removeHiddenFiles() noexcept;

// Registers one path for removeHiddenFiles(). At most 16 of a process are registered; further ones
// stay behind after a signal.
class RemovedOnSignal
{
public:
    RemovedOnSignal() = default;
    RemovedOnSignal(const RemovedOnSignal&) = delete;
    RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
    ~RemovedOnSignal() { forget(); }

    void remember(const std::filesystem::path& path);
    void forget();

private:
    int m_slot = -1;
};

// A file that is created, locked with flock() and deleted again by the destructor.
class LockFile
{
public:
    explicit LockFile(std::filesystem::path path);
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;
    ~LockFile();

    // 0, or the error's number; EWOULDBLOCK: another LockFile holds the lock.
    int acquire();

private:
    int tryOnce();
    bool isStillThere() const;

    std::filesystem::path m_path;
    int m_descriptor = -1;
    RemovedOnSignal m_removal;
};

} // namespace engine
