#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/conformance/kernels/suite.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <fmt/format.h>

#include <cmath>

using namespace engine;
using namespace kernel_test;

namespace {

std::vector<std::size_t> counts() // around a block's, aligned to 16 bytes and not
{
    std::vector<std::size_t> all{1, 3, 4, 255, 1024, 1025, 5000};
    if (hasLarge())
        all.push_back(std::size_t{8192} * 3072);
    return all;
}

struct Shape
{
    int rows = 0, columns = 0;

    std::size_t numbers() const
    {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    }
    std::string text() const { return fmt::format("{} x {}", rows, columns); }
};

std::vector<Shape> shapes()
{
    std::vector<Shape> all{{1, 1}, {7, 5}, {3, 64}, {700, 36}, {65, 33}, {129, 100}};
    if (hasLarge())
        all.insert(all.end(), {{8192, 768}, {8192, 3072}});
    return all;
}

double bytesFor(std::size_t numbers, double each)
{
    return each * static_cast<double>(numbers);
}

// Large enough that both ends of the activations are seen.
Array broad(Role role, std::size_t count, unsigned seed)
{
    Array array{role, noise(count, seed)};
    for (double& x : array.values)
        x *= 6;
    array.values.front() = 1; // not all in the tail, where a gradient is nearly nothing
    return array;
}

} // namespace

TEST_CASE("sums of arrays equal the CPU's")
{
    for (const std::size_t n : counts())
        conforms({.name = "add",
                  .shape = std::to_string(n),
                  .arrays = {in(n, 1), inOut(n, 2)},
                  .bytes = bytesFor(n, 12)},
                 [](const auto& kernels, const auto& memory) {
                     kernels.add(memory.all(0), memory.all(1));
                 });
}

TEST_CASE("bias and its gradient equal the CPU's")
{
    for (const Shape& s : shapes()) {
        const auto width = static_cast<std::size_t>(s.columns);
        conforms({.name = "bias",
                  .shape = s.text(),
                  .arrays = {inOut(s.numbers(), 1), in(width, 2)},
                  .bytes = bytesFor(s.numbers(), 8)},
                 [s](const auto& kernels, const auto& memory) {
                     kernels.addBias(memory.matrix(0, s.rows, s.columns), memory(1));
                 });
        conforms({.name = "bias gradient",
                  .shape = s.text(),
                  .arrays = {in(s.numbers(), 1), inOut(width, 2).wide()},
                  .tolerance = 4e-6,
                  .bytes = bytesFor(s.numbers(), 4)},
                 [s](const auto& kernels, const auto& memory) {
                     kernels.addBiasGradient(memory.matrix(0, s.rows, s.columns), memory.wide(1));
                 });
    }
}

TEST_CASE("GELU and its backward equal the CPU's")
{
    for (const std::size_t n : counts()) {
        conforms({.name = "GELU",
                  .shape = std::to_string(n),
                  .arrays = {broad(Role::In, n, 1), out(n)},
                  .bytes = bytesFor(n, 8)},
                 [](const auto& kernels, const auto& memory) {
                     kernels.gelu(memory.all(0), memory.all(1));
                 });
        conforms({.name = "GELU backward",
                  .shape = std::to_string(n),
                  .arrays = {in(n, 1), broad(Role::InOut, n, 2)},
                  .tolerance = 4e-6,
                  .bytes = bytesFor(n, 12)},
                 [](const auto& kernels, const auto& memory) {
                     kernels.geluBackward(memory.all(0), memory.all(1));
                 });
    }
}

TEST_CASE("SwiGLU and its backward equal the CPU's")
{
    for (const Shape& s : shapes()) {
        conforms({.name = "SwiGLU",
                  .shape = s.text(),
                  .arrays = {broad(Role::In, 2 * s.numbers(), 1), out(s.numbers())},
                  .bytes = bytesFor(s.numbers(), 12)},
                 [s](const auto& kernels, const auto& memory) {
                     kernels.swiGlu(memory.matrix(0, s.rows, 2 * s.columns),
                                    memory.matrix(1, s.rows, s.columns));
                 });
        conforms({.name = "SwiGLU backward",
                  .shape = s.text(),
                  .arrays = {in(s.numbers(), 1), broad(Role::InOut, 2 * s.numbers(), 2)},
                  .tolerance = 4e-6,
                  .bytes = bytesFor(s.numbers(), 20)},
                 [s](const auto& kernels, const auto& memory) {
                     kernels.swiGluBackward(memory.matrix(0, s.rows, s.columns),
                                            memory.matrix(1, s.rows, 2 * s.columns));
                 });
    }
}

