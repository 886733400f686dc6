#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace engine::cuda {

// A function of the driver as it was in version `since` of CUDA; nullptr where the driver has none.
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
        ? reinterpret_cast<Function>(function) // NOLINT: the driver's own interface
        : nullptr;
}

} // namespace engine::cuda
