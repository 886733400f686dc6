#include "engine/backend/cuda/runtime/allocations.h"

#include "engine/backend/cuda/kernels/launch.h"

#include <algorithm>
#include <new>

namespace engine::cuda {
namespace {

// Returns the bytes by which the driver rounded up an allocation of `asked` bytes. `gone` is the
// growth of the used memory. The driver allocates large pieces separately, but takes small pieces
// from a common block. The whole block counts for the first piece; for later pieces `gone` is 0 and
// the result is negative. A growth of `asked` + 2 MiB or more is caused by other programs and gives
// 0.
Bytes roundingOf(Bytes asked, Bytes gone)
{
    constexpr Bytes kPiece = Bytes{2} << 20;
    return gone >= 0 && gone < asked + kPiece ? gone - asked : 0;
}

} // namespace

Bytes usedMemory()
{
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    return total - available;
}

DeviceMemory Allocations::take(std::size_t bytes, MemoryFor purpose) const
{
    const bool onHost = purpose == MemoryFor::Host;
    void* memory = nullptr;
    const Bytes before = usedMemory();
    const cudaError_t status
        = onHost ? cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) : cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation)
        throw std::bad_alloc();
    check(status, onHost ? "cudaHostAlloc" : "cudaMalloc");
    if (onHost)
        return {static_cast<std::byte*>(memory), [](std::byte* taken) { cudaFreeHost(taken); }};
    const Bytes size = bytes;
    const Bytes more = roundingOf(size, usedMemory() - before);
    m_out->taken[purpose] += size;
    m_out->rounding += more;
    return {static_cast<std::byte*>(memory), [purpose, size, more, out = m_out](std::byte* taken) {
                cudaFree(taken);
                out->taken[purpose] -= size;
                out->rounding -= more;
            }};
}

GpuMemoryUse Allocations::use() const
{
    GpuMemoryUse use;
    std::ranges::copy(m_out->taken, use.taken.begin());
    use.rounding = m_out->rounding;
    return use;
}

} // namespace engine::cuda
