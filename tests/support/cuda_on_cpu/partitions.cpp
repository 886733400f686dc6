// Green contexts of the emulated GPUs (cuda.h), as the driver makes them: in groups of a smallest
// size, all at once, fewer than asked for where that many do not fit.
#include "tests/support/cuda_on_cpu/cuda.h"
#include "tests/support/cuda_on_cpu/machine.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

struct CUdevResourceDesc_st
{
    unsigned multiprocessors;
};
struct CUgreenCtx_st
{
    int gpu;
    unsigned multiprocessors;
    std::string name;
};

namespace {

std::vector<CUgreenCtx> named;
thread_local std::vector<CUgreenCtx> current; // of this thread, the last one is

CUresult getResource(CUdevice, CUdevResource* resource, CUdevResourceType type)
{
    *resource = {type, {static_cast<unsigned>(cuda_on_cpu::pluggedIn().multiprocessors)}};
    return CUDA_SUCCESS;
}

// How many parts of `size` there are in clusters of multiprocessors.
unsigned partsOf(unsigned multiprocessors, unsigned size)
{
    const int asked = cuda_on_cpu::pluggedIn().cluster;
    const unsigned cluster = asked > 0 ? static_cast<unsigned>(asked) : multiprocessors;
    if (size > cluster)
        return multiprocessors / cluster / ((size + cluster - 1) / cluster);
    return multiprocessors / cluster * (cluster / size) + multiprocessors % cluster / size;
}

CUresult split(CUdevResource* groups, unsigned* count, const CUdevResource* all,
               CUdevResource* rest, unsigned, unsigned least)
{
    const auto smallest = static_cast<unsigned>(cuda_on_cpu::pluggedIn().smallest);
    if (smallest == 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    const unsigned size = std::max(1U, (least + smallest - 1) / smallest) * smallest;
    *count = std::min({*count, partsOf(all->sm.smCount, size),
                       static_cast<unsigned>(cuda_on_cpu::pluggedIn().partitionsAtMost)});
    std::fill_n(groups, *count, CUdevResource{CU_DEV_RESOURCE_TYPE_SM, {size}});
    *rest = {CU_DEV_RESOURCE_TYPE_SM, {all->sm.smCount - *count * size}};
    return CUDA_SUCCESS;
}

CUresult describe(CUdevResourceDesc* description, CUdevResource* resource, unsigned count)
{
    static CUdevResourceDesc_st last;
    last.multiprocessors = resource->sm.smCount;
    *description = &last;
    return count == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult create(CUgreenCtx* context, CUdevResourceDesc description, CUdevice gpu, unsigned flags)
{
    *context = new CUgreenCtx_st{gpu, description->multiprocessors, {}};
    return flags == CU_GREEN_CTX_DEFAULT_STREAM ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult destroy(CUgreenCtx context)
{
    std::erase(named, context);
    delete context;
    return CUDA_SUCCESS;
}

CUresult convert(CUcontext* context, CUgreenCtx green)
{
    *context = reinterpret_cast<CUcontext>(green); // an opaque handle
    return CUDA_SUCCESS;
}

CUresult push(CUcontext context)
{
    current.push_back(reinterpret_cast<CUgreenCtx>(context));
    return CUDA_SUCCESS;
}

CUresult pop(CUcontext* context)
{
    *context = reinterpret_cast<CUcontext>(current.back());
    current.pop_back();
    return CUDA_SUCCESS;
}

CUresult createStream(CUstream* stream, CUgreenCtx context, unsigned flags, int)
{
    *stream = cuda_on_cpu::makeStream(context->gpu, static_cast<int>(context->multiprocessors),
                                      context);
    return flags == CU_STREAM_NON_BLOCKING ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result)
{
    const std::string_view name = symbol;
    *function = name == "cuDeviceGetDevResource" ? reinterpret_cast<void*>(getResource)
        : name == "cuDevSmResourceSplitByCount"  ? reinterpret_cast<void*>(split)
        : name == "cuDevResourceGenerateDesc"    ? reinterpret_cast<void*>(describe)
        : name == "cuGreenCtxCreate"             ? reinterpret_cast<void*>(create)
        : name == "cuGreenCtxDestroy"            ? reinterpret_cast<void*>(destroy)
        : name == "cuGreenCtxStreamCreate"       ? reinterpret_cast<void*>(createStream)
        : name == "cuCtxFromGreenCtx"            ? reinterpret_cast<void*>(convert)
        : name == "cuCtxPushCurrent"             ? reinterpret_cast<void*>(push)
        : name == "cuCtxPopCurrent"              ? reinterpret_cast<void*>(pop)
                                                 : nullptr;
    *result
        = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

CUgreenCtx_st* cuda_on_cpu::currentContext()
{
    return current.empty() ? nullptr : current.back();
}

void cuda_on_cpu::nameContext(CUctx_st* context, const std::string& name)
{
    named.emplace_back(reinterpret_cast<CUgreenCtx>(context))->name = name;
}

std::vector<std::string> cuda_on_cpu::contextNames()
{
    std::vector<std::string> names;
    for (const CUgreenCtx each : named)
        names.push_back(each->name);
    return names;
}