TEST_CASE("rotary positions and their backward equal the CPU's")
{
    struct Heads
    {
        int samples, sequence, heads, size, stride;
    };
    std::vector<Heads> all{
        {1, 1, 1, 2, 2}, {2, 5, 3, 6, 21}, {2, 7, 4, 16, 96}, {1, 9, 2, 64, 384}};
    if (hasLarge())
        all.push_back({8, 1024, 24, 64, 2304});
    for (const Heads& h : all) {
        const auto half = static_cast<std::size_t>(h.size / 2);
        const int rows = h.samples * h.sequence;
        const std::size_t numbers
            = static_cast<std::size_t>(rows) * static_cast<std::size_t>(h.stride);
        const std::size_t angles = static_cast<std::size_t>(h.sequence) * half;
        for (const bool back : {false, true})
            conforms({.name = back ? "rotary backward" : "rotary",
                      .shape = fmt::format("{} x {} x {} of {}", rows, h.heads, h.size, h.stride),
                      .arrays = {inOut(numbers, 1), in(angles, 2).wide(), in(angles, 3).wide()},
                      .bytes = bytesFor(static_cast<std::size_t>(rows * h.heads * h.size), 8)},
                     [=](const auto& kernels, const auto& memory) {
                         using Real = std::remove_pointer_t<decltype(memory(0))>;
                         using Direction = typename Rotary<Real>::Direction;
                         kernels.rotary({memory.matrix(0, rows, h.stride), h.heads, h.size,
                                         h.sequence, memory.wide(1), memory.wide(2),
                                         back ? Direction::Backward : Direction::Forward});
                     });
    }
}

TEST_CASE("a step of AdamW equals the CPU's")
{
    for (const std::size_t n : counts()) {
        Array second = inOut(n, 4); // never negative
        for (double& x : second.values)
            x = std::abs(x);
        for (const int step : {1, 100})
            conforms({.name = "AdamW",
                      .shape = fmt::format("{}, step {}", n, step),
                      .arrays = {inOut(n, 1).wide(), in(n, 2).wide(), inOut(n, 3).wide(),
                                 second.wide(), out(n)},
                      .bytes = bytesFor(n, 28)},
                     [n, step](const auto& kernels, const auto& memory) {
                         constexpr bool kIsNarrow
                             = !std::is_same_v<decltype(memory(0)), decltype(memory.wide(0))>;
                         kernels.adamW({.weights = memory.wide(0),
                                        .rounded = kIsNarrow ? memory(4) : nullptr,
                                        .firstMoment = memory.wide(2),
                                        .secondMoment = memory.wide(3),
                                        .gradients = memory.wide(1),
                                        .count = n,
                                        .learningRate = 6e-4,
                                        .beta1 = 0.9,
                                        .beta2 = 0.95,
                                        .epsilon = 1e-8,
                                        .weightDecay = 0.1,
                                        .step = step},
                                       std::array{DecayPart{n, true}});
                         if constexpr (!kIsNarrow)
                             kernels.copy(memory.all(0), memory.all(4));
                     });
    }
}

