#include "app/timeline/paint/path_painter.h"

#include "app/timeline/paint/box_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace app {

using profiler::PathPart;

namespace {

// Distance of the path from the top of the boxes, as a share of their height. The path runs below
// the numbers.
constexpr double kPathDepth = 32.0 / 42;
constexpr double kPathLine = 2, kPathThick = 4, kPathHalo = 5;
constexpr double kNumberSize = 16,
                 kNumberStep = 18; // size and least distance of the numbers on the ruler
constexpr double kReasonShade = 0.06;

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

    // Adds the parts for which `isIncluded` is true.
    template<class IsIncluded>
    QPainterPath line(IsIncluded isIncluded) const
    {
        QPainterPath line;
        bool isOpen = false;
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            const PathPart& part = m_parts[p];
            if (!isInSight(part) || !isIncluded(p)) {
                isOpen = false;
                continue;
            }
            const QPointF begin = beginOf(p), end(x(part.window.end), y(part));
            isOpen ? line.lineTo(begin) : line.moveTo(begin);
            line.lineTo(end);
            isOpen = true;
        }
        return line;
    }

    // The tip of the arrow of each message, and its direction: 1 is down, -1 is up.
    std::vector<std::pair<QPointF, double>> arrows() const
    {
        std::vector<std::pair<QPointF, double>> tips;
        for (std::size_t p = 1; p < m_parts.size(); ++p) {
            const PathPart& part = m_parts[p];
            if (!isInSight(part) || !isMessage(part, m_parts[p - 1]) || !hasLane(m_parts[p - 1]))
                continue;
            const QPointF from = beginOf(p), to(x(part.window.end), y(part));
            const double direction = to.y() > from.y() ? 1 : -1;
            const Lane& lane = laneOf(part);
            const double edge
                = direction > 0 ? lane.computeTop() : lane.computeTop() + lane.compute + 6;
            const double share = (edge - from.y()) / (to.y() - from.y());
            if (share > 0 && share < 1)
                tips.emplace_back(QPointF(from.x() + share * (to.x() - from.x()), edge), direction);
        }
        return tips;
    }

    // The start and the end point of the path; omits a point on a hidden lane.
    std::vector<QPointF> ends() const
    {
        std::vector<QPointF> ends;
        if (hasLane(m_parts.front()))
            ends.push_back(beginOf(0));
        if (hasLane(m_parts.back()))
            ends.emplace_back(x(m_parts.back().window.end), y(m_parts.back()));
        return ends;
    }

private:
    const Lane& laneOf(const PathPart& part) const
    {
        return m_lanes[static_cast<std::size_t>(part.device.value)];
    }
    double y(const PathPart& part) const { return lineY(laneOf(part)); }
    double x(std::int64_t time) const { return m_picture.axis.snappedX(static_cast<double>(time)); }
    // Hidden lanes have no height, except the hidden lanes of a collapsed group.
    bool hasLane(const PathPart& part) const { return laneOf(part).compute > 0; }
    // A message starts on the lane of its sender.
    QPointF beginOf(std::size_t p) const
    {
        const bool isSent
            = p > 0 && isMessage(m_parts[p], m_parts[p - 1]) && hasLane(m_parts[p - 1]);
        return {x(m_parts[p].window.begin), y(m_parts[isSent ? p - 1 : p])};
    }
    bool isInSight(const PathPart& part) const
    {
        return hasLane(part) && part.window.end >= m_picture.axis.window().begin
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

void paintPathHead(QPainter& painter, QPointF tip, double direction)
{
    const QPointF head[]
        = {tip, tip + QPointF(-3.5, -6 * direction), tip + QPointF(3.5, -6 * direction)};
    painter.drawPolygon(head, 3);
}

} // namespace

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
        paintPathHead(painter, tip, direction);
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
