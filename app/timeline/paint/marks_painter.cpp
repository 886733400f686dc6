#include "app/timeline/paint/marks_painter.h"

#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/view/hit_test.h"
#include "profiler/analysis/run_measures.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kPixelsPerArrow = 2.5; // denser arrows are not drawn: they would look grey

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
        const double grow = box.width() > 2 ? 2 * m_axis.gap() : 0;
        fillFrame(m_painter, box.adjusted(-grow, -grow, grow, grow), 2 * m_axis.gap(), ink);
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
    const double x1 = m_axis.snappedX(from.window.end) - 3;
    const double x2 = m_axis.snappedX(to.window.begin) + 3;
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
        fillFrame(m_painter, box, m_axis.gap(), m_colours.theme().chrome.text);
    paintMovePair(m_painter, {m_view, m_axis, m_colours}, m_lanes, hover);
}

// Names the cause of a bubble and its length in a box: "wait 6.9 ms", "6.9 ms", "6.9" or nothing.
// `bubble` is nullptr if the cause is unknown.
void MarksPainter::paintPlate(const QRectF& box, const profiler::Bubble* bubble,
                              engine::Window window)
{
    constexpr double kHeight = 18, kWithCause = 88, kWithUnit = 52, kLeast = 28;
    const double left = std::max(box.left(), m_axis.left),
                 right = std::min(box.right(), m_axis.right());
    if (right - left < kLeast || box.height() < kHeight + 2)
        return;
    const auto length = static_cast<double>(window.duration());
    const auto& iteration = m_view.iteration(m_view.iterationAt(window.begin));
    const Scale scale = timeScale(m_view.run().info, iteration.window.duration());
    QString text = right - left >= kWithUnit ? scale.withUnit(length) : scale.text(length);
    if (bubble != nullptr && right - left >= kWithCause)
        text.prepend(QString::fromUtf8(profiler::bubbleKindName(bubble->kind)) + QLatin1Char(' '));
    m_painter.setFont(uiFont(11));
    const double width = std::ceil(QFontMetricsF(m_painter.font()).horizontalAdvance(text)) + 10;
    if (width > right - left)
        return;
    const QRectF plate(std::round((left + right - width) / 2),
                       std::round(box.center().y() - kHeight / 2), width, kHeight);
    const Chrome& chrome = m_colours.theme().chrome;
    m_painter.fillRect(plate, chrome.surface);
    fillFrame(m_painter, plate, m_axis.gap(), chrome.text2);
    m_painter.setPen(chrome.text);
    m_painter.drawText(plate, Qt::AlignCenter, text);
}

void MarksPainter::paintPlates(int iteration)
{
    if (iteration < 0 || !whyUnknown(m_view.run().info).empty()
        || std::ranges::any_of(m_lanes, [](const Lane& lane) {
               return !lane.isHidden && lane.kind == LaneKind::Dense;
           }))
        return;
    const auto& bubbles = m_view.bubbles(iteration); // sorted by device
    for (auto first = bubbles.begin(); first != bubbles.end();) {
        const auto last = std::find_if(first, bubbles.end(), [first](const profiler::Bubble& one) {
            return one.device != first->device;
        });
        const auto longest = std::max_element(first, last, [](const auto& a, const auto& b) {
            return a.window.duration() < b.window.duration();
        });
        const Lane& lane = m_lanes[static_cast<std::size_t>(longest->device.value)];
        if (lane.hasBoxes())
            paintPlate(boxRect(m_axis, longest->window, lane.computeTop(), lane.compute), &*longest,
                       longest->window);
        first = last;
    }
}

void MarksPainter::paintSelected(const Selection& selection)
{
    const QRectF box = rectOf(m_view, m_axis, m_lanes, selection);
    if (box.isEmpty())
        return;
    if (selection.kind == Selection::Kind::Bubble)
        paintPlate(box, m_view.bubble(selection), selection.window);
    const double width = 2 * m_axis.gap();
    fillFrame(m_painter, box.adjusted(-width, -width, width, width), width,
              m_colours.theme().chrome.text);
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

void paintRange(QPainter& painter, const TimeAxis& axis, const Theme& theme, engine::Window window,
                const QRectF& lanes)
{
    const QRectF area = stretch(axis, window, lanes.top(), lanes.height());
    QColor fill = theme.chrome.text;
    fill.setAlphaF(0.045F);
    painter.fillRect(area, fill);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const double x : {area.left(), area.right()})
        painter.fillRect(QRectF(x - 0.75, area.top(), 1.5, area.height()), theme.chrome.text);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintRangeBand(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                    const Theme& theme, const RangeBand& range)
{
    const auto& [window, ruler] = range;
    const QRectF band = stretch(axis, window, ruler.top() + 4, 18);
    const QString length = scale.unit.withUnit(window.duration());
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
