#include "app/timeline/paint/marks_painter.h"

#include "app/timeline/view/hit_test.h"
#include "profiler/analysis/run_measures.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>

namespace app {
namespace {

using profiler::PathPart;

constexpr double kPixelsPerArrow = 2.5; // denser arrows are not drawn: they would look grey

// The head of an arrow, with the pen and brush of the painter.
void paintHead(QPainter& painter, QPointF tip, double direction, double half)
{
    const QPointF head[]
        = {tip, tip + QPointF(-half, -6 * direction), tip + QPointF(half, -6 * direction)};
    painter.drawPolygon(head, 3);
}

// Distance of the path from the top of the boxes, as a share of their height. The path runs below
// the numbers.
constexpr double kPathDepth = 32.0 / 42;
constexpr double kPathLine = 2, kPathThick = 4, kPathHalo = 5;
constexpr double kNumberSize = 16,
                 kNumberStep = 18; // size and least distance of the numbers on the ruler
constexpr double kReasonShade = 0.06, kFinestPart = 0.5;

double lineY(const Lane& lane)
{
    return lane.computeTop() + std::round(kPathDepth * lane.compute);
}

bool isMessage(const PathPart& part, const PathPart& before)
{
    return part.kind == PathPart::Kind::Transfer && part.device != before.device;
}

// The visible part of the path.
class PathLine
{
public:
    PathLine(const PathPicture& picture, const std::vector<Lane>& lanes)
        : m_picture(picture)
        , m_lanes(lanes)
        , m_parts(picture.marks.why.path.parts)
    { }

    // Adds the parts for which `isIncluded` is true, at most two for each pixel, because Qt takes a
    // second for the path of a million ops.
    template<class IsIncluded>
    QPainterPath line(IsIncluded isIncluded) const
    {
        QPainterPath line;
        bool isOpen = false;
        double drawn = 0;
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            const PathPart& part = m_parts[p];
            if (!isInSight(part) || !isIncluded(p)) {
                isOpen = false;
                continue;
            }
            const QPointF begin = beginOf(p), end(x(part.window.end), y(part));
            if (isOpen && end.x() - drawn < kFinestPart)
                continue;
            drawn = end.x();
            isOpen ? line.lineTo(begin) : line.moveTo(begin);
            line.lineTo(end);
            isOpen = true;
        }
        return line;
    }

    // The tip of the arrow of each message, and its direction: 1 is down, -1 is up. Denser arrows
    // into a lane are left out.
    std::vector<std::pair<QPointF, double>> arrows() const
    {
        std::vector<std::pair<QPointF, double>> tips;
        std::map<std::pair<int, double>, double> latest; // x, by device and direction
        for (std::size_t p = 1; p < m_parts.size(); ++p) {
            const PathPart& part = m_parts[p];
            if (!isInSight(part) || !isMessage(part, m_parts[p - 1]))
                continue;
            const QPointF from = beginOf(p), to(x(part.window.end), y(part));
            const double direction = to.y() > from.y() ? 1 : -1;
            const Lane& lane = laneOf(part);
            const double edge
                = direction > 0 ? lane.computeTop() : lane.computeTop() + lane.compute + 6;
            const double share = (edge - from.y()) / (to.y() - from.y());
            const double at = from.x() + share * (to.x() - from.x());
            const auto [last, isFirst] = latest.try_emplace({part.device.value, direction}, at);
            if (share <= 0 || share >= 1 || (!isFirst && at - last->second < kPixelsPerArrow))
                continue;
            last->second = at;
            tips.emplace_back(QPointF(at, edge), direction);
        }
        return tips;
    }

    std::vector<QPointF> ends() const // the start and the end point of the path
    {
        return {beginOf(0), {x(m_parts.back().window.end), y(m_parts.back())}};
    }

private:
    const Lane& laneOf(const PathPart& part) const
    {
        return m_lanes[static_cast<std::size_t>(part.device.value)];
    }
    double y(const PathPart& part) const { return lineY(laneOf(part)); }
    double x(std::int64_t time) const { return m_picture.axis.snappedX(static_cast<double>(time)); }
    // A message starts on the lane of its sender.
    QPointF beginOf(std::size_t p) const
    {
        const bool isSent = p > 0 && isMessage(m_parts[p], m_parts[p - 1]);
        return {x(m_parts[p].window.begin), y(m_parts[isSent ? p - 1 : p])};
    }
    bool isInSight(const PathPart& part) const
    {
        return part.window.end >= m_picture.axis.window().begin
            && part.window.begin <= m_picture.axis.window().end;
    }

