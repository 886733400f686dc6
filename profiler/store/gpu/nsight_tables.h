#pragma once

#include "profiler/store/gpu/gpu_tables.h"
#include "profiler/store/run_tables.h"

// The tables of Nsight Systems' export that every run has, and those that describe the machine of a
// run on GPUs. Tables without the prefix BS_ have the same names, column order and types as in that
// export (schema 3.28.1).

namespace profiler {

inline constexpr PlainText kStrings{{"StringIds", kEveryRun, "Strings by id"}, "id value", kId};
using StringRow = Plain<kStrings, std::int64_t, std::string>;
inline constexpr PlainText kThreads{
    {"ThreadNames", kEveryRun,
     "A synthetic thread per device, named `device 3`: `globalTid` = pid << 24 \\| (0x700000 + "
     "device); further ones for its transfers, named `device 3 SEND`"},
    "nameId priority globalTid"};
using ThreadRow = Plain<kThreads, std::int64_t, int, std::int64_t>;
inline constexpr PlainText kProcesses{{"PROCESSES", kEveryRun, "The process that recorded the run"},
                                      "globalPid pid name"};
using ProcessRow = Plain<kProcesses, std::int64_t, std::int64_t, std::string>;
inline constexpr PlainText kAnalysis{
    {"ANALYSIS_DETAILS", kEveryRun, "The extent of the run, written at its end"},
    "globalVid duration startTime stopTime"};
using AnalysisRow = Plain<kAnalysis, int, std::int64_t, int, std::int64_t>;
inline constexpr PlainText kStart{
    {"TARGET_INFO_SESSION_START_TIME", kEveryRun, "Start time of the run"},
    "utcEpochNs utcTime localTime systemClockNs"};
using StartRow = Plain<kStart, std::int64_t, std::string, std::string, std::optional<std::int64_t>>;
inline constexpr PlainText kSystem{
    {"TARGET_INFO_SYSTEM_ENV", kEveryRun, "`Hostname`, the machine of the run, where it is known"},
    "globalVid devStateName name nameEnum value"};
using SystemRow = Plain<kSystem, int, std::string, std::string, int, std::string>;
inline constexpr PlainText kCapture{
    {"META_DATA_CAPTURE", kEveryRun,
     "`BS_CLOCK` (`virtual`: simulated, emulated; `wall`: live), `BS_MODE`, `BS_PROGRAM`"},
    "name value"};
using CaptureRow = Plain<kCapture, std::string, std::string>;
inline constexpr PlainText kExport{
    {"META_DATA_EXPORT", kEveryRun,
     "`EXPORT_SCHEMA_VERSION` (`3.28.1`), `EXPORT_PRODUCT_VERSION` (build that wrote the file)"},
    "name value"};
using ExportRow = Plain<kExport, std::string, std::string>;
inline constexpr PlainText kCudaDevices{
    {"TARGET_INFO_CUDA_DEVICE", kGpuRuns, "The same GPUs as CUDA devices"},
    "gpuId cudaId pid uuid numMultiprocessors"};
using CudaDeviceRow
    = Plain<kCudaDevices, int, int, std::int64_t, std::string, std::optional<std::int64_t>>;

// The ENUM_ tables, which give names to the numbers in other tables.
template<const PlainText& Text>
using NumberRow = Plain<Text, int, std::string, std::string>;
inline constexpr std::string_view kNumberColumns = "id name label";
inline constexpr PlainText kEventTypes{
    {"ENUM_NSYS_EVENT_TYPE", kEveryRun, "NVTX types"}, kNumberColumns, kId};
inline constexpr PlainText kCategories{
    {"ENUM_BS_MEMORY_CATEGORY", kEveryRun, "Categories of `BS_memory`"}, kNumberColumns, kId};
inline constexpr PlainText kCopyKinds{
    {"ENUM_CUDA_MEMCPY_OPER", kKernelsTraced, "Kinds of copies"}, kNumberColumns, kId};
inline constexpr PlainText kMemKinds{
    {"ENUM_CUDA_MEM_KIND", kKernelsTraced, "Kinds of memory"}, kNumberColumns, kId};
inline constexpr PlainText kCallKinds{
    {"ENUM_NSYS_EVENT_CLASS", kKernelsTraced, "Kinds of calls"}, kNumberColumns, kId};
inline constexpr PlainText kWaitKinds{
    {"ENUM_CUPTI_SYNC_TYPE", kAllTraced, "Kinds of waits"}, kNumberColumns, kId};
inline constexpr PlainText kAllocationKinds{
    {"ENUM_CUDA_DEV_MEM_EVENT_OPER", kAllTraced, "Allocations and deallocations"},
    kNumberColumns,
    kId};

struct NvtxRow
{
    std::int64_t id = 0, start = 0;
    std::optional<std::int64_t> end = {}, range = {}, category = {}, color = {}, thread = {},
                                endThread = {}, payload = {};
    int type = 0, domain = 0;
    std::string text;
};
template<>
inline constexpr TableText kTableOf<NvtxRow>{"NVTX_EVENTS", kEveryRun,
                                             "A range per span, except for spans of typical "
                                             "iteration; domains and categories have ids below 0"};
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
// A column with a number that describes a GPU. It is NULL if CUDA does not report the number.
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
};
template<>
inline constexpr TableText kTableOf<GpuRow>{
    "TARGET_INFO_GPU", kGpuRuns,
    "The GPUs as CUDA describes them (clock rates in Hz, bandwidth in bytes/s; NULL: unknown). An "
    "emulated run has a row per device: `NVIDIA H200 (emulated, 3 of 8)`"};
void columns(GpuRow& row, auto&& column)
{
    engine::GpuFacts& gpu = row.gpu;
    nsight(column, "vmId", kZero, "id", gpu.device, "name", gpu.name, "busLocation", gpu.bus);
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

using SettingRow = std::pair<std::string, std::string>;
template<>
inline constexpr TableText kTableOf<SettingRow>{"BS_machine", kGpuRuns, "The CUDA configuration"};
void columns(SettingRow& setting, auto&& column)
{
    column({"name", kText, "",
            "`cuda_driver cuda_runtime nvidia_driver cublaslt nccl cupti module_loading tf32 "
            "fallback CUDA_VISIBLE_DEVICES CUDA_DEVICE_MAX_CONNECTIONS`, where known"},
           setting.first);
    column({"value", kMaybeText, "", "`fallback`: the slower code path, and why"}, setting.second);
}

struct PeerRow
{
    int source = 0, target = 0;
    bool access = false;
};
template<>
inline constexpr TableText kTableOf<PeerRow>{"BS_peer_access", kGpuRuns,
                                             "Peer access between GPUs"};
void columns(PeerRow& row, auto&& column)
{
    column({"source", kInteger, "", "CUDA's ordinal"}, row.source);
    column({"target", kInteger, "", "CUDA's ordinal"}, row.target);
    column({"access", kInteger, "", "1: supported"}, row.access);
}

} // namespace profiler
