#include "app/timeline/view/category_boxes.h"

#include "app/timeline/view/hit_test.h"

#include <algorithm>

namespace app {

using enum profiler::TimeCategory;
using profiler::TimeCategory;

CategoryBoxes::CategoryBoxes(const RunView& view, int iteration, TimeCategory category)
    : m_iteration(iteration)
    , m_category(category)
    , m_gaps(static_cast<std::size_t>(view.devices()))
{
    const engine::Window window = view.iteration(iteration).window;
    if (category < Exposed) {
        addOps(view);
    } else if (category == Exposed) {
        for (const engine::DeviceId device : m_gaps.ids())
            for (const engine::Window exposed : view.exposed(device))
                if (window.contains(exposed.begin))
                    m_gaps[device].push_back(exposed);
    } else {
        for (const profiler::Bubble& bubble : view.bubbles(iteration)) {
            const TimeCategory cause = bubble.kind == profiler::Bubble::Kind::Fill ? Fill
                : bubble.kind == profiler::Bubble::Kind::Wait                      ? Wait
                                                                                   : Drain;
            if (category == cause || category == TimeCategory::Bubble)
                m_gaps[bubble.device].push_back(bubble.window);
        }
    }
    for (const engine::DeviceId device : m_gaps.ids())
        for (const engine::Window gap : m_gaps[device])
            m_all.push_back({.kind = Selection::Kind::Bubble,
                             .iteration = iteration,
                             .device = device,
                             .window = gap});
    std::ranges::stable_sort(m_all, {}, [](const Selection& one) { return one.window.begin; });
}

void CategoryBoxes::addOps(const RunView& view)
{
    const auto wanted = static_cast<std::uint32_t>(m_iteration);
    for (const engine::DeviceId device : m_gaps.ids())
        for (const engine::Span& span :
             std::ranges::equal_range(view.spans(device, engine::Track::Kind::Compute), wanted, {},
                                      &engine::Span::iteration))
            if (has(view.op(span.op), span.iteration))
                m_all.push_back(opSelection(view, span, device, engine::Track::Kind::Compute));
}

std::vector<Selection> CategoryBoxes::longest(std::size_t most) const
{
    std::vector<Selection> boxes = m_all;
    std::ranges::stable_sort(boxes, std::greater(),
                             [](const Selection& one) { return one.window.duration(); });
    boxes.resize(std::min(most, boxes.size()));
    return boxes;
}

bool CategoryBoxes::has(const engine::Op& op, std::uint32_t iteration) const
{
    return static_cast<int>(iteration) == m_iteration && profiler::isOf(m_category, op.kind);
}

bool CategoryBoxes::has(engine::DeviceId device, const Piece& piece) const
{
    if (piece.iteration != m_iteration || !m_gaps.has(device)
        || (piece.kind == Piece::Kind::Exposed) != (m_category == Exposed))
        return false;
    const auto& gaps = m_gaps[device];
    const auto next
        = std::ranges::upper_bound(gaps, piece.window.begin, {}, &engine::Window::begin);
    return next != gaps.begin() && std::prev(next)->contains(piece.window.begin);
}

} // namespace app