    const PathPicture& m_picture;
    const std::vector<Lane>& m_lanes;
    const std::vector<PathPart>& m_parts;
};

const PathReason* highlighted(const PathPicture& picture)
{
    const auto at = static_cast<std::size_t>(picture.reason);
    return picture.reason >= 0 && at < picture.reasons.size() ? &picture.reasons[at] : nullptr;
}

// The number of a reason on the ruler, by the index of the reason.
struct Number
{
    int reason = 0;
    double centre = 0;
};

// Numbers that would overlap, or leave the ruler, are moved aside.
std::vector<Number> numbers(const std::vector<PathReason>& reasons, const TimeAxis& axis)
{
    std::vector<Number> numbers;
    for (std::size_t r = 0; r < reasons.size(); ++r) {
        if (reasons[r].number == 0)
            continue;
        const engine::Window window = reasons[r].window;
        const double middle
            = (static_cast<double>(window.begin) + static_cast<double>(window.end)) / 2;
        const double least
            = numbers.empty() ? axis.left + kNumberStep / 2 : numbers.back().centre + kNumberStep;
        numbers.push_back(
            {static_cast<int>(r), std::max(std::round(axis.snappedX(middle)), least)});
    }
    double most = axis.right() - kNumberStep / 2;
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
        number->centre = std::min(number->centre, most);
        most = number->centre - kNumberStep;
    }
    return numbers;
}

QRectF numberRect(double centre, const QRectF& ruler)
{
    return {centre - kNumberSize / 2, ruler.top() + 3, kNumberSize, kNumberSize};
}

QRectF boxOf(const LaneCanvas& on, const Selection& selection)
{
    return rectOf(on.view, on.axis, on.lanes, selection);
}

enum class Halo { No, Yes }; // background below the line

void paintArrow(const LaneCanvas& on, const profiler::CauseLink& from,
                const profiler::CauseLink& to, Halo halo)
{
    const Lane& start = on.lane(from.device);
    const Lane& finish = on.lane(to.device);
    if (!start.hasBoxes() || !finish.hasBoxes())
        return;
    const double direction = finish.top > start.top ? 1 : -1;
    const double x1 = on.axis.snappedX(from.window.end) - 3;
    const double x2 = on.axis.snappedX(to.window.begin) + 3;
    if (std::max(x1, x2) < on.axis.left || std::min(x1, x2) > on.axis.right())
        return;
    const double y1 = direction > 0 ? start.computeTop() + start.compute : start.computeTop();
    const double tip = direction > 0 ? finish.computeTop() : finish.computeTop() + finish.compute;
    const double y2 = tip - 5 * direction;
    if (std::abs(y2 - y1) < 8) // dense lanes have no space between them
        return;
    const double bend = (y2 - y1) * 0.4;
    QPainterPath path(QPointF(x1, y1));
    path.cubicTo(QPointF(x1, y1 + bend), QPointF(x2, y2 - bend), QPointF(x2, y2));
    on.painter.setBrush(Qt::NoBrush);
    if (halo == Halo::Yes) {
        on.painter.setPen(QPen(on.colours.surface(), 3.5));
        on.painter.drawPath(path);
    }
    on.painter.setPen(QPen(on.chrome().text, halo == Halo::Yes ? 1.2 : 0.8));
    on.painter.drawPath(path);
    on.painter.setPen(Qt::NoPen);
    on.painter.setBrush(on.chrome().text);
    paintHead(on.painter, {x2, tip}, direction, 3);
}

// Names the cause of a bubble and its length in a box: "wait 6.9 ms", "6.9 ms", "6.9" or nothing.
// `bubble` is nullptr if the cause is unknown.
void paintPlate(const LaneCanvas& on, const QRectF& box, const profiler::Bubble* bubble,
                engine::Window window)
{
    constexpr double kHeight = 18, kWithCause = 88, kWithUnit = 52, kLeast = 28;
    const double left = std::max(box.left(), on.axis.left),
                 right = std::min(box.right(), on.axis.right());
    if (right - left < kLeast || box.height() < kHeight + 2)
        return;
    const auto length = static_cast<double>(window.duration());
    const auto& iteration = on.view.iteration(on.view.iterationAt(window.begin));
    const Scale scale = timeScale(on.info(), iteration.window.duration());
    QString text = right - left >= kWithUnit ? scale.withUnit(length) : scale.text(length);
    if (bubble != nullptr && right - left >= kWithCause)
        text.prepend(QString::fromUtf8(profiler::bubbleKindName(bubble->kind)) + QLatin1Char(' '));
    on.painter.setFont(uiFont(11));
    const double width = std::ceil(QFontMetricsF(on.painter.font()).horizontalAdvance(text)) + 10;
    if (width > right - left)
        return;
    const QRectF plate(std::round((left + right - width) / 2),
                       std::round(box.center().y() - kHeight / 2), width, kHeight);
    const Chrome& chrome = on.chrome();
    on.painter.fillRect(plate, chrome.surface);
    fillFrame(on.painter, plate, on.axis.gap(), chrome.text2);
    on.painter.setPen(chrome.text);
    on.painter.drawText(plate, Qt::AlignCenter, text);
}

} // namespace

