#include "app/timeline/view/busy_index.h"

#include <algorithm>
#include <cmath>

namespace app {

Share shareOf(engine::OpKind kind)
{
    using enum engine::OpKind;
    switch (kind) {
    case Forward:
        return Share::Forward;
    case Recompute:
        return Share::Recompute;
    case Backward:
    case BackwardInput:
        return Share::Backward;
    case BackwardWeight:
        return Share::Weight;
    case OptimizerStep:
        return Share::Optimizer;
    default:
        return Share::Communication;
    }
}

template<class Kind, std::size_t kCount>
inline void BusyIndexOf<Kind, kCount>::add(const engine::Span& span, double duration,
                                           Sums& sums) const
{
    const auto place = static_cast<std::size_t>(&span - spans().data());
    if (m_hasJoint && m_isJoint[place])
        duration /= 2;
    sums[static_cast<std::size_t>(m_kinds[span.op])] += duration;
}

template<class Kind, std::size_t kCount>
BusyIndexOf<Kind, kCount>::BusyIndexOf(std::span<const engine::Span> spans,
                                       std::span<const Kind> kinds)
    : m_index(spans)
    , m_kinds(kinds)
{
    findJoint();
    m_sums.reserve(spans.size() / kBlock + 1);
    Sums sum{};
    for (std::size_t i = 0; i <= spans.size(); ++i) {
        if (i % kBlock == 0)
            m_sums.push_back(sum);
        if (i < spans.size())
            add(spans[i], static_cast<double>(spans[i].end - spans[i].begin), sum);
    }
}

template<class Kind, std::size_t kCount>
void BusyIndexOf<Kind, kCount>::findJoint()
{
    const auto all = spans();
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].window() != all[i - 1].window())
            continue;
        m_hasJoint = true;
        m_isJoint.resize(all.size());
        m_isJoint[i - 1] = m_isJoint[i] = true;
    }
}

template<class Kind, std::size_t kCount>
auto BusyIndexOf<Kind, kCount>::Sweep::before(double time) -> Sums
{
    const auto spans = m_index->spans();
    if (spans.empty())
        return {};
    // Rounds down, because spans begin and end at whole ticks.
    const auto tick = static_cast<std::int64_t>(std::floor(time));
    const std::size_t block = m_index->m_index.endedBefore(tick, m_next) / kBlock;
    if (block * kBlock > m_next) {
        m_next = block * kBlock;
        m_sum = m_index->m_sums[block];
    }
    const engine::Span *next = spans.data() + m_next, *last = spans.data() + spans.size();
    for (; next != last && next->end <= tick; ++next)
        m_index->add(*next, static_cast<double>(next->end - next->begin), m_sum);
    m_next = static_cast<std::size_t>(next - spans.data());
    Sums sum = m_sum;
    for (; next != last && next->begin <= tick; ++next) {
        const double end = std::min(time, static_cast<double>(next->end));
        m_index->add(*next, end - static_cast<double>(next->begin), sum);
    }
    return sum;
}

template<class Kind, std::size_t kCount>
auto BusyIndexOf<Kind, kCount>::within(double begin, double end) const -> Sums
{
    Sweep sweep(*this);
    const Sums earlier = sweep.before(begin);
    Sums busy = sweep.before(end);
    for (std::size_t k = 0; k < kCount; ++k)
        busy[k] -= earlier[k];
    return busy;
}

template class BusyIndexOf<Share, kShares>;
template class BusyIndexOf<std::uint8_t, kKernelShares>;

} // namespace app
