#include "app/timeline/busy_index.h"

#include <algorithm>
#include <cmath>

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

template<class Kind, std::size_t kCount>
BusyIndexOf<Kind, kCount>::BusyIndexOf(std::span<const engine::Span> spans,
                                       std::span<const Kind> kinds)
    : m_index(spans)
    , m_kinds(kinds)
{
    m_sums.reserve(spans.size() / kBlock + 1);
    Sums sum{};
    for (std::size_t i = 0; i <= spans.size(); ++i) {
        if (i % kBlock == 0)
            m_sums.push_back(sum);
        if (i < spans.size())
            sum[static_cast<std::size_t>(kinds[spans[i].op])]
                += weight(i) * static_cast<double>(spans[i].end - spans[i].begin);
    }
}

template<class Kind, std::size_t kCount>
double BusyIndexOf<Kind, kCount>::weight(std::size_t span) const
{
    const auto all = spans();
    const auto window = all[span].window();
    const bool isJoint = (span > 0 && all[span - 1].window() == window)
        || (span + 1 < all.size() && all[span + 1].window() == window);
    return isJoint ? 0.5 : 1.0;
}

// Spans before the block of the first that reaches `time` have ended: their sum is known.
template<class Kind, std::size_t kCount>
auto BusyIndexOf<Kind, kCount>::before(double time) const -> Sums
{
    if (m_sums.empty())
        return {};
    const auto all = spans();
    const auto tick = static_cast<std::int64_t>(std::floor(time));
    const auto open = around({tick, tick});
    const auto first = static_cast<std::size_t>(open.data() - all.data());
    Sums sum = m_sums[first / kBlock];
    for (std::size_t i = first / kBlock * kBlock; i < first + open.size(); ++i) {
        const auto begin = static_cast<double>(all[i].begin);
        const double end = std::min(time, static_cast<double>(all[i].end));
        sum[static_cast<std::size_t>(m_kinds[all[i].op])] += weight(i) * (end - begin);
    }
    return sum;
}

template<class Kind, std::size_t kCount>
auto BusyIndexOf<Kind, kCount>::within(double begin, double end) const -> Sums
{
    Sums busy = before(end);
    const Sums earlier = before(begin);
    for (std::size_t k = 0; k < kCount; ++k)
        busy[k] -= earlier[k];
    return busy;
}

template class BusyIndexOf<Share, kShares>;
template class BusyIndexOf<std::uint8_t, kKernelShares>;

} // namespace app