void paintFlow(const LaneCanvas& on, const Flow& flow)
{
    const auto& links = on.view.path(flow);
    on.painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t k = 1; k < links.size(); ++k)
        if (links[k - 1].device != links[k].device)
            paintArrow(on, links[k - 1], links[k], Halo::Yes);
    on.painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintAllFlows(const LaneCanvas& on, int iteration)
{
    using Arrow = std::pair<const profiler::CauseLink*, const profiler::CauseLink*>;
    const engine::Window sight = on.axis.window();
    std::vector<Arrow> arrows;
    for (const auto& links : on.view.paths(iteration))
        for (std::size_t k = 1; k < links.size(); ++k)
            if (links[k - 1].device != links[k].device && links[k].window.begin > sight.begin
                && links[k - 1].window.end < sight.end)
                arrows.emplace_back(&links[k - 1], &links[k]);
    if (static_cast<double>(arrows.size()) > on.axis.width / kPixelsPerArrow)
        return;
    on.painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& [from, to] : arrows)
        paintArrow(on, *from, *to, Halo::No);
    on.painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintHits(const LaneCanvas& on, const std::vector<Selection>& hits)
{
    const engine::Window sight = on.axis.window();
    const QColor ink = on.chrome().text;
    double drawn = -1; // place of the last frame; narrow hits at the same place share it
    for (const Selection& hit : hits) {
        if (hit.window.begin > sight.end)
            break;
        const QRectF box = hit.window.end < sight.begin ? QRectF() : boxOf(on, hit);
        if (box.isEmpty() || (box.width() <= 2 && box.left() + box.top() * 1e5 == drawn))
            continue;
        drawn = box.left() + box.top() * 1e5;
        const double grow = box.width() > 2 ? 2 * on.axis.gap() : 0;
        fillFrame(on.painter, box.adjusted(-grow, -grow, grow, grow), 2 * on.axis.gap(), ink);
    }
}

void paintHover(const LaneCanvas& on, const Selection& hover)
{
    const QRectF box = boxOf(on, hover);
    if (!box.isEmpty())
        fillFrame(on.painter, box, on.axis.gap(), on.chrome().text);
    paintMovePair(on, hover);
}

void paintPlates(const LaneCanvas& on, int iteration)
{
    if (iteration < 0 || !whyUnknown(on.info()).empty()
        || std::ranges::any_of(on.lanes, [](const Lane& lane) {
               return !lane.isHidden && lane.kind == LaneKind::Dense;
           }))
        return;
    const auto& bubbles = on.view.bubbles(iteration); // sorted by device
    for (auto first = bubbles.begin(); first != bubbles.end();) {
        const auto last = std::find_if(first, bubbles.end(), [first](const profiler::Bubble& one) {
            return one.device != first->device;
        });
        const auto longest = std::max_element(first, last, [](const auto& a, const auto& b) {
            return a.window.duration() < b.window.duration();
        });
        const Lane& lane = on.lane(longest->device);
        if (lane.hasBoxes())
            paintPlate(on, boxRect(on.axis, longest->window, lane.computeTop(), lane.compute),
                       &*longest, longest->window);
        first = last;
    }
}

void paintSelected(const LaneCanvas& on, const Selection& selection)
{
    const QRectF box = boxOf(on, selection);
    if (box.isEmpty())
        return;
    if (selection.kind == Selection::Kind::Bubble)
        paintPlate(on, box, on.view.bubble(selection), selection.window);
    const double width = 2 * on.axis.gap();
    fillFrame(on.painter, box.adjusted(-width, -width, width, width), width, on.chrome().text);
    paintMovePair(on, selection);
}

