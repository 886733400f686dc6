#pragma once

#include <cuda_runtime.h>

#include <bit>

// engine/backend/cuda/kernels/ptx.h on the CPU: the same numbers in the same lanes. An asynchronous
// copy happens only when its thread waits for it, so that a missing wait shows.
namespace cuda_on_cpu {

void copyLater(void* to, const void* from, bool exists);
void copyNow();
unsigned char* sharedMemory(); // of the launch, kSharedMemory bytes; NaNs when a block begins
// Throws where ldmatrix may not read 16 bytes: not aligned, or not in the launch's shared memory.
void checkMatrixRow(std::uintptr_t row);

inline float low(std::uint32_t both)
{
    return std::bit_cast<float>(both << 16U);
}
inline float high(std::uint32_t both)
{
    return std::bit_cast<float>(both & 0xffff0000U);
}

} // namespace cuda_on_cpu

namespace engine::cuda::ptx {

inline void multiplyAdd(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                        std::uint32_t b1)
{
    struct Fragments
    {
        std::uint32_t a[4], b[2];
    };
    const unsigned lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const Fragments own{{a[0], a[1], a[2], a[3]}, {b0, b1}};
    cuda_on_cpu::exchange(0xffffffffU, own, [&](auto of) {
        using cuda_on_cpu::high, cuda_on_cpu::low;
        for (unsigned k = 0; k < 4; ++k) { // inner numbers 2k, 2k + 1, 2k + 8, 2k + 9
            const Fragments left = of(4 * g + k);
            for (unsigned column = 0; column < 2; ++column) {
                const Fragments right = of(4 * (2 * t + column) + k);
                for (unsigned row = 0; row < 2; ++row)
                    for (unsigned half = 0; half < 2; ++half) {
                        const std::uint32_t x = left.a[row + 2 * half], y = right.b[half];
                        c[2 * row + column] += low(x) * low(y) + high(x) * high(y);
                    }
            }
        }
        return 0;
    });
}

using Shared = std::uintptr_t;
inline Shared sharedAddress(const void* at)
{
    return reinterpret_cast<Shared>(at);
}

inline void loadMatrices(std::uint32_t (&to)[4], Shared row)
{
    cuda_on_cpu::checkMatrixRow(row);
    const unsigned lane = threadIdx.x % 32;
    cuda_on_cpu::exchange(0xffffffffU, row, [&](auto of) {
        for (unsigned m = 0; m < 4; ++m)
            std::memcpy(&to[m], reinterpret_cast<const char*>(of(8 * m + lane / 4)) + lane % 4 * 4,
                        4);
        return 0;
    });
}

inline void loadTransposed(std::uint32_t (&to)[4], Shared row)
{
    cuda_on_cpu::checkMatrixRow(row);
    const unsigned lane = threadIdx.x % 32;
    cuda_on_cpu::exchange(0xffffffffU, row, [&](auto of) {
        for (unsigned m = 0; m < 4; ++m) {
            std::uint16_t pair[2];
            for (unsigned i = 0; i < 2; ++i)
                std::memcpy(
                    &pair[i],
                    reinterpret_cast<const char*>(of(8 * m + lane % 4 * 2 + i)) + lane / 4 * 2, 2);
            to[m] = pair[0] | std::uint32_t{pair[1]} << 16U;
        }
        return 0;
    });
}

inline void copyAsync(void* shared, const void* from, bool exists)
{
    cuda_on_cpu::copyLater(shared, from, exists);
}
inline void waitForCopies()
{
    cuda_on_cpu::copyNow();
}

inline std::uint32_t pack(float low, float high)
{
    const auto narrow = [](float x) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        return std::isnan(x) ? 0x7fffU : (bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U;
    };
    return narrow(low) | narrow(high) << 16U;
}

inline float exp2(float x)
{
    return std::exp2(x);
}

inline unsigned char* sharedMemory()
{
    return cuda_on_cpu::sharedMemory();
}

} // namespace engine::cuda::ptx
