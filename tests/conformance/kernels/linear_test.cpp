#include "engine/backend/cuda/blas/products.h"
#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/conformance/kernels/suite.h"
#include "tests/support/cuda_on_cpu/cublasLt.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <fmt/format.h>

using namespace engine;
using namespace kernel_test;

namespace {

struct Layer
{
    int rows, in, out;

    static std::size_t times(int a, int b)
    {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
    }
    std::string text() const { return fmt::format("{} x {} x {}", rows, in, out); }
    double flops() const { return 2.0 * rows * in * out; }
};

// Those whose rows are multiples of 8 numbers are one product with cuBLASLt; the others are not.
std::vector<Layer> layers()
{
    std::vector<Layer> all{{1, 1, 1}, {5, 3, 7}, {33, 17, 65}, {24, 16, 40}, {64, 32, 48}};
    if (hasLarge())
        all.insert(all.end(), {{8192, 768, 3072}, {8192, 3072, 768}});
    return all;
}

void forwardConforms(const Layer& l)
{
    enum Behind { Nothing, Bias, Residual, BiasResidual, BiasGelu, Gelu };
    for (const Behind behind : {Nothing, Bias, Residual, BiasResidual, BiasGelu, Gelu}) {
        const bool biased = behind == Bias || behind == BiasResidual || behind == BiasGelu,
                   residual = behind == Residual || behind == BiasResidual,
                   activated = behind == BiasGelu || behind == Gelu;
        const std::size_t y = Layer::times(l.rows, l.out);
        conforms({.name = "linear",
                  .shape = fmt::format("{}{}{}{}", l.text(), biased ? ", bias" : "",
                                       residual ? ", residual" : "", activated ? ", GELU" : ""),
                  .arrays = {in(Layer::times(l.rows, l.in), 1), in(Layer::times(l.in, l.out), 2),
                             in(static_cast<std::size_t>(l.out), 3), in(residual ? y : 0, 4),
                             out(y), out(activated ? y : 0)},
                  .tolerance = 4e-6,
                  .roundsOnce = false,
                  .multiplies = true,
                  .flops = l.flops()},
                 [=](const auto& kernels, const auto& memory) {
                     using Real = std::remove_pointer_t<decltype(memory(0))>;
                     const auto state = [&](std::size_t array, bool exists) {
                         return exists ? memory.matrix(array, l.rows, l.out) : Matrix<Real>();
                     };
                     kernels.linear({.x = memory.matrix(0, l.rows, l.in),
                                     .weight = memory.matrix(1, l.in, l.out),
                                     .bias = biased ? memory(2) : nullptr,
                                     .residual = state(3, residual),
                                     .y = state(4, true),
                                     .activated = state(5, activated)});
                 });
    }
}

void backwardConforms(const Layer& l)
{
    for (const bool more : {false, true}) { // through a GELU; with a bias
        conforms({.name = "linear backward input",
                  .shape = l.text() + (more ? ", GELU" : ""),
                  .arrays
                  = {in(Layer::times(l.rows, l.out), 1), in(Layer::times(l.in, l.out), 2),
                     more ? scratch(Layer::times(l.rows, l.in)) : out(Layer::times(l.rows, l.in)),
                     inOut(more ? Layer::times(l.rows, l.in) : 0, 3)},
                  .tolerance = 4e-6,
                  .roundsOnce = false,
                  .multiplies = true,
                  .flops = l.flops()},
                 [=](const auto& kernels, const auto& memory) {
                     using Real = std::remove_pointer_t<decltype(memory(0))>;
                     kernels.linearBackwardInput(
                         {.dy = memory.matrix(0, l.rows, l.out),
                          .weight = memory.matrix(1, l.in, l.out),
                          .dx = memory.matrix(2, l.rows, l.in),
                          .beforeGelu = more ? memory.matrix(3, l.rows, l.in) : Matrix<Real>()});
                 });
        conforms({.name = "linear backward weight",
                  .shape = l.text() + (more ? ", bias" : ""),
                  .arrays = {in(Layer::times(l.rows, l.in), 1), in(Layer::times(l.rows, l.out), 2),
                             inOut(Layer::times(l.in, l.out), 3).wide(),
                             inOut(static_cast<std::size_t>(l.out), 4).wide()},
                  .tolerance = 4e-6,
                  .multiplies = true,
                  .flops = l.flops()},
                 [=](const auto& kernels, const auto& memory) {
                     kernels.linearBackwardWeight({.x = memory.matrix(0, l.rows, l.in),
                                                   .dy = memory.matrix(1, l.rows, l.out),
                                                   .dWeight = memory.wideMatrix(2, l.in, l.out),
                                                   .dBias = more ? memory.wide(3) : nullptr});
                 });
    }
}

} // namespace

