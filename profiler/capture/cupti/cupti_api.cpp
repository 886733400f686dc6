#include "profiler/capture/cupti/cupti_api.h"

#include "engine/base/toolkit_library.h"

#include <fmt/format.h>

namespace profiler {

using namespace engine;

Result<CuptiApi> loadCupti()
{
    const ToolkitLibrary library("CUPTI", {"libcupti.so.13", "libcupti.so.12", "libcupti.so"});
    if (!library)
        return fail(Error::Code::Device,
                    "CUPTI was not found, so kernels cannot be recorded: install the CUDA toolkit, "
                    "or set CUDA_HOME");
    CuptiApi api;
    ToolkitFunctions functions(library);
    functions.take(api.getVersion, "cuptiGetVersion");
    functions.take(api.subscribe, "cuptiSubscribe_v2");
    functions.take(api.unsubscribe, "cuptiUnsubscribe");
    functions.take(api.setAttribute, "cuptiActivitySetAttribute");
    functions.take(api.registerTimestamp, "cuptiActivityRegisterTimestampCallback");
    functions.take(api.registerBuffers, "cuptiActivityRegisterCallbacks");
    functions.take(api.enable, "cuptiActivityEnable");
    functions.take(api.disable, "cuptiActivityDisable");
    functions.take(api.enableRuntimeCall, "cuptiActivityEnableRuntimeApi");
    functions.take(api.enableDriverCall, "cuptiActivityEnableDriverApi");
    functions.take(api.pushId, "cuptiActivityPushExternalCorrelationId");
    functions.take(api.popId, "cuptiActivityPopExternalCorrelationId");
    functions.take(api.flushAll, "cuptiActivityFlushAll");
    functions.take(api.nextRecord, "cuptiActivityGetNextRecord");
    functions.take(api.droppedRecords, "cuptiActivityGetNumDroppedRecords");
    functions.take(api.callbackName, "cuptiGetCallbackName");
    functions.take(api.resultString, "cuptiGetResultString");
    if (functions.missing() != nullptr)
        return fail(Error::Code::Device,
                    "{} has no {}: recording kernels needs CUDA 12.9 or newer, so only "
                    "ops are timed, with CUDA events",
                    library.file(), functions.missing());
    const ToolkitLibrary driver("the driver", {"libcuda.so.1"});
    ToolkitFunctions(library).take(api.contextId, "cuptiGetContextId");
    ToolkitFunctions(library).take(api.streamId, "cuptiGetStreamIdEx");
    ToolkitFunctions(library).take(api.deviceId, "cuptiGetDeviceId");
    ToolkitFunctions(driver).take(api.contextOfStream, "cuStreamGetCtx");
    return api;
}

std::string whyNot(const CuptiApi& api, cupti::Status result, const std::string& tool)
{
    using cupti::Status;
    if (result == Status::MultipleSubscribersNotSupported)
        return fmt::format("another profiler is attached{}: run without it, or with --trace ops",
                           tool.empty() ? "" : " (" + tool + ")");
    constexpr const char* kOldDriver = "the NVIDIA driver is older than CUPTI: update the driver, "
                                       "or use the toolkit that came with it";
    constexpr const char* kNotAllowed
        = "this user has no permission to trace the GPU: an "
          "administrator can grant it with NVreg_RestrictProfilingToAdminUsers=0";
    for (const auto& [status, why] :
         {std::pair(Status::NotCompatible, kOldDriver),
          {Status::NotInitialized, kOldDriver},
          {Status::InsufficientPrivileges, kNotAllowed},
          {Status::VirtualizedDeviceInsufficientPrivileges, kNotAllowed},
          {Status::VirtualizedDeviceNotSupported, "this virtual GPU cannot be traced"},
          {Status::ConfidentialComputingNotSupported,
           "confidential computing is enabled and prevents tracing"},
          {Status::MigDeviceNotSupported, "this MIG slice cannot be traced: use the whole GPU"},
          {Status::WslDeviceNotSupported, "GPUs cannot be traced under WSL with this driver"},
          {Status::Disabled, "tracing is disabled on this machine"}})
        if (result == status)
            return why;
    const char* text = nullptr;
    if (api.resultString == nullptr || api.resultString(result, &text) != cupti::Status::Success)
        text = nullptr;
    return fmt::format("CUPTI cannot be started: {} ({})", text == nullptr ? "unknown error" : text,
                       static_cast<int>(result));
}

} // namespace profiler
