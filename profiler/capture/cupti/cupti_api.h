#pragma once

#include "engine/base/result.h"
#include "profiler/capture/cupti/abi.h"

#include <string>

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
    // Returns the context of a stream. The driver exports this function.
    cupti::DriverStatus (*contextOfStream)(cupti::StreamHandle, Context*) = nullptr;
};

// Loads CUPTI from the CUDA toolkit of this machine. Fails with Error::Code::Device if CUPTI is
// missing or lacks a required function.
engine::Result<CuptiApi> loadCupti();

// Returns the reason why CUPTI cannot be started, and the remedy. `tool` is the name of the
// conflicting profiler, or "".
std::string whyNot(const CuptiApi& api, cupti::Status result, const std::string& tool);

} // namespace profiler
