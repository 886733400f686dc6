#pragma once

#include "engine/backend/kernels.h"

#include <vector>

namespace bench {

// The matrix products of a training step, those within attention too, as it makes them: the same
// shapes at the same places in the same order. Doing them alone is the roofline of the step.
class GemmList
{
public:
    void matmul(const engine::Matmul<float>& op) { m_all.push_back(op); }
    // Standard attention without slices.
    void attention(const engine::Attention<float>& op);
    void attentionBackward(const engine::AttentionBackward<float>& op);

    void run(const engine::Kernels<float>& kernels) const
    {
        for (const engine::Matmul<float>& op : m_all)
            kernels.matmul(op);
    }
    // Those of attention alone.
    void runAttention(const engine::Kernels<float>& kernels) const
    {
        for (const std::size_t i : m_ofAttention)
            kernels.matmul(m_all[i]);
    }
    double flops() const;
    bool empty() const { return m_all.empty(); }

private:
    void add(const engine::Matmul<float>& op)
    {
        m_ofAttention.push_back(m_all.size());
        m_all.push_back(op);
    }

    std::vector<engine::Matmul<float>> m_all;
    std::vector<std::size_t> m_ofAttention;
};

} // namespace bench
