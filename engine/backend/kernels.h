#pragma once

#include "engine/backend/attention.h"
#include "engine/backend/matrix.h"
#include "engine/backend/memory_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

enum class Transpose : std::uint8_t { No, Yes };

// Real is the storage type of the training precision. Operations compute in Wide<Real>
// (bfloat16.h), at least float, and round once when they store.

// c = alpha a b + beta c; a and b are optionally transposed.
template<class Real, class Out = Real>
struct Matmul
{
    Matrix<const Real> a, b;
    Matrix<Out> c;
    Transpose transposeA = Transpose::No, transposeB = Transpose::No;
    Wide<Real> alpha = 1, beta = 0;
};

// y = x weight + bias + residual; the weight is (in, out), bias and residual are optional. If
// requested, activated = gelu(y).
template<class Real>
struct Linear
{
    Matrix<const Real> x, weight;
    const Real* bias = nullptr;
    Matrix<const Real> residual = {}; // contiguous, as y and activated
    Matrix<Real> y;
    Matrix<Real> activated = {};
};

// dx = dy weight^T (overwrites dx). If beforeGelu is set, it is replaced by the gradient with
// respect to the GELU's input, and dx is undefined.
template<class Real>
struct LinearBackwardInput
{
    Matrix<const Real> dy, weight;
    Matrix<Real> dx;
    Matrix<Real> beforeGelu = {}; // contiguous, as dx
};

// dWeight += x^T dy, dBias += sum of dy over its rows; the bias is optional.
template<class Real>
struct LinearBackwardWeight
{
    Matrix<const Real> x, dy;
    Matrix<Wide<Real>> dWeight;
    Wide<Real>* dBias = nullptr;
};

// Per row: y = (x - mean) / deviation * gain + bias; mean and 1 / deviation are kept for the
// backward.
template<class Real>
struct LayerNorm
{
    Matrix<const Real> x;
    const Real *gain = nullptr, *bias = nullptr;
    Matrix<Real> y;
    Wide<Real>* mean = nullptr; // [rows]
    Wide<Real>* inverseDeviation = nullptr;
};

// dx = residual + the gradient of the norm.
template<class Real>
struct LayerNormBackward
{
    Matrix<const Real> x, dy, residual; // the residual is optional
    const Real* gain = nullptr;
    const Wide<Real>* mean = nullptr;
    const Wide<Real>* inverseDeviation = nullptr;
    Matrix<Real> dx;             // may alias x or the residual
    Wide<Real>* dGain = nullptr; // accumulated
    Wide<Real>* dBias = nullptr;
};

// As LayerNorm without mean and bias (Zhang and Sennrich, 2019): y = x / root mean square *
// gain.
template<class Real>
struct RmsNorm
{
    Matrix<const Real> x;
    const Real* gain = nullptr;
    Matrix<Real> y;
    Wide<Real>* inverse = nullptr; // [rows]
};

template<class Real>
struct RmsNormBackward
{
    Matrix<const Real> x, dy, residual; // as in LayerNormBackward
    const Real* gain = nullptr;
    const Wide<Real>* inverse = nullptr;
    Matrix<Real> dx;
    Wide<Real>* dGain = nullptr; // accumulated
};

// Rotary positions (Su et al., 2021): in each head, columns c and c + size / 2 are rotated by
// the angle of position and c. The backward rotates in the opposite direction.
template<class Real>
struct Rotary
{
    Matrix<Real> x; // the first heads * headSize columns are rotated in place
    int heads = 0, headSize = 0, sequence = 0;
    const Wide<Real>* cosines = nullptr; // (sequence, headSize / 2)
    const Wide<Real>* sines = nullptr;
    enum class Direction : std::uint8_t { Forward, Backward } direction = Direction::Forward;
};

// One step of AdamW (Loshchilov and Hutter, 2019) for one parameter tensor, with decoupled
// weight decay. In mixed precision `weights` are the master weights (Micikevicius et al., 2018).
template<class Real>
struct AdamW
{
    Wide<Real>* weights = nullptr;
    Real* rounded = nullptr; // the new weights, rounded for the passes; nullptr if Real is wide
    Wide<Real>* firstMoment = nullptr;
    Wide<Real>* secondMoment = nullptr;
    const Wide<Real>* gradients = nullptr;
    std::size_t count = 0;
    double learningRate = 0, beta1 = 0, beta2 = 0, epsilon = 0, weightDecay = 0;
    int step = 1; // from 1, for the bias correction
};

