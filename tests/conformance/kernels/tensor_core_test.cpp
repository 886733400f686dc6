// What stands for tensor cores and asynchronous copies on the CPU, by the tables of the PTX ISA
// ("Matrix Fragments for mma.m16n8k16", "ldmatrix"), and tiles of shared memory over them.
#include "engine/backend/cuda/kernels/tensor_tile.h"
#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"

#include <array>

using namespace engine;
using namespace engine::cuda;

namespace {

constexpr int kM = 16, kN = 8, kK = 16;

float left(int row, int k) // exact in bfloat16
{
    return static_cast<float>(row * kK + k - 128);
}
float right(int k, int column)
{
    return static_cast<float>((5 * k + 3 * column) % 17 - 8);
}

void launchOn(unsigned threads, void (*kernel)(float*), float* out, std::size_t shared = 0)
{
    cudaLaunchConfig_t config;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    cudaLaunchKernelEx(&config, kernel, out);
}

void oneProduct(float* out)
{
    const int lane = static_cast<int>(threadIdx.x), group = lane >> 2, inGroup = lane % 4;
    std::uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r) { // a0, a1: register 0, a2, a3: register 1 ...
        const int row = r == 0 || r == 2 ? group : group + 8;
        const int column = inGroup * 2 + (r < 2 ? 0 : 8);
        a[r] = ptx::pack(left(row, column), left(row, column + 1));
    }
    for (int r = 0; r < 2; ++r) {
        const int row = inGroup * 2 + (r == 0 ? 0 : 8);
        b[r] = ptx::pack(right(row, group), right(row + 1, group));
    }
    float c[4] = {1, 1, 1, 1};
    ptx::multiplyAdd(c, a, b[0], b[1]);
    for (int i = 0; i < 4; ++i)
        out[(i < 2 ? group : group + 8) * kN + inGroup * 2 + i % 2] = c[i];
}

// Without the wait, and with it.
template<bool kWaits>
void copied(float* out)
{
    auto* shared = reinterpret_cast<float*>(ptx::sharedMemory());
    const unsigned i = threadIdx.x * 4;
    ptx::copyAsync(shared + i, out + i, threadIdx.x % 2 == 0);
    if (kWaits)
        ptx::waitForCopies();
    __syncthreads();
    out[i + 1000] = shared[i];
}

constexpr int kSize = 64;
using Square = tensor::Tile<kSize, kSize>;

float numberOf(int matrix, int row, int column)
{
    return static_cast<float>((matrix * 31 + row * 7 + column * 13) % 11 - 5);
}

// Two tiles from the device's memory; a b^T and, with what it gave as weights, (a b^T) b.
void tileProducts(float* out)
{
    auto* tiles = reinterpret_cast<Square*>(ptx::sharedMemory());
    const auto* matrices = reinterpret_cast<const bfloat16*>(out);
    for (int t = 0; t < 2; ++t)
        tiles[t].fetch(matrices + t * kSize * kSize, kSize, 0, kSize);
    ptx::waitForCopies();
    __syncthreads();
    const int first = tensor::warpOfBlock() % (kSize / tensor::kSide) * tensor::kSide;
    tensor::Sums<kSize> scores, sums;
    tensor::addRowProducts(scores, tiles[0], first, tiles[1], 0);
    for (auto& each : scores.at)
        for (float& x : each)
            x /= 64; // few digits: exact in bfloat16
    tensor::addProducts(sums, scores, tiles[1], 0);
    __syncthreads();
    for (int n = 0; n < kSize / 8; ++n)
        for (int i = 0; i < 4; ++i) {
            const int row = first + tensor::rowOfLane() + i / 2 * 8;
            out[2 * kSize * kSize + row * kSize + n * 8 + tensor::columnOfLane() + i % 2]
                = sums.at[n][i];
        }
}

} // namespace

TEST_CASE("the fragments of a tensor core product are in the lanes that PTX specifies")
{
    if (!kernel_test::isEmulated())
        return;
    std::array<float, kM * kN> out{};
    launchOn(32, oneProduct, out.data());
    for (int row = 0; row < kM; ++row)
        for (int column = 0; column < kN; ++column) {
            float sum = 1;
            for (int k = 0; k < kK; ++k)
                sum += left(row, k) * right(k, column);
            CHECK(out[static_cast<std::size_t>(row * kN + column)] == sum);
        }
}

TEST_CASE("an asynchronous copy is visible after waiting, with zeros for missing data")
{
    if (!kernel_test::isEmulated())
        return;
    alignas(16) std::array<float, 2000> out{};
    out.fill(7);
    launchOn(64, copied<true>, out.data(), 1024);
    CHECK(out[1000] == 7);
    CHECK(out[1004] == 0);
    launchOn(64, copied<false>, out.data(), 1024);
    CHECK(std::isnan(out[1000]));
}

TEST_CASE("products of tiles are those of plain loops")
{
    if (!kernel_test::isEmulated())
        return;
    alignas(16) static std::array<float, 3 * kSize * kSize> out{};
    auto* matrices = reinterpret_cast<bfloat16*>(out.data());
    for (int t = 0; t < 2; ++t)
        for (int i = 0; i < kSize * kSize; ++i)
            matrices[t * kSize * kSize + i] = bfloat16(numberOf(t, i / kSize, i % kSize));
    launchOn(kThreads, tileProducts, out.data(), 2 * sizeof(Square));
    for (int row = 0; row < kSize; ++row)
        for (int column = 0; column < kSize; ++column) {
            float sum = 0;
            for (int k = 0; k < kSize; ++k) {
                float score = 0;
                for (int c = 0; c < kSize; ++c)
                    score += numberOf(0, row, c) * numberOf(1, k, c);
                sum += static_cast<float>(bfloat16(score / 64)) * numberOf(1, k, column);
            }
            CHECK(out[static_cast<std::size_t>(2 * kSize * kSize + row * kSize + column)]
                  == Approx(sum).epsilon(1e-5));
        }
}