TEST_CASE("linear layers with bias, residual and GELU equal the CPU's")
{
    for (const Layer& l : layers())
        forwardConforms(l);
}

TEST_CASE("the backward of linear layers equals the CPU's")
{
    for (const Layer& l : layers())
        backwardConforms(l);
}

TEST_CASE("layers give the same result whichever epilogue the library refuses")
{
    if (!isEmulated())
        return;
    using enum cuda_on_cpu::Refusal;
    int out = 56; // plans are kept: a shape of its own for each
    for (const auto refusal : {NotFound, InResult, AtRun, AtRunInvalid}) {
        INFO("refusal " << static_cast<int>(refusal));
        cuda_on_cpu::refuseEpilogues(refusal);
        forwardConforms({24, 16, out});
        backwardConforms({24, out, 16});
        cuda_on_cpu::refuseEpilogues(None);
        out += 8;
    }
}

// What a layer costs besides its product.
TEST_CASE("a layer is one product where cuBLASLt can do it, and the same in parts where it cannot")
{
    if (!isEmulated())
        return;
    const Kernels<bfloat16>& kernels = *emulatedCuda()->bfloat16Kernels();
    const DeviceMemory memory = emulatedCuda()->allocate(1 << 16);
    const auto matrix = [&](int at, int rows, int columns) {
        return Matrix<bfloat16>(reinterpret_cast<bfloat16*>(memory.get()) + at * 1024, rows,
                                columns);
    };
    const auto launchesOf = [&](int out) {
        const std::uint64_t before = cuda_on_cpu::launches();
        kernels.linear({.x = matrix(0, 8, 16),
                        .weight = matrix(1, 16, out),
                        .bias = matrix(2, 1, out).data,
                        .y = matrix(3, 8, out),
                        .activated = matrix(4, 8, out)});
        emulatedCuda()->synchronize();
        return cuda_on_cpu::launches() - before;
    };
    CHECK(launchesOf(24) == 0);
    CHECK(launchesOf(20) == 2); // bias, GELU: what GELU keeps must have rows of 8 numbers

    // Heuristics that promise too much, and then always: a run has the same bits from first to
    // last.
    using enum cuda_on_cpu::Refusal;
    cuda_on_cpu::refuseEpilogues(AtRun);
    CHECK(launchesOf(32) == 2);
    cuda_on_cpu::refuseEpilogues(None);
    CHECK(launchesOf(32) == 2);
    CHECK(launchesOf(40) == 0);
    cuda_on_cpu::refuseEpilogues(AtRun);
    CHECK_THROWS_AS(launchesOf(40), std::runtime_error); // it has run
    cuda_on_cpu::refuseEpilogues(Everything);
    CHECK_THROWS_AS(launchesOf(48), std::runtime_error); // nothing is left to do it by
    cuda_on_cpu::refuseEpilogues(None);
}