// Consecutive tensors of a stage with or without weight decay.
struct DecayPart
{
    std::size_t count = 0; // numbers
    bool decays = false;
};

// Adds to the loss the sum over rows of -log p(target) / `share`, in nats, where p is the
// softmax of a row.
template<class Real>
struct CrossEntropy
{
    Matrix<const Real> logits;
    std::span<const std::int32_t> targets; // rows with a negative target are skipped
    double* loss = nullptr;                // in device memory
    double share = 1;                      // expected share of rows with a target
};

// The arithmetic of a device, one method per operation of the model. Views point into memory of
// the device (Device::allocate()) owned by the caller. On a CPU calls are synchronous and
// thread-safe. On a GPU a call is queued on the device's stream, one thread at a time;
// Device::synchronize() waits. Throws std::runtime_error if the device fails.
template<class Real>
class Kernels
{
public:
    Kernels() = default;
    Kernels(const Kernels&) = delete;
    Kernels& operator=(const Kernels&) = delete;
    virtual ~Kernels() = default;

    // For device memory; the default implementation is for host memory.
    virtual void zero(std::span<Wide<Real>> x) const { std::ranges::fill(x, Wide<Real>(0)); }
    virtual void copy(std::span<const Real> from, std::span<Real> to) const
    {
        std::ranges::copy(from, to.begin());
    }
    virtual void copyBytes(std::span<const std::byte> from, std::span<std::byte> to) const
    {
        std::ranges::copy(from, to.begin());
    }
    virtual void zeroIntegers(std::span<std::int64_t> x) const { std::ranges::fill(x, 0); }
    virtual void addIntegers(std::span<const std::int64_t> x, std::span<std::int64_t> y) const
    {
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += x[i];
    }
    virtual void copyIntegers(std::span<const std::int64_t> from, std::span<std::int64_t> to) const
    {
        std::ranges::copy(from, to.begin());
    }
    // Number of lines (memory_lines.h) of memory aligned to 16 bytes that have a byte other than
    // `value`, after the ops before; synchronous.
    virtual std::int64_t linesUnlike(std::byte value, std::span<const std::byte> memory) const
    {
        return engine::linesUnlike(value, memory);
    }
    // Address of these numbers on the device. The caller must keep them as long as the kernels.
    virtual const Wide<Real>* constants(std::span<const Wide<Real>> numbers) const
    {
        return numbers.data();
    }

    virtual void matmul(const Matmul<Real>& op) const = 0;
    // With a wide result, for weight gradients.
    virtual void matmulWide(const Matmul<Real, Wide<Real>>& op) const = 0;
    virtual void addBias(Matrix<Real> y, const Real* bias) const = 0;
    virtual void addBiasGradient(Matrix<const Real> dy, Wide<Real>* dBias) const = 0;
    virtual void add(std::span<const Real> x, std::span<Real> y) const = 0; // y += x

    // Layers composed of the operations; a device may fuse them.
    virtual void linear(const Linear<Real>& op) const
    {
        matmul({.a = op.x, .b = op.weight, .c = op.y});
        if (op.bias != nullptr)
            addBias(op.y, op.bias);
        if (op.residual.data != nullptr)
            add(all(op.residual), all(op.y));
        if (op.activated.data != nullptr)
            gelu(all<const Real>(op.y), all(op.activated));
    }
    virtual void linearBackwardInput(const LinearBackwardInput<Real>& op) const
    {
        matmul({.a = op.dy, .b = op.weight, .c = op.dx, .transposeB = Transpose::Yes});
        if (op.beforeGelu.data != nullptr)
            geluBackward(all<const Real>(op.dx), all(op.beforeGelu));
    }
    virtual void linearBackwardWeight(const LinearBackwardWeight<Real>& op) const
    {
        matmulWide(
            {.a = op.x, .b = op.dy, .c = op.dWeight, .transposeA = Transpose::Yes, .beta = 1});
        if (op.dBias != nullptr)
            addBiasGradient(op.dy, op.dBias);
    }

