#pragma once

#include "engine/base/check.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

// Kernels are started only by these functions, on an explicit stream: the default stream would
// break the order of the device's ops (tests/architecture checks this).
namespace engine::cuda {

constexpr int kWarp = 32;
constexpr int kThreads = 256; // per block, in all kernels: 8 blocks fill the 2048 threads of an SM

// Throws std::runtime_error with the name of the function and CUDA's message. The executor adds the
// name of the op to the message.
inline void check(cudaError_t status, const char* what)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// Launches `grid` blocks of kThreads threads on `stream`, with `shared` bytes of
// ptx::sharedMemory() per block. An empty grid launches nothing.
template<class... Parameters, class... Arguments>
void launchWithMemory(cudaStream_t stream, dim3 grid, std::size_t shared,
                      void (*kernel)(Parameters...), Arguments... arguments)
{
    CHECK(stream != nullptr);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0)
        return;
    constexpr std::size_t kUnasked = std::size_t{48} << 10; // more must be requested explicitly
    if (shared > kUnasked)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared)),
              "cudaFuncSetAttribute");
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(kThreads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
          "cudaLaunchKernelEx");
}

template<class... Parameters, class... Arguments>
void launch(cudaStream_t stream, dim3 grid, void (*kernel)(Parameters...), Arguments... arguments)
{
    launchWithMemory(stream, grid, 0, kernel, arguments...);
}

constexpr unsigned blocksFor(std::size_t count, std::size_t each)
{
    return static_cast<unsigned>((count + each - 1) / each);
}

} // namespace engine::cuda
