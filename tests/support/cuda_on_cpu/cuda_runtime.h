#pragma once

#include "tests/support/cuda_on_cpu/machine.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <type_traits>

// The part of the CUDA runtime that engine/backend/cuda/*.cu use, on the CPU: the same sources are
// compiled by the host compiler, and the threads of a block are emulated one after the other, each
// until its next barrier. So index arithmetic, tails, barriers and the order of sums are tested
// where there is no GPU. What is refused: a barrier that not all threads of the block or the warp
// reach. What is found by running threads and blocks in several orders (cuda_on_cpu::runIn): a
// missing barrier, and blocks that use each other's results. Memory of cudaMalloc() can be touched
// by kernels and copies only: anything else that does gets a segmentation fault, as with a GPU.
// Work is queued on streams and executed when something waits for it (machine.h), in one of several
// orders, so that a missing wait is found, too; so are accesses that are not aligned, and pointers
// to memory of the host. What is not found: memory ordering between real SMs, speed, limits of
// registers and of shared memory.

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __shared__ static // one block is emulated at a time
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace cuda_on_cpu {

enum class Order { Forward, Backward, Shuffled }; // of threads between barriers, and of blocks
void runIn(Order order);
// Throws std::logic_error where threads of a block part at a barrier.
void run(const cudaLaunchConfig_t& config, const std::function<void()>& thread);
std::uint64_t launches(); // so far

void waitForBlock();
void waitForWarp();
constexpr std::size_t kSlot = 64;
std::byte* slotOfLane(unsigned lane); // of the own warp; kSlot bytes

constexpr std::size_t kSharedMemory = std::size_t{227} << 10; // of a block: sm_90's, the most
// What a block of a kernel may have on the thread's GPU: 48 KiB, or more where it was asked for.
cudaError_t askForSharedMemory(const void* kernel, int bytes);
// Throws std::logic_error where a kernel's argument is a pointer, and not to memory of a GPU; the
// members of an argument are not looked at.
void checkPointer(const void* pointer);
template<class Argument>
void checkArgument(const Argument& argument)
{
    if constexpr (std::is_pointer_v<Argument>)
        checkPointer(argument);
}
// What CUDA says to such a launch: more shared memory than was asked for, an empty or too large
// grid.
cudaError_t checkLaunch(const cudaLaunchConfig_t& config, const void* kernel);

// Every lane gives a value; read(lane) gives another's.
template<class Value, class Read>
auto exchange(unsigned mask, Value own, const Read& read)
{
    static_assert(sizeof(Value) <= kSlot);
    if (mask != 0xffffffffU)
        std::abort(); // only whole warps are emulated
    std::memcpy(slotOfLane(threadIdx.x % 32), &own, sizeof own);
    waitForWarp();
    const auto result = read([](unsigned lane) {
        Value other;
        std::memcpy(&other, slotOfLane(lane % 32), sizeof other);
        return other;
    });
    waitForWarp();
    return result;
}

} // namespace cuda_on_cpu

inline void __syncthreads()
{
    cuda_on_cpu::waitForBlock();
}
inline void __syncwarp(unsigned = 0xffffffffU)
{
    cuda_on_cpu::waitForWarp();
}
template<class Value>
Value __shfl_xor_sync(unsigned mask, Value value, int distance)
{
    const unsigned lane = threadIdx.x ^ static_cast<unsigned>(distance);
    return cuda_on_cpu::exchange(mask, value, [lane](auto of) { return of(lane); });
}
template<class Value>
Value __shfl_sync(unsigned mask, Value value, int lane)
{
    return cuda_on_cpu::exchange(mask, value,
                                 [lane](auto of) { return of(static_cast<unsigned>(lane)); });
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return cuda_on_cpu::exchange(mask, predicate != 0 ? 1U : 0U, [](auto of) {
        unsigned bits = 0;
        for (unsigned lane = 0; lane < 32; ++lane)
            bits |= of(lane) << lane;
        return bits;
    });
}
inline float __uint_as_float(unsigned bits)
{
    float number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}
inline int __ffs(int bits)
{
    return __builtin_ffs(bits);
}

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
template<class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute, int bytes)
{
    return cuda_on_cpu::askForSharedMemory(reinterpret_cast<const void*>(kernel), bytes);
}

template<class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments... arguments)
{
    const cudaError_t status
        = cuda_on_cpu::checkLaunch(*config, reinterpret_cast<const void*>(kernel));
    if (status != cudaSuccess)
        return status;
    if (config->stream != nullptr) // tests of the emulation itself have none
        (cuda_on_cpu::checkArgument(arguments), ...);
    return cuda_on_cpu::enqueue(config->stream, [config = *config, kernel, arguments...] {
        cuda_on_cpu::run(config, [&] { kernel(arguments...); });
    });
}
