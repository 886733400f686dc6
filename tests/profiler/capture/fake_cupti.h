#pragma once

#include "profiler/capture/cupti/cupti_capture.h"
#include "tests/catch.h"

#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tests {

namespace cupti = profiler::cupti;

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
        cupti::ExternalCorrelationRecord link{};
        link.kind = cupti::Kind::ExternalCorrelation;
        link.externalKind = cupti::ExternalKind::Custom0;
        link.externalId = id;
        link.correlationId = correlation;
        deliver(link);
    }
    void kernelOnly(std::uint32_t correlation, const char* name, std::uint64_t start,
                    std::uint64_t end, std::uint64_t graphNode = 0)
    {
        cupti::KernelRecord kernel{};
        kernel.kind = cupti::Kind::ConcurrentKernel;
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
        deliver(kernel);
    }

    profiler::CuptiApi api() const
    {
        profiler::CuptiApi api;
        api.getVersion = [](std::uint32_t* out) {
            *out = s_fake->version;
            return cupti::Status::Success;
        };
        api.subscribe = [](cupti::Subscriber* handle, cupti::Callback, void*,
                           cupti::SubscriberParams* params) {
            s_fake->subscribed = s_fake->subscribeResult == cupti::Status::Success;
            *handle = reinterpret_cast<cupti::Subscriber>(s_fake); // NOLINT: an opaque handle
            std::strncpy(params->oldSubscriberName, s_fake->otherTool.c_str(),
                         params->oldSubscriberSize - 1);
            return s_fake->subscribeResult;
        };
        api.unsubscribe = [](cupti::Subscriber) {
            s_fake->subscribed = false;
            return cupti::Status::Success;
        };
        api.setAttribute
            = [](cupti::Attribute, std::size_t*, void*) { return cupti::Status::Success; };
        api.registerTimestamp = [](cupti::TimestampCallback host) {
            s_fake->clock = host;
            s_fake->clockCameFirst = s_fake->enabled.empty();
            return cupti::Status::Success;
        };
        api.registerBuffers = [](cupti::RequestBuffer ask, cupti::CompleteBuffer done) {
            s_fake->request = ask;
            s_fake->complete = done;
            return cupti::Status::Success;
        };
        api.enable = [](cupti::Kind kind) {
            s_fake->enabled.insert(kind);
            return s_fake->enableResult;
        };
        api.disable = [](cupti::Kind kind) {
            s_fake->enabled.erase(kind);
            return cupti::Status::Success;
        };
        api.enableRuntimeCall = [](cupti::CallId id, std::uint8_t on) {
            if (id >= s_fake->knownRuntimeCalls)
                return cupti::Status::InvalidParameter;
            s_fake->calls += on != 0 ? 1 : -1;
            s_fake->runtimeCalls.insert(id);
            return cupti::Status::Success;
        };
        api.enableDriverCall = [](cupti::CallId id, std::uint8_t on) {
            s_fake->calls += on != 0 ? 1 : -1;
            s_fake->driverCalls.insert(id);
            return cupti::Status::Success;
        };
        api.pushId = [](cupti::ExternalKind, std::uint64_t id) {
            s_fake->pushed.push_back(id);
            return cupti::Status::Success;
        };
        api.popId = [](cupti::ExternalKind, std::uint64_t* id) {
            *id = s_fake->pushed.back();
            s_fake->pushed.pop_back();
            return cupti::Status::Success;
        };
        api.flushAll = [](std::uint32_t flags) {
            s_fake->flushes.push_back(flags);
            return cupti::Status::Success;
        };
        api.nextRecord = nextRecord;
        api.droppedRecords = [](cupti::ContextHandle, std::uint32_t, std::size_t* count) {
            *count = std::exchange(s_fake->dropped, 0);
            return cupti::Status::Success;
        };
        api.callbackName = [](cupti::CallDomain, std::uint32_t id, const char** name) {
            *name = id == cupti::runtime_call::cudaLaunchKernel_v7000 ? "cudaLaunchKernel_v7000"
                                                                      : nullptr;
            return *name == nullptr ? cupti::Status::InvalidParameter : cupti::Status::Success;
        };
        api.resultString = [](cupti::Status, const char** text) {
            *text = "cupti::Status::Unknown";
            return cupti::Status::Success;
        };
        api.contextOfStream = [](cupti::StreamHandle, cupti::ContextHandle* context) {
            *context = nullptr;
            return s_fake->streamResult;
        };
        api.contextId = [](cupti::ContextHandle, std::uint32_t* id) {
            *id = 9;
            return cupti::Status::Success;
        };
        api.streamId
            = [](cupti::ContextHandle, cupti::StreamHandle, std::uint8_t, std::uint32_t* id) {
                  *id = 7;
                  return cupti::Status::Success;
              };
        api.deviceId = [](cupti::ContextHandle, std::uint32_t* id) {
            *id = 2;
            return cupti::Status::Success;
        };
        return api;
    }

    cupti::DriverStatus streamResult = cupti::DriverStatus::Success;
    std::uint32_t version = 130001;
    cupti::Status subscribeResult = cupti::Status::Success, enableResult = cupti::Status::Success;
    std::string otherTool;
    bool subscribed = false, clockCameFirst = false, wasZero = true;
    std::set<cupti::Kind> enabled;
    int calls = 0;
    cupti::CallId knownRuntimeCalls = 523;             // those below it: CUDA 13.0's
    std::set<cupti::CallId> runtimeCalls, driverCalls; // asked for
    std::vector<std::uint64_t> pushed;
    std::vector<std::uint32_t> flushes;
    std::size_t dropped = 0;
    cupti::TimestampCallback clock = nullptr;
    cupti::RequestBuffer request = nullptr;
    cupti::CompleteBuffer complete = nullptr;

private:
    // One record a buffer.
    static cupti::Status nextRecord(std::uint8_t* buffer, std::size_t, cupti::Record** record)
    {
        if (*record != nullptr)
            return cupti::Status::MaxLimitReached;
        *record = reinterpret_cast<cupti::Record*>(buffer); // NOLINT: as CUPTI does
        return cupti::Status::Success;
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
