#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace profiler {

class Database;

// A run of the ledger: the contents of its file when it was last read, and the user's additions.
struct LedgerRow
{
    std::string file; // absolute path
    // Given when a run is added, counted from 1 and never given again. In putContents(): the number
    // that a new run is expected to get; 0: none. It gets this number unless another run got it.
    std::int64_t number = 0;
    // Size in bytes, and modification time in ms since 1970, of the file when it was last read.
    std::int64_t size = 0, modified = 0;
    // The caller chooses the format of these texts; they are stored unchanged.
    std::string facts, picture;
    std::string name, note, tags, origin; // origin: folder before the move to the trash, or ""

    friend bool operator==(const LedgerRow&, const LedgerRow&) = default;
};

// The runs of this machine in one SQLite file, so that a list of thousands of runs opens without
// reading their files. Several processes may use the file. Not thread-safe.
class Ledger
{
public:
    // Creates the file and its folder if they do not exist. Fails with Error::Code::Corrupt if the
    // file is not a ledger.
    static engine::Result<Ledger> open(const std::filesystem::path& file);
    Ledger(Ledger&&) noexcept;
    Ledger& operator=(Ledger&&) noexcept;
    ~Ledger();

    engine::Result<std::vector<LedgerRow>> rows(); // ordered by file
    engine::Result<std::int64_t> lastNumber();     // the last one that was given
    struct Numbers
    {
        std::map<std::string, std::int64_t> byFile; // of the runs
        std::int64_t last = 0;
    };
    engine::Result<Numbers> numbers();
    // Adds a run, or replaces the contents of its file and keeps the user's additions.
    engine::Result<void> putContents(const LedgerRow& row);
    // Stores only the fields (name, note, tags) that differ between `before` and `row`,
    // because another process may have changed the others. Does nothing if the ledger lacks the
    // run.
    engine::Result<void> putUserData(const LedgerRow& before, const LedgerRow& row);
    // Records that the file was moved to `to`, and sets LedgerRow::origin.
    engine::Result<void> move(const std::string& from, const std::string& to,
                              const std::string& origin);
    engine::Result<void> remove(const std::string& file);

    // Replaces the stored queue of a process: the options of its runs in the order of their start.
    engine::Result<void> setQueue(std::int64_t process, const std::vector<std::string>& options);
    // Removes and returns the queues of processes that no longer exist.
    engine::Result<std::vector<std::string>>
    takeQueues(const std::function<bool(std::int64_t process)>& exists);

private:
    explicit Ledger(std::unique_ptr<Database> database);
    engine::Result<void> inTransaction(const std::function<engine::Result<void>()>& work);

    std::unique_ptr<Database> m_database;
};

} // namespace profiler
