#include "app/timeline/busy_index.h"

#include <algorithm>

namespace app {

Share shareOf(engine::OpKind kind)
{
    using enum engine::OpKind;
    switch (kind) {
    case Forward:
    case Recompute:
        return Share::Forward;
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

BusyIndex::BusyIndex(std::span<const engine::Span> spans, std::span<const Share> kinds)
    : m_spans(spans)
    , m_kinds(kinds)
{
    m_sums.reserve(spans.size() / kBlock + 1);
    Busy sum{};
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i % kBlock == 0) {
            m_begins.push_back(spans[i].begin);
            m_sums.push_back(sum);
        }
        sum[static_cast<std::size_t>(kinds[spans[i].op])]
            += weight(i) * static_cast<double>(spans[i].end - spans[i].begin);
    }
}

double BusyIndex::weight(std::size_t span) const
{
    const auto window = m_spans[span].window();
    const bool isJoint = (span > 0 && m_spans[span - 1].window() == window)
        || (span + 1 < m_spans.size() && m_spans[span + 1].window() == window);
    return isJoint ? 0.5 : 1.0;
}

Busy BusyIndex::before(double time) const
{
    const auto later = [](double t, std::int64_t begin) { return t < static_cast<double>(begin); };
    const auto next = std::upper_bound(m_begins.begin(), m_begins.end(), time, later);
    if (next == m_begins.begin())
        return {};
    const auto block = static_cast<std::size_t>(next - m_begins.begin()) - 1;
    const std::size_t last = std::min(m_spans.size(), (block + 1) * kBlock);
    Busy sum = m_sums[block];
    for (std::size_t i = block * kBlock; i < last; ++i) {
        const auto begin = static_cast<double>(m_spans[i].begin);
        if (time < begin)
            break;
        const double end = std::min(time, static_cast<double>(m_spans[i].end));
        sum[static_cast<std::size_t>(m_kinds[m_spans[i].op])] += weight(i) * (end - begin);
    }
    return sum;
}

Busy BusyIndex::within(double begin, double end) const
{
    Busy busy = before(end);
    const Busy earlier = before(begin);
    for (std::size_t k = 0; k < kShares; ++k)
        busy[k] -= earlier[k];
    return busy;
}

} // namespace app
