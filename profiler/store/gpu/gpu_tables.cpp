#include "profiler/store/gpu/gpu_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

// Names, order and types of Nsight Systems' export, schema 3.28.1.
struct Definition
{
    std::string_view name, columns;
    const char* enumerations; // filled, too; nullptr: none
};

constexpr const char* kCopyEnumerations = R"(
CREATE TABLE IF NOT EXISTS ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT,
  label TEXT);
INSERT OR IGNORE INTO ENUM_CUDA_MEMCPY_OPER VALUES
  (0, 'CUDA_MEMCPY_KIND_UNKNOWN', 'Unknown'), (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'),
  (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'), (3, 'CUDA_MEMCPY_KIND_HTOA', 'Host-to-Array'),
  (4, 'CUDA_MEMCPY_KIND_ATOH', 'Array-to-Host'), (5, 'CUDA_MEMCPY_KIND_ATOA', 'Array-to-Array'),
  (6, 'CUDA_MEMCPY_KIND_ATOD', 'Array-to-Device'), (7, 'CUDA_MEMCPY_KIND_DTOA', 'Device-to-Array'),
  (8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device'), (9, 'CUDA_MEMCPY_KIND_HTOH', 'Host-to-Host'),
  (10, 'CUDA_MEMCPY_KIND_PTOP', 'Peer-to-Peer'), (11, 'CUDA_MEMCPY_KIND_UVM_HTOD',
  'Unified Host-to-Device'), (12, 'CUDA_MEMCPY_KIND_UVM_DTOH', 'Unified Device-to-Host'),
  (13, 'CUDA_MEMCPY_KIND_UVM_DTOD', 'Unified Device-to-Device');
)";
constexpr const char* kMemoryEnumeration = R"(
CREATE TABLE IF NOT EXISTS ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT,
  label TEXT);
INSERT OR IGNORE INTO ENUM_CUDA_MEM_KIND VALUES
  (0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'), (1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED',
  'Pinned'), (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device'), (3, 'CUDA_MEMOPR_MEMORY_KIND_ARRAY',
  'Array'), (4, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED', 'Managed'),
  (5, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC', 'Device Static'),
  (6, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC', 'Managed Static'),
  (7, 'CUDA_MEMOPR_MEMORY_KIND_UNKNOWN', 'Unknown');
)";
constexpr const char* kCallEnumeration = R"(
CREATE TABLE IF NOT EXISTS ENUM_NSYS_EVENT_CLASS (id INTEGER NOT NULL PRIMARY KEY, name TEXT,
  label TEXT);
INSERT OR IGNORE INTO ENUM_NSYS_EVENT_CLASS VALUES (0, 'CUDA_RUNTIME', 'CUDA runtime'),
  (1, 'CUDA_DRIVER', 'CUDA driver');
)";
constexpr const char* kWaitEnumeration = R"(
CREATE TABLE IF NOT EXISTS ENUM_CUPTI_SYNC_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT,
  label TEXT);
INSERT OR IGNORE INTO ENUM_CUPTI_SYNC_TYPE VALUES (0, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN',
  'Unknown'), (1, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE', 'Event sync'),
  (2, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT', 'Stream wait sync'),
  (3, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE', 'Stream sync'),
  (4, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE', 'Context sync');
)";
constexpr const char* kAllocationEnumeration = R"(
CREATE TABLE IF NOT EXISTS ENUM_CUDA_DEV_MEM_EVENT_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT,
  label TEXT);
INSERT OR IGNORE INTO ENUM_CUDA_DEV_MEM_EVENT_OPER VALUES
  (0, 'CUDA_DEV_MEM_EVENT_OPR_ALLOCATION', 'Allocation'),
  (1, 'CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION', 'Deallocation');
)";

constexpr Definition kDefinitions[] = {
    {kKernelTable.name,
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, "
     "shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, "
     "registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
     "gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, "
     "blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, "
     "dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, "
     "localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, "
     "graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER",
     nullptr},
    {kCopyTable.name,
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, "
     "deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, "
     "srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, "
     "graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER",
     kCopyEnumerations},
    {kMemsetTable.name,
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, "
     "graphNodeId INTEGER, memKind INTEGER",
     kMemoryEnumeration},
    {kCallTable.name,
     "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, "
     "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, "
     "returnValue INTEGER NOT NULL, callchainId INTEGER",
     kCallEnumeration},
    {kWaitTable.name,
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, syncType INTEGER NOT NULL, "
     "eventId INTEGER NOT NULL, eventSyncId INTEGER",
     kWaitEnumeration},
    {kAllocationTable.name,
     "start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL, "
     "bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, "
     "name TEXT, correlationId INTEGER, streamId INTEGER, localMemoryPoolAddress INTEGER, "
     "localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER, "
     "localMemoryPoolUtilizedSize INTEGER, importedMemoryPoolAddress INTEGER, "
     "importedMemoryPoolProcessId INTEGER",
     kAllocationEnumeration},
    {kContextTable.name,
     "nullStreamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "
     "processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
     "parentContextId INTEGER, isGreenContext INTEGER, numMultiprocessors INTEGER, "
     "numTpcs INTEGER, tpcMask TEXT",
     nullptr},
    {kStreamTable.name,
     "streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "
     "processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER NOT NULL, "
     "flag INTEGER NOT NULL",
     nullptr},
    {kStreamNameTable.name,
     "name TEXT NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "
     "processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
     "streamId INTEGER NOT NULL",
     nullptr},
    {kSampleTable.name,
     "time INTEGER NOT NULL, device INTEGER NOT NULL, sm_clock INTEGER NOT NULL, "
     "memory_clock INTEGER NOT NULL, power INTEGER NOT NULL, temperature INTEGER NOT NULL, "
     "throttle INTEGER NOT NULL",
     nullptr},
    {kOverheadTable.name, "begin INTEGER NOT NULL, \"end\" INTEGER NOT NULL, kind INTEGER NOT NULL",
     nullptr},
    {kLaunchTable.name,
     "correlation INTEGER NOT NULL PRIMARY KEY, iteration INTEGER NOT NULL, op INTEGER NOT NULL",
     nullptr},
    {kRangeTable.name,
     "event INTEGER NOT NULL PRIMARY KEY, iteration INTEGER NOT NULL, op INTEGER NOT NULL",
     nullptr},
};

} // namespace

Result<void> createGpuTable(Database& database, std::string_view table)
{
    const auto* found = std::ranges::find(kDefinitions, table, &Definition::name);
    if (found == std::end(kDefinitions))
        return fail(Error::Code::InvalidArgument, fmt::format("there is no table {}", table));
    return database
        .execute(fmt::format("CREATE TABLE IF NOT EXISTS {} ({})", found->name, found->columns))
        .and_then([&] {
            return found->enumerations == nullptr ? Result<void>()
                                                  : database.execute(found->enumerations);
        })
        .and_then([&] {
            return table == kCopyTable.name ? database.execute(kMemoryEnumeration) : Result<void>();
        });
}

Result<bool> hasTable(Database& database, std::string_view table)
{
    return database
        .integer(fmt::format(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '{}'", table))
        .map([](std::int64_t count) { return count > 0; });
}

} // namespace profiler
