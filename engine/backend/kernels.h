#pragma once

#include "engine/backend/attention.h"
#include "engine/backend/matrix.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace engine {

// Granularity of the check for written memory, in bytes.
constexpr std::size_t kLine = 64;

// Counts whole lines of host memory.
inline std::int64_t linesUnlike(std::byte value, std::span<const std::byte> memory)
{
    std::byte like[kLine];
    std::memset(like, std::to_integer<int>(value), kLine);
    std::int64_t count = 0;
    for (std::size_t line = 0; line + kLine <= memory.size(); line += kLine)
        count += std::memcmp(memory.data() + line, like, kLine) != 0 ? 1 : 0;
    return count;
}

enum class Transpose : std::uint8_t { No, Yes };

// c = alpha a b + beta c; a and b are optionally transposed.
template<class Real, class Out = Real>
struct Matmul
{
    Matrix<const Real> a, b;
    Matrix<Out> c;
    Transpose transposeA = Transpose::No, transposeB = Transpose::No;
    Wide<Real> alpha = 1, beta = 0;
};

// y = x weight + bias + residual. The weight is (in, out); bias and residual are optional. If
// `activated` is set, also activated = gelu(y).
template<class Real>
struct Linear
{
    Matrix<const Real> x, weight;
    const Real* bias = nullptr;
    Matrix<const Real> residual = {}; // contiguous, like y and activated
    Matrix<Real> y;
    Matrix<Real> activated = {};
};

// dx = dy weight^T; dx is overwritten. If beforeGelu (the input of the GELU that produced x) is
// set, its gradient overwrites it, and dx is undefined afterwards.
template<class Real>
struct LinearBackwardInput
{
    Matrix<const Real> dy, weight;
    Matrix<Real> dx;
    Matrix<Real> beforeGelu = {}; // contiguous, like dx
};

// dWeight += x^T dy, dBias += sum of dy over its rows; the bias is optional.
template<class Real>
struct LinearBackwardWeight
{
    Matrix<const Real> x, dy;
    Matrix<Wide<Real>> dWeight;
    Wide<Real>* dBias = nullptr;
};

// For each row: y = (x - mean) / deviation * gain + bias. mean and 1 / deviation are kept for the
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

// dx = residual + the gradient of the norm with respect to x.
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

// Like LayerNorm, but without mean and bias (Zhang and Sennrich, 2019): y = x / root mean square *
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

// Rotary position embedding (Su et al., 2021): in each head, columns c and c + size / 2 are rotated
// by an angle that depends on position and c. The backward rotates in the opposite direction.
template<class Real>
struct Rotary
{
    Matrix<Real> x; // the first heads * headSize columns are rotated in place
    int heads = 0, headSize = 0, sequence = 0;
    const Wide<Real>* cosines = nullptr; // (sequence, headSize / 2)
    const Wide<Real>* sines = nullptr;
    enum class Direction : std::uint8_t { Forward, Backward } direction = Direction::Forward;
};

// Adds the sum over rows of -log p(target) / `share` (in nats) to the loss. p is the softmax of a
// row.
template<class Real>
struct CrossEntropy
{
    Matrix<const Real> logits;
    std::span<const std::int32_t> targets; // rows with a negative target are skipped
    double* loss = nullptr;                // in device memory
    double share = 1;                      // expected fraction of rows with a target
};

// One step of AdamW (Loshchilov and Hutter, 2019) for one parameter tensor, with decoupled
// weight decay. In mixed precision `weights` are the master weights (Micikevicius et al., 2018).
template<class Real>
struct AdamW
{
    Wide<Real>* weights = nullptr;
    Real* rounded = nullptr; // receives the new weights, rounded; nullptr if Real is wide
    Wide<Real>* firstMoment = nullptr;
    Wide<Real>* secondMoment = nullptr;
    const Wide<Real>* gradients = nullptr;
    std::size_t count = 0;
    double learningRate = 0, beta1 = 0, beta2 = 0, epsilon = 0, weightDecay = 0;
    int step = 1; // counted from 1, for the bias correction
};

// Consecutive tensors of a stage: either all have weight decay or none has.
struct DecayPart
{
    std::size_t count = 0; // numbers
    bool decays = false;
};

constexpr int kFixedPointBits = 40;

// The arithmetic of a device, one method per operation of the model. Views point into memory of the
// device (Device::allocate()) owned by the caller. On a CPU calls are synchronous and thread-safe.
// On a GPU a call queues the operation on the device's stream, and only one thread at a time may
// call; Device::synchronize() waits for the results. Throws std::runtime_error if the device fails.
//
// Real is the storage type of the training precision. Operations compute in Wide<Real>
// (bfloat16.h), at least float, and round once when they store.
template<class Real>
class Kernels
{
public:
    Kernels() = default;
    Kernels(const Kernels&) = delete;
    Kernels& operator=(const Kernels&) = delete;
    virtual ~Kernels() = default;

