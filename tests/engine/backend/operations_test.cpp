#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"
#include "tests/catch.h"
#include "tests/support/finite_differences.h"

#include <cmath>
#include <functional>
#include <vector>

using namespace engine;

namespace {

constexpr double kTolerance = 1e-7;

template<class Real>
double lossOf(Matrix<const Real> logits, const std::vector<std::int32_t>& targets)
{
    double loss = 0;
    cpu::crossEntropy<Real>({.logits = logits, .targets = targets, .loss = &loss});
    return loss;
}

} // namespace

TEST_CASE("OpenBLAS is loaded and reports its kernels")
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

TEST_CASE("RMSNorm's backward is the derivative of its forward, plus the residual")
{
    constexpr int kRows = 3, kWidth = 8;
    Numbers x = noise(kRows * kWidth, 1), gain = noise(kWidth, 2);
    const Numbers weight = noise(kRows * kWidth, 4), residual = noise(kRows * kWidth, 5);
    Numbers y(x.size()), inverse(kRows);
    const auto loss = [&] {
        cpu::rmsNorm<double>({Matrix<double>(x.data(), kRows, kWidth),
                              gain.data(),
                              {y.data(), kRows, kWidth},
                              inverse.data()});
        return dot(y, weight) + dot(x, residual);
    };
    loss();
    Numbers dx = x, dGain(kWidth);
    cpu::rmsNormBackward<double>({{dx.data(), kRows, kWidth}, // in place
                                  {weight.data(), kRows, kWidth},
                                  {residual.data(), kRows, kWidth},
                                  gain.data(),
                                  inverse.data(),
                                  {dx.data(), kRows, kWidth},
                                  dGain.data()});
    CHECK(error(x, dx, loss) < kTolerance);
    CHECK(error(gain, dGain, loss) < kTolerance);
}

TEST_CASE("SwiGLU's backward is the derivative of its forward")
{
    constexpr int kRows = 3, kWidth = 5;
    Numbers x = noise(kRows * 2 * kWidth, 1);
    for (double& v : x)
        v *= 3;
    const Numbers weight = noise(kRows * kWidth, 2);
    Numbers y(weight.size()), dx = x;
    const auto loss = [&] {
        cpu::swiGlu<double>({x.data(), kRows, 2 * kWidth}, {y.data(), kRows, kWidth});
        return dot(y, weight);
    };
    cpu::swiGluBackward<double>({weight.data(), kRows, kWidth}, {dx.data(), kRows, 2 * kWidth});
    CHECK(error(x, dx, loss) < kTolerance);
}

TEST_CASE("rotary positions turn pairs, keep their length, and turn back")
{
    constexpr int kSequence = 3, kHeads = 2, kSize = 4, kStride = 11;
    const Numbers before = noise(kSequence * kStride, 1);
    Numbers x = before, cosines, sines;
    for (int p = 0; p < kSequence; ++p)
        for (int c = 0; c < kSize / 2; ++c) {
            cosines.push_back(std::cos(0.3 * p + c));
            sines.push_back(std::sin(0.3 * p + c));
        }
    Rotary<double> op{.x = {x.data(), kSequence, kHeads * kSize, kStride},
                      .heads = kHeads,
                      .headSize = kSize,
                      .sequence = kSequence,
                      .cosines = cosines.data(),
                      .sines = sines.data()};
    cpu::rotary(op);
    const std::size_t i = 2 * kStride + kSize + 1; // token 2, head 1, column 1
    CHECK(x[i] == Approx(before[i] * std::cos(1.6) - before[i + 2] * std::sin(1.6)));
    CHECK(x[i + 2] == Approx(before[i + 2] * std::cos(1.6) + before[i] * std::sin(1.6)));
    CHECK(x[kStride - 1] == before[kStride - 1]); // not of a head
    op.direction = Rotary<double>::Direction::Backward;
    cpu::rotary(op);
    for (std::size_t k = 0; k < x.size(); ++k)
        REQUIRE(x[k] == Approx(before[k]).margin(1e-15));
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
    const auto loss = [&] {
        return 0.25 * lossOf<double>({logits.data(), kRows, kWords}, targets);
    };
    Numbers d = logits;
    cpu::crossEntropyBackward<double>({d.data(), kRows, kWords}, targets, 0.25);
    CHECK(error(logits, d, loss) < kTolerance);
}

