#pragma once

#include "profiler/store/sqlite.h"

// The format of a run's file, SCHEMA.md in code.

namespace profiler {

constexpr std::int64_t kApplicationId = 0x42424C45; // "BBLE", at byte 68 of the file
constexpr std::int64_t kFormat = 1;                 // user_version

// Made when somebody makes the first note in a run.
inline constexpr const char* kNotesTable = "CREATE TABLE IF NOT EXISTS BS_annotation (id INTEGER "
                                           "NOT NULL PRIMARY KEY, begin INTEGER NOT "
                                           "NULL, \"end\" INTEGER NOT NULL, iteration INTEGER, op "
                                           "INTEGER, device INTEGER, text TEXT NOT "
                                           "NULL, created TEXT)";

// Makes the tables in an empty file and fills those that never change.
engine::Result<void> createTables(Database& database);

} // namespace profiler
