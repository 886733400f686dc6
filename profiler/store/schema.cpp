#include "profiler/store/schema.h"

#include "engine/timeline/timeline.h"

#include <fmt/format.h>

#include <array>

namespace profiler {
namespace {

using engine::Result;

// Names, order and types of Nsight Systems' export, schema 3.28.1. CPU runs have no CUPTI tables.
constexpr const char* kNsightTables = R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER NOT NULL, duration INTEGER NOT NULL,
  startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT,
  systemClockNs INTEGER);
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
  rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,
  endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value INTEGER,
  doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER,
  jsonText TEXT, binaryData TEXT, eventId INTEGER NOT NULL PRIMARY KEY);
INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES
  (33, 'NvtxCategory', 'NVTX category'), (34, 'NvtxMark', 'NVTX mark'),
  (39, 'NvtxThread', 'NVTX thread'), (59, 'NvtxPushPopRange', 'NVTX push/pop range'),
  (60, 'NvtxStartEndRange', 'NVTX start/end range'),
  (75, 'NvtxDomainCreate', 'NVTX domain create'), (76, 'NvtxDomainDestroy', 'NVTX domain destroy');
)";

constexpr const char* kRunTablesSql = R"(
CREATE TABLE BS_run (scheme TEXT, label TEXT, mode TEXT, outcome TEXT, failure TEXT, started TEXT,
  program TEXT, ticks_per_unit INTEGER, device_name TEXT, timing TEXT, link TEXT, model TEXT,
  planned_warmup INTEGER, planned_iterations INTEGER, journal TEXT);
CREATE TABLE BS_experiment (toml TEXT, command TEXT);
CREATE TABLE BS_metric (name TEXT NOT NULL, value, unit TEXT);
CREATE TABLE BS_shape (scheme TEXT, devices INTEGER, stages INTEGER, micro_batches INTEGER,
  replicas INTEGER, slices INTEGER, data_parallel INTEGER, update_every INTEGER);
CREATE TABLE BS_placement (replica INTEGER NOT NULL, stage INTEGER NOT NULL,
  device INTEGER NOT NULL);
CREATE TABLE BS_device (device INTEGER NOT NULL PRIMARY KEY, name TEXT, globalTid INTEGER,
  live INTEGER, arena INTEGER, touched INTEGER);
CREATE TABLE BS_schedule (op INTEGER NOT NULL PRIMARY KEY, device INTEGER NOT NULL,
  position INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, stage INTEGER,
  microbatch INTEGER, replica INTEGER NOT NULL, slice INTEGER, peer INTEGER,
  version INTEGER NOT NULL, joint INTEGER NOT NULL, half INTEGER NOT NULL);
)";

// One sequence of ids runs through these: a reader asks each for the rows after the last it saw.
constexpr const char* kRowTablesSql = R"(
CREATE TABLE BS_track (id INTEGER NOT NULL PRIMARY KEY, device INTEGER NOT NULL,
  lane TEXT NOT NULL);
CREATE TABLE BS_iteration (id INTEGER NOT NULL PRIMARY KEY, iteration INTEGER NOT NULL,
  kind TEXT NOT NULL, number INTEGER NOT NULL, begin INTEGER NOT NULL, "end" INTEGER NOT NULL,
  loss REAL, gradient_norm REAL);
CREATE TABLE BS_loss (id INTEGER NOT NULL PRIMARY KEY, iteration INTEGER NOT NULL,
  microbatch INTEGER NOT NULL, loss REAL);
CREATE TABLE BS_span (id INTEGER NOT NULL PRIMARY KEY, iteration INTEGER NOT NULL,
  track INTEGER NOT NULL, op INTEGER NOT NULL, begin INTEGER NOT NULL, "end" INTEGER NOT NULL);
CREATE TABLE BS_memory (id INTEGER NOT NULL PRIMARY KEY, time INTEGER NOT NULL,
  bytes INTEGER NOT NULL, op INTEGER, device INTEGER NOT NULL, category INTEGER NOT NULL);
CREATE TABLE BS_op (id INTEGER NOT NULL PRIMARY KEY, iteration INTEGER NOT NULL,
  op INTEGER NOT NULL, exec_order INTEGER NOT NULL, wall_begin INTEGER NOT NULL,
  wall_end INTEGER NOT NULL, op_time INTEGER NOT NULL);
CREATE TABLE ENUM_BS_MEMORY_CATEGORY (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
)";

constexpr std::array<std::string_view, engine::kMemoryCategories> kMemoryCategoryNames{
    "WEIGHTS", "GRADIENTS", "OPTIMIZER", "STASH", "BUFFERS"};

std::string categoryRows()
{
    std::string sql;
    for (std::size_t i = 0; i < kMemoryCategoryNames.size(); ++i)
        sql += fmt::format("INSERT INTO ENUM_BS_MEMORY_CATEGORY VALUES ({}, '{}', '{}');", i,
                           kMemoryCategoryNames[i],
                           engine::memoryCategoryName(static_cast<engine::MemoryCategory>(i)));
    return sql;
}

} // namespace

Result<void> createTables(Database& database)
{
    return database
        .execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={};", kApplicationId,
                             kFormat))
        .and_then([&] { return database.execute(kNsightTables); })
        .and_then([&] { return database.execute(kRunTablesSql); })
        .and_then([&] { return database.execute(kRowTablesSql); })
        .and_then([&] { return database.execute(categoryRows()); });
}

} // namespace profiler
