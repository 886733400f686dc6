#pragma once

#include "profiler/capture/cupti/cupti_capture.h"
#include "tests/catch.h"

#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tests {

// CUPTI with no GPU behind it: remembers what it was asked for, and hands over the records it is
// given, in buffers that it asks for as the library does.
class FakeCupti
{
public:
    FakeCupti() { s_fake = this; }
    FakeCupti(const FakeCupti&) = delete;
    FakeCupti& operator=(const FakeCupti&) = delete;
    ~FakeCupti() { s_fake = nullptr; }

    // Puts a record into a buffer of its own, as the next that comes back.
    template<class Record>
    void deliver(const Record& record)
    {
        std::uint8_t* buffer = nullptr;
        std::size_t size = 0, records = 0;
        request(&buffer, &size, &records);
        if (buffer == nullptr)
            return; // declined
        for (std::size_t i = 0; i < sizeof record; ++i)
            wasZero = wasZero && buffer[i] == 0;
        std::memcpy(buffer, &record, sizeof record);
        complete(nullptr, 0, buffer, size, sizeof record);
    }

    // As CUPTI makes them while `id` is pushed: the number first, then what was launched.
    void launchKernel(std::uint32_t correlation, std::uint64_t id, const char* name,
                      std::uint64_t start, std::uint64_t end)
    {
        linkOnly(correlation, id);
        kernelOnly(correlation, name, start, end);
    }
    void linkOnly(std::uint32_t correlation, std::uint64_t id)
    {
        CUpti_ActivityExternalCorrelation link{};
        link.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
        link.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
        link.externalId = id;
        link.correlationId = correlation;
        deliver(link);
    }
    void kernelOnly(std::uint32_t correlation, const char* name, std::uint64_t start,
                    std::uint64_t end, std::uint64_t graphNode = 0)
    {
        CUpti_ActivityKernel10 kernel{};
        kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        kernel.start = start;
        kernel.end = end;
        kernel.deviceId = 0;
        kernel.contextId = 1;
        kernel.streamId = 7;
        kernel.correlationId = correlation;
        kernel.name = name;
        kernel.gridX = 16;
        kernel.gridY = kernel.gridZ = 1;
        kernel.blockX = 256;
        kernel.blockY = kernel.blockZ = 1;
        kernel.registersPerThread = 32;
        kernel.staticSharedMemory = 1024;
        kernel.dynamicSharedMemory = 2048;
        kernel.gridId = correlation;
        kernel.graphNodeId = graphNode;
        kernel.graphId = graphNode != 0 ? 3 : 0;
        deliver(kernel);
    }