// Tensors of a stage, small and large, whose ends fall within a 16-byte access; more than one
// launch takes, too.
TEST_CASE("AdamW over the tensors of a stage equals one step per tensor")
{
    const auto check = [](const std::string& name, const std::vector<DecayPart>& parts) {
        std::size_t n = 0;
        for (const DecayPart& part : parts)
            n += part.count;
        Array second = inOut(n, 4);
        for (double& x : second.values)
            x = std::abs(x);
        conforms({.name = "AdamW of parts",
                  .shape = name,
                  .arrays = {inOut(n, 1).wide(), in(n, 2).wide(), inOut(n, 3).wide(), second.wide(),
                             out(n)},
                  .bytes = bytesFor(n, 28)},
                 [n, parts](const auto& kernels, const auto& memory) {
                     constexpr bool kIsNarrow
                         = !std::is_same_v<decltype(memory(0)), decltype(memory.wide(0))>;
                     kernels.adamW({.weights = memory.wide(0),
                                    .rounded = kIsNarrow ? memory(4) : nullptr,
                                    .firstMoment = memory.wide(2),
                                    .secondMoment = memory.wide(3),
                                    .gradients = memory.wide(1),
                                    .count = n,
                                    .learningRate = 0.1,
                                    .beta1 = 0.9,
                                    .beta2 = 0.95,
                                    .epsilon = 0.1,
                                    .weightDecay = 0.5,
                                    .step = 3},
                                   parts);
                     if constexpr (!kIsNarrow)
                         kernels.copy(memory.all(0), memory.all(4));
                 });
    };
    check("one", {{1, false}});
    check("gpt", {{64, false}, {64, false}, {4096, true}, {64, false}, {130, true}});
    check("odd",
          {{1, true}, {1, false}, {0, true}, {5, true}, {3, false}, {1023, true}, {7, true}});
    check("empty first", {{0, false}, {5, true}, {6, false}});
    check("empty between", {{5, true}, {0, false}, {7, true}, {4, false}});
    std::vector<DecayPart> many;
    for (std::size_t i = 0; i < 700; ++i)
        many.push_back({1 + i % 9, i % 2 == 0});
    check("many", many);
    if (hasLarge())
        check("85 M", {{38597376, true}, {786432, true}, {768, false}, {45685248, true}});
}

TEST_CASE("the tensors of a stage are one launch, up to as many as its arguments hold")
{
    if (!isEmulated())
        return;
    const Device& device = *emulatedCuda();
    const DeviceMemory memory = device.allocate(1 << 16);
    const auto numbers = [&](int array) {
        return reinterpret_cast<float*>(memory.get()) + std::ptrdiff_t{array} * 2048;
    };
    const auto launchesFor = [&](std::size_t tensors) {
        std::vector<DecayPart> parts;
        for (std::size_t i = 0; i < tensors; ++i)
            parts.push_back({3, i % 2 == 0});
        const std::uint64_t before = cuda_on_cpu::launches();
        device.kernels().adamW({.weights = numbers(0),
                                .firstMoment = numbers(1),
                                .secondMoment = numbers(2),
                                .gradients = numbers(3),
                                .count = 3 * tensors},
                               parts);
        device.synchronize();
        return cuda_on_cpu::launches() - before;
    };
    CHECK(launchesFor(1) == 1);
    CHECK(launchesFor(256) == 1);
    CHECK(launchesFor(257) == 2);
    CHECK(launchesFor(513) == 3);
}

TEST_CASE("fixed-point sums have the same bits on every device")
{
    for (const std::size_t n : counts()) {
        std::vector<std::int64_t> sums(n);
        for (std::size_t i = 0; i < n; ++i)
            sums[i] = static_cast<std::int64_t>(i) * 987654321987LL - (1LL << 50);
        conforms({.name = "fixed point",
                  .shape = std::to_string(n),
                  .arrays = {broad(Role::In, n, 1).wide(), out(n).wide()},
                  .integers = sums,
                  .tolerance = 1e-7},
                 [](const auto& kernels, const auto& memory) {
                     kernels.addFixedPoint(memory.allWide(0), memory.integers());
                     kernels.fromFixedPoint(memory.integers(), memory.allWide(1));
                 });
    }
}

TEST_CASE("the sum of a gradient's squares equals the CPU's")
{
    std::vector<std::size_t> all = counts();
    // None; more chunks than a block has threads; more blocks than chunks.
    all.insert(all.end(), {0, 150'001, 280'001});
    for (const std::size_t n : all)
        conforms({.name = "sum of squares",
                  .shape = std::to_string(n),
                  .arrays = {in(n, 1).wide()},
                  .tolerance = 1e-12,
                  .bytes = bytesFor(n, 4)},
                 [](const auto& kernels, const auto& memory) {
                     kernels.addSquares(memory.allWide(0), memory.loss());
                 });
}
