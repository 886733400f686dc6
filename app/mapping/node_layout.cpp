#include "app/mapping/node_layout.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kMargin = 1, kColumnGap = 112, kRowGap = 50, kInset = 12, kBetween = 13;
constexpr double kLane = 7;  // distance between routed arrows
constexpr double kApart = 9; // distance of an arrow from the middle between two nodes

int slotColumns(int slots, double width)
{
    constexpr double kLeast = 62; // width of a box
    const int wished = slots <= 4 ? slots : slots <= 8 ? 4 : 8;
    const int possible = static_cast<int>((width - 2 * kInset + kBetween) / (kLeast + kBetween));
    return std::clamp(wished, 1, std::max(1, possible));
}

struct Grid
{
    int columns = 2;

    int row(int node) const { return node / columns; }
    int column(int node) const
    {
        const int i = node % columns;
        return row(node) % 2 == 0 ? i : columns - 1 - i;
    }
};

LinkArrow besideEachOther(const std::vector<QRectF>& frames, int from, int to)
{
    const QRectF& a = frames[static_cast<std::size_t>(from)];
    const QRectF& b = frames[static_cast<std::size_t>(to)];
    const bool toRight = a.center().x() < b.center().x();
    const double y = a.center().y() + (toRight ? -kApart : kApart);
    const QPointF begin(toRight ? a.right() + 3 : a.left() - 3, y);
    const QPointF end(toRight ? b.left() - 2 : b.right() + 2, y);
    const QRectF label(std::min(begin.x(), end.x()), toRight ? y - 23 : y + 7,
                       std::abs(end.x() - begin.x()), 16);
    return {from, to, {begin, end}, label, Qt::AlignCenter};
}

LinkArrow aboveEachOther(const std::vector<QRectF>& frames, int from, int to)
{
    const QRectF& a = frames[static_cast<std::size_t>(from)];
    const QRectF& b = frames[static_cast<std::size_t>(to)];
    const bool down = a.center().y() < b.center().y();
    const double x = a.center().x() + (down ? -kApart : kApart);
    const QPointF begin(x, down ? a.bottom() + 3 : a.top() - 3);
    const QPointF end(x, down ? b.top() - 2 : b.bottom() + 2);
    const double middle = (begin.y() + end.y()) / 2;
    const QRectF label(down ? x - 108 : x + 8, middle - 8, 100, 16);
    return {from, to, {begin, end}, label, down ? Qt::AlignRight : Qt::AlignLeft};
}

// Routes an arrow through the gap between the columns. `lane` selects one of twelve positions in
// the gap.
LinkArrow throughTheGap(const std::vector<QRectF>& frames, int from, int to, int lane)
{
    const QRectF& a = frames[static_cast<std::size_t>(from)];
    const QRectF& b = frames[static_cast<std::size_t>(to)];
    constexpr int kLanes = 12;
    const double gapLeft = std::min(frames[0].right(), frames[1].right());
    const double x = gapLeft + kColumnGap / 2
        + (lane % 2 == 0 ? 1 : -1) * kLane * (0.5 + (lane / 2) % (kLanes / 2));
    const auto port = [&](const QRectF& frame, double share) {
        const bool isLeft = frame.center().x() < x;
        return QPointF(isLeft ? frame.right() + 3 : frame.left() - 3,
                       frame.top() + share * frame.height());
    };
    const double spread = 0.03 * (lane % 8);
    const bool down = a.center().y() < b.center().y();
    const QPointF begin = port(a, (down ? 0.72 : 0.06) + spread);
    const QPointF end = port(b, (down ? 0.06 : 0.72) + spread);
    return {from, to, {begin, {x, begin.y()}, {x, end.y()}, end}, {}, Qt::AlignCenter};
}

void placeSlots(NodeLayout& layout, std::size_t count, double boxHeight)
{
    for (const QRectF& frame : layout.frames) {
        const int columns = slotColumns(static_cast<int>(count), frame.width());
        const double width = (frame.width() - 2 * kInset - kBetween * (columns - 1)) / columns;
        std::vector<QRectF> places;
        for (std::size_t i = 0; i < count; ++i) {
            const auto row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
            places.emplace_back(frame.left() + kInset + column * (width + kBetween),
                                frame.top() + kNodeTitle + row * (boxHeight + kBetween), width,
                                boxHeight);
        }
        layout.places.push_back(std::move(places));
    }
}

