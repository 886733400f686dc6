#pragma once

#include "engine/base/id.h"
#include "engine/base/result.h"
#include "engine/base/try.h"

#include <sqlite3.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace profiler {

// A prepared statement. Values are bound to ?1, ?2, ... in order. SQLite has no NaN, so NaN is
// stored as the text 'nan'.
class Statement
{
public:
    Statement() = default;
    // `file` is named in errors, and must outlive the statement.
    Statement(sqlite3_stmt* handle, const std::filesystem::path& file)
        : m_handle(handle)
        , m_file(&file)
    { }

    // Writes one row with `values`, or with the values that are already bound.
    template<class... Values>
    engine::Result<void> run(const Values&... values)
    {
        bind(values...);
        return runBound();
    }
    // Calls `use(*this)` for each row until it returns an error; it may also return nothing.
    template<class Use>
    engine::Result<void> forEach(Use use)
    {
        while (next())
            if constexpr (std::is_void_v<std::invoke_result_t<Use, const Statement&>>)
                use(*this);
            else
                TRY(use(*this));
        return failed() ? tl::unexpected(error()) : engine::Result<void>();
    }
    // Binds the values. Strings must live until the last call of next().
    template<class... Values>
    void bind(const Values&... values)
    {
        int index = 0;
        (set(++index, values), ...);
    }

    // Moves to the next row. Returns false at the end and on failure (see failed()).
    bool next()
    {
        m_code = sqlite3_step(m_handle.get());
        return m_code == SQLITE_ROW;
    }
    // Ends the query, so that new values can be bound.
    void reset() { sqlite3_reset(m_handle.get()); }
    bool failed() const { return m_code != SQLITE_ROW && m_code != SQLITE_DONE; }
    engine::Error error() const; // the last failure of the connection

    bool isNull(int column) const { return type(column) == SQLITE_NULL; }
    bool isText(int column) const { return type(column) == SQLITE_TEXT; }
    std::int64_t integer(int column) const { return sqlite3_column_int64(m_handle.get(), column); }
    double real(int column) const;
    std::string_view text(int column) const; // valid until the next step
    // Reads the column into `value`. NULL leaves `value` unchanged. Returns false if the number is
    // out of range or not a whole number.
    template<std::integral T>
    bool get(int column, T& value) const
    {
        const int kind = type(column);
        const std::int64_t stored = integer(column);
        const bool isWhole = kind == SQLITE_FLOAT && real(column) == static_cast<double>(stored);
        if (kind != SQLITE_INTEGER && !isWhole)
            return kind == SQLITE_NULL;
        // Keeps the bits of an unsigned 64-bit number, which is stored as signed.
        bool fits = true;
        if constexpr (!std::same_as<T, bool> && !std::same_as<T, std::uint64_t>)
            fits = std::in_range<T>(stored);
        value = fits ? static_cast<T>(stored) : value;
        return fits;
    }
    bool get(int column, double& value) const
    {
        value = isNull(column) ? value : real(column);
        return true;
    }
    bool get(int column, std::string& value) const
    {
        value = text(column);
        return true;
    }
    template<class Tag>
    bool get(int column, engine::Id<Tag>& id) const
    {
        return get(column, id.value);
    }
    template<class T>
    bool get(int column, std::optional<T>& value) const
    {
        return isNull(column) || get(column, value.emplace());
    }

    void set(int index, std::int64_t value) { sqlite3_bind_int64(m_handle.get(), index, value); }
    template<std::integral T>
    void set(int index, T value)
    {
        set(index, static_cast<std::int64_t>(value)); // keeps the bits of an unsigned 64-bit number
    }
    void set(int index, double value);
    void set(int index, std::nullptr_t) { sqlite3_bind_null(m_handle.get(), index); }
    void set(int index, std::string_view value);
    void set(int index, const std::string& value) { set(index, std::string_view(value)); }
    void set(int index, const char* value) { set(index, std::string_view(value)); }
    template<class Tag>
    void set(int index, engine::Id<Tag> id)
    {
        set(index, id.value);
    }
    template<class T>
    void set(int index, const std::optional<T>& value)
    {
        value ? set(index, *value) : set(index, nullptr);
    }

private:
    engine::Result<void> runBound();
    int type(int column) const { return sqlite3_column_type(m_handle.get(), column); }

    struct Finalize
    {
        void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
    };
    std::unique_ptr<sqlite3_stmt, Finalize> m_handle;
    const std::filesystem::path* m_file = nullptr;
    int m_code = SQLITE_DONE;
};

// How long a statement waits for the lock of another program before it fails with
// Error::Code::Locked. A checkpoint, or a commit without WAL, finishes in less time.
constexpr std::chrono::milliseconds kLockWait{5000};

// A connection to a file, used by one thread at a time. All its statements must be destroyed before
// it.
class Database
{
public:
    enum class Access : std::uint8_t {
        ReadOnly,  // other processes may be writing the file
        Immutable, // no process writes the file: no locks, no files next to it
        ReadWrite,
        Create,
    };

    static engine::Result<Database> open(const std::filesystem::path& file, Access access,
                                         std::chrono::milliseconds lockWait = kLockWait);

    // Limits statements on an untrusted file to a number of steps that is proportional to the size
    // of the file. Otherwise a B-tree that refers to one page many times could keep a statement
    // busy without end. SQLite does not count the steps of count(*) of a whole table. Also limits
    // the memory of all connections of the process.
    void limitWork();

    engine::Result<void> execute(const std::string& sql);
    engine::Result<Statement> prepare(std::string_view sql);
    // Executes one statement with these values.
    template<class... Values>
    engine::Result<void> run(std::string_view sql, const Values&... values)
    {
        auto statement = TRY(prepare(sql));
        return statement.run(values...);
    }
    // Calls `use(row)` as Statement::forEach() does for the rows of a query.
    template<class Use>
    engine::Result<void> forEach(std::string_view sql, Use use)
    {
        auto statement = TRY(prepare(sql));
        return statement.forEach(std::move(use));
    }
    // Both functions return the first column of the first row; 0 or "" if there are no rows.
    engine::Result<std::int64_t> integer(std::string_view sql);
    engine::Result<std::string> text(std::string_view sql);

    // The last failure; the message names the file.
    engine::Error error() const;
    engine::Error damaged(std::string_view what) const; // "run.sqlite is damaged (what): ..."
    int code() const { return sqlite3_extended_errcode(m_handle.get()); }
    sqlite3* handle() const { return m_handle.get(); }
    const std::filesystem::path& file() const { return *m_file; }

private:
    struct Close
    {
        void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    };
    std::unique_ptr<const std::filesystem::path> m_file; // statements refer to it
    std::unique_ptr<double> m_stepsLeft; // steps left for all statements; null: no limit
    std::unique_ptr<sqlite3, Close> m_handle;
};

} // namespace profiler
