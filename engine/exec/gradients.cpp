#include "engine/exec/gradients.h"

#include "engine/transport/all_reduce.h"

#include <algorithm>

namespace engine {

Gradients::Gradients(std::size_t count, Accumulate accumulate, const Kernels<float>& kernels)
    : m_accumulate(accumulate)
    , m_kernels(kernels)
    , m_floats(count)
    , m_fixed(accumulate == Accumulate::Exact ? count : 0)
{ }

void Gradients::endMicroBatch()
{
    if (m_accumulate == Accumulate::Float)
        return;
    m_kernels.addFixedPoint(m_floats, m_fixed);
    std::ranges::fill(m_floats, 0.0F);
}

std::span<const float> Gradients::sum()
{
    if (m_accumulate == Accumulate::Exact)
        m_kernels.fromFixedPoint(m_fixed, m_floats);
    return m_floats;
}

void Gradients::clear()
{
    std::ranges::fill(m_floats, 0.0F);
    std::ranges::fill(m_fixed, 0);
}

Bytes Gradients::bytes(std::size_t count, Accumulate accumulate)
{
    const std::size_t each
        = sizeof(float) + (accumulate == Accumulate::Exact ? sizeof(std::int64_t) : 0);
    return static_cast<Bytes>(count * each);
}

void Gradients::allReduce(std::span<Gradients* const> replicas)
{
    std::vector<std::span<float>> floats;
    std::vector<std::span<std::int64_t>> fixed;
    for (Gradients* replica : replicas) {
        floats.emplace_back(replica->m_floats);
        fixed.emplace_back(replica->m_fixed);
    }
    if (replicas.front()->m_accumulate == Accumulate::Exact)
        engine::allReduce<std::int64_t>(fixed);
    else
        engine::allReduce<float>(floats);
}

} // namespace engine
