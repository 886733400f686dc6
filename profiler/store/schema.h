#pragma once

#include "profiler/store/table.h"

namespace profiler {

constexpr std::int64_t kApplicationId = 0x42424C45; // "BBLE", at byte 68 of the file
constexpr std::int64_t kFormat = 1;                 // stored as user_version

// Creates the tables of every run in an empty file, and fills the tables that never change.
engine::Result<void> createTables(Database& database);

struct TableDescription
{
    TableText text;
    std::vector<ColumnText> columns;
};
// Every table that a file may have. run-files.md lists them.
std::vector<TableDescription> allTables();

} // namespace profiler
