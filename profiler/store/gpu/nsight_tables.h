#pragma once

#include "profiler/store/gpu/gpu_tables.h"
#include "profiler/store/run_tables.h"

// Tables of Nsight Systems' export that every run has, and those that describe the machine of a run
// on GPUs. Those without BS_ have its names, order and types, schema 3.28.1.

namespace profiler {

struct StringRow
{
    std::int64_t id = 0;
    std::string value;
};
template<>
inline constexpr TableText kTableOf<StringRow>{"StringIds", kEveryRun, "Texts, named by their id"};
void columns(StringRow& row, auto&& column)
{
    column({"id", kId}, row.id);
    nsight(column, "value", row.value);
}

struct ThreadRow
{
    std::int64_t name = 0, priority = 0, globalTid = 0;
};
template<>
inline constexpr TableText kTableOf<ThreadRow>{
    "ThreadNames", kEveryRun,
    "A synthetic thread per device, named `device 3`: `globalTid` = pid << 24 \\| (0x700000 + "
    "device)"};
void columns(ThreadRow& row, auto&& column)
{
    nsight(column, "nameId", row.name, "priority", row.priority, "globalTid", row.globalTid);
}

struct ProcessRow
{
    std::int64_t globalPid = 0, pid = 0;
    std::string name;
};
template<>
inline constexpr TableText kTableOf<ProcessRow>{"PROCESSES", kEveryRun, "The process that ran it"};
void columns(ProcessRow& row, auto&& column)
{
    nsight(column, "globalPid", row.globalPid, "pid", row.pid, "name", row.name);
}

struct AnalysisRow
{
    std::int64_t end = 0, zero = 0;
};
template<>
inline constexpr TableText kTableOf<AnalysisRow>{"ANALYSIS_DETAILS", kEveryRun,
                                                 "The extent of the run, written at its end"};
void columns(AnalysisRow& row, auto&& column)
{
    nsight(column, "globalVid", row.zero, "duration", row.end, "startTime", row.zero, "stopTime",
           row.end);
}

struct StartRow
{
    std::int64_t utcNanoseconds = 0;
    std::string utc, local;
};
template<>
inline constexpr TableText kTableOf<StartRow>{"TARGET_INFO_SESSION_START_TIME", kEveryRun,
                                              "When it began"};
void columns(StartRow& row, auto&& column)
{
    nsight(column, "utcEpochNs", row.utcNanoseconds, "utcTime", row.utc, "localTime", row.local,
           "systemClockNs", kUnused);
}

struct CaptureRow
{
    std::string name, value;
};
template<>
inline constexpr TableText kTableOf<CaptureRow>{
    "META_DATA_CAPTURE", kEveryRun,
    "`BS_CLOCK` (`virtual`: simulated, emulated; `wall`: live), `BS_MODE`, `BS_PROGRAM`"};
struct ExportRow : CaptureRow
{ };
template<>
inline constexpr TableText kTableOf<ExportRow>{
    "META_DATA_EXPORT", kEveryRun,
    "`EXPORT_SCHEMA_VERSION` (`3.28.1`), `EXPORT_PRODUCT_VERSION` (the build that wrote the file)"};
void columns(CaptureRow& row, auto&& column)
{
    nsight(column, "name", row.name, "value", row.value);
}

// The tables that spell the numbers of other tables.
template<const TableText& Table>
struct NumberRow
{
    int id = 0;
    std::string name, label;
};
template<const TableText& Table>
inline constexpr TableText kTableOf<NumberRow<Table>> = Table;
template<const TableText& Table>
void columns(NumberRow<Table>& row, auto&& column)
{
    column({"id", kId}, row.id);
    nsight(column, "name", row.name, "label", row.label);
}
inline constexpr TableText kEventTypes{"ENUM_NSYS_EVENT_TYPE", kEveryRun, "NVTX types"};
inline constexpr TableText kCategories{"ENUM_BS_MEMORY_CATEGORY", kEveryRun,
                                       "Categories of `BS_memory`"};
inline constexpr TableText kCopyKinds{"ENUM_CUDA_MEMCPY_OPER", kKernelsTraced, "Kinds of copies"};
inline constexpr TableText kMemoryKinds{"ENUM_CUDA_MEM_KIND", kKernelsTraced, "Kinds of memory"};
inline constexpr TableText kCallKinds{"ENUM_NSYS_EVENT_CLASS", kKernelsTraced, "Kinds of calls"};
inline constexpr TableText kWaitKinds{"ENUM_CUPTI_SYNC_TYPE", kAllTraced, "Kinds of waits"};
inline constexpr TableText kAllocationKinds{"ENUM_CUDA_DEV_MEM_EVENT_OPER", kAllTraced,
                                            "Allocations and deallocations"};

struct NvtxRow
{
    std::int64_t id = 0, start = 0;
    std::optional<std::int64_t> end = {}, range = {}, category = {}, color = {}, thread = {},
                                endThread = {}, payload = {};
    int type = 0, domain = 0;
    std::string text;
};
template<>
inline constexpr TableText kTableOf<NvtxRow>{
    "NVTX_EVENTS", kEveryRun,
    "A range per span, without those of the replay; domains and categories have ids below 0"};
void columns(NvtxRow& row, auto&& column)
{
    nsight(column, "start", row.start, "end", row.end, "eventType", row.type, "rangeId", row.range,
           "category", row.category, "color", row.color, "text", row.text, "globalTid", row.thread,
           "endGlobalTid", row.endThread, "textId", kUnused, "domainId", row.domain, "uint64Value",
           kUnused, "int64Value", row.payload, "doubleValue", kUnusedReal, "uint32Value", kUnused,
           "int32Value", kUnused, "floatValue", kUnusedReal, "jsonTextId", kUnused, "jsonText",
           kUnusedText, "binaryData", kUnusedText);
    column({"eventId", kId}, row.id);
}

inline std::optional<std::int64_t> numberOf(const engine::GpuFacts& gpu, std::string_view name)
{
    const auto found
        = std::ranges::find(gpu.numbers, name, &std::pair<std::string, std::int64_t>::first);
    return found == gpu.numbers.end() ? std::nullopt : std::optional(found->second);
}
// A number that CUDA reports of a GPU, by the name of its column; NULL: it does not.
struct GpuNumber
{
    engine::GpuFacts& gpu;
    std::string_view name;

