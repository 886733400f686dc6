#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

// A row-major view: `stride` elements from one row to the next.
template<class Real>
struct Matrix
{
    Real* data = nullptr;
    int rows = 0, columns = 0, stride = 0;

    Matrix() = default;
    Matrix(Real* first, int rowCount, int columnCount, int rowStride)
        : data(first)
        , rows(rowCount)
        , columns(columnCount)
        , stride(rowStride)
    { }
    Matrix(Real* first, int rowCount, int columnCount)
        : Matrix(first, rowCount, columnCount, columnCount)
    { }
    operator Matrix<const Real>() const // NOLINT(google-explicit-constructor): adding const
    {
        return {data, rows, columns, stride};
    }
    Real* row(int r) const { return data + static_cast<std::ptrdiff_t>(r) * stride; }
};

enum class Transpose : std::uint8_t { No, Yes };

// c = alpha a b + beta c, a or b transposed on request.
template<class Real>
struct Matmul
{
    Matrix<const Real> a, b;
    Matrix<Real> c;
    Transpose transposeA = Transpose::No, transposeB = Transpose::No;
    Real alpha = 1, beta = 0;
};

// Per row: y = (x - mean) / deviation * gain + bias; mean and 1 / deviation are kept for the
// backward.
template<class Real>
struct LayerNorm
{
    Matrix<const Real> x;
    const Real *gain = nullptr, *bias = nullptr;
    Matrix<Real> y;
    Real *mean = nullptr, *inverseDeviation = nullptr; // [rows]
};

// dx = residual + the gradient through the norm.
template<class Real>
struct LayerNormBackward
{
    Matrix<const Real> x, dy, residual; // residual: none is zero
    const Real *gain = nullptr, *mean = nullptr, *inverseDeviation = nullptr;
    Matrix<Real> dx;                         // may be where x or the residual is
    Real *dGain = nullptr, *dBias = nullptr; // added to
};

// Causal multi-head attention, the standard way: the scores are stored.
// (samples x T, 3C) -> (samples x T, C); head h of the keys is columns C + h C/heads ... of qkv.
template<class Real>
struct Attention
{
    Matrix<const Real> qkv;
    int samples = 0, heads = 0;
    Real* scores = nullptr; // (samples, heads, T, T), probabilities after softmax
    Matrix<Real> out;
};

template<class Real>
struct AttentionBackward
{
    Matrix<Real> qkv; // its gradient takes its place
    int samples = 0, heads = 0;
    const Real* scores = nullptr;
    Matrix<const Real> dOut;
    Real* workspace = nullptr;

    static std::size_t workspaceCount(int sequence, int headSize)
    {
        const auto t = static_cast<std::size_t>(sequence), h = static_cast<std::size_t>(headSize);
        return t * t + 3 * t * h; // the gradients of the scores, and of q, k and v of a head
    }
};

// One step of AdamW (Loshchilov and Hutter, 2019) on one parameter tensor; decay is not coupled.
template<class Real>
struct AdamW
{
    Real *weights = nullptr, *firstMoment = nullptr, *secondMoment = nullptr;
    const Real* gradients = nullptr;
    std::size_t count = 0;
    double learningRate = 0, beta1 = 0, beta2 = 0, epsilon = 0, weightDecay = 0;
    int step = 1; // from 1, for the bias correction
};

// The arithmetic of a device, one method an operation of the model; each call is done when it
// returns. Views point into what the caller owns. No state: any thread.
template<class Real>
class Kernels
{
public:
    Kernels() = default;
    Kernels(const Kernels&) = delete;
    Kernels& operator=(const Kernels&) = delete;
    virtual ~Kernels() = default;

    virtual void matmul(const Matmul<Real>& op) const = 0;
    virtual void addBias(Matrix<Real> y, const Real* bias) const = 0;
    virtual void addBiasGradient(Matrix<const Real> dy, Real* dBias) const = 0;
    virtual void add(std::span<const Real> x, std::span<Real> y) const = 0; // y += x

    virtual void layerNorm(const LayerNorm<Real>& op) const = 0;
    virtual void layerNormBackward(const LayerNormBackward<Real>& op) const = 0;
    virtual void attention(const Attention<Real>& op) const = 0;
    virtual void attentionBackward(const AttentionBackward<Real>& op) const = 0;
    // The tanh form of GELU (Hendrycks and Gimpel, 2016).
    virtual void gelu(std::span<const Real> x, std::span<Real> y) const = 0;
    // dx takes the place of x.
    virtual void geluBackward(std::span<const Real> dy, std::span<Real> x) const = 0;

    // out = tokenTable[token] + positionTable[position]; positions run from 0 in every sample.
    virtual void embedding(std::span<const std::int32_t> tokens, const Real* tokenTable,
                           Matrix<const Real> positionTable, Matrix<Real> out) const = 0;
    virtual void embeddingBackward(std::span<const std::int32_t> tokens, Matrix<const Real> dOut,
                                   Real* dTokenTable, Matrix<Real> dPositionTable) const = 0;

    // Turns logits into probabilities; returns the sum over rows of -log p(target), in nats.
    virtual double crossEntropy(Matrix<Real> logits,
                                std::span<const std::int32_t> targets) const = 0;
    // scale (p - [column is the target]) takes the place of the probabilities p.
    virtual void crossEntropyBackward(Matrix<Real> probabilities,
                                      std::span<const std::int32_t> targets, Real scale) const = 0;

    virtual void adamW(const AdamW<Real>& op) const = 0;

    // Fixed point (`--accumulate exact`): sums += round(x 2^40). Integer addition has no order.
    virtual void addFixedPoint(std::span<const Real> x, std::span<std::int64_t> sums) const = 0;
    virtual void fromFixedPoint(std::span<const std::int64_t> sums, std::span<Real> x) const = 0;
};

constexpr int kFixedPointBits = 40;

} // namespace engine
