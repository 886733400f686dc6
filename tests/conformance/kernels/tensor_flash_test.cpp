// Flash attention on tensor cores, emulated on the CPU, against the CPU's attention in double
// precision: both masks, grouped heads, lengths around a tile's, slices.
#include "engine/backend/cuda/kernels/flash_tensor.h"
#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda/runtime/tensor_attention.h"
#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"
#include "tests/support/finite_differences.h"

#include <fmt/format.h>

using namespace engine;
using Catch::Contains;

namespace {

using cuda_on_cpu::Order;

// Numbers that bfloat16 has.
Numbers roundedNoise(std::size_t count, unsigned seed)
{
    Numbers numbers = noise(count, seed);
    for (double& x : numbers)
        x = static_cast<double>(bfloat16(static_cast<float>(x)));
    return numbers;
}

// An array in the memory of the emulated device.
template<class Number>
class Placed
{
public:
    explicit Placed(const Numbers& numbers)
        : m_count(numbers.size())
        , m_memory(kernel_test::emulatedCuda()->allocate(
              static_cast<Bytes>((m_count + 1) * sizeof(Number))))
    {
        std::vector<Number> narrow;
        for (const double x : numbers)
            narrow.push_back(Number(static_cast<float>(x)));
        kernel_test::emulatedCuda()->upload(std::as_bytes(std::span(narrow)), m_memory.get());
    }
    Number* data() const { return reinterpret_cast<Number*>(m_memory.get()); }
    Numbers read() const
    {
        std::vector<Number> narrow(m_count);
        kernel_test::emulatedCuda()->download(m_memory.get(),
                                              std::as_writable_bytes(std::span(narrow)));
        Numbers numbers;
        for (const Number x : narrow)
            numbers.push_back(static_cast<double>(static_cast<float>(x)));
        return numbers;
    }

private:
    std::size_t m_count;
    DeviceMemory m_memory;
};

double errorOf(const Numbers& a, const Numbers& truth)
{
    double difference = 0, square = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        difference += (a[i] - truth[i]) * (a[i] - truth[i]);
        square += truth[i] * truth[i];
    }
    return std::sqrt(difference / std::max(square, 1e-300));
}

Numbers nothing(std::size_t count)
{
    return Numbers(count, std::nan(""));
}

struct Results
{
    Numbers out, logSums, gradients;
};

struct Inputs
{
    AttentionShape shape;
    int rows = 0;
    Numbers qkv, dOut;

    explicit Inputs(const AttentionShape& of)
        : shape(of)
        , rows(static_cast<int>(of.rows()))
        , qkv(roundedNoise(of.rows() * static_cast<std::size_t>(of.qkvWidth()), 1))
        , dOut(roundedNoise(of.rows() * static_cast<std::size_t>(of.width()), 2))
    { }
    std::size_t width() const { return shape.rows() * static_cast<std::size_t>(shape.width()); }
    std::size_t sums() const { return shape.rows() * static_cast<std::size_t>(shape.heads); }
};

Results onCpu(const Inputs& in)
{
    Results truth{nothing(in.width()), nothing(in.sums()), in.qkv};
    Numbers workspace(in.shape.forwardWorkspace() + in.shape.backwardWorkspace());
    const Kernels<double>& kernels = kernel_test::cpu()->doubleKernels();
    const Matrix<double> qkv(truth.gradients.data(), in.rows, in.shape.qkvWidth());
    const Matrix<double> out(truth.out.data(), in.rows, in.shape.width());
    kernels.attention({.shape = in.shape,
                       .qkv = qkv,
                       .kept = {.logSums = truth.logSums.data()},
                       .out = out,
                       .workspace = workspace.data()});
    kernels.attentionBackward({.shape = in.shape,
                               .qkv = qkv,
                               .kept = {.logSums = truth.logSums.data()},
                               .out = out,
                               .dOut = {in.dOut.data(), in.rows, in.shape.width()},
                               .workspace = workspace.data()});
    return truth;
}

