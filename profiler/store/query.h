#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace profiler {

struct QueryLimits
{
    std::chrono::milliseconds time{10'000};
    std::int64_t rows = 10'000;
    std::int64_t bytes = std::int64_t{64} << 20; // maximum size of all values
};

// NULL, an integer, a real number or a string. A BLOB becomes the text of its SQL literal: x'00ff'.
using QueryValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct QueryResult
{
    std::vector<std::string> columns;
    std::vector<std::vector<QueryValue>> rows; // by row, then column
    bool isCut = false;                        // whether the limit of rows or bytes cut the result
    double seconds = 0;
};

// Runs one SELECT statement on a run. The run cannot be changed: the connection is read-only, and
// statements other than SELECT, WITH and VALUES are refused. `isCancelled` may be empty and is
// called during the query. Fails with Error::Code::Cancelled if it returns true. Other error
// messages say in one line what is wrong, where in `sql`, and what to do.
engine::Result<QueryResult> runQuery(const std::filesystem::path& file, std::string_view sql,
                                     const QueryLimits& limits = {},
                                     const std::function<bool()>& isCancelled = {});

// A table of a run and its description in run-files.md.
struct SchemaTable
{
    struct Column
    {
        std::string_view name, type, unit, meaning; // unit and meaning may be empty
    };
    std::string_view name, holds;
    std::vector<Column> columns;
};

// In the order of run-files.md.
engine::Result<std::vector<SchemaTable>> schemaOf(const std::filesystem::path& file);

std::string_view sqliteVersion(); // "3.40.1"

struct Recipe
{
    std::string_view title, sql;
};
std::vector<Recipe> queryRecipes(); // parsed from resources/help/recipes.sql

} // namespace profiler
