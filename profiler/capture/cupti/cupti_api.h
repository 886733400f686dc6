#pragma once

#include "engine/base/result.h"

#include <cupti.h>

#include <string>

namespace profiler {

// The part of CUPTI that is used, as functions to call: of the library on this machine, or of a
// test that plays a recording.
struct CuptiApi
{
    decltype(&cuptiGetVersion) getVersion = nullptr;
    decltype(&cuptiSubscribe_v2) subscribe = nullptr;
    decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
    decltype(&cuptiActivitySetAttribute) setAttribute = nullptr;
    decltype(&cuptiActivityRegisterTimestampCallback) registerTimestamp = nullptr;
    decltype(&cuptiActivityRegisterCallbacks) registerBuffers = nullptr;
    decltype(&cuptiActivityEnable) enable = nullptr;
    decltype(&cuptiActivityDisable) disable = nullptr;
    decltype(&cuptiActivityEnableRuntimeApi) enableRuntimeCall = nullptr;
    decltype(&cuptiActivityEnableDriverApi) enableDriverCall = nullptr;
    decltype(&cuptiActivityPushExternalCorrelationId) pushId = nullptr;
    decltype(&cuptiActivityPopExternalCorrelationId) popId = nullptr;
    decltype(&cuptiActivityFlushAll) flushAll = nullptr;
    decltype(&cuptiActivityGetNextRecord) nextRecord = nullptr;
    decltype(&cuptiActivityGetNumDroppedRecords) droppedRecords = nullptr;
    decltype(&cuptiGetCallbackName) callbackName = nullptr;
    decltype(&cuptiGetResultString) resultString = nullptr;
    // What names of streams need; nullptr: they stay without.
    decltype(&cuptiGetContextId) contextId = nullptr;
    decltype(&cuptiGetStreamIdEx) streamId = nullptr;
    decltype(&cuptiGetDeviceId) deviceId = nullptr;
    decltype(&cuStreamGetCtx) contextOfStream = nullptr; // of the driver
};

// Of this machine. Device: it is not there, or lacks a function.
engine::Result<CuptiApi> loadCupti();

// Why CUPTI refuses to start, and what a person can do. `tool`: who is in the way, where CUPTI
// told.
std::string whyNot(const CuptiApi& api, CUptiResult result, const std::string& tool);

} // namespace profiler
