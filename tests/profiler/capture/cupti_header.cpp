// Compares cupti_api.h with the CUPTI headers of CUDA 13, which declare the records of CUDA 12.9 as
// well. Compiled only where these headers are installed.
#include "profiler/capture/cupti/cupti_api.h"
#include "tests/support/same_call.h"

#include <cupti.h> // includes cuda.h

#include <cstddef>

namespace profiler::cupti {
namespace {

// Whether each of CUPTI's records is at least as large as ours.
template<class Ours, class... Theirs>
constexpr bool kFits = ((sizeof(Ours) <= sizeof(Theirs)) && ...);

#define BS_PLACE(Ours, Theirs, field)                                                              \
    static_assert(offsetof(Ours, field) == offsetof(Theirs, field)                                 \
                  && sizeof(Ours::field) == sizeof(Theirs::field))
#define BS_BOTH(Ours, Older, Newer, field)                                                         \
    BS_PLACE(Ours, Older, field);                                                                  \
    BS_PLACE(Ours, Newer, field)
// Compares the fields that every record of GPU work has.
#define BS_ON_GPU(Ours, Older, Newer)                                                              \
    static_assert(kFits<Ours, Older, Newer>);                                                      \
    BS_BOTH(Ours, Older, Newer, kind);                                                             \
    BS_BOTH(Ours, Older, Newer, start);                                                            \
    BS_BOTH(Ours, Older, Newer, end);                                                              \
    BS_BOTH(Ours, Older, Newer, deviceId);                                                         \
    BS_BOTH(Ours, Older, Newer, contextId);                                                        \
    BS_BOTH(Ours, Older, Newer, streamId);                                                         \
    BS_BOTH(Ours, Older, Newer, correlationId);                                                    \
    BS_BOTH(Ours, Older, Newer, graphNodeId)

#define BS_KERNEL(field) BS_BOTH(KernelRecord, CUpti_ActivityKernel9, CUpti_ActivityKernel10, field)
BS_ON_GPU(KernelRecord, CUpti_ActivityKernel9, CUpti_ActivityKernel10);
BS_KERNEL(registersPerThread);
BS_KERNEL(gridX);
BS_KERNEL(gridY);
BS_KERNEL(gridZ);
BS_KERNEL(blockX);
BS_KERNEL(blockY);
BS_KERNEL(blockZ);
BS_KERNEL(staticSharedMemory);
BS_KERNEL(dynamicSharedMemory);
BS_KERNEL(localMemoryPerThread);
BS_KERNEL(gridId);
BS_KERNEL(name);

#define BS_COPY(field) BS_BOTH(CopyRecord, CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, field)
BS_ON_GPU(CopyRecord, CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6);
BS_COPY(bytes);
BS_COPY(copyKind);
BS_COPY(srcKind);
BS_COPY(dstKind);

#define BS_PEER(field)                                                                             \
    BS_BOTH(PeerCopyRecord, CUpti_ActivityMemcpyPtoP3, CUpti_ActivityMemcpyPtoP4, field)
BS_ON_GPU(PeerCopyRecord, CUpti_ActivityMemcpyPtoP3, CUpti_ActivityMemcpyPtoP4);
BS_PEER(bytes);
BS_PEER(copyKind);
BS_PEER(srcKind);
BS_PEER(dstKind);
BS_PEER(srcDeviceId);
BS_PEER(dstDeviceId);

#define BS_MEMSET(field) BS_BOTH(MemsetRecord, CUpti_ActivityMemset3, CUpti_ActivityMemset4, field)
BS_ON_GPU(MemsetRecord, CUpti_ActivityMemset3, CUpti_ActivityMemset4);
BS_MEMSET(bytes);
BS_MEMSET(value);
BS_MEMSET(memoryKind);

static_assert(kFits<CallRecord, CUpti_ActivityAPI>);
BS_PLACE(CallRecord, CUpti_ActivityAPI, kind);
BS_PLACE(CallRecord, CUpti_ActivityAPI, cbid);
BS_PLACE(CallRecord, CUpti_ActivityAPI, start);
BS_PLACE(CallRecord, CUpti_ActivityAPI, end);
BS_PLACE(CallRecord, CUpti_ActivityAPI, processId);
BS_PLACE(CallRecord, CUpti_ActivityAPI, threadId);
BS_PLACE(CallRecord, CUpti_ActivityAPI, correlationId);
BS_PLACE(CallRecord, CUpti_ActivityAPI, returnValue);

static_assert(kFits<ExternalCorrelationRecord, CUpti_ActivityExternalCorrelation>);
BS_PLACE(ExternalCorrelationRecord, CUpti_ActivityExternalCorrelation, externalKind);
BS_PLACE(ExternalCorrelationRecord, CUpti_ActivityExternalCorrelation, externalId);
BS_PLACE(ExternalCorrelationRecord, CUpti_ActivityExternalCorrelation, correlationId);

#define BS_SYNC(field) BS_PLACE(SynchronizationRecord, CUpti_ActivitySynchronization2, field)
static_assert(kFits<SynchronizationRecord, CUpti_ActivitySynchronization2>); // since CUDA 12.8
BS_SYNC(type);
BS_SYNC(start);
BS_SYNC(end);
BS_SYNC(correlationId);
BS_SYNC(contextId);
BS_SYNC(streamId);
BS_SYNC(cudaEventId);
BS_SYNC(cudaEventSyncId);

#define BS_MEMORY(field) BS_BOTH(MemoryRecord, CUpti_ActivityMemory3, CUpti_ActivityMemory4, field)
static_assert(kFits<MemoryRecord, CUpti_ActivityMemory3, CUpti_ActivityMemory4>);
BS_MEMORY(memoryOperationType);
BS_MEMORY(memoryKind);
BS_MEMORY(correlationId);
BS_MEMORY(address);
BS_MEMORY(bytes);
BS_MEMORY(timestamp);
BS_MEMORY(deviceId);
BS_MEMORY(contextId);
BS_MEMORY(streamId);

#define BS_OVERHEAD(field)                                                                         \
    BS_BOTH(OverheadRecord, CUpti_ActivityOverhead2, CUpti_ActivityOverhead3, field)
static_assert(kFits<OverheadRecord, CUpti_ActivityOverhead2, CUpti_ActivityOverhead3>);
BS_OVERHEAD(overheadKind);
BS_OVERHEAD(start);
BS_OVERHEAD(end);

#define BS_CONTEXT(field)                                                                          \
    BS_BOTH(ContextRecord, CUpti_ActivityContext2, CUpti_ActivityContext3, field)
static_assert(kFits<ContextRecord, CUpti_ActivityContext2, CUpti_ActivityContext3>);
BS_CONTEXT(contextId);
BS_CONTEXT(deviceId);
BS_CONTEXT(parentContextId);
BS_CONTEXT(isGreenContext);
BS_PLACE(ContextRecord, CUpti_ActivityContext3, numMultiprocessors);

static_assert(kFits<StreamRecord, CUpti_ActivityStream>);
BS_PLACE(StreamRecord, CUpti_ActivityStream, contextId);
BS_PLACE(StreamRecord, CUpti_ActivityStream, streamId);
BS_PLACE(StreamRecord, CUpti_ActivityStream, priority);

static_assert(sizeof(SubscriberParams) == CUpti_SubscriberParams_STRUCT_SIZE);
BS_PLACE(SubscriberParams, CUpti_SubscriberParams, structSize);
BS_PLACE(SubscriberParams, CUpti_SubscriberParams, subscriberName);
BS_PLACE(SubscriberParams, CUpti_SubscriberParams, oldSubscriberName);
BS_PLACE(SubscriberParams, CUpti_SubscriberParams, oldSubscriberSize);
static_assert(kSubscriberNameBytes == CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN);

template<class Ours, class Theirs>
constexpr bool isSame(Ours ours, Theirs theirs)
{
    return static_cast<long>(ours) == static_cast<long>(theirs) && sizeof ours <= sizeof theirs;
}
static_assert(isSame(Status::Success, CUPTI_SUCCESS)
              && isSame(Status::InvalidParameter, CUPTI_ERROR_INVALID_PARAMETER)
              && isSame(Status::MaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED)
              && isSame(Status::NotCompatible, CUPTI_ERROR_NOT_COMPATIBLE)
              && isSame(Status::NotInitialized, CUPTI_ERROR_NOT_INITIALIZED)
              && isSame(Status::Disabled, CUPTI_ERROR_DISABLED)
              && isSame(Status::VirtualizedDeviceNotSupported,
                        CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED)
              && isSame(Status::InsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
              && isSame(Status::MultipleSubscribersNotSupported,
                        CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
              && isSame(Status::VirtualizedDeviceInsufficientPrivileges,
                        CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
              && isSame(Status::ConfidentialComputingNotSupported,
                        CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED)
              && isSame(Status::MigDeviceNotSupported, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED)
              && isSame(Status::WslDeviceNotSupported, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED)
              && isSame(Status::Unknown, CUPTI_ERROR_UNKNOWN)
              && isSame(DriverStatus::Success, CUDA_SUCCESS)
              && isSame(DriverStatus::InvalidHandle, CUDA_ERROR_INVALID_HANDLE));

static_assert(isSame(Kind::Memcpy, CUPTI_ACTIVITY_KIND_MEMCPY)
              && isSame(Kind::Memset, CUPTI_ACTIVITY_KIND_MEMSET)
              && isSame(Kind::Kernel, CUPTI_ACTIVITY_KIND_KERNEL)
              && isSame(Kind::Driver, CUPTI_ACTIVITY_KIND_DRIVER)
              && isSame(Kind::Runtime, CUPTI_ACTIVITY_KIND_RUNTIME)
              && isSame(Kind::Device, CUPTI_ACTIVITY_KIND_DEVICE)
              && isSame(Kind::Context, CUPTI_ACTIVITY_KIND_CONTEXT)
              && isSame(Kind::ConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
              && isSame(Kind::Overhead, CUPTI_ACTIVITY_KIND_OVERHEAD)
              && isSame(Kind::PeerMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY2)
              && isSame(Kind::Stream, CUPTI_ACTIVITY_KIND_STREAM)
              && isSame(Kind::Synchronization, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)
              && isSame(Kind::ExternalCorrelation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)
              && isSame(Kind::Nvlink, CUPTI_ACTIVITY_KIND_NVLINK)
              && isSame(Kind::Memory, CUPTI_ACTIVITY_KIND_MEMORY2));
static_assert(isSame(ExternalKind::OpenAcc, CUPTI_EXTERNAL_CORRELATION_KIND_OPENACC)
              && isSame(ExternalKind::Custom0, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
              && isSame(CallDomain::Driver, CUPTI_CB_DOMAIN_DRIVER_API)
              && isSame(CallDomain::Runtime, CUPTI_CB_DOMAIN_RUNTIME_API)
              && isSame(Attribute::ZeroedOutActivityBuffer,
                        CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER)
              && isSame(kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)
              && isSame(kMemcpyPeer, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP)
              && isSame(kDeviceMemory, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE)
              && isSame(kMemoryRelease, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE)
              && isSame(kStreamWaitEvent, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT));

#define BS_CALL(name) static_assert(isSame(runtime_call::name, CUPTI_RUNTIME_TRACE_CBID_##name))
BS_CALL(cudaMemcpyAsync_v3020);
BS_CALL(cudaMemcpy2DAsync_v3020);
BS_CALL(cudaMemsetAsync_v3020);
BS_CALL(cudaMemset2DAsync_v3020);
BS_CALL(cudaMemcpyPeerAsync_v4000);
BS_CALL(cudaLaunchKernel_v7000);
BS_CALL(cudaLaunchKernel_ptsz_v7000);
BS_CALL(cudaLaunchCooperativeKernel_v9000);
BS_CALL(cudaGraphLaunch_v10000);
BS_CALL(cudaLaunchKernelExC_v11060);
BS_CALL(cudaLaunchKernelExC_ptsz_v11060);
static_assert(isSame(runtime_call::cudaLaunchKernel_v13000,
                     CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000)
              && isSame(runtime_call::cudaLaunchKernel_ptsz_v13000,
                        CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000));
#undef BS_CALL
#define BS_CALL(name) static_assert(isSame(driver_call::name, CUPTI_DRIVER_TRACE_CBID_##name))
BS_CALL(cuMemsetD8Async);
BS_CALL(cuMemsetD16Async);
BS_CALL(cuMemsetD32Async);
BS_CALL(cuMemsetD2D8Async);
BS_CALL(cuMemsetD2D32Async);
BS_CALL(cuMemcpyDtoDAsync_v2);
BS_CALL(cuMemcpy2DAsync_v2);
BS_CALL(cuMemcpyAsync);
BS_CALL(cuLaunchKernel);
BS_CALL(cuMemcpyPeerAsync);
BS_CALL(cuLaunchKernel_ptsz);
BS_CALL(cuLaunchCooperativeKernel);
BS_CALL(cuGraphLaunch);
BS_CALL(cuLaunchKernelEx);
BS_CALL(cuLaunchKernelEx_ptsz);

using engine::takesTheSame;
constexpr CuptiApi kOurs;
static_assert(takesTheSame(kOurs.getVersion, &cuptiGetVersion));
static_assert(takesTheSame(kOurs.subscribe, &cuptiSubscribe_v2));
static_assert(takesTheSame(kOurs.unsubscribe, &cuptiUnsubscribe));
static_assert(takesTheSame(kOurs.setAttribute, &cuptiActivitySetAttribute));
static_assert(takesTheSame(kOurs.registerTimestamp, &cuptiActivityRegisterTimestampCallback));
static_assert(takesTheSame(kOurs.registerBuffers, &cuptiActivityRegisterCallbacks));
static_assert(takesTheSame(kOurs.enable, &cuptiActivityEnable));
static_assert(takesTheSame(kOurs.disable, &cuptiActivityDisable));
static_assert(takesTheSame(kOurs.enableRuntimeCall, &cuptiActivityEnableRuntimeApi));
static_assert(takesTheSame(kOurs.enableDriverCall, &cuptiActivityEnableDriverApi));
static_assert(takesTheSame(kOurs.pushId, &cuptiActivityPushExternalCorrelationId));
static_assert(takesTheSame(kOurs.popId, &cuptiActivityPopExternalCorrelationId));
static_assert(takesTheSame(kOurs.flushAll, &cuptiActivityFlushAll));
static_assert(takesTheSame(kOurs.nextRecord, &cuptiActivityGetNextRecord));
static_assert(takesTheSame(kOurs.droppedRecords, &cuptiActivityGetNumDroppedRecords));
static_assert(takesTheSame(kOurs.callbackName, &cuptiGetCallbackName));
static_assert(takesTheSame(kOurs.resultString, &cuptiGetResultString));
static_assert(takesTheSame(kOurs.contextId, &cuptiGetContextId));
static_assert(takesTheSame(kOurs.streamId, &cuptiGetStreamIdEx));
static_assert(takesTheSame(kOurs.deviceId, &cuptiGetDeviceId));
static_assert(takesTheSame(kOurs.contextOfStream, &cuStreamGetCtx));
static_assert(takesTheSame(Callback(), CUpti_CallbackFunc()));
static_assert(takesTheSame(TimestampCallback(), CUpti_TimestampCallbackFunc()));
static_assert(takesTheSame(RequestBuffer(), CUpti_BuffersCallbackRequestFunc()));
static_assert(takesTheSame(CompleteBuffer(), CUpti_BuffersCallbackCompleteFunc()));

} // namespace
} // namespace profiler::cupti