    profiler::CuptiApi api() const
    {
        profiler::CuptiApi api;
        api.getVersion = [](std::uint32_t* out) {
            *out = s_fake->version;
            return CUPTI_SUCCESS;
        };
        api.subscribe = [](CUpti_SubscriberHandle* handle, CUpti_CallbackFunc, void*,
                           CUpti_SubscriberParams* params) {
            s_fake->subscribed = s_fake->subscribeResult == CUPTI_SUCCESS;
            *handle = reinterpret_cast<CUpti_SubscriberHandle>(s_fake); // NOLINT: an opaque handle
            std::strncpy(params->oldSubscriberName, s_fake->otherTool.c_str(),
                         params->oldSubscriberSize - 1);
            return s_fake->subscribeResult;
        };
        api.unsubscribe = [](CUpti_SubscriberHandle) {
            s_fake->subscribed = false;
            return CUPTI_SUCCESS;
        };
        api.setAttribute
            = [](CUpti_ActivityAttribute, std::size_t*, void*) { return CUPTI_SUCCESS; };
        api.registerTimestamp = [](CUpti_TimestampCallbackFunc host) {
            s_fake->clock = host;
            s_fake->clockCameFirst = s_fake->enabled.empty();
            return CUPTI_SUCCESS;
        };
        api.registerBuffers
            = [](CUpti_BuffersCallbackRequestFunc ask, CUpti_BuffersCallbackCompleteFunc done) {
                  s_fake->request = ask;
                  s_fake->complete = done;
                  return CUPTI_SUCCESS;
              };
        api.enable = [](CUpti_ActivityKind kind) {
            s_fake->enabled.insert(kind);
            return s_fake->enableResult;
        };
        api.disable = [](CUpti_ActivityKind kind) {
            s_fake->enabled.erase(kind);
            return CUPTI_SUCCESS;
        };
        api.enableRuntimeCall = [](CUpti_CallbackId id, std::uint8_t on) {
            if (id >= s_fake->knownRuntimeCalls)
                return CUPTI_ERROR_INVALID_PARAMETER;
            s_fake->calls += on != 0 ? 1 : -1;
            s_fake->runtimeCalls.insert(id);
            return CUPTI_SUCCESS;
        };
        api.enableDriverCall = [](CUpti_CallbackId id, std::uint8_t on) {
            s_fake->calls += on != 0 ? 1 : -1;
            s_fake->driverCalls.insert(id);
            return CUPTI_SUCCESS;
        };
        api.pushId = [](CUpti_ExternalCorrelationKind, std::uint64_t id) {
            s_fake->pushed.push_back(id);
            return CUPTI_SUCCESS;
        };
        api.popId = [](CUpti_ExternalCorrelationKind, std::uint64_t* id) {
            *id = s_fake->pushed.back();
            s_fake->pushed.pop_back();
            return CUPTI_SUCCESS;
        };
        api.flushAll = [](std::uint32_t flags) {
            s_fake->flushes.push_back(flags);
            return CUPTI_SUCCESS;
        };
        api.nextRecord = nextRecord;
        api.droppedRecords = [](CUcontext, std::uint32_t, std::size_t* count) {
            *count = std::exchange(s_fake->dropped, 0);
            return CUPTI_SUCCESS;
        };
        api.callbackName = [](CUpti_CallbackDomain, std::uint32_t id, const char** name) {
            *name = id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 ? "cudaLaunchKernel_v7000"
                                                                          : nullptr;
            return *name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
        };
        api.resultString = [](CUptiResult, const char** text) {
            *text = "CUPTI_ERROR_UNKNOWN";
            return CUPTI_SUCCESS;
        };
        api.contextOfStream = [](CUstream, CUcontext* context) {
            *context = nullptr;
            return s_fake->streamResult;
        };
        api.contextId = [](CUcontext, std::uint32_t* id) {
            *id = 9;
            return CUPTI_SUCCESS;
        };
        api.streamId = [](CUcontext, CUstream, std::uint8_t, std::uint32_t* id) {
            *id = 7;
            return CUPTI_SUCCESS;
        };
        api.deviceId = [](CUcontext, std::uint32_t* id) {
            *id = 2;
            return CUPTI_SUCCESS;
        };
        return api;
    }

    CUresult streamResult = CUDA_SUCCESS;
    std::uint32_t version = CUPTI_API_VERSION;
    CUptiResult subscribeResult = CUPTI_SUCCESS, enableResult = CUPTI_SUCCESS;
    std::string otherTool;
    bool subscribed = false, clockCameFirst = false, wasZero = true;
    std::set<CUpti_ActivityKind> enabled;
    int calls = 0;
    CUpti_CallbackId knownRuntimeCalls = CUPTI_RUNTIME_TRACE_CBID_SIZE; // those below it
    std::set<CUpti_CallbackId> runtimeCalls, driverCalls;               // asked for
    std::vector<std::uint64_t> pushed;
    std::vector<std::uint32_t> flushes;
    std::size_t dropped = 0;
    CUpti_TimestampCallbackFunc clock = nullptr;
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;

private:
    // One record a buffer.
    static CUptiResult CUPTIAPI nextRecord(std::uint8_t* buffer, std::size_t,
                                           CUpti_Activity** record)
    {
        if (*record != nullptr)
            return CUPTI_ERROR_MAX_LIMIT_REACHED;
        *record = reinterpret_cast<CUpti_Activity*>(buffer); // NOLINT: as CUPTI does
        return CUPTI_SUCCESS;
    }

    static inline FakeCupti* s_fake = nullptr;
};

inline std::unique_ptr<profiler::Capture>
started(const FakeCupti& cupti, profiler::TraceLevel level = profiler::TraceLevel::Kernels)
{
    auto capture = profiler::CuptiCapture::start(cupti.api(), level);
    REQUIRE(capture);
    return std::move(*capture);
}

} // namespace tests
