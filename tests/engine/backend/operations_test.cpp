#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"
#include "tests/catch.h"

#include <cmath>
#include <functional>
#include <vector>

using namespace engine;

namespace {

using Numbers = std::vector<double>;

// Numbers of no pattern in (-1, 1).
Numbers noise(std::size_t count, unsigned seed)
{
    Numbers numbers(count);
    std::uint32_t state = seed * 2654435761U + 1;
    for (double& x : numbers) {
        state = state * 1664525U + 1013904223U;
        x = static_cast<double>(state >> 8U) / (1 << 23) - 1;
    }
    return numbers;
}

double dot(const Numbers& a, const Numbers& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return sum;
}

// The largest error of `gradient` against central differences of `loss` over `x`, relative to the
// largest slope.
double error(Numbers& x, const Numbers& gradient, const std::function<double()>& loss)
{
    constexpr double kStep = 1e-5;
    double worst = 0, largest = 1e-12;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double kept = x[i];
        x[i] = kept + kStep;
        const double above = loss();
        x[i] = kept - kStep;
        const double slope = (above - loss()) / (2 * kStep);
        x[i] = kept;
        worst = std::max(worst, std::abs(slope - gradient[i]));
        largest = std::max(largest, std::abs(slope));
    }
    return worst / largest;
}

constexpr double kTolerance = 1e-7;

} // namespace

TEST_CASE("OpenBLAS is there and says which kernels it picked")
{
    const auto device = openCpuDevice();
    REQUIRE(device);
    CHECK((*device)->info().library.starts_with("OpenBLAS"));
    CHECK((*device)->info().memory > 0);
}

TEST_CASE("a matrix product takes either operand transposed, and adds")
{
    const Numbers a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 1, 0, 3};
    Numbers c{100, 100, 100, 100};
    cpu::matmul<double>({.a = {a.data(), 2, 3}, .b = {b.data(), 3, 2}, .c = {c.data(), 2, 2}});
    CHECK(c == Numbers{5, 11, 14, 23});
    cpu::matmul<double>({.a = {a.data(), 2, 3},
                         .b = {b.data(), 2, 3},
                         .c = {c.data(), 2, 2},
                         .transposeB = Transpose::Yes,
                         .beta = 1});
    CHECK(c == Numbers{5 + 7, 11 + 10, 14 + 16, 23 + 22});
    Numbers d(9);
    cpu::matmul<double>({.a = {a.data(), 2, 3},
                         .b = {b.data(), 2, 3},
                         .c = {d.data(), 3, 3},
                         .transposeA = Transpose::Yes,
                         .alpha = 2});
    CHECK(d == Numbers{10, 0, 28, 14, 0, 38, 18, 0, 48});
}

TEST_CASE("the vectorised exponential is exact to 3e-7, and tanh ends at one")
{
    double worst = 0;
    for (float x = -86; x < 87; x += 0.0137F) {
        const double truth = std::exp(static_cast<double>(x));
        worst = std::max(worst, std::abs(cpu::exponential(x) - truth) / truth);
    }
    CHECK(worst < 3e-7);
    CHECK(cpu::hyperbolicTangent(50.0F) == 1.0F);
    CHECK(cpu::hyperbolicTangent(-50.0F) == -1.0F);
    CHECK(cpu::exponential(-1e30F) < 1e-37F);
}

TEST_CASE("layer norm's backward is the derivative of its forward")
{
    constexpr int kRows = 3, kWidth = 8;
    Numbers x = noise(kRows * kWidth, 1), gain = noise(kWidth, 2), bias = noise(kWidth, 3);
    const Numbers weight = noise(kRows * kWidth, 4);
    Numbers y(x.size()), mean(kRows), inverse(kRows);
    const auto loss = [&] {
        cpu::layerNorm<double>({Matrix<double>(x.data(), kRows, kWidth),
                                gain.data(),
                                bias.data(),
                                {y.data(), kRows, kWidth},
                                mean.data(),
                                inverse.data()});
        return dot(y, weight);
    };
    loss();
    Numbers dx(x.size()), dGain(kWidth), dBias(kWidth);
    cpu::layerNormBackward<double>({{x.data(), kRows, kWidth},
                                    {weight.data(), kRows, kWidth},
                                    {},
                                    gain.data(),
                                    mean.data(),
                                    inverse.data(),
                                    {dx.data(), kRows, kWidth},
                                    dGain.data(),
                                    dBias.data()});
    CHECK(error(x, dx, loss) < kTolerance);
    CHECK(error(gain, dGain, loss) < kTolerance);
    CHECK(error(bias, dBias, loss) < kTolerance);
}

TEST_CASE("GELU's backward is the derivative of its forward")
{
    Numbers x = noise(40, 1);
    for (double& v : x)
        v *= 4;
    const Numbers weight = noise(x.size(), 2);
    Numbers y(x.size()), dx = x;
    const auto loss = [&] {
        cpu::gelu<double>(x, y);
        return dot(y, weight);
    };
    cpu::geluBackward<double>(weight, dx);
    CHECK(error(x, dx, loss) < kTolerance);
}

