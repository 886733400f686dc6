#include "app/timeline/paint/marks_painter.h"

#include "app/timeline/paint/moves_painter.h"
#include "app/timeline/view/hit_test.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

namespace app {
namespace {

constexpr double kPixelsPerArrow = 2.5; // denser arrows are not drawn: they would look grey

// Draws a frame of whole pixels around a box, outside of it if grow > 0.
void frame(QPainter& painter, const QRectF& box, double width, double grow, QColor colour)
{
    fillFrame(painter, box.adjusted(-grow, -grow, grow, grow), width, colour);
}

void paintHead(QPainter& painter, QPointF tip, double direction, QColor colour)
{
    const QPointF head[]
        = {tip, tip + QPointF(-3, -6 * direction), tip + QPointF(3, -6 * direction)};
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(head, 3);
}

} // namespace

MarksPainter::MarksPainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                           const std::vector<Lane>& lanes, const BoxColours& colours)
    : m_painter(painter)
    , m_view(view)
    , m_axis(axis)
    , m_lanes(lanes)
    , m_colours(colours)
{ }

void MarksPainter::paintFlow(const Flow& flow)
{
    const auto& links = m_view.path(flow);
    m_painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t k = 1; k < links.size(); ++k) {
        if (links[k - 1].device != links[k].device)
            paintArrow(links[k - 1], links[k], Halo::Yes);
    }
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

void MarksPainter::paintAllFlows(int iteration)
{
    using Arrow = std::pair<const profiler::CauseLink*, const profiler::CauseLink*>;
    const engine::Window sight = m_axis.window();
    std::vector<Arrow> arrows;
    for (const auto& links : m_view.paths(iteration)) {
        for (std::size_t k = 1; k < links.size(); ++k) {
            if (links[k - 1].device != links[k].device && links[k].window.begin > sight.begin
                && links[k - 1].window.end < sight.end)
                arrows.emplace_back(&links[k - 1], &links[k]);
        }
    }
    if (static_cast<double>(arrows.size()) > m_axis.width / kPixelsPerArrow)
        return;
    m_painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& [from, to] : arrows)
        paintArrow(*from, *to, Halo::No);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

void MarksPainter::paintHits(const std::vector<Selection>& hits)
{
    const engine::Window sight = m_axis.window();
    const QColor ink = m_colours.theme().chrome.text;
    double drawn = -1; // place of the last frame; narrow hits at the same place share it
    for (const Selection& hit : hits) {
        if (hit.window.begin > sight.end)
            break;
        const QRectF box
            = hit.window.end < sight.begin ? QRectF() : rectOf(m_view, m_axis, m_lanes, hit);
        if (box.isEmpty() || (box.width() <= 2 && box.left() + box.top() * 1e5 == drawn))
            continue;
        drawn = box.left() + box.top() * 1e5;
        frame(m_painter, box, 2 * m_axis.gap(), box.width() > 2 ? 2 * m_axis.gap() : 0, ink);
    }
}

void MarksPainter::paintArrow(const profiler::CauseLink& from, const profiler::CauseLink& to,
                              Halo halo)
{
    const Lane& start = m_lanes[static_cast<std::size_t>(from.device.value)];
    const Lane& finish = m_lanes[static_cast<std::size_t>(to.device.value)];
    if (!start.hasBoxes() || !finish.hasBoxes())
        return;
    const double direction = finish.top > start.top ? 1 : -1;
    const double x1 = m_axis.snappedX(static_cast<double>(from.window.end)) - 3;
    const double x2 = m_axis.snappedX(static_cast<double>(to.window.begin)) + 3;
    if (std::max(x1, x2) < m_axis.left || std::min(x1, x2) > m_axis.right())
        return;
    const double y1 = direction > 0 ? start.computeTop() + start.compute : start.computeTop();
    const double tip = direction > 0 ? finish.computeTop() : finish.computeTop() + finish.compute;
    const double y2 = tip - 5 * direction;
    if (std::abs(y2 - y1) < 8) // dense lanes have no space between them
        return;
    const double bend = (y2 - y1) * 0.4;
    QPainterPath path(QPointF(x1, y1));
    path.cubicTo(QPointF(x1, y1 + bend), QPointF(x2, y2 - bend), QPointF(x2, y2));
    m_painter.setBrush(Qt::NoBrush);
    if (halo == Halo::Yes) {
        m_painter.setPen(QPen(m_colours.surface(), 3.5));
        m_painter.drawPath(path);
    }
    m_painter.setPen(QPen(m_colours.theme().chrome.text, halo == Halo::Yes ? 1.2 : 0.8));
    m_painter.drawPath(path);
    paintHead(m_painter, {x2, tip}, direction, m_colours.theme().chrome.text);
}