    virtual void layerNorm(const LayerNorm<Real>& op) const = 0;
    virtual void layerNormBackward(const LayerNormBackward<Real>& op) const = 0;
    virtual void rmsNorm(const RmsNorm<Real>& op) const = 0;
    virtual void rmsNormBackward(const RmsNormBackward<Real>& op) const = 0;
    virtual void rotary(const Rotary<Real>& op) const = 0;
    // Number of attention heads processed at once: AttentionShape::headsAtOnce.
    virtual int headsAtOnce(const AttentionShape& /*shape*/) const { return 1; }
    virtual void attention(const Attention<Real>& op) const = 0;
    virtual void attentionBackward(const AttentionBackward<Real>& op) const = 0;
    // The tanh form of GELU (Hendrycks and Gimpel, 2016).
    virtual void gelu(std::span<const Real> x, std::span<Real> y) const = 0;
    // dx overwrites x.
    virtual void geluBackward(std::span<const Real> dy, std::span<Real> x) const = 0;

    // SwiGLU (Shazeer, 2020). x: gate, then up, (rows, 2F); y = silu(gate) up, (rows, F). In the
    // backward dx overwrites x.
    virtual void swiGlu(Matrix<const Real> x, Matrix<Real> y) const = 0;
    virtual void swiGluBackward(Matrix<const Real> dy, Matrix<Real> x) const = 0;

    // out = tokenTable[token] + positionTable[position]; positions start at 0 in every sample;
    // the position table is optional.
    virtual void embedding(std::span<const std::int32_t> tokens, const Real* tokenTable,
                           Matrix<const Real> positionTable, Matrix<Real> out) const = 0;
    virtual void embeddingBackward(std::span<const std::int32_t> tokens, Matrix<const Real> dOut,
                                   Wide<Real>* dTokenTable,
                                   Matrix<Wide<Real>> dPositionTable) const = 0;

    virtual void crossEntropy(const CrossEntropy<Real>& op) const = 0;
    // scale (p - [column is the target]) overwrites the logits; 0 in skipped rows. The
    // probabilities p are recomputed, so that they are never rounded.
    virtual void crossEntropyBackward(Matrix<Real> logits, std::span<const std::int32_t> targets,
                                      Wide<Real> scale) const = 0;

    virtual void adamW(const AdamW<Real>& op) const = 0;
    // For contiguous tensors of `parts`; op.weightDecay applies to the parts with decay.
    virtual void adamWOfParts(const AdamW<Real>& op, std::span<const DecayPart> parts) const
    {
        AdamW<Real> part = op;
        for (const DecayPart& each : parts) {
            part.count = each.count;
            part.weightDecay = each.decays ? op.weightDecay : 0;
            adamW(part);
            for (Wide<Real>** array : {&part.weights, &part.firstMoment, &part.secondMoment})
                *array += each.count;
            part.gradients += each.count;
            part.rounded += part.rounded != nullptr ? each.count : 0;
        }
    }
    // Adds the sum of squares to `*sum` in device memory, for the gradient norm. In double, in a
    // fixed order.
    virtual void addSquares(std::span<const Wide<Real>> x, double* sum) const
    {
        constexpr std::size_t kLanes = 8;
        double lanes[kLanes] = {};
        for (std::size_t i = 0; i < x.size() / kLanes * kLanes; i += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const double each = x[i + lane];
                lanes[lane] += each * each;
            }
        for (std::size_t i = x.size() / kLanes * kLanes; i < x.size(); ++i)
            lanes[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
        for (const double lane : lanes)
            *sum += lane;
    }

    // Fixed point (`--accumulate exact`): sums += round(x 2^40). Integer addition does not
    // depend on the order.
    virtual void addFixedPoint(std::span<const Wide<Real>> x,
                               std::span<std::int64_t> sums) const = 0;
    virtual void fromFixedPoint(std::span<const std::int64_t> sums,
                                std::span<Wide<Real>> x) const = 0;
};

constexpr int kFixedPointBits = 40;

} // namespace engine
