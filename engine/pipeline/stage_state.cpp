#include "engine/pipeline/stage_state.h"

namespace engine {

void Gradients::endMicroBatch()
{
    if (m_accumulate == Accumulate::Float)
        return;
    m_kernels.addFixedPoint(m_floats, m_sums);
    m_kernels.zero(m_floats);
}

std::span<const float> Gradients::sum()
{
    if (m_accumulate == Accumulate::Exact)
        m_kernels.fromFixedPoint(m_sums, m_floats);
    return m_floats;
}

void Gradients::clear()
{
    m_kernels.zero(m_floats);
    m_kernels.zero(m_sums);
}

} // namespace engine
