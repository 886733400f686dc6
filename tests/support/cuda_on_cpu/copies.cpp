// Copies and fillings of the emulated GPUs' memory (cuda_runtime_api.h).
#include "tests/support/cuda_on_cpu/device_memory.h"
#include "tests/support/cuda_on_cpu/machine.h"

#include <cstring>
#include <memory>
#include <vector>

using cuda_on_cpu::enqueue;
using cuda_on_cpu::Unlocked;

namespace {

struct Rows
{
    std::size_t width = 0, height = 1, fromPitch = 0, toPitch = 0; // bytes, rows
};

void copyRows(void* to, const void* from, const Rows& rows)
{
    for (std::size_t row = 0; row < rows.height; ++row)
        std::memmove(static_cast<char*>(to) + row * rows.toPitch,
                     static_cast<const char*>(from) + row * rows.fromPitch, rows.width);
}

// From this process's memory: it is read before the call returns. To it: it is written by then.
// With cudaMemcpyDefault such memory is pinned, and is copied in the order of the stream.
cudaError_t copy(void* to, const void* from, const Rows& rows, cudaMemcpyKind kind,
                 cudaStream_t stream)
{
    if (rows.width == 0 || rows.height == 0)
        return cudaSuccess;
    if (kind == cudaMemcpyHostToDevice) {
        const auto* first = static_cast<const char*>(from);
        std::vector<char> taken(first, first + (rows.height - 1) * rows.fromPitch + rows.width);
        return enqueue(stream, [to, taken = std::move(taken), rows] {
            const Unlocked unlocked;
            copyRows(to, taken.data(), rows);
        });
    }
    if (kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault || stream == nullptr)
        return enqueue(stream, [to, from, rows] {
            const Unlocked unlocked;
            copyRows(to, from, rows);
        });
    // The memory still exists when no one waits any more, because streams then stop.
    const Rows packed{rows.width, rows.height, rows.fromPitch, rows.width};
    const auto taken = std::make_shared<std::vector<char>>(rows.width * rows.height);
    cudaError_t status = enqueue(stream, [taken, from, packed] {
        const Unlocked unlocked;
        copyRows(taken->data(), from, packed);
    });
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(stream);
    if (status == cudaSuccess)
        copyRows(to, taken->data(), {rows.width, rows.height, rows.width, rows.toPitch});
    return status;
}

} // namespace

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy(to, from, {.width = bytes, .fromPitch = bytes, .toPitch = bytes}, kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t toPitch, const void* from,
                              std::size_t fromPitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream)
{
    if (width > toPitch || width > fromPitch)
        return cudaErrorInvalidValue;
    return copy(to, from, {width, height, fromPitch, toPitch}, kind, stream);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int toDevice, const void* from, int fromDevice,
                                std::size_t bytes, cudaStream_t stream)
{
    if (cuda_on_cpu::ownerOf(to) != toDevice || cuda_on_cpu::ownerOf(from) != fromDevice)
        return cudaErrorInvalidValue;
    return enqueue(stream, [to, from, bytes] {
        const Unlocked unlocked(Unlocked::AllGpus{});
        std::memmove(to, from, bytes);
    });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream)
{
    return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream)
{
    if (width > pitch)
        return cudaErrorInvalidValue;
    return enqueue(stream, [to, pitch, value, width, height] {
        const Unlocked unlocked;
        for (std::size_t row = 0; row < height; ++row)
            std::memset(static_cast<char*>(to) + row * pitch, value, width);
    });
}
