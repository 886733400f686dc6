#include "engine/exec/gradients.h"

#include <algorithm>

namespace engine {

void Gradients::endMicroBatch()
{
    if (m_accumulate == Accumulate::Float)
        return;
    m_kernels.addFixedPoint(m_floats, m_sums);
    std::ranges::fill(m_floats, 0.0F);
}

std::span<const float> Gradients::sum()
{
    if (m_accumulate == Accumulate::Exact)
        m_kernels.fromFixedPoint(m_sums, m_floats);
    return m_floats;
}

void Gradients::clear()
{
    std::ranges::fill(m_floats, 0.0F);
    std::ranges::fill(m_sums, 0);
}

} // namespace engine