    virtual void zeroBytes(std::span<std::byte> x) const { std::ranges::fill(x, std::byte{0}); }
    virtual void copyBytes(std::span<const std::byte> from, std::span<std::byte> to) const
    {
        std::ranges::copy(from, to.begin());
    }
    virtual void addIntegers(std::span<const std::int64_t> x, std::span<std::int64_t> y) const
    {
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += x[i];
    }
    // Counts lines (kLine bytes) after all earlier ops. The memory must be aligned to 16 bytes.
    // Synchronous.
    virtual std::int64_t linesUnlike(std::byte value, std::span<const std::byte> memory) const
    {
        return engine::linesUnlike(value, memory);
    }
    // On the device. `numbers` must outlive the kernels.
    template<class Number>
    const Number* constants(const std::vector<Number>& numbers) const
    {
        return reinterpret_cast<const Number*>(constantBytes(std::as_bytes(std::span(numbers))));
    }

    template<class Number>
    void zero(std::span<Number> x) const
    {
        zeroBytes(std::as_writable_bytes(x));
    }
    template<class Number>
    void copy(std::span<const std::type_identity_t<Number>> from, std::span<Number> to) const
    {
        copyBytes(std::as_bytes(from), std::as_writable_bytes(to));
    }

    // Matrix products, and linear layers, which a device may fuse.

    virtual void matmul(const Matmul<Real>& op) const = 0;
    // matmul() with a wide result, for weight gradients.
    virtual void matmulWide(const Matmul<Real, Wide<Real>>& op) const = 0;
    virtual void addBias(Matrix<Real> y, const Real* bias) const = 0;
    virtual void addBiasGradient(Matrix<const Real> dy, Wide<Real>* dBias) const = 0;
    virtual void add(std::span<const Real> x, std::span<Real> y) const = 0; // y += x
    // The tanh form of GELU (Hendrycks and Gimpel, 2016).
    virtual void gelu(std::span<const Real> x, std::span<Real> y) const = 0;
    // dx overwrites x.
    virtual void geluBackward(std::span<const Real> dy, std::span<Real> x) const = 0;

    // Layers composed of other operations. A device may fuse them.
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

    // Norms, rotary positions, attention and SwiGLU.

    virtual void layerNorm(const LayerNorm<Real>& op) const = 0;
    virtual void layerNormBackward(const LayerNormBackward<Real>& op) const = 0;
    virtual void rmsNorm(const RmsNorm<Real>& op) const = 0;
    virtual void rmsNormBackward(const RmsNormBackward<Real>& op) const = 0;
    virtual void rotary(const Rotary<Real>& op) const = 0;
    virtual int headsAtOnce(const AttentionShape& /*shape*/) const { return 1; }
    virtual void attention(const Attention<Real>& op) const = 0;
    virtual void attentionBackward(const AttentionBackward<Real>& op) const = 0;

    // SwiGLU (Shazeer, 2020): y = silu(gate) * up. x is (rows, 2F): F gate columns, then F up
    // columns; y is (rows, F). swiGluBackward() overwrites x with dx.
    virtual void swiGlu(Matrix<const Real> x, Matrix<Real> y) const = 0;
    virtual void swiGluBackward(Matrix<const Real> dy, Matrix<Real> x) const = 0;

    // The layers that read tokens: the embedding and the loss.

    // out = tokenTable[token] + positionTable[position]. Positions start at 0 in every sample.
    // `positionTable` is optional.
    virtual void embedding(std::span<const std::int32_t> tokens, const Real* tokenTable,
                           Matrix<const Real> positionTable, Matrix<Real> out) const = 0;
    virtual void embeddingBackward(std::span<const std::int32_t> tokens, Matrix<const Real> dOut,
                                   Wide<Real>* dTokenTable,
                                   Matrix<Wide<Real>> dPositionTable) const = 0;

    virtual void crossEntropy(const CrossEntropy<Real>& op) const = 0;
    // Overwrites the logits with scale * (p - [column is the target]), or with 0 in skipped rows.
    // The probabilities p are recomputed instead of stored, so they are never rounded.
    virtual void crossEntropyBackward(Matrix<Real> logits, std::span<const std::int32_t> targets,
                                      Wide<Real> scale) const = 0;

    // Optimizer, gradient norm and exact accumulation.

    // Runs one step for the contiguous tensors of `parts`. op.weightDecay applies only to parts
    // with decay.
    virtual void adamW(const AdamW<Real>& op, std::span<const DecayPart> parts) const = 0;
    // Adds the sum of squares (for the gradient norm) to `*sum` in device memory, in double and in
    // a fixed order.
    virtual void addSquares(std::span<const Wide<Real>> x, double* sum) const
    {
        constexpr std::size_t kLanes = 8;
        double lanes[kLanes] = {};
        for (std::size_t i = 0; i < x.size() / kLanes * kLanes; i += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const auto each = static_cast<double>(x[i + lane]);
                lanes[lane] += each * each;
            }
        for (std::size_t i = x.size() / kLanes * kLanes; i < x.size(); ++i)
            lanes[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
        for (const double lane : lanes)
            *sum += lane;
    }

    // Fixed point (`--accumulate exact`): sums += round(x 2^40). Integer sums do not depend on the
    // order of the additions.
    virtual void addFixedPoint(std::span<const Wide<Real>> x,
                               std::span<std::int64_t> sums) const = 0;
    virtual void fromFixedPoint(std::span<const std::int64_t> sums,
                                std::span<Wide<Real>> x) const = 0;

private:
    virtual const std::byte* constantBytes(std::span<const std::byte> bytes) const
    {
        return bytes.data();
    }
};

} // namespace engine
