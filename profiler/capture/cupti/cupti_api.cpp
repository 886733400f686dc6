#include "profiler/capture/cupti/cupti_api.h"

#include "engine/base/toolkit_library.h"

#include <fmt/format.h>

namespace profiler {

using engine::Error;
using engine::fail;
using engine::Result;

namespace {

// Finds one function after the other and remembers the first that was not there.
struct Finder
{
    const engine::ToolkitLibrary& library;
    const char* missing = nullptr;

    template<class Function>
    void find(Function& function, const char* name)
    {
        function = library.symbol<Function>(name);
        if (function == nullptr && missing == nullptr)
            missing = name;
    }
};

} // namespace

Result<CuptiApi> loadCupti()
{
    const engine::ToolkitLibrary library("CUPTI",
                                         {"libcupti.so.13", "libcupti.so.12", "libcupti.so"});
    if (!library)
        return fail(Error::Code::Device,
                    "CUPTI was not found, so kernels cannot be recorded: install it with the CUDA "
                    "toolkit, or set CUDA_HOME");
    CuptiApi api;
    Finder finder{library};
    finder.find(api.getVersion, "cuptiGetVersion");
    finder.find(api.subscribe, "cuptiSubscribe_v2");
    finder.find(api.unsubscribe, "cuptiUnsubscribe");
    finder.find(api.setAttribute, "cuptiActivitySetAttribute");
    finder.find(api.registerTimestamp, "cuptiActivityRegisterTimestampCallback");
    finder.find(api.registerBuffers, "cuptiActivityRegisterCallbacks");
    finder.find(api.enable, "cuptiActivityEnable");
    finder.find(api.disable, "cuptiActivityDisable");
    finder.find(api.enableRuntimeCall, "cuptiActivityEnableRuntimeApi");
    finder.find(api.enableDriverCall, "cuptiActivityEnableDriverApi");
    finder.find(api.pushId, "cuptiActivityPushExternalCorrelationId");
    finder.find(api.popId, "cuptiActivityPopExternalCorrelationId");
    finder.find(api.flushAll, "cuptiActivityFlushAll");
    finder.find(api.nextRecord, "cuptiActivityGetNextRecord");
    finder.find(api.droppedRecords, "cuptiActivityGetNumDroppedRecords");
    finder.find(api.callbackName, "cuptiGetCallbackName");
    finder.find(api.resultString, "cuptiGetResultString");
    if (finder.missing != nullptr)
        return fail(Error::Code::Device,
                    fmt::format("{} has no {}: it is older than CUDA 12.9, from which kernels are "
                                "recorded; ops are timed by CUDA events",
                                library.file(), finder.missing));
    const engine::ToolkitLibrary driver("the driver", {"libcuda.so.1"});
    Finder{library}.find(api.contextId, "cuptiGetContextId");
    Finder{library}.find(api.streamId, "cuptiGetStreamIdEx");
    Finder{library}.find(api.deviceId, "cuptiGetDeviceId");
    Finder{driver}.find(api.contextOfStream, "cuStreamGetCtx");
    return api;
}

std::string whyNot(const CuptiApi& api, CUptiResult result, const std::string& tool)
{
    switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        return fmt::format("another profiler is attached{}: run without it, or with --trace ops",
                           tool.empty() ? "" : " (" + tool + ")");
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_NOT_INITIALIZED:
        return "the NVIDIA driver is older than CUPTI: update the driver, or use the toolkit that "
               "came with it";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        return "this user may not trace the GPU: an administrator allows it with "
               "NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
        return "this virtual GPU cannot be traced";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
        return "confidential computing is on, and forbids tracing";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
        return "this MIG slice cannot be traced: use the whole GPU";
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
        return "GPUs cannot be traced under WSL with this driver";
    case CUPTI_ERROR_DISABLED:
        return "tracing is disabled on this machine";
    default:
        break;
    }
    const char* text = nullptr;
    if (api.resultString == nullptr || api.resultString(result, &text) != CUPTI_SUCCESS)
        text = nullptr;
    return fmt::format("CUPTI does not start: {} ({})", text == nullptr ? "unknown error" : text,
                       static_cast<int>(result));
}

} // namespace profiler