TEST_CASE("a row without a target has neither loss nor gradient")
{
    constexpr int kWords = 7;
    Numbers logits = noise(3 * kWords, 1),
            one(logits.begin() + kWords, logits.begin() + 2 * kWords);
    const std::vector<std::int32_t> targets{-1, 4, -1}, target{4};
    CHECK(lossOf<double>({logits.data(), 3, kWords}, targets)
          == lossOf<double>({one.data(), 1, kWords}, target));
    cpu::crossEntropyBackward<double>({logits.data(), 3, kWords}, targets, 1);
    cpu::crossEntropyBackward<double>({one.data(), 1, kWords}, target, 1);
    CHECK(std::all_of(logits.begin(), logits.begin() + kWords, [](double g) { return g == 0; }));
    CHECK(std::equal(one.begin(), one.end(), logits.begin() + kWords));
    CHECK(std::all_of(logits.end() - kWords, logits.end(), [](double g) { return g == 0; }));
}

// Rounded before 1 is taken off, 0.9995 is 1 and the gradient nothing.
TEST_CASE("a bf16 gradient of a probability near 1 is that of the probability, rounded once")
{
    std::vector<bfloat16> logits{bfloat16(8.0F), bfloat16(0.0F), bfloat16(-1.0F)};
    Numbers exact{8, 0, -1};
    const std::vector<std::int32_t> target{0};
    cpu::crossEntropyBackward<bfloat16>({logits.data(), 1, 3}, target, 1);
    cpu::crossEntropyBackward<double>({exact.data(), 1, 3}, target, 1);
    for (std::size_t c = 0; c < 3; ++c)
        CHECK(static_cast<double>(logits[c]) == Approx(exact[c]).epsilon(0x1p-8));
}

TEST_CASE("the cross-entropy of equal logits is the log of their number")
{
    std::vector<float> logits(256, 3.0F);
    const std::vector<std::int32_t> target{17};
    CHECK(lossOf<float>({logits.data(), 1, 256}, target) == Approx(std::log(256.0)));
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

TEST_CASE("weights decay in the parts that say so, and all parts step")
{
    const Kernels<double>& kernels = openCpuDevice().value()->doubleKernels();
    Numbers weights(6, 1.0), first(6), second(6);
    const Numbers gradients(6, 0.5);
    kernels.adamW({.weights = weights.data(),
                   .firstMoment = first.data(),
                   .secondMoment = second.data(),
                   .gradients = gradients.data(),
                   .count = 6,
                   .learningRate = 0.01,
                   .beta1 = 0.9,
                   .beta2 = 0.95,
                   .epsilon = 1e-12,
                   .weightDecay = 0.1,
                   .step = 1},
                  std::vector<DecayPart>{{2, false}, {3, true}, {1, false}});
    for (std::size_t i = 0; i < 6; ++i)
        CHECK(weights[i] == Approx((i >= 2 && i < 5 ? 0.999 : 1.0) - 0.01));
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
    Numbers x = noise(300, 5), y(x.size());
    for (double& v : x)
        v *= 6;
    const std::vector<float> single(x.begin(), x.end());
    std::vector<float> y32(x.size());
    const auto agree = [&] {
        for (std::size_t i = 0; i < y.size(); ++i)
            REQUIRE(static_cast<double>(y32[i]) == Approx(y[i]).margin(4e-6));
    };
    cpu::gelu<double>(x, y);
    cpu::gelu<float>(single, y32);
    agree();
    cpu::swiGlu<double>({x.data(), 3, 100}, {y.data(), 3, 50});
    cpu::swiGlu<float>({single.data(), 3, 100}, {y32.data(), 3, 50});
    agree();
}
