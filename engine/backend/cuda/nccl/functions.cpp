#include "engine/backend/cuda/nccl/functions.h"

#include "engine/backend/cuda/nccl.h"
#include "engine/base/toolkit_library.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <type_traits>

namespace engine::cuda {
namespace {

struct Loaded
{
    std::optional<NcclFunctions> functions;
    std::string reason;
};

Loaded load()
{
    // Several communicators of one GPU: their kernels start in the order of the calls.
    setenv("NCCL_LAUNCH_ORDER_IMPLICIT", "1", 0);
    const ToolkitLibrary library("NCCL", {"libnccl.so.2", "libnccl.so"});
    if (!library)
        return {{}, "libnccl.so.2 was not found: install NCCL, or set CUDA_HOME"};
    const char* missing = nullptr;
    const auto take = [&](auto& function, const char* name) {
        function = library.symbol<std::remove_reference_t<decltype(function)>>(name);
        if (function == nullptr && missing == nullptr)
            missing = name;
    };
    NcclFunctions all;
    take(all.getUniqueId, "ncclGetUniqueId");
    take(all.initRank, "ncclCommInitRankConfig");
    take(all.asyncError, "ncclCommGetAsyncError");
    take(all.finalize, "ncclCommFinalize");
    take(all.destroy, "ncclCommDestroy");
    take(all.abort, "ncclCommAbort");
    take(all.groupStart, "ncclGroupStart");
    take(all.groupEnd, "ncclGroupEnd");
    take(all.send, "ncclSend");
    take(all.receive, "ncclRecv");
    take(all.allReduce, "ncclAllReduce");
    take(all.errorString, "ncclGetErrorString");
    take(all.lastError, "ncclGetLastError");
    if (missing != nullptr)
        return {{},
                fmt::format("{} has no {}: NCCL 2.18 or newer is needed", library.file(), missing)};
    return {all, {}};
}

} // namespace

const NcclFunctions* ncclFunctions(std::string* reason)
{
    static const Loaded kLoaded = load();
    if (reason != nullptr)
        *reason = kLoaded.reason;
    return kLoaded.functions ? &*kLoaded.functions : nullptr;
}

} // namespace engine::cuda