    void put(Statement& statement, int index) const { statement.set(index, numberOf(gpu, name)); }
    bool take(const Statement& row, int column) const
    {
        if (!row.isNull(column))
            gpu.numbers.emplace_back(name, row.integer(column));
        return true;
    }
};
void numbers(auto&& column, engine::GpuFacts& gpu, auto... names)
{
    (column({names, kMaybeInteger}, GpuNumber{gpu, names}), ...);
}

struct GpuRow
{
    engine::GpuFacts gpu;
    std::int64_t zero = 0;
};
template<>
inline constexpr TableText kTableOf<GpuRow>{
    "TARGET_INFO_GPU", kGpuRuns,
    "The GPUs as CUDA describes them (clock rates in Hz, bandwidth in bytes/s; NULL: not known). "
    "An emulated run has a row per device: `NVIDIA H200 (emulated, 3 of 8)`"};
void columns(GpuRow& row, auto&& column)
{
    engine::GpuFacts& gpu = row.gpu;
    nsight(column, "vmId", row.zero, "id", gpu.device, "name", gpu.name, "busLocation", gpu.bus);
    numbers(column, gpu, "isDiscrete", "l2CacheSize", "totalMemory", "memoryBandwidth", "clockRate",
            "smCount", "pwGpuId");
    nsight(column, "uuid", gpu.uuid, "luid", kUnused, "chipName", kUnusedText);
    numbers(column, gpu, "cuDevice");
    nsight(column, "ctxswDevPath", kUnusedText, "ctrlDevPath", kUnusedText);
    numbers(column, gpu, "revision", "nodeMask", "constantMemory", "maxIPC", "maxRegistersPerBlock",
            "maxShmemPerBlock", "maxShmemPerBlockOptin", "maxShmemPerSm", "maxRegistersPerSm",
            "threadsPerWarp", "asyncEngines", "maxWarpsPerSm", "maxBlocksPerSm",
            "maxThreadsPerBlock", "maxBlockDimX", "maxBlockDimY", "maxBlockDimZ", "maxGridDimX",
            "maxGridDimY", "maxGridDimZ", "computeMajor", "computeMinor", "smMajor", "smMinor",
            "numaNodeId");
}

struct CudaDeviceRow
{
    int gpu = 0;
    std::int64_t pid = 0;
    std::string uuid;
    std::optional<std::int64_t> multiprocessors = {};
};
template<>
inline constexpr TableText kTableOf<CudaDeviceRow>{"TARGET_INFO_CUDA_DEVICE", kGpuRuns,
                                                   "The same GPUs as devices of CUDA"};
void columns(CudaDeviceRow& row, auto&& column)
{
    nsight(column, "gpuId", row.gpu, "cudaId", row.gpu, "pid", row.pid, "uuid", row.uuid,
           "numMultiprocessors", row.multiprocessors);
}

using SettingRow = std::pair<std::string, std::string>;
template<>
inline constexpr TableText kTableOf<SettingRow>{"BS_machine", kGpuRuns, "How CUDA was set up"};
void columns(SettingRow& setting, auto&& column)
{
    column({"name", kText, "",
            "`cuda_driver cuda_runtime nvidia_driver cublaslt nccl cupti module_loading tf32 "
            "fallback CUDA_VISIBLE_DEVICES CUDA_DEVICE_MAX_CONNECTIONS`, where known"},
           setting.first);
    column({"value", kMaybeText, "", "`fallback`: what is computed more slowly, and why"},
           setting.second);
}

struct PeerRow
{
    int source = 0, target = 0;
    bool access = false;
};
template<>
inline constexpr TableText kTableOf<PeerRow>{"BS_peer_access", kGpuRuns,
                                             "Which GPU can copy directly to which"};
void columns(PeerRow& row, auto&& column)
{
    column({"source", kInteger, "", "CUDA's ordinal"}, row.source);
    column({"target", kInteger, "", "CUDA's ordinal"}, row.target);
    column({"access", kInteger, "", "1: it can"}, row.access);
}

} // namespace profiler
