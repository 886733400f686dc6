#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace engine::cuda {

// Looks up a function of the driver as of CUDA version `since`; nullptr if the driver lacks it.
template<class Function>
Function driverFunction(const char* name, unsigned since)
{
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    const cudaError_t status
        = cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &result);
#else
    static_cast<void>(since);
    const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &result);
#endif
    return status == cudaSuccess && result == cudaDriverEntryPointSuccess
        ? reinterpret_cast<Function>(function) // NOLINT: interface of the driver
        : nullptr;
}

} // namespace engine::cuda
