#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

struct CUctx_st; // the types behind the driver's CUcontext and CUstream
struct CUstream_st;

// The part of CUPTI's interface (CUDA 12.9 or newer) that this program uses. It is declared here
// because few build machines have CUPTI's headers, and older headers lack half of it. With the
// headers of CUDA 13, tests/profiler/capture/cupti_header.cpp checks every size, offset and number.
// Numbers never change, and records grow only at their ends. Each record is declared up to the last
// field that is read.
namespace profiler::cupti {

using ContextHandle = CUctx_st*;
using StreamHandle = CUstream_st*;
using Subscriber = struct SubscriberState*; // opaque handle
using CallId = std::uint32_t;

enum class Status : int {
    Success = 0,
    InvalidParameter = 1,
    MaxLimitReached = 12,
    NotCompatible = 14,
    NotInitialized = 15,
    Disabled = 23,
    VirtualizedDeviceNotSupported = 33,
    InsufficientPrivileges = 35,
    MultipleSubscribersNotSupported = 39,
    VirtualizedDeviceInsufficientPrivileges = 40,
    ConfidentialComputingNotSupported = 41,
    MigDeviceNotSupported = 43,
    WslDeviceNotSupported = 45,
    Unknown = 999,
};
// Status codes of the driver's functions.
enum class DriverStatus : int { Success = 0, InvalidHandle = 400 };

enum class Kind : int {
    Memcpy = 1,
    Memset = 2,
    Kernel = 3,
    Driver = 4,
    Runtime = 5,
    Device = 8,
    Context = 9,
    ConcurrentKernel = 10,
    Overhead = 17,
    PeerMemcpy = 22, // CUPTI_ACTIVITY_KIND_MEMCPY2
    Stream = 37,
    Synchronization = 38,
    ExternalCorrelation = 39,
    Nvlink = 40,
    Memory = 49, // CUPTI_ACTIVITY_KIND_MEMORY2
};
enum class ExternalKind : int { OpenAcc = 2, Custom0 = 3 };
enum class CallDomain : int { Driver = 1, Runtime = 2 };
enum class Attribute : int { ZeroedOutActivityBuffer = 5 };
constexpr std::uint32_t kFlushForced = 1;
constexpr std::uint8_t kMemcpyPeer = 10;         // CUpti_ActivityMemcpyKind
constexpr std::uint8_t kDeviceMemory = 3;        // CUpti_ActivityMemoryKind
constexpr int kMemoryRelease = 2;                // CUpti_ActivityMemoryOperationType
constexpr int kStreamWaitEvent = 2;              // CUpti_ActivitySynchronizationType
constexpr std::size_t kSubscriberNameBytes = 64; // smallest allowed buffer for a name

// Ids of calls. The names are CUDA's; their suffix is the version of the arguments.
namespace runtime_call {
// NOLINTBEGIN(readability-identifier-naming)
enum : CallId {
    cudaMemcpyAsync_v3020 = 41,
    cudaMemcpy2DAsync_v3020 = 44,
    cudaMemsetAsync_v3020 = 51,
    cudaMemset2DAsync_v3020 = 52,
    cudaMemcpyPeerAsync_v4000 = 161,
    cudaLaunchKernel_v7000 = 211,
    cudaLaunchKernel_ptsz_v7000 = 214,
    cudaLaunchCooperativeKernel_v9000 = 269,
    cudaGraphLaunch_v10000 = 311,
    cudaLaunchKernelExC_v11060 = 430,
    cudaLaunchKernelExC_ptsz_v11060 = 431,
    cudaLaunchKernel_v13000 = 505, // __cudaLaunchKernel, which <<<>>> calls in CUDA 13
    cudaLaunchKernel_ptsz_v13000 = 506,
};
} // namespace runtime_call
namespace driver_call {
enum : CallId {
    cuMemsetD8Async = 216,
    cuMemsetD16Async = 218,
    cuMemsetD32Async = 220,
    cuMemsetD2D8Async = 222,
    cuMemsetD2D32Async = 226,
    cuMemcpyDtoDAsync_v2 = 281,
    cuMemcpy2DAsync_v2 = 289,
    cuMemcpyAsync = 306,
    cuLaunchKernel = 307,
    cuMemcpyPeerAsync = 319,
    cuLaunchKernel_ptsz = 442,
    cuLaunchCooperativeKernel = 477,
    cuGraphLaunch = 514,
    cuLaunchKernelEx = 652,
    cuLaunchKernelEx_ptsz = 653,
};
// NOLINTEND(readability-identifier-naming)
} // namespace driver_call

struct SubscriberParams
{
    std::size_t structSize = sizeof(SubscriberParams);
    const char* subscriberName = nullptr;
    char* oldSubscriberName = nullptr; // output
    std::size_t oldSubscriberSize = 0;
};

using Callback = void (*)(void*, CallDomain, CallId, const void*);
using TimestampCallback = std::uint64_t (*)();
using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records);
using CompleteBuffer = void (*)(ContextHandle, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t bytes, std::size_t valid);

// The field with which every record begins. Records are packed, so fields are read by copying.
struct Record
{
    Kind kind;
};

#define BS_RECORD __attribute__((packed, aligned(8)))

