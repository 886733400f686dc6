#pragma once

#include "profiler/store/sqlite.h"

#include <string_view>

namespace profiler {

// The tables of GPU activity, created with their first row as in Nsight Systems.
struct GpuTable
{
    std::string_view name, columns; // columns: those that are written, and asked for
};
inline constexpr GpuTable kKernelTable{
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, demangledName, "
    "shortName, mangledName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, "
    "staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId, "
    "graphNodeId"};
inline constexpr GpuTable kCopyTable{
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, "
    "srcKind, dstKind, srcDeviceId, dstDeviceId, graphNodeId"};
inline constexpr GpuTable kMemsetTable{
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, value, bytes, "
    "memKind, graphNodeId"};
inline constexpr GpuTable kCallTable{
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "start, \"end\", eventClass, globalTid, correlationId, nameId, returnValue"};
inline constexpr GpuTable kWaitTable{
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, syncType, eventId, "
    "eventSyncId"};
inline constexpr GpuTable kAllocationTable{
    "CUDA_GPU_MEMORY_USAGE_EVENTS",
    "start, globalPid, deviceId, contextId, address, pc, bytes, memKind, memoryOperationType, "
    "correlationId, streamId"};
inline constexpr GpuTable kContextTable{
    "TARGET_INFO_CUDA_CONTEXT_INFO",
    "nullStreamId, hwId, vmId, processId, deviceId, contextId, parentContextId, isGreenContext, "
    "numMultiprocessors"};
inline constexpr GpuTable kStreamTable{
    "TARGET_INFO_CUDA_STREAM", "streamId, hwId, vmId, processId, contextId, priority, flag"};
inline constexpr GpuTable kStreamNameTable{
    "TARGET_INFO_NVTX_CUDA_STREAM", "name, hwId, vmId, processId, deviceId, contextId, streamId"};
inline constexpr GpuTable kSampleTable{
    "BS_gpu_sample", "time, device, sm_clock, memory_clock, power, temperature, throttle"};
inline constexpr GpuTable kOverheadTable{"BS_gpu_overhead", "begin, \"end\", kind"};
inline constexpr GpuTable kLaunchTable{"BS_gpu_launch", "correlation, iteration, op"};
inline constexpr GpuTable kRangeTable{"BS_gpu_range", "event, iteration, op"};

// Creates `table` and the ENUM_ tables of its columns.
engine::Result<void> createGpuTable(Database& database, std::string_view table);
engine::Result<bool> hasTable(Database& database, std::string_view table);

} // namespace profiler
