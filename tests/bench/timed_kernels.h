#pragma once

#include "engine/base/clock.h"
#include "tests/bench/gemm_list.h"

#include <array>
#include <string_view>

namespace bench {

enum class Part { Matmul, Attention, Norm, Activation, Loss, AdamW, Rest };
constexpr std::array<std::string_view, 7> kParts{"matmul", "attention", "norm", "activation",
                                                 "loss",   "adamw",     "rest"};

// Passes every call on, and adds up how long each kind takes.
class TimedKernels final : public engine::Kernels<float>
{
public:
    using Tokens = std::span<const std::int32_t>;

    TimedKernels(const engine::Kernels<float>& kernels, int threads)
        : m_kernels(kernels)
        , m_threads(threads)
    { }

    std::int64_t now() const
    {
        return m_threads == 1 ? engine::threadCpuTime() : engine::wallTime();
    }
    std::array<std::int64_t, kParts.size()>& spent() const { return m_spent; }

    GemmList* recorded = nullptr; // takes every matrix product down

    void matmul(const engine::Matmul<float>& op) const override
    {
        if (recorded != nullptr)
            recorded->matmul(op);
        timed(Part::Matmul, [&] { m_kernels.matmul(op); });
    }
    void matmulWide(const engine::Matmul<float>& op) const override { matmul(op); }
    void addBias(engine::Matrix<float> y, const float* bias) const override
    {
        timed(Part::Rest, [&] { m_kernels.addBias(y, bias); });
    }
    void addBiasGradient(engine::Matrix<const float> dy, float* dBias) const override
    {
        timed(Part::Rest, [&] { m_kernels.addBiasGradient(dy, dBias); });
    }
    void add(std::span<const float> x, std::span<float> y) const override
    {
        timed(Part::Rest, [&] { m_kernels.add(x, y); });
    }
    void layerNorm(const engine::LayerNorm<float>& op) const override
    {
        timed(Part::Norm, [&] { m_kernels.layerNorm(op); });
    }
    void layerNormBackward(const engine::LayerNormBackward<float>& op) const override
    {
        timed(Part::Norm, [&] { m_kernels.layerNormBackward(op); });
    }
    void rmsNorm(const engine::RmsNorm<float>& op) const override
    {
        timed(Part::Norm, [&] { m_kernels.rmsNorm(op); });
    }
    void rmsNormBackward(const engine::RmsNormBackward<float>& op) const override
    {
        timed(Part::Norm, [&] { m_kernels.rmsNormBackward(op); });
    }
    void rotary(const engine::Rotary<float>& op) const override
    {
        timed(Part::Rest, [&] { m_kernels.rotary(op); });
    }
    void attention(const engine::Attention<float>& op) const override
    {
        if (recorded != nullptr)
            recorded->attention(op);
        timed(Part::Attention, [&] { m_kernels.attention(op); });
    }
    void attentionBackward(const engine::AttentionBackward<float>& op) const override
    {
        if (recorded != nullptr)
            recorded->attentionBackward(op);
        timed(Part::Attention, [&] { m_kernels.attentionBackward(op); });
    }
    void gelu(std::span<const float> x, std::span<float> y) const override
    {
        timed(Part::Activation, [&] { m_kernels.gelu(x, y); });
    }
    void geluBackward(std::span<const float> dy, std::span<float> x) const override
    {
        timed(Part::Activation, [&] { m_kernels.geluBackward(dy, x); });
    }
    void swiGlu(engine::Matrix<const float> x, engine::Matrix<float> y) const override
    {
        timed(Part::Activation, [&] { m_kernels.swiGlu(x, y); });
    }
    void swiGluBackward(engine::Matrix<const float> dy, engine::Matrix<float> x) const override
    {
        timed(Part::Activation, [&] { m_kernels.swiGluBackward(dy, x); });
    }
    void embedding(Tokens tokens, const float* table, engine::Matrix<const float> positions,
                   engine::Matrix<float> out) const override
    {
        timed(Part::Rest, [&] { m_kernels.embedding(tokens, table, positions, out); });
    }
    void embeddingBackward(Tokens tokens, engine::Matrix<const float> dOut, float* dTable,
                           engine::Matrix<float> dPositions) const override
    {
        timed(Part::Rest, [&] { m_kernels.embeddingBackward(tokens, dOut, dTable, dPositions); });
    }
    void crossEntropy(const engine::CrossEntropy<float>& op) const override
    {
        timed(Part::Loss, [&] { m_kernels.crossEntropy(op); });
    }
    void crossEntropyBackward(engine::Matrix<float> logits, Tokens targets,
                              float scale) const override
    {
        timed(Part::Loss, [&] { m_kernels.crossEntropyBackward(logits, targets, scale); });
    }
    void adamW(const engine::AdamW<float>& op,
               std::span<const engine::DecayPart> parts) const override
    {
        timed(Part::AdamW, [&] { m_kernels.adamW(op, parts); });
    }
    void addFixedPoint(std::span<const float> x, std::span<std::int64_t> sums) const override
    {
        m_kernels.addFixedPoint(x, sums);
    }
    void fromFixedPoint(std::span<const std::int64_t> sums, std::span<float> x) const override
    {
        m_kernels.fromFixedPoint(sums, x);
    }

private:
    template<class Call>
    void timed(Part part, const Call& call) const
    {
        const std::int64_t begin = now();
        call();
        m_spent[static_cast<std::size_t>(part)] += now() - begin;
    }

    const engine::Kernels<float>& m_kernels;
    int m_threads;
    mutable std::array<std::int64_t, kParts.size()> m_spent{};
};

} // namespace bench
