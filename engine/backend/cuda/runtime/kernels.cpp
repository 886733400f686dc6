#include "engine/backend/cuda/runtime/kernels.h"

#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/operations.h"
#include "engine/backend/cuda/runtime/tensor_attention.h"

#include <vector>

namespace engine::cuda {
namespace {

template<class Real>
class StreamKernels final : public Kernels<Real>
{
public:
    using Tokens = std::span<const std::int32_t>;

    StreamKernels(const OpStream& opStream, Products& products, const Allocations& memory)
        : m_opStream(opStream)
        , m_products(products)
        , m_memory(memory)
    { }

    void zeroBytes(std::span<std::byte> x) const override
    {
        check(cudaMemsetAsync(x.data(), 0, x.size(), m_opStream.stream), "cudaMemsetAsync");
    }
    void copyBytes(std::span<const std::byte> from, std::span<std::byte> to) const override
    {
        check(cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDefault,
                              m_opStream.stream),
              "cudaMemcpyAsync");
    }
    void addIntegers(std::span<const std::int64_t> x, std::span<std::int64_t> y) const override
    {
        cuda::addIntegers(m_opStream, x, y);
    }
    std::int64_t linesUnlike(std::byte value, std::span<const std::byte> memory) const override
    {
        return cuda::linesUnlike(m_opStream, value, memory);
    }

    void matmul(const Matmul<Real>& op) const override
    {
        m_products.multiply(m_opStream, BatchedMatmul<Real>{.first = op});
    }
    void matmulWide(const Matmul<Real, float>& op) const override
    {
        m_products.multiply(m_opStream, BatchedMatmul<Real, float>{.first = op});
    }
    void addBias(Matrix<Real> y, const Real* bias) const override
    {
        cuda::addBias(m_opStream, y, bias);
    }
    void addBiasGradient(Matrix<const Real> dy, float* dBias) const override
    {
        cuda::addBiasGradient(m_opStream, dy, dBias);
    }
    void add(std::span<const Real> x, std::span<Real> y) const override
    {
        cuda::add(m_opStream, x, y);
    }
    void linear(const Linear<Real>& op) const override
    {
        if (!cuda::linear(m_opStream, m_products, op))
            Kernels<Real>::linear(op);
    }
    void linearBackwardInput(const LinearBackwardInput<Real>& op) const override
    {
        if (!cuda::linearBackwardInput(m_opStream, m_products, op))
            Kernels<Real>::linearBackwardInput(op);
    }
    void linearBackwardWeight(const LinearBackwardWeight<Real>& op) const override
    {
        if (!cuda::linearBackwardWeight(m_opStream, m_products, op))
            Kernels<Real>::linearBackwardWeight(op);
    }
    void layerNorm(const LayerNorm<Real>& op) const override { cuda::layerNorm(m_opStream, op); }
    void layerNormBackward(const LayerNormBackward<Real>& op) const override
    {
        cuda::layerNormBackward(m_opStream, op);
    }
    void rmsNorm(const RmsNorm<Real>& op) const override { cuda::rmsNorm(m_opStream, op); }
    void rmsNormBackward(const RmsNormBackward<Real>& op) const override
    {
        cuda::rmsNormBackward(m_opStream, op);
    }
    void rotary(const Rotary<Real>& op) const override { cuda::rotary(m_opStream, op); }
    int headsAtOnce(const AttentionShape& shape) const override
    {
        return std::is_same_v<Real, bfloat16> ? headsOfTensorWorkspace(shape) : shape.heads;
    }
    void attention(const Attention<Real>& op) const override
    {
        cuda::attention(m_opStream, m_products, op);
    }
    void attentionBackward(const AttentionBackward<Real>& op) const override
    {
        cuda::attentionBackward(m_opStream, m_products, op);
    }
    void gelu(std::span<const Real> x, std::span<Real> y) const override
    {
        cuda::gelu(m_opStream, x, y);
    }
    void geluBackward(std::span<const Real> dy, std::span<Real> x) const override
    {
        cuda::geluBackward(m_opStream, dy, x);
    }
    void swiGlu(Matrix<const Real> x, Matrix<Real> y) const override
    {
        cuda::swiGlu(m_opStream, x, y);
    }
    void swiGluBackward(Matrix<const Real> dy, Matrix<Real> x) const override
    {
        cuda::swiGluBackward(m_opStream, dy, x);
    }
    void embedding(Tokens tokens, const Real* tokenTable, Matrix<const Real> positionTable,
                   Matrix<Real> out) const override
    {
        cuda::embedding(m_opStream, tokens, tokenTable, positionTable, out);
    }
    void embeddingBackward(Tokens tokens, Matrix<const Real> dOut, float* dTokenTable,
                           Matrix<float> dPositionTable) const override
    {
        cuda::embeddingBackward(m_opStream, tokens, dOut, dTokenTable, dPositionTable);
    }
    void crossEntropy(const CrossEntropy<Real>& op) const override
    {
        cuda::crossEntropy(m_opStream, op);
    }
    void crossEntropyBackward(Matrix<Real> logits, Tokens targets, float scale) const override
    {
        cuda::crossEntropyBackward(m_opStream, logits, targets, scale);
    }
    void adamW(const AdamW<Real>& op, std::span<const DecayPart> parts) const override
    {
        cuda::adamW(m_opStream, op, parts);
    }
    void addSquares(std::span<const float> x, double* sum) const override
    {
        cuda::addSquares(m_opStream, x, sum);
    }
    void addFixedPoint(std::span<const float> x, std::span<std::int64_t> sums) const override
    {
        cuda::addFixedPoint(m_opStream, x, sums);
    }
    void fromFixedPoint(std::span<const std::int64_t> sums, std::span<float> x) const override
    {
        cuda::fromFixedPoint(m_opStream, sums, x);
    }

private:
    const std::byte* constantBytes(std::span<const std::byte> bytes) const override
    {
        if (bytes.empty())
            return nullptr;
        std::byte* memory
            = m_constants.emplace_back(m_memory.take(bytes.size(), MemoryFor::Other)).get();
        check(cudaMemcpyAsync(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice,
                              m_opStream.stream),
              "cudaMemcpyAsync");
        check(cudaStreamSynchronize(m_opStream.stream), "cudaStreamSynchronize");
        return memory;
    }

    const OpStream& m_opStream;
    Products& m_products;
    const Allocations& m_memory;
    mutable std::vector<DeviceMemory> m_constants;
};

} // namespace

template<class Real>
std::unique_ptr<Kernels<Real>> makeKernels(const OpStream& opStream, Products& products,
                                           const Allocations& memory)
{
    return std::make_unique<StreamKernels<Real>>(opStream, products, memory);
}

template std::unique_ptr<Kernels<float>> makeKernels(const OpStream&, Products&,
                                                     const Allocations&);
template std::unique_ptr<Kernels<bfloat16>> makeKernels(const OpStream&, Products&,
                                                        const Allocations&);

} // namespace engine::cuda