void placeArrows(NodeLayout& layout, const std::vector<std::pair<int, int>>& links,
                 const Grid& grid)
{
    int lane = 0;
    for (const auto& [from, to] : links) {
        if (from == to)
            continue;
        const int rows = std::abs(grid.row(from) - grid.row(to));
        const bool sameColumn = grid.column(from) == grid.column(to);
        if (rows == 0)
            layout.arrows.push_back(besideEachOther(layout.frames, from, to));
        else if (rows == 1 && sameColumn)
            layout.arrows.push_back(aboveEachOther(layout.frames, from, to));
        else
            layout.arrows.push_back(throughTheGap(layout.frames, from, to, lane++));
    }
}

// Adds lines between neighbouring nodes that exchange nothing. Hidden loads are traffic, too.
void placeUnused(NodeLayout& layout, const profiler::LinkLoads& loads, const Grid& grid)
{
    const auto isUsed = [&](int from, int to) {
        const profiler::LinkLoad* link = loads.find(from, to);
        return link != nullptr && link->bytes() > 0;
    };
    const int nodes = static_cast<int>(layout.frames.size());
    for (int from = 0; from < nodes; ++from)
        for (int to = from + 1; to < std::min(nodes, from + 2 * grid.columns); ++to) {
            const int rows = grid.row(to) - grid.row(from);
            const bool sameColumn = grid.column(from) == grid.column(to);
            if (isUsed(from, to) || isUsed(to, from) || rows + (sameColumn ? 0 : 1) != 1)
                continue;
            LinkArrow line = rows == 0 ? besideEachOther(layout.frames, from, to)
                                       : aboveEachOther(layout.frames, to, from); // text at right
            const QPointF middle = layout.frames[static_cast<std::size_t>(from)].center();
            for (QPointF& point : line.path)
                rows == 0 ? point.setY(middle.y()) : point.setX(middle.x());
            layout.unused.push_back(std::move(line));
        }
}

} // namespace

QRectF LinkArrow::bounds() const
{
    constexpr double kAround = 7;
    QRectF box;
    for (const QPointF& point : path)
        box |= QRectF(point - QPointF(kAround, kAround), QSizeF(2 * kAround, 2 * kAround));
    return box;
}

bool LinkArrow::isNear(const QPointF& point) const
{
    constexpr double kReach = 7;
    if (label.contains(point))
        return true;
    for (std::size_t i = 1; i < path.size(); ++i) {
        const QRectF segment = QRectF(path[i - 1], path[i]).normalized();
        if (segment.adjusted(-kReach, -kReach, kReach, kReach).contains(point))
            return true;
    }
    return false;
}

NodeLayout layoutOf(const MappingStudy& study, const std::vector<std::pair<int, int>>& links,
                    double width)
{
    NodeLayout layout;
    const std::size_t nodes = study.nodes.size();
    const std::size_t slots
        = std::min<std::size_t>(study.nodes.front().slots.size(), NodeLayout::kMostSlots);
    const Grid grid{nodes == 1 ? 1 : 2};
    const double frameWidth
        = (width - 2 * kMargin - kColumnGap * (grid.columns - 1)) / grid.columns;
    const int replicas = study.prediction->run->schedule.shape.replicas;
    const double boxHeight = kSlotCaption + kSlotRow * replicas;
    const int columns = slotColumns(static_cast<int>(slots), frameWidth);
    const double rows = std::ceil(static_cast<double>(slots) / columns);
    const double frameHeight = kNodeTitle + rows * (boxHeight + kBetween);
    for (std::size_t node = 0; node < nodes; ++node) {
        const int i = static_cast<int>(node);
        layout.frames.emplace_back(kMargin + grid.column(i) * (frameWidth + kColumnGap),
                                   kMargin + grid.row(i) * (frameHeight + kRowGap), frameWidth,
                                   frameHeight);
        layout.height = layout.frames.back().bottom() + kMargin;
    }
    placeSlots(layout, slots, boxHeight);
    placeArrows(layout, links, grid);
    placeUnused(layout, study.shown().loads, grid);
    return layout;
}

} // namespace app
