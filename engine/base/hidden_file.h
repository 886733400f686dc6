#pragma once

#include <filesystem>

namespace engine {

// Deletes the lock files and unfinished files of this process. Async-signal-safe: the handlers of
// signals that end the process call it.
void removeHiddenFiles() noexcept;

// Registers one path for removeHiddenFiles(). At most 16 paths are registered per process; further
// paths are not deleted on a signal.
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

// A lock file. acquire() creates it and locks it with flock(); the destructor deletes it.
class LockFile
{
public:
    explicit LockFile(std::filesystem::path path);
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;
    ~LockFile();

    // Creates and locks the file. Returns 0 or errno; EWOULDBLOCK if another LockFile has locked
    // it.
    int acquire();

private:
    int tryOnce();
    bool isStillThere() const;

    std::filesystem::path m_path;
    int m_descriptor = -1;
    RemovedOnSignal m_removal;
};

} // namespace engine
