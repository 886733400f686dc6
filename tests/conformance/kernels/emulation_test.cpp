// What emulates CUDA's threads on the CPU finds what it is there to find.
#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <stdexcept>

namespace {

void launchOne(void (*kernel)(int*), int* out)
{
    cudaLaunchConfig_t config;
    config.blockDim = dim3(64);
    cudaLaunchKernelEx(&config, kernel, out);
}

void partingBarrier(int*)
{
    if (threadIdx.x < 40)
        __syncthreads();
}

// Each thread reads what its neighbour wrote; without a barrier.
void racing(int* out)
{
    out[threadIdx.x] = static_cast<int>(threadIdx.x);
    out[64] += out[(threadIdx.x + 1) % 64];
}

void waiting(int* out)
{
    out[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < 64; ++i)
            out[64] += out[i];
}

int emulated(void (*kernel)(int*), cuda_on_cpu::Order order)
{
    int numbers[65] = {};
    cuda_on_cpu::runIn(order);
    launchOne(kernel, numbers);
    cuda_on_cpu::runIn(cuda_on_cpu::Order::Forward);
    return numbers[64];
}

} // namespace

TEST_CASE("a barrier that some threads do not reach is refused")
{
    if (!kernel_test::isEmulated())
        return;
    CHECK_THROWS_AS(emulated(partingBarrier, cuda_on_cpu::Order::Forward), std::logic_error);
}

TEST_CASE("a launch that CUDA refuses is refused")
{
    int numbers[65] = {};
    const auto statusOf = [&](dim3 grid, std::size_t shared) {
        cudaLaunchConfig_t config;
        config.gridDim = grid;
        config.blockDim = dim3(64);
        config.dynamicSmemBytes = shared;
        return cudaLaunchKernelEx(
            &config, +[](int*) {}, numbers);
    };
    CHECK(statusOf({1, 65535, 1}, 0) == cudaSuccess);
    CHECK(statusOf({1, 65536, 1}, 0) == cudaErrorInvalidConfiguration);
    CHECK(statusOf({1, 1, 65536}, 0) == cudaErrorInvalidConfiguration);
    CHECK(statusOf({0, 1, 1}, 0) == cudaErrorInvalidConfiguration);
    CHECK(statusOf({}, 48 << 10) == cudaSuccess);
    CHECK(statusOf({}, 49 << 10) == cudaErrorInvalidValue); // not requested
    CHECK(cudaFuncSetAttribute(waiting, cudaFuncAttributeMaxDynamicSharedMemorySize, 99 << 10)
          == cudaSuccess);
    CHECK(cudaFuncSetAttribute(waiting, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10)
          == cudaErrorInvalidValue);
}

TEST_CASE("a kernel that receives host memory is refused")
{
    cudaLaunchConfig_t config;
    config.blockDim = dim3(32);
    CHECK(cudaStreamCreateWithFlags(&config.stream, cudaStreamNonBlocking) == cudaSuccess);
    const auto write = +[](int* out) { *out = 1; };
    int onHost = 0;
    CHECK_THROWS_AS(cudaLaunchKernelEx(&config, write, &onHost), std::logic_error);
    void* onGpu = nullptr;
    REQUIRE(cudaMalloc(&onGpu, sizeof(int)) == cudaSuccess);
    CHECK(cudaLaunchKernelEx(&config, write, static_cast<int*>(onGpu)) == cudaSuccess);
    CHECK(cudaStreamSynchronize(config.stream) == cudaSuccess);
    CHECK(cudaFree(onGpu) == cudaSuccess);
    CHECK(cudaStreamDestroy(config.stream) == cudaSuccess);
}

TEST_CASE("a race shows in another order of threads, and a barrier ends it")
{
    if (!kernel_test::isEmulated())
        return;
    using cuda_on_cpu::Order;
    CHECK(emulated(racing, Order::Forward) != emulated(racing, Order::Backward));
    CHECK(emulated(waiting, Order::Forward) == 64 * 63 / 2);
    CHECK(emulated(waiting, Order::Backward) == 64 * 63 / 2);
    CHECK(emulated(waiting, Order::Shuffled) == 64 * 63 / 2);
}

TEST_CASE("lanes of a warp exchange values and votes")
{
    if (!kernel_test::isEmulated())
        return;
    int numbers[65] = {};
    launchOne(
        [](int* out) {
            const int lane = static_cast<int>(threadIdx.x % 32);
            const int other = __shfl_xor_sync(0xffffffffU, lane, 5);
            const unsigned odd = __ballot_sync(0xffffffffU, lane % 2);
            out[threadIdx.x] = other == (lane ^ 5) && odd == 0xaaaaaaaaU ? 1 : 0;
        },
        numbers);
    for (int i = 0; i < 64; ++i)
        CHECK(numbers[i] == 1);
}
