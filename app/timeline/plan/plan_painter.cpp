#include "app/timeline/plan/plan_painter.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kSingleFrom = 3; // width of an op with an outline of its own

} // namespace

void paintPlan(QPainter& painter, const PlanView& plan, engine::DeviceId device, const Lane& lane,
               const TimeAxis& axis, const Theme& theme)
{
    const engine::Window sight = axis.window();
    const auto* track = plan.plan == nullptr
        ? nullptr
        : plan.plan->timeline.track(device, engine::Track::Kind::Compute);
    if (track == nullptr || !lane.hasBoxes() || !plan.window().intersects(sight))
        return;
    painter.setPen(QPen(theme.chrome.lineStrong, 1));
    painter.setBrush(Qt::NoBrush);
    QRectF merged;
    const auto draw = [&](const QRectF& box) {
        if (box.width() > 0)
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    };
    for (const engine::Span& span : track->spans) {
        const engine::Window window{span.begin + plan.begin, span.end + plan.begin};
        if (window.end <= sight.begin || window.duration() <= 0)
            continue;
        if (window.begin >= sight.end)
            break;
        const QRectF box = boxRect(axis, window, lane.computeTop(), lane.compute);
        if (box.width() >= kSingleFrom) {
            draw(std::exchange(merged, {}));
            draw(box);
        } else if (merged.isNull() || box.left() - merged.right() > kSingleFrom) {
            draw(merged);
            merged = QRectF(box.left(), box.top(), std::max(1.0, box.width()), box.height());
        } else {
            merged.setRight(std::max(merged.right(), box.right()));
        }
    }
    draw(merged);
}

void paintNow(QPainter& painter, const NowLine& now, const TimeAxis& axis, const Theme& theme)
{
    constexpr double kWidth = 54, kHeight = 18, kLine = 2;
    const double x = std::round(axis.x(now.time));
    if (x < axis.left || x > axis.right())
        return;
    painter.fillRect(QRectF(x - kLine / 2, now.lanes.top(), kLine, now.lanes.height()),
                     theme.chrome.text);
    const QFont font = uiFont(11, QFont::Medium);
    const double width = std::max(kWidth, QFontMetricsF(font).horizontalAdvance(now.text) + 12);
    QRectF plate(x - width / 2, now.ruler.bottom() - kHeight - 1, width, kHeight);
    plate.moveLeft(std::clamp(plate.left(), now.ruler.left(),
                              std::max(now.ruler.left(), now.ruler.right() - width)));
    painter.fillRect(plate, theme.chrome.primary);
    painter.setFont(font);
    painter.setPen(theme.chrome.primaryText);
    painter.drawText(plate, Qt::AlignCenter, now.text);
}

} // namespace app
