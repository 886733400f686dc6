#pragma once

#include "engine/timeline/gpu_trace.h"
#include "profiler/store/run_tables.h"

// The tables of Nsight Systems' export that every run has, those that describe the machine of a run
// on GPUs, and those of GPU activity, each of which is created with its first row. Tables without
// the prefix BS_ have the same names, column order and types as in that export (schema 3.28.1).

namespace profiler {

inline constexpr std::string_view kKernelsTraced = "`--trace kernels` or `all`",
                                  kAllTraced = "`--trace all`", kGpuRuns = "runs on GPUs";

// Converts a memory kind from CUPTI's number to that of Nsight Systems and back. CUPTI counts from
// 1 (pageable) and has 0 for unknown; Nsight Systems counts from 0 and has 7 for unknown.
struct MemoryKindNumber
{
    std::uint8_t& cupti;

    void put(Statement& statement, int index) const
    {
        statement.set(index, cupti == 0 ? 7 : cupti - 1);
    }
    bool take(const Statement& row, int column) const
    {
        const std::int64_t nsight = row.integer(column);
        cupti = nsight < 0 || nsight >= 7 ? 0 : static_cast<std::uint8_t>(nsight + 1);
        return true;
    }
};

template<class Work>
struct OfProcess
{
    Work work;
    std::int64_t process = 0;
};

// The columns that state when a piece of work ran, and on which GPU, context and stream.
void placed(auto& work, std::int64_t& process, auto&& column)
{
    nsight(column, "start", work.window.begin, "end", work.window.end, "deviceId",
           work.place.device, "contextId", work.place.context, "greenContextId", kUnused,
           "streamId", work.place.stream, "correlationId", work.place.correlation, "globalPid",
           process);
}

struct GpuKernelRow
{
    engine::GpuKernel work;
    std::int64_t process = 0, demangled = 0, brief = 0, mangled = 0; // names are ids of StringIds
};
template<>
inline constexpr TableText kTableOf<GpuKernelRow>{"CUPTI_ACTIVITY_KIND_KERNEL", kKernelsTraced,
                                                  "Kernels"};
void columns(GpuKernelRow& row, auto&& column)
{
    engine::GpuKernel& k = row.work;
    placed(k, row.process, column);
    nsight(column, "demangledName", row.demangled, "shortName", row.brief, "mangledName",
           row.mangled, "launchType", kUnused, "cacheConfig", kUnused, "registersPerThread",
           k.registers, "gridX", k.grid[0], "gridY", k.grid[1], "gridZ", k.grid[2], "blockX",
           k.block[0], "blockY", k.block[1], "blockZ", k.block[2], "staticSharedMemory",
           k.staticShared, "dynamicSharedMemory", k.dynamicShared, "localMemoryPerThread",
           k.localPerThread, "localMemoryTotal", kZero, "gridId", k.gridId, "sharedMemoryExecuted",
           kUnused, "graphNodeId", orNull(k.graphNode, 0), "sharedMemoryLimitConfig", kUnused);
}

template<>
inline constexpr TableText kTableOf<OfProcess<engine::GpuCopy>>{"CUPTI_ACTIVITY_KIND_MEMCPY",
                                                                kKernelsTraced, "Copies"};
void columns(OfProcess<engine::GpuCopy>& row, auto&& column)
{
    engine::GpuCopy& copy = row.work;
    placed(copy, row.process, column);
    nsight(column, "bytes", copy.bytes, "copyKind", copy.kind, "deprecatedSrcId", kUnused,
           "srcKind", MemoryKindNumber{copy.sourceMemory}, "dstKind",
           MemoryKindNumber{copy.targetMemory}, "srcDeviceId", copy.sourceDevice, "srcContextId",
           kUnused, "dstDeviceId", copy.targetDevice, "dstContextId", kUnused, "migrationCause",
           kUnused, "graphNodeId", orNull(copy.graphNode, 0), "virtualAddress", kUnused,
           "copyCount", kUnused);
}

template<>
inline constexpr TableText kTableOf<OfProcess<engine::GpuMemset>>{"CUPTI_ACTIVITY_KIND_MEMSET",
                                                                  kKernelsTraced, "Memsets"};
void columns(OfProcess<engine::GpuMemset>& row, auto&& column)
{
    placed(row.work, row.process, column);
    nsight(column, "value", row.work.value, "bytes", row.work.bytes, "graphNodeId",
           orNull(row.work.graphNode, 0), "memKind", MemoryKindNumber{row.work.memory});
}

struct CallRow
{
    engine::GpuCall call;
    std::int64_t globalTid = 0, name = 0; // `name` is an id of StringIds
};
template<>
inline constexpr TableText kTableOf<CallRow>{
    "CUPTI_ACTIVITY_KIND_RUNTIME", kKernelsTraced,
    "Calls of the CUDA runtime (eventClass 0) and the driver (1). A call made for an op is on the "
    "thread of the op's NVTX range and within this range"};
void columns(CallRow& row, auto&& column)
{
    engine::GpuCall& call = row.call;
    nsight(column, "start", call.window.begin, "end", call.window.end, "eventClass", call.isDriver,
           "globalTid", row.globalTid, "correlationId", call.correlation, "nameId", row.name,
           "returnValue", call.result, "callchainId", kUnused);
}

template<>
inline constexpr TableText kTableOf<OfProcess<engine::GpuWait>>{
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kAllTraced, "Waits"};
void columns(OfProcess<engine::GpuWait>& row, auto&& column)
{
    placed(row.work, row.process, column);
    nsight(column, "syncType", row.work.type, "eventId", row.work.event, "eventSyncId",
           row.work.eventSync);
}

template<>
inline constexpr TableText kTableOf<OfProcess<engine::GpuAllocation>>{
    "CUDA_GPU_MEMORY_USAGE_EVENTS", kAllTraced, "Memory allocated and freed by the driver"};
void columns(OfProcess<engine::GpuAllocation>& row, auto&& column)
{
    engine::GpuAllocation& event = row.work;
    nsight(column, "start", event.time, "globalPid", row.process, "deviceId", event.place.device,
           "contextId", event.place.context, "address", event.address, "pc", kZero, "bytes",
           event.bytes, "memKind", MemoryKindNumber{event.memory}, "memoryOperationType",
           event.isFree, "name", kUnusedText, "correlationId", event.place.correlation, "streamId",
           event.place.stream, "localMemoryPoolAddress", kUnused, "localMemoryPoolReleaseThreshold",
           kUnused, "localMemoryPoolSize", kUnused, "localMemoryPoolUtilizedSize", kUnused,
           "importedMemoryPoolAddress", kUnused, "importedMemoryPoolProcessId", kUnused);
}

template<>
inline constexpr TableText kTableOf<OfProcess<engine::GpuContext>>{
    "TARGET_INFO_CUDA_CONTEXT_INFO", kKernelsTraced,
    "Contexts; a green context is an SM partition"};
void columns(OfProcess<engine::GpuContext>& row, auto&& column)
{
    engine::GpuContext& context = row.work;
    nsight(column, "nullStreamId", kZero, "hwId", kZero, "vmId", kZero, "processId", row.process,
           "deviceId", context.device, "contextId", context.context, "parentContextId",
           context.parent, "isGreenContext", context.isPartition, "numMultiprocessors",
           context.multiprocessors, "numTpcs", kUnused, "tpcMask", kUnusedText);
}

template<>
inline constexpr TableText kTableOf<OfProcess<engine::GpuStream>>{"TARGET_INFO_CUDA_STREAM",
                                                                  kKernelsTraced, "Streams"};
void columns(OfProcess<engine::GpuStream>& row, auto&& column)
{
    nsight(column, "streamId", row.work.stream, "hwId", kZero, "vmId", kZero, "processId",
           row.process, "contextId", row.work.context, "priority", row.work.priority, "flag",
           kZero);
}

struct StreamNameRow
{
    engine::GpuStreamName stream;
    std::string name;
    std::int64_t process = 0;
};
template<>
inline constexpr TableText kTableOf<StreamNameRow>{"TARGET_INFO_NVTX_CUDA_STREAM", kKernelsTraced,
                                                   "Names of streams: `GPU 0: compute`"};
void columns(StreamNameRow& row, auto&& column)
{
    nsight(column, "name", row.name, "hwId", kZero, "vmId", kZero, "processId", row.process,
           "deviceId", row.stream.device, "contextId", row.stream.context, "streamId",
           row.stream.stream);
}

template<>
inline constexpr TableText kTableOf<engine::GpuSample>{
    "BS_gpu_sample", kKernelsTraced,
    "Clocks, power and temperature of the GPUs, ten samples per second. 0: not reported"};
void columns(engine::GpuSample& sample, auto&& column)
{
    column(
        {"time", kInteger, "ns", "on the timeline (live runs) or CLOCK_MONOTONIC (emulated runs)"},
        sample.time);
    column({"device", kInteger, "", "CUDA's ordinal"}, sample.device);
    column({"sm_clock", kInteger, "MHz"}, sample.smClock);
    column({"memory_clock", kInteger, "MHz"}, sample.memoryClock);
    column({"power", kInteger, "mW"}, sample.power);
    column({"temperature", kInteger, "degrees Celsius"}, sample.temperature);
    column({"throttle", kInteger, "",
            "sum of NVML's reasons: 1 idle, 2 application clocks, 4 power cap, 8 hardware, 16 sync "
            "boost, 32 thermal slowdown, 64 hardware thermal slowdown, 128 power brake, 256 "
            "display clocks"},
           sample.throttle);
}

template<>
inline constexpr TableText kTableOf<engine::GpuOverhead>{"BS_gpu_overhead", kKernelsTraced,
                                                         "Time taken by the tracer"};
void columns(engine::GpuOverhead& overhead, auto&& column)
{
    column({"begin", kInteger, "ns"}, overhead.window.begin);
    column({"end", kInteger, "ns"}, overhead.window.end);
    column({"kind", kInteger, "", "CUPTI's overhead kind"}, overhead.kind);
}

struct LaunchRow
{
    std::uint64_t correlation = 0;
    engine::OpOfIteration of;
};
template<>
inline constexpr TableText kTableOf<LaunchRow>{
    "BS_gpu_launch", kKernelsTraced, "The execution of an op that launched each piece of work"};
void columns(LaunchRow& row, auto&& column)
{
    column({"correlation", kId, "", "joins `correlationId`"}, row.correlation);
    column({"iteration", kInteger, "", "`BS_iteration.iteration`"}, row.of.iteration);
    column({"op", kInteger, "", "`BS_schedule.op`"}, row.of.op);
}

struct RangeRow
{
    std::int64_t event = 0;
    engine::OpOfIteration of;
};
template<>
inline constexpr TableText kTableOf<RangeRow>{
    "BS_gpu_range", kKernelsTraced, "The op being launched when a library pushed an NVTX range"};
void columns(RangeRow& row, auto&& column)
{
    column({"event", kId, "", "`NVTX_EVENTS.eventId`"}, row.event);
    column({"iteration", kInteger, "", "`BS_iteration.iteration`"}, row.of.iteration);
    column({"op", kInteger, "", "`BS_schedule.op`"}, row.of.op);
}

// Ids as Nsight Systems builds them, with the bits <hardware:8><virtual
// machine:8><process:24><thread:24>. A device has a synthetic thread, whose number is above the
// highest id of a Linux thread (2^22).
inline constexpr std::int64_t kOneProcess = 0x1000000, kFirstSyntheticThread = 0x700000;
inline std::int64_t globalPid(std::int64_t process)
{
    return process % kOneProcess * kOneProcess;
}
inline std::int64_t globalTid(std::int64_t process, engine::DeviceId device)
{
    return globalPid(process) + kFirstSyntheticThread + device.value;
}

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
// `names` are separated by blanks.
void numbers(auto&& column, engine::GpuFacts& gpu, std::string_view names)
{
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find(' '));
        column({name, kMaybeInteger}, GpuNumber{gpu, name});
        names.remove_prefix(std::min(name.size() + 1, names.size()));
    }
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
    numbers(column, gpu,
            "isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate smCount pwGpuId");
    nsight(column, "uuid", gpu.uuid, "luid", kUnused, "chipName", kUnusedText);
    numbers(column, gpu, "cuDevice");
    nsight(column, "ctxswDevPath", kUnusedText, "ctrlDevPath", kUnusedText);
    numbers(column, gpu,
            "revision nodeMask constantMemory maxIPC maxRegistersPerBlock "
            "maxShmemPerBlock maxShmemPerBlockOptin maxShmemPerSm maxRegistersPerSm "
            "threadsPerWarp asyncEngines maxWarpsPerSm maxBlocksPerSm maxThreadsPerBlock "
            "maxBlockDimX maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY maxGridDimZ "
            "computeMajor computeMinor smMajor smMinor numaNodeId");
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