Results emulated(const Inputs& in, Order order)
{
    cuda_on_cpu::runIn(order);
    cuda::OpStream opStream;
    CHECK(cudaStreamCreateWithFlags(&opStream.stream, cudaStreamNonBlocking) == cudaSuccess);
    const Placed<bfloat16> qkv(in.qkv), out(nothing(in.width())), dOut(in.dOut),
        dQuery(nothing(in.width()));
    const Placed<float> logSums(nothing(in.sums())), products(nothing(in.sums()));
    cuda::TensorFlash heads{.shape = in.shape};
    heads.qkv[0] = qkv.data();
    heads.stride[0] = in.shape.qkvWidth();
    cuda::flashForward(opStream, {heads, {out.data(), in.rows, in.shape.width()}, logSums.data()});
    cuda::flashBackward(opStream,
                        {.heads = heads,
                         .out = {out.data(), in.rows, in.shape.width()},
                         .dOut = {dOut.data(), in.rows, in.shape.width()},
                         .logSums = logSums.data(),
                         .products = products.data(),
                         .dQuery = {dQuery.data(), in.rows, in.shape.width()},
                         .dKeyValue = {qkv.data() + in.shape.width(), in.rows,
                                       2 * in.shape.keyWidth(), in.shape.qkvWidth()}});
    CHECK(cudaStreamSynchronize(opStream.stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(opStream.stream) == cudaSuccess);
    Results results{out.read(), logSums.read(), qkv.read()};
    const Numbers queries = dQuery.read();
    const auto width = static_cast<std::size_t>(in.shape.width());
    for (std::size_t i = 0; i < queries.size(); ++i)
        results.gradients[i / width * static_cast<std::size_t>(in.shape.qkvWidth()) + i % width]
            = queries[i];
    return results;
}

} // namespace

TEST_CASE("flash attention on tensor cores is the CPU's")
{
    if (!kernel_test::isEmulated())
        return;
    struct Sizes
    {
        int samples, sequence, heads, keyHeads, size;
    };
    for (const Sizes& s : {Sizes{1, 1, 1, 1, 64}, Sizes{2, 37, 2, 2, 64}, Sizes{1, 130, 2, 1, 64},
                           Sizes{2, 64, 4, 2, 128}, Sizes{1, 161, 1, 1, 128}})
        for (const AttentionMask mask : {AttentionMask::Causal, AttentionMask::Bidirectional}) {
            const Inputs in({.samples = s.samples,
                             .sequence = s.sequence,
                             .heads = s.heads,
                             .keyHeads = s.keyHeads,
                             .headSize = s.size,
                             .kind = AttentionKind::Flash,
                             .mask = mask});
            INFO(fmt::format("{} x {}, {}/{} heads of {}{}", s.samples, s.sequence, s.heads,
                             s.keyHeads, s.size, mask == AttentionMask::Causal ? ", causal" : ""));
            const Results truth = onCpu(in), results = emulated(in, Order::Forward);
            CHECK(errorOf(results.out, truth.out) < 4e-3);
            CHECK(errorOf(results.logSums, truth.logSums) < 1e-5);
            CHECK(errorOf(results.gradients, truth.gradients) < 1e-2);
            for (const Order order : {Order::Backward, Order::Shuffled}) {
                const Results other = emulated(in, order);
                CHECK(other.out == results.out);
                CHECK(other.logSums == results.logSums);
                CHECK(other.gradients == results.gradients);
            }
            cuda_on_cpu::runIn(Order::Forward);
        }
}

TEST_CASE(
    "a GPU that cannot give a block the shared memory has flash attention without tensor cores")
{
    const cuda_on_cpu::Gpus before = cuda_on_cpu::pluggedIn();
    cuda_on_cpu::Gpus small = before;
    small.sharedMemory = 64 << 10;
    cuda_on_cpu::plugIn(small);
    const auto device = std::move(cuda::makeDevices(1).front());
    CHECK_THAT(device->info().library,
               Contains("head size of 64 or 128 does not use tensor cores"));
    CHECK_THAT(device->info().library, Contains("64 KiB"));
    cuda_on_cpu::plugIn(before);
    CHECK_THAT(kernel_test::emulatedCuda()->info().library, !Contains("without tensor"));
    CHECK_THAT(cuda::lackOfTensorCores(72 << 10),
               Contains("flash attention with a head size of 128 "));
    CHECK(cuda::lackOfTensorCores(99 << 10).empty());

    AttentionShape shape{.samples = 2,
                         .sequence = 32,
                         .heads = 1,
                         .keyHeads = 1,
                         .headSize = 64,
                         .kind = AttentionKind::Flash};
    shape.headsAtOnce = device->bfloat16Kernels()->headsAtOnce(shape);
    const Inputs in(shape);
    const Placed<bfloat16> qkv(in.qkv), out(nothing(in.width()));
    const Placed<float> logSums(nothing(in.sums())),
        workspace(nothing(shape.forwardWorkspace<bfloat16>()));
    const auto launchesOn = [&](const Device& own) {
        const std::uint64_t launches = cuda_on_cpu::launches();
        own.bfloat16Kernels()->attention({.shape = shape,
                                          .qkv = {qkv.data(), in.rows, shape.qkvWidth()},
                                          .kept = {.logSums = logSums.data()},
                                          .out = {out.data(), in.rows, shape.width()},
                                          .workspace = workspace.data()});
        own.synchronize();
        return cuda_on_cpu::launches() - launches;
    };
    CHECK(launchesOn(*kernel_test::emulatedCuda()) == 1); // tensor cores: all samples at once
    CHECK(launchesOn(*device) == 2);
    CHECK(errorOf(out.read(), onCpu(in).out) < 4e-3);
}