void MarksPainter::paintHover(const Selection& hover)
{
    const QRectF box = rectOf(m_view, m_axis, m_lanes, hover);
    if (!box.isEmpty())
        frame(m_painter, box, m_axis.gap(), 0, m_colours.theme().chrome.text);
    paintMovePair(m_painter, {m_view, m_axis, m_colours}, m_lanes, hover);
}

void MarksPainter::paintSelected(const Selection& selection, const Scale& unit)
{
    const QRectF box = rectOf(m_view, m_axis, m_lanes, selection);
    if (box.isEmpty())
        return;
    const QColor ink = m_colours.theme().chrome.text;
    if (selection.kind == Selection::Kind::Bubble) {
        m_colours.selectedBubble().fill(m_painter, box, m_axis.snap(m_axis.x(0)));
        const QString text = unit.text(static_cast<double>(selection.window.duration()));
        m_painter.setFont(uiFont(11, QFont::Medium));
        const QFontMetricsF metrics(m_painter.font());
        const double width = metrics.horizontalAdvance(text) + 4;
        if (box.width() >= 22 && width <= box.width() && box.height() >= 14) {
            const QRectF plate(std::round(box.center().x() - width / 2),
                               std::round(box.center().y() - 8), width, 16);
            m_painter.fillRect(plate, m_colours.surface());
            m_painter.setPen(ink);
            m_painter.drawText(plate, Qt::AlignCenter, text);
        }
    }
    frame(m_painter, box, 2 * m_axis.gap(), 2 * m_axis.gap(), ink);
    paintMovePair(m_painter, {m_view, m_axis, m_colours}, m_lanes, selection);
}

void MarksPainter::paintFocus(const Selection& selection)
{
    const QRectF box = rectOf(m_view, m_axis, m_lanes, selection);
    if (box.isEmpty())
        return;
    QPen pen(m_colours.theme().chrome.text, 1);
    pen.setDashPattern({3, 2});
    m_painter.setPen(pen);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(box.adjusted(-3.5, -3.5, 2.5, 2.5));
}

void MarksPainter::paintRange(engine::Window window, double top, double bottom)
{
    const QRectF area = stretch(m_axis, window, top, bottom - top);
    QColor fill = m_colours.theme().chrome.text;
    fill.setAlphaF(0.045F);
    m_painter.fillRect(area, fill);
    m_painter.setRenderHint(QPainter::Antialiasing);
    for (const double x : {area.left(), area.right()})
        m_painter.fillRect(QRectF(x - 0.75, top, 1.5, area.height()),
                           m_colours.theme().chrome.text);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintRangeBand(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                    const Theme& theme, const RangeBand& range)
{
    const auto& [window, ruler] = range;
    const QRectF band = stretch(axis, window, ruler.top() + 4, 18);
    const QString length = scale.unit.withUnit(static_cast<double>(window.duration()));
    const QString full
        = length + QStringLiteral(", ") + rangeText(window, scale.origin, scale.unit);
    painter.fillRect(band, theme.chrome.text);
    for (const double x : {band.left(), band.right()})
        painter.fillRect(QRectF(x - 2, band.top() + 2, 4, 14), theme.chrome.text);
    painter.setFont(uiFont(11, QFont::Medium));
    const QFontMetricsF metrics(painter.font());
    const bool fits = metrics.horizontalAdvance(full) + 16 <= band.width();
    const QString& text = fits ? full : length;
    const double width = metrics.horizontalAdvance(text) + 12;
    QRectF plate = band;
    if (width > band.width()) { // the text is next to the band, on a background
        plate = QRectF(band.right() + 4, band.top(), width, 18);
        if (plate.right() > axis.right())
            plate.moveRight(band.left() - 4);
        painter.fillRect(plate, theme.chrome.text);
    }
    painter.setPen(theme.chrome.surface);
    painter.drawText(plate, Qt::AlignCenter | Qt::TextSingleLine, text);
}

} // namespace app
