#include "app/timeline/paint/plan_view.h"

#include <algorithm>

namespace app {

Plan::Plan(std::shared_ptr<const engine::Run> run)
    : m_run(std::move(run))
    , m_index(m_run->schedule)
{ }

std::int64_t Plan::duration() const
{
    const auto& iterations = m_run->timeline.iterations;
    return iterations.empty() ? 0 : iterations.front().window.duration();
}

std::span<const engine::Span> Plan::ops(engine::DeviceId device) const
{
    const auto* track = m_run->timeline.track(device, engine::Track::Kind::Compute);
    return track == nullptr ? std::span<const engine::Span>() : track->spans;
}

int PlanView::done(engine::DeviceId device) const
{
    if (isComplete)
        return INT_MAX;
    const auto at = static_cast<std::size_t>(device.value);
    return at < devices.size() ? devices[at] : 0;
}

std::size_t PlanView::next(engine::DeviceId device) const
{
    const auto ops = plan->ops(device);
    const auto found
        = std::ranges::lower_bound(ops, done(device), {}, [this](const engine::Span& span) {
              return plan->positionOf(span.op);
          });
    return static_cast<std::size_t>(found - ops.begin());
}

std::int64_t PlanView::reached() const
{
    if (!isUnderWay())
        return begin;
    std::int64_t reached = window().end;
    for (const engine::DeviceId device : plan->run().schedule.program.ids()) {
        const auto ops = plan->ops(device);
        if (const std::size_t first = next(device); first < ops.size())
            reached = std::min(reached, begin + ops[first].begin);
    }
    return reached;
}

const engine::Span* PlanView::at(engine::DeviceId device, double time) const
{
    if (plan == nullptr)
        return nullptr;
    const auto ops = plan->ops(device);
    const double wanted = time - static_cast<double>(begin);
    const auto after = std::ranges::upper_bound(
        ops, wanted, {}, [](const engine::Span& span) { return static_cast<double>(span.begin); });
    if (after == ops.begin() || wanted >= static_cast<double>((after - 1)->end))
        return nullptr;
    return &*(after - 1);
}

} // namespace app
