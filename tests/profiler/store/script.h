#pragma once

#include "engine/schedule/notation.h"
#include "tests/profiler/store/store_support.h"

#include <sqlite3.h>

#include <string>
#include <vector>

namespace tests {

using Rows = std::vector<std::vector<std::string>>;

// Runs SQL as a script of the community would.
class Script
{
public:
    explicit Script(const std::filesystem::path& file)
    {
        REQUIRE(sqlite3_open(file.c_str(), &m_database) == SQLITE_OK);
    }
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;
    ~Script() { sqlite3_close(m_database); }

    Rows operator()(const std::string& sql) const
    {
        const auto add = [](void* out, int columns, char** values, char**) {
            auto& row = static_cast<Rows*>(out)->emplace_back();
            for (int i = 0; i < columns; ++i)
                row.emplace_back(values[i] == nullptr ? "NULL" : values[i]);
            return 0;
        };
        Rows rows;
        INFO(sql);
        const int code = sqlite3_exec(m_database, sql.c_str(), add, &rows, nullptr);
        INFO(sqlite3_errmsg(m_database));
        CHECK(code == SQLITE_OK);
        return rows;
    }

private:
    sqlite3* m_database = nullptr;
};

} // namespace tests
