#include "engine/backend/cuda/nccl/functions.h"

#include "engine/backend/cuda/runtime/nccl.h"
#include "engine/base/toolkit_library.h"

#include <fmt/format.h>

#include <optional>

namespace engine::cuda {
namespace {

struct Loaded
{
    std::optional<NcclFunctions> functions;
    std::string reason;
};

Loaded load()
{
    const ToolkitLibrary library("NCCL", {"libnccl.so.2", "libnccl.so"});
    if (!library)
        return {{}, "libnccl.so.2 was not found: install NCCL, or set CUDA_HOME"};
    NcclFunctions all;
    ToolkitFunctions functions(library);
    functions.take(all.getUniqueId, "ncclGetUniqueId");
    functions.take(all.initRank, "ncclCommInitRankConfig");
    functions.take(all.asyncError, "ncclCommGetAsyncError");
    functions.take(all.finalize, "ncclCommFinalize");
    functions.take(all.destroy, "ncclCommDestroy");
    functions.take(all.abort, "ncclCommAbort");
    functions.take(all.groupStart, "ncclGroupStart");
    functions.take(all.groupEnd, "ncclGroupEnd");
    functions.take(all.send, "ncclSend");
    functions.take(all.receive, "ncclRecv");
    functions.take(all.allReduce, "ncclAllReduce");
    functions.take(all.errorString, "ncclGetErrorString");
    functions.take(all.lastError, "ncclGetLastError");
    if (functions.missing() != nullptr)
        return {{},
                fmt::format("{} has no {}: NCCL 2.18 or newer is needed", library.file(),
                            functions.missing())};
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