TEST_CASE("attention is causal, and its backward is the derivative of its forward")
{
    constexpr int kSamples = 2, kSequence = 5, kHeads = 2, kWidth = 6, kRows = kSamples * kSequence;
    Numbers qkv = noise(kRows * 3 * kWidth, 1);
    const Numbers weight = noise(kRows * kWidth, 2);
    Numbers out(weight.size()), scores(kSamples * kHeads * kSequence * kSequence);
    const auto loss = [&] {
        cpu::attention<double>({Matrix<double>(qkv.data(), kRows, 3 * kWidth),
                                kSamples,
                                kHeads,
                                scores.data(),
                                {out.data(), kRows, kWidth}});
        return dot(out, weight);
    };
    loss();
    Numbers d = qkv,
            workspace(AttentionBackward<double>::workspaceCount(kSequence, kWidth / kHeads));
    cpu::attentionBackward<double>({{d.data(), kRows, 3 * kWidth},
                                    kSamples,
                                    kHeads,
                                    scores.data(),
                                    {weight.data(), kRows, kWidth},
                                    workspace.data()});
    CHECK(error(qkv, d, loss) < kTolerance);

    const Numbers before = out;
    for (int c = 0; c < 3 * kWidth; ++c) // the last token of the first sample
        qkv[static_cast<std::size_t>((kSequence - 1) * 3 * kWidth + c)] += 1;
    loss();
    const auto last = static_cast<std::size_t>((kSequence - 1) * kWidth);
    CHECK(std::equal(out.begin(), out.begin() + last, before.begin()));
    CHECK(out[last] != before[last]);
}

TEST_CASE("the embedding's backward is the derivative of its forward, repeated tokens included")
{
    constexpr int kSequence = 3, kRows = 6, kWidth = 4, kTokens = 5;
    const std::vector<std::int32_t> tokens{4, 1, 4, 0, 1, 4};
    Numbers table = noise(kTokens * kWidth, 1), positions = noise(kSequence * kWidth, 2);
    const Numbers weight = noise(kRows * kWidth, 3);
    Numbers out(weight.size()), dTable(table.size()), dPositions(positions.size());
    const auto loss = [&] {
        cpu::embedding<double>(tokens, table.data(), {positions.data(), kSequence, kWidth},
                               {out.data(), kRows, kWidth});
        return dot(out, weight);
    };
    cpu::embeddingBackward<double>(tokens, {weight.data(), kRows, kWidth}, dTable.data(),
                                   {dPositions.data(), kSequence, kWidth});
    CHECK(error(table, dTable, loss) < kTolerance);
    CHECK(error(positions, dPositions, loss) < kTolerance);
}

TEST_CASE("cross-entropy's backward is the derivative of its forward, times the scale")
{
    constexpr int kRows = 3, kWords = 7;
    Numbers logits = noise(kRows * kWords, 1);
    const std::vector<std::int32_t> targets{2, 6, 0};
    Numbers probabilities;
    const auto loss = [&] {
        probabilities = logits;
        return 0.25 * cpu::crossEntropy<double>({probabilities.data(), kRows, kWords}, targets);
    };
    loss();
    Numbers d = probabilities;
    cpu::crossEntropyBackward<double>({d.data(), kRows, kWords}, targets, 0.25);
    CHECK(error(logits, d, loss) < kTolerance);
}

TEST_CASE("the cross-entropy of equal logits is the log of their number")
{
    std::vector<float> logits(256, 3.0F);
    const std::vector<std::int32_t> target{17};
    CHECK(cpu::crossEntropy<float>({logits.data(), 1, 256}, target) == Approx(std::log(256.0)));
}

TEST_CASE("a first AdamW step moves by the learning rate, and decay pulls to zero apart from it")
{
    Numbers weights{1.0, 1.0}, first(2), second(2);
    const Numbers gradients{0.5, -4.0};
    cpu::adamW<double>({.weights = weights.data(),
                        .firstMoment = first.data(),
                        .secondMoment = second.data(),
                        .gradients = gradients.data(),
                        .count = 2,
                        .learningRate = 0.01,
                        .beta1 = 0.9,
                        .beta2 = 0.95,
                        .epsilon = 1e-12,
                        .weightDecay = 0.1,
                        .step = 1});
    CHECK(weights[0] == Approx(0.999 - 0.01));
    CHECK(weights[1] == Approx(0.999 + 0.01));
}

TEST_CASE("fixed-point sums do not depend on the order, and lose nothing above 2^-40")
{
    const std::vector<float> a{1.0F / 3, -2.5F}, b{1e-7F, 1e6F}, c{-0.7F, 3e-5F};
    std::vector<std::int64_t> forward(2), backward(2);
    for (const auto* x : {&a, &b, &c})
        cpu::addFixedPoint<float>(*x, forward);
    for (const auto* x : {&c, &b, &a})
        cpu::addFixedPoint<float>(*x, backward);
    CHECK(forward == backward);
    std::vector<float> sums(2);
    cpu::fromFixedPoint<float>(forward, sums);
    CHECK(sums[0] == Approx(1.0 / 3 + 1e-7 - 0.7).epsilon(1e-6));
    CHECK(sums[1] == Approx(1e6 - 2.5 + 3e-5).epsilon(1e-6));
}

TEST_CASE("float kernels agree with double ones")
{
    constexpr int kRows = 8, kWidth = 32, kHeads = 4;
    const Numbers qkv = noise(kRows * 3 * kWidth, 5);
    const std::vector<float> single(qkv.begin(), qkv.end());
    Numbers scores(kHeads * kRows * kRows), out(kRows * kWidth);
    std::vector<float> scores32(scores.size()), out32(out.size());
    cpu::attention<double>(
        {{qkv.data(), kRows, 3 * kWidth}, 1, kHeads, scores.data(), {out.data(), kRows, kWidth}});
    cpu::attention<float>({{single.data(), kRows, 3 * kWidth},
                           1,
                           kHeads,
                           scores32.data(),
                           {out32.data(), kRows, kWidth}});
    cpu::gelu<double>(out, out);
    cpu::gelu<float>(out32, out32);
    for (std::size_t i = 0; i < out.size(); ++i)
        REQUIRE(static_cast<double>(out32[i]) == Approx(out[i]).margin(2e-6));
}