void paintFocus(const LaneCanvas& on, const Selection& selection)
{
    const QRectF box = boxOf(on, selection);
    if (box.isEmpty())
        return;
    QPen pen(on.chrome().text, 1);
    pen.setDashPattern({3, 2});
    on.painter.setPen(pen);
    on.painter.setBrush(Qt::NoBrush);
    on.painter.drawRect(box.adjusted(-3.5, -3.5, 2.5, 2.5));
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

void paintPath(QPainter& painter, const PathPicture& picture, const std::vector<Lane>& lanes)
{
    if (picture.marks.why.path.parts.empty() || lanes.empty())
        return;
    const QColor ink = picture.colours.theme().chrome.text;
    const PathLine path(picture, lanes);
    const QPainterPath all = path.line([](std::size_t) { return true; });
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const auto draw = [&painter](const QPainterPath& line, const QColor& colour, double width) {
        painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        painter.drawPath(line);
    };
    draw(all, picture.colours.surface(), kPathHalo);
    draw(all, ink, kPathLine);
    if (const auto* reason = highlighted(picture))
        draw(path.line([&](std::size_t p) { return std::ranges::binary_search(reason->parts, p); }),
             ink, kPathThick);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (const auto& [tip, direction] : path.arrows())
        paintHead(painter, tip, direction, 3.5);
    for (const QPointF& end : path.ends())
        painter.drawEllipse(end, 4, 4);
    painter.restore();
}

void paintReasonBand(QPainter& painter, const PathPicture& picture, double top, double bottom)
{
    const auto* reason = highlighted(picture);
    if (reason == nullptr)
        return;
    QColor ink = picture.colours.theme().chrome.text;
    const QRectF band = stretch(picture.axis, reason->window, top, bottom - top);
    painter.setPen(QPen(ink, 1, Qt::DotLine));
    for (const double x : {band.left(), band.right()})
        painter.drawLine(QPointF(x + 0.5, top), QPointF(x + 0.5, bottom));
    ink.setAlphaF(static_cast<float>(kReasonShade));
    painter.fillRect(band, ink);
}

void paintReasonMarks(QPainter& painter, const PathPicture& picture, const QRectF& ruler)
{
    const Chrome& chrome = picture.colours.theme().chrome;
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& [r, centre] : numbers(picture.reasons, picture.axis)) {
        if (r == picture.reason)
            continue;
        const QRectF box = numberRect(centre, ruler);
        painter.setPen(QPen(chrome.text, 1.2));
        painter.setBrush(chrome.surface);
        painter.drawRoundedRect(box.adjusted(0.6, 0.6, -0.6, -0.6), 3, 3);
        painter.drawText(box, Qt::AlignCenter,
                         QString::number(picture.reasons[static_cast<std::size_t>(r)].number));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    const PathReason* reason = highlighted(picture);
    if (reason == nullptr)
        return;
    // The plate, a filled rectangle with the text, covers the time of the reason. If the text does
    // not fit into this time, the plate is as wide as the text.
    const double needs = QFontMetricsF(painter.font()).horizontalAdvance(reason->plate) + 12;
    const QRectF time = stretch(picture.axis, reason->window, ruler.top() + 3, kNumberSize);
    QRectF plate = time;
    if (time.width() < needs)
        plate = QRectF(std::round(time.center().x() - needs / 2), time.top(), std::ceil(needs),
                       kNumberSize);
    plate.moveLeft(std::clamp(plate.left(), ruler.left(),
                              std::max(ruler.left(), ruler.right() - plate.width())));
    painter.fillRect(plate, chrome.primary);
    painter.setPen(chrome.primaryText);
    painter.drawText(plate & ruler, Qt::AlignCenter, reason->plate);
}

std::vector<std::pair<double, double>> reasonPlaces(const std::vector<PathReason>& reasons,
                                                    const TimeAxis& axis)
{
    std::vector<std::pair<double, double>> places;
    for (const Number& number : numbers(reasons, axis))
        places.emplace_back(number.centre - kNumberSize / 2, number.centre + kNumberSize / 2);
    return places;
}

int reasonAt(const std::vector<PathReason>& reasons, const TimeAxis& axis, const QRectF& ruler,
             QPointF at)
{
    for (const auto& [r, centre] : numbers(reasons, axis))
        if (numberRect(centre, ruler).adjusted(-1, -3, 1, 3).contains(at))
            return r;
    return -1;
}

} // namespace app
