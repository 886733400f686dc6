#include "app/compare/op_end_drag.h"

#include <cmath>
#include <utility>

namespace app {
namespace {

constexpr double kNear = 4; // a drag starts at most this many pixels from the end of an op

} // namespace

std::optional<OpEndDrag::Found> OpEndDrag::find(const CompareScene& scene, QPointF at) const
{
    const CompareRow* to = m_run < 0 ? nullptr : scene.rows.rowOf(static_cast<std::size_t>(m_run));
    if (to == nullptr || scene.rows.isCompact())
        return std::nullopt;
    for (const double left : {kNear, 0.0}) {
        const CompareScene::Mark mark = scene.hit(at - QPointF(left, 0));
        if (mark.selection.kind != Selection::Kind::Op || mark.selection.window.duration() <= 0
            || std::abs(scene.boxOf(mark).right() - at.x()) > kNear
            || scene.row(mark.row).view->run().schedule != to->view->run().schedule)
            continue;
        if (const auto changed = scene.opIn(*to, mark.selection.op))
            return Found{mark, *changed};
    }
    return std::nullopt;
}

// Stores the time scale for the whole drag, because the view may be fitted again meanwhile.
std::optional<CompareScene::Mark> OpEndDrag::begin(const CompareScene& scene, QPointF at)
{
    const auto found = find(scene, at);
    if (!found)
        return std::nullopt;
    m_isActive = true;
    m_ticksPerPixel = scene.axisOf(scene.row(found->at.row)).ticksPerPixel();
    m_before = found->at.selection.window.duration();
    m_now = found->changed.selection.window.duration();
    return found->changed;
}

double OpEndDrag::moved(double pixels)
{
    const std::int64_t least = std::max<std::int64_t>(1, m_before / 100);
    const std::int64_t now = std::max<std::int64_t>(
        least, std::llround(static_cast<double>(m_before) + pixels * m_ticksPerPixel));
    return static_cast<double>(now) / static_cast<double>(std::exchange(m_now, now));
}

bool OpEndDrag::end()
{
    return std::exchange(m_isActive, false);
}

} // namespace app
