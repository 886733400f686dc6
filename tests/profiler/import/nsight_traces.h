#pragma once

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

// Exports of Nsight Systems with few tables.
namespace tests {

inline void executeSql(const std::filesystem::path& file, const std::string& sql)
{
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(database));
    sqlite3_close(database);
}

inline constexpr std::int64_t kProcess = std::int64_t{1} << 48 | std::int64_t{5081} << 24;

// One process: F0 and B0 by NVTX ranges, the second with a registered name; each launches a kernel.
inline std::string exportSql()
{
    return fmt::format(R"(
        CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.1.1');
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'PP:0B0');
        CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);
        INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node7');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
            contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
            demangledName INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 0, 1, 7, 11, {0}, 1),
            (3000, 7000, 0, 1, 7, 12, {0}, 1), (9000, 8000, 0, 1, 7, 13, {0}, 1);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
            correlationId INTEGER, nameId INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (110, 120, {1}, 11, 2), (310, 320, {2}, 12, 2);
        CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
            globalTid INTEGER, textId INTEGER);
        INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 'PP:0F0', {1}, NULL),
            (300, 400, 60, NULL, {1}, 3), (100, NULL, 34, 'mark', {1}, NULL);)",
                       kProcess, kProcess + 5081, kProcess + 6000);
}

inline void writeNsightExport(const std::filesystem::path& file)
{
    executeSql(file, exportSql());
}

} // namespace tests