// The library does not say how exact its GELU is; 8 bits it has.
TEST_CASE("the library's GELU is used for bfloat16 only, and its bias sums where they fit")
{
    if (!isEmulated())
        return;
    const Device& device = *emulatedCuda();
    constexpr int kMost
        = static_cast<int>(cuda::OpStream::kIntermediate / sizeof(float)); // columns
    const DeviceMemory memory = device.allocate(Bytes{16} * (kMost + 1024));
    const auto launchesOf = [&](const auto& work) {
        const std::uint64_t before = cuda_on_cpu::launches();
        work();
        device.synchronize();
        return cuda_on_cpu::launches() - before;
    };
    const auto gelu = [&]<class Real>(const Kernels<Real>& kernels) {
        auto* numbers = reinterpret_cast<Real*>(memory.get());
        return launchesOf([&] {
            kernels.linear({.x = {numbers, 8, 16},
                            .weight = {numbers + 1024, 16, 24},
                            .bias = numbers + 2048,
                            .y = {numbers + 3072, 8, 24},
                            .activated = {numbers + 4096, 8, 24}});
        });
    };
    CHECK(gelu(*device.bfloat16Kernels()) == 0);
    CHECK(gelu(device.kernels()) == 2); // bias, GELU
    const auto biasSums = [&](int columns) {
        auto* numbers = reinterpret_cast<float*>(memory.get());
        return launchesOf([&] {
            device.kernels().linearBackwardWeight({.x = {numbers, 1, 1},
                                                   .dy = {numbers + 512, 1, columns},
                                                   .dWeight = {numbers + 512 + columns, 1, columns},
                                                   .dBias = numbers + 512 + 2 * columns});
        });
    };
    CHECK(biasSums(kMost) == 1); // what the library summed is added
    CHECK(biasSums(kMost + 1) == 2);
}

TEST_CASE("products round their operands only where TF32 was asked for")
{
    if (!isEmulated())
        return;
    const DeviceMemory memory
        = emulatedCuda()->allocate(static_cast<Bytes>(cuda::OpStream::kScratch) + 4096);
    auto* numbers = reinterpret_cast<float*>(memory.get());
    cuda::OpStream opStream{nullptr, numbers + 1024};
    CHECK(cudaStreamCreateWithFlags(&opStream.stream, cudaStreamNonBlocking) == cudaSuccess);
    const auto square = [&](const cuda::BlasOptions& options) {
        const float x = 1.0F + 1.0F / 4096; // 12 bits behind the point
        float result = 0;
        emulatedCuda()->upload(std::as_bytes(std::span(&x, 1)), memory.get());
        CHECK(cuda::makeBlasLt(options)->multiply(
            opStream,
            cuda::BatchedMatmul<float>{
                {.a = {numbers, 1, 1}, .b = {numbers, 1, 1}, .c = {numbers + 256, 1, 1}}}));
        CHECK(cudaStreamSynchronize(opStream.stream) == cudaSuccess);
        emulatedCuda()->download(memory.get() + 1024,
                                 std::as_writable_bytes(std::span(&result, 1)));
        return result;
    };
    CHECK(square({}) > 1.0004F);
    CHECK(square({.multiprocessors = 16}) > 1.0004F);
    CHECK(square({.tf32 = true}) == 1.0F);
    // The library computes no sums for an empty product, so the caller does.
    cuda::Product none = cuda::BatchedMatmul<float>{
        {.a = {numbers, 1, 0}, .b = {numbers, 1, 1}, .c = {numbers + 256, 0, 1}}};
    CHECK(cuda::makeBlasLt()->multiply(opStream, none));
    none.epilogue = cuda::Epilogue::BiasGradient;
    CHECK_FALSE(cuda::makeBlasLt()->multiply(opStream, none));
    CHECK(cudaStreamDestroy(opStream.stream) == cudaSuccess);
}

TEST_CASE("of a device's kernels those of TF32 round, and no others")
{
    if (!isEmulated())
        return;
    const Device& device = *emulatedCuda();
    const DeviceMemory memory = device.allocate(4096);
    auto* numbers = reinterpret_cast<float*>(memory.get());
    const auto square = [&](const Kernels<float>& kernels) {
        const float x = 1.0F + 1.0F / 4096; // 12 bits behind the point
        float result = 0;
        device.upload(std::as_bytes(std::span(&x, 1)), memory.get());
        kernels.matmul({.a = {numbers, 1, 1}, .b = {numbers, 1, 1}, .c = {numbers + 256, 1, 1}});
        device.download(memory.get() + 1024, std::as_writable_bytes(std::span(&result, 1)));
        return result;
    };
    CHECK(square(device.kernels()) > 1.0004F);
    CHECK(square(*device.tf32Kernels()) == 1.0F);
    CHECK(square(device.kernels()) > 1.0004F);
}
