#include "engine/backend/cuda/kernels/elements.h"
#include "engine/backend/cuda/kernels/operations.h"
#include "engine/backend/cuda/kernels/ordered_sum.h"
#include "engine/backend/kernels.h"

namespace engine::cuda {
namespace {

// Counts the lines (kLine bytes) that have at least one byte other than the expected one. A
// thread reads one line, 16 bytes at a time.
struct Unlike
{
    const std::byte* memory;
    std::uint64_t like; // the expected byte, repeated eight times

    __device__ void operator()(std::size_t line, std::int64_t& count) const
    {
        struct alignas(kAccess) Words
        {
            std::uint64_t at[kLine / sizeof(std::uint64_t)];
        };
        const Words words = *reinterpret_cast<const Words*>(memory + line * kLine);
        std::uint64_t different = 0;
        for (const std::uint64_t word : words.at)
            different |= word ^ like;
        count += different != 0 ? 1 : 0;
    }
};

} // namespace

std::int64_t linesUnlike(const OpStream& opStream, std::byte value,
                         std::span<const std::byte> memory)
{
    CHECK(areAligned({memory.data()}));
    constexpr std::uint64_t kEveryByte = ~std::uint64_t{0} / 0xff;
    // The count is placed after the sums of the chunks.
    auto* total = reinterpret_cast<std::int64_t*>(opStream.scratch) + kMostChunks;
    check(cudaMemsetAsync(total, 0, sizeof *total, opStream.stream), "cudaMemsetAsync");
    addOrderedSum(opStream, memory.size() / kLine,
                  Unlike{memory.data(), std::to_integer<std::uint64_t>(value) * kEveryByte}, total);
    std::int64_t count = 0;
    check(cudaMemcpyAsync(&count, total, sizeof count, cudaMemcpyDeviceToHost, opStream.stream),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(opStream.stream), "cudaStreamSynchronize");
    return count;
}

} // namespace engine::cuda
