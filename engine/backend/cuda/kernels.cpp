#include "engine/backend/cuda/kernels.h"

#include "engine/backend/cuda/attention.h"
#include "engine/backend/cuda/launch.h"
#include "engine/backend/cuda/operations.h"

#include <vector>

namespace engine::cuda {
namespace {

// Each method is the operation of the same name in backend/cuda.
class LaneKernels final : public Kernels<float>
{
public:
    using Tokens = std::span<const std::int32_t>;

    LaneKernels(const Lane& lane, Products& products)
        : m_lane(lane)
        , m_products(products)
    { }

    ~LaneKernels() override
    {
        for (void* memory : m_constants)
            cudaFree(memory);
    }

    void zero(std::span<float> x) const override
    {
        check(cudaMemsetAsync(x.data(), 0, x.size_bytes(), m_lane.stream), "clearing");
    }
    void copy(std::span<const float> from, std::span<float> to) const override
    {
        check(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyDeviceToDevice,
                              m_lane.stream),
              "copy");
    }
    void copyBytes(std::span<const std::byte> from, std::span<std::byte> to) const override
    {
        check(cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDeviceToDevice,
                              m_lane.stream),
              "copy");
    }
    void zeroIntegers(std::span<std::int64_t> x) const override
    {
        check(cudaMemsetAsync(x.data(), 0, x.size_bytes(), m_lane.stream), "clearing");
    }
    void addIntegers(std::span<const std::int64_t> x, std::span<std::int64_t> y) const override
    {
        cuda::addIntegers(m_lane, x, y);
    }
    void copyIntegers(std::span<const std::int64_t> from, std::span<std::int64_t> to) const override
    {
        check(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyDeviceToDevice,
                              m_lane.stream),
              "copy");
    }
    const float* constants(std::span<const float> numbers) const override
    {
        if (numbers.empty())
            return nullptr;
        void* memory = nullptr;
        check(cudaMalloc(&memory, numbers.size_bytes()), "allocation of constants");
        m_constants.push_back(memory);
        check(cudaMemcpyAsync(memory, numbers.data(), numbers.size_bytes(), cudaMemcpyHostToDevice,
                              m_lane.stream),
              "copy of constants");
        check(cudaStreamSynchronize(m_lane.stream), "copy of constants");
        return static_cast<const float*>(memory);
    }

    void matmul(const Matmul<float>& op) const override
    {
        m_products.multiply(m_lane, {.first = op});
    }
    void matmulWide(const Matmul<float>& op) const override { matmul(op); }
    void addBias(Matrix<float> y, const float* bias) const override
    {
        cuda::addBias(m_lane, y, bias);
    }
    void addBiasGradient(Matrix<const float> dy, float* dBias) const override
    {
        cuda::addBiasGradient(m_lane, dy, dBias);
    }
    void add(std::span<const float> x, std::span<float> y) const override
    {
        cuda::add(m_lane, x, y);
    }
    void layerNorm(const LayerNorm<float>& op) const override { cuda::layerNorm(m_lane, op); }
    void layerNormBackward(const LayerNormBackward<float>& op) const override
    {
        cuda::layerNormBackward(m_lane, op);
    }
    void rmsNorm(const RmsNorm<float>& op) const override { cuda::rmsNorm(m_lane, op); }
    void rmsNormBackward(const RmsNormBackward<float>& op) const override
    {
        cuda::rmsNormBackward(m_lane, op);
    }
    void rotary(const Rotary<float>& op) const override { cuda::rotary(m_lane, op); }
    int headsAtOnce(const AttentionShape& shape) const override { return shape.heads; }
    void attention(const Attention<float>& op) const override
    {
        cuda::attention(m_lane, m_products, op);
    }
    void attentionBackward(const AttentionBackward<float>& op) const override
    {
        cuda::attentionBackward(m_lane, m_products, op);
    }
    void gelu(std::span<const float> x, std::span<float> y) const override
    {
        cuda::gelu(m_lane, x, y);
    }
    void geluBackward(std::span<const float> dy, std::span<float> x) const override
    {
        cuda::geluBackward(m_lane, dy, x);
    }
    void swiGlu(Matrix<const float> x, Matrix<float> y) const override
    {
        cuda::swiGlu(m_lane, x, y);
    }
    void swiGluBackward(Matrix<const float> dy, Matrix<float> x) const override
    {
        cuda::swiGluBackward(m_lane, dy, x);
    }
    void embedding(Tokens tokens, const float* tokenTable, Matrix<const float> positionTable,
                   Matrix<float> out) const override
    {
        cuda::embedding(m_lane, tokens, tokenTable, positionTable, out);
    }
    void embeddingBackward(Tokens tokens, Matrix<const float> dOut, float* dTokenTable,
                           Matrix<float> dPositionTable) const override
    {
        cuda::embeddingBackward(m_lane, tokens, dOut, dTokenTable, dPositionTable);
    }
    double crossEntropy(Matrix<float> logits, Tokens targets) const override
    {
        const double* sum = cuda::crossEntropy(m_lane, logits, targets);
        double loss = 0;
        check(cudaMemcpyAsync(&loss, sum, sizeof loss, cudaMemcpyDeviceToHost, m_lane.stream),
              "copy of the loss");
        check(cudaStreamSynchronize(m_lane.stream), "cross-entropy");
        return loss;
    }
    void crossEntropyBackward(Matrix<float> probabilities, Tokens targets,
                              float scale) const override
    {
        cuda::crossEntropyBackward(m_lane, probabilities, targets, scale);
    }
    void adamW(const AdamW<float>& op) const override { cuda::adamW(m_lane, op); }
    void addFixedPoint(std::span<const float> x, std::span<std::int64_t> sums) const override
    {
        cuda::addFixedPoint(m_lane, x, sums);
    }
    void fromFixedPoint(std::span<const std::int64_t> sums, std::span<float> x) const override
    {
        cuda::fromFixedPoint(m_lane, sums, x);
    }

private:
    const Lane& m_lane;
    Products& m_products;
    mutable std::vector<void*> m_constants;
};

} // namespace

std::unique_ptr<Kernels<float>> makeKernels(const Lane& lane, Products& products)
{
    return std::make_unique<LaneKernels>(lane, products);
}

} // namespace engine::cuda
