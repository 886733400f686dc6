#pragma once

#include "engine/base/result.h"

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace profiler {

// One prepared statement. Values are bound to ?1, ?2, ... in the order they are given. SQLite has
// no NaN: it is written as the text 'nan'.
class Statement
{
public:
    Statement() = default;
    explicit Statement(sqlite3_stmt* handle)
        : m_handle(handle)
    { }

    // Writes one row. False: the database's error() says why.
    template<class... Values>
    bool run(const Values&... values)
    {
        bind(values...);
        const bool done = sqlite3_step(m_handle.get()) == SQLITE_DONE;
        return sqlite3_reset(m_handle.get()) == SQLITE_OK && done;
    }
    // Texts must live until the last next().
    template<class... Values>
    void bind(const Values&... values)
    {
        int index = 0;
        (bindOne(++index, values), ...);
    }

    // Advances to the next row. False at the end and on failure, which failed() distinguishes.
    bool next()
    {
        m_code = sqlite3_step(m_handle.get());
        return m_code == SQLITE_ROW;
    }
    bool failed() const { return m_code != SQLITE_ROW && m_code != SQLITE_DONE; }

    bool isNull(int column) const { return type(column) == SQLITE_NULL; }
    bool isText(int column) const { return type(column) == SQLITE_TEXT; }
    std::int64_t integer(int column) const { return sqlite3_column_int64(m_handle.get(), column); }
    double real(int column) const;
    std::string_view text(int column) const;      // until the next step
    int columnNamed(std::string_view name) const; // -1 if missing

private:
    int type(int column) const { return sqlite3_column_type(m_handle.get(), column); }
    void bindOne(int index, std::int64_t value)
    {
        sqlite3_bind_int64(m_handle.get(), index, value);
    }
    void bindOne(int index, int value) { bindOne(index, std::int64_t{value}); }
    void bindOne(int index, std::uint32_t value) { bindOne(index, std::int64_t{value}); }
    void bindOne(int index, double value);
    void bindOne(int index, std::nullptr_t) { sqlite3_bind_null(m_handle.get(), index); }
    void bindOne(int index, std::string_view value);
    void bindOne(int index, const std::string& value) { bindOne(index, std::string_view(value)); }
    void bindOne(int index, const char* value) { bindOne(index, std::string_view(value)); }
    template<class T>
    void bindOne(int index, const std::optional<T>& value)
    {
        value ? bindOne(index, *value) : bindOne(index, nullptr);
    }

    struct Finalize
    {
        void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
    };
    std::unique_ptr<sqlite3_stmt, Finalize> m_handle;
    int m_code = SQLITE_DONE;
};

// A connection to a file, used by one thread at a time. Statements must be destroyed first.
class Database
{
public:
    enum class Access : std::uint8_t {
        ReadOnly,  // of a file that may be written concurrently
        Immutable, // of a file without writers: no locks, no companions
        ReadWrite,
        Create,
    };

    static engine::Result<Database> open(const std::filesystem::path& file, Access access);

    engine::Result<void> execute(const std::string& sql);
    engine::Result<Statement> prepare(std::string_view sql);
    // The first column of the first row; 0 or "" without rows.
    engine::Result<std::int64_t> integer(std::string_view sql);
    engine::Result<std::string> text(std::string_view sql);

    // The last failure; the message names the file.
    engine::Error error() const;
    engine::Error damaged(std::string_view what) const; // "run.sqlite is damaged (what): ..."
    int code() const { return sqlite3_extended_errcode(m_handle.get()); }
    sqlite3* handle() const { return m_handle.get(); }
    const std::filesystem::path& file() const { return m_file; }

private:
    struct Close
    {
        void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    };
    std::filesystem::path m_file;
    std::unique_ptr<sqlite3, Close> m_handle;
};

} // namespace profiler