// Times are ns of the registered clock. Fields called `reserved` are not read.
struct BS_RECORD KernelRecord
{
    Kind kind;
    std::byte reserved0[2];
    std::uint16_t registersPerThread;
    std::byte reserved1[8];
    std::uint64_t start, end; // `end` is 0 if the time stamp is missing
    std::byte reserved2[8];
    std::uint32_t deviceId, contextId, streamId;
    std::int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
    std::int32_t staticSharedMemory, dynamicSharedMemory; // bytes
    std::uint32_t localMemoryPerThread;                   // bytes
    std::byte reserved3[4];
    std::uint32_t correlationId;
    std::int64_t gridId;
    const char* name; // valid for the lifetime of the process
    std::byte reserved4[32];
    std::uint64_t graphNodeId; // 0: not launched by a graph
};

struct BS_RECORD CopyRecord
{
    Kind kind;
    std::uint8_t copyKind, srcKind, dstKind;
    std::byte reserved0[1];
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId, correlationId;
    std::byte reserved1[16];
    std::uint64_t graphNodeId;
};

struct BS_RECORD PeerCopyRecord
{
    Kind kind;
    std::uint8_t copyKind, srcKind, dstKind;
    std::byte reserved0[1];
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId, srcDeviceId;
    std::byte reserved1[4];
    std::uint32_t dstDeviceId;
    std::byte reserved2[4];
    std::uint32_t correlationId;
    std::byte reserved3[8];
    std::uint64_t graphNodeId;
};

struct BS_RECORD MemsetRecord
{
    Kind kind;
    std::uint32_t value;
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId, correlationId;
    std::byte reserved0[2];
    std::uint16_t memoryKind;
    std::byte reserved1[12];
    std::uint64_t graphNodeId;
};

struct BS_RECORD CallRecord
{
    Kind kind;
    CallId cbid;
    std::uint64_t start, end;
    std::uint32_t processId, threadId, correlationId, returnValue;
};

struct BS_RECORD ExternalCorrelationRecord
{
    Kind kind;
    ExternalKind externalKind;
    std::uint64_t externalId;
    std::uint32_t correlationId;
};

struct BS_RECORD SynchronizationRecord
{
    Kind kind;
    int type;
    std::uint64_t start, end;
    std::uint32_t correlationId, contextId, streamId, cudaEventId;
    std::uint64_t cudaEventSyncId;
};

struct BS_RECORD MemoryRecord
{
    Kind kind;
    int memoryOperationType, memoryKind;
    std::uint32_t correlationId;
    std::uint64_t address, bytes, timestamp;
    std::byte reserved0[12];
    std::uint32_t deviceId, contextId, streamId;
};

struct BS_RECORD OverheadRecord
{
    Kind kind;
    int overheadKind;
    std::byte reserved0[16];
    std::uint64_t start, end;
};

struct BS_RECORD ContextRecord
{
    Kind kind;
    std::uint32_t contextId, deviceId;
    std::byte reserved0[4];
    std::uint32_t parentContextId;
    std::uint8_t isGreenContext;
    std::byte reserved1[1];
    std::uint16_t numMultiprocessors; // 0 with older versions of CUPTI
};

struct BS_RECORD StreamRecord
{
    Kind kind;
    std::uint32_t contextId, streamId, priority;
};

#undef BS_RECORD

} // namespace profiler::cupti

namespace profiler {

// The functions of CUPTI that this program uses. They come from the library of this machine or from
// a test.
struct CuptiApi
{
    using Status = cupti::Status;
    using Context = cupti::ContextHandle;

    Status (*getVersion)(std::uint32_t*) = nullptr;
    Status (*subscribe)(cupti::Subscriber*, cupti::Callback, void*, cupti::SubscriberParams*)
        = nullptr;
    Status (*unsubscribe)(cupti::Subscriber) = nullptr;
    Status (*setAttribute)(cupti::Attribute, std::size_t* bytes, void* value) = nullptr;
    Status (*registerTimestamp)(cupti::TimestampCallback) = nullptr;
    Status (*registerBuffers)(cupti::RequestBuffer, cupti::CompleteBuffer) = nullptr;
    Status (*enable)(cupti::Kind) = nullptr;
    Status (*disable)(cupti::Kind) = nullptr;
    Status (*enableRuntimeCall)(cupti::CallId, std::uint8_t) = nullptr;
    Status (*enableDriverCall)(cupti::CallId, std::uint8_t) = nullptr;
    Status (*pushId)(cupti::ExternalKind, std::uint64_t) = nullptr;
    Status (*popId)(cupti::ExternalKind, std::uint64_t*) = nullptr;
    Status (*flushAll)(std::uint32_t flags) = nullptr;
    Status (*nextRecord)(std::uint8_t* buffer, std::size_t valid, cupti::Record**) = nullptr;
    Status (*droppedRecords)(Context, std::uint32_t stream, std::size_t*) = nullptr;
    Status (*callbackName)(cupti::CallDomain, std::uint32_t, const char**) = nullptr;
    Status (*resultString)(Status, const char**) = nullptr;
    // The next three functions are needed for the names of streams. If one of them is nullptr,
    // streams stay unnamed.
    Status (*contextId)(Context, std::uint32_t*) = nullptr;
    Status (*streamId)(Context, cupti::StreamHandle, std::uint8_t perThread, std::uint32_t*)
        = nullptr;
    Status (*deviceId)(Context, std::uint32_t*) = nullptr;
    // The driver exports this function.
    cupti::DriverStatus (*contextOfStream)(cupti::StreamHandle, Context*) = nullptr;
};

// Loads CUPTI from the CUDA toolkit of this machine. Fails with Error::Code::Device if CUPTI is
// missing or lacks a required function.
engine::Result<CuptiApi> loadCupti();

// Why CUPTI cannot be started, and the remedy. `tool`: the conflicting profiler, or "".
std::string whyNot(const CuptiApi& api, cupti::Status result, const std::string& tool);

} // namespace profiler
