#include "app/mapping/node_picture.h"

#include "app/mapping/mapping_text.h"
#include "app/timeline/paint/box_colours.h"

#include <QFontMetricsF>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using profiler::Text;

// An arrow from one node to another.
struct LinkArrow
{
    int from = 0, to = 0;
    QPolygonF path; // at right angles
    QRectF label;   // empty: no space beside the line
    Text::Anchor anchor = Text::Anchor::Middle;
};

// The places of nodes, devices and links. Nodes are in two columns, in serpentine order, so that
// consecutive nodes are neighbours.
struct NodeLayout
{
    std::vector<QRectF> frames;              // frames[node]: frame around its slots
    std::vector<std::vector<QRectF>> places; // places[node][slot]: box of the device in the slot
    std::vector<LinkArrow> arrows;
    double height = 0;
};

// Colour and width of a link by its load, in four classes. The upper bound of the highest class is
// the largest load between two nodes in all compared mappings, so that pictures of two mappings can
// be compared. Each other bound is a third of the next one.
class LoadScale
{
public:
    static constexpr int kClasses = 4;

    explicit LoadScale(const MappingStudy& study);

    int classOf(double bytes) const;
    static profiler::Colour colour(int index, const Theme& theme);
    static double width(int index); // width of the line, in pixels

private:
    double m_most = 0;
};

constexpr int kNodeTitle = 30, kSlotCaption = 15, kSlotRow = 20;
// Slots that are drawn per node. If the hardware defines no nodes, all devices are in one node,
// which may have more.
constexpr std::size_t kMostSlots = 64;
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
    return {from, to, {begin, end}, label, Text::Anchor::Middle};
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
    return {from, to, {begin, end}, label, down ? Text::Anchor::End : Text::Anchor::Start};
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
    return {from, to, {begin, {x, begin.y()}, {x, end.y()}, end}, {}, Text::Anchor::Middle};
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

void placeArrows(NodeLayout& layout, const std::vector<NodePair>& links, const Grid& grid)
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

NodeLayout layoutOf(const MappingStudy& study, const std::vector<NodePair>& links, double width)
{
    NodeLayout layout;
    const std::size_t nodes = study.nodes.size();
    const std::size_t slots = std::min<std::size_t>(study.nodes.front().slots.size(), kMostSlots);
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
    return layout;
}

constexpr int kStageText = 11;
constexpr double kStageEnd = 5, kNameGap = 5;

double stageInset(qsizetype row)
{
    return row > 0 ? 7 : 5;
}

QString directionName(qsizetype row)
{
    return row == 0 ? QStringLiteral("down") : QStringLiteral("up");
}

LoadScale::LoadScale(const MappingStudy& study)
{
    for (const bool crossing : {true, false}) {
        for (const MappedPrediction& each : study.all)
            for (const profiler::LinkLoad& link : each.loads.links)
                if ((link.from != link.to) == crossing)
                    m_most = std::max(m_most, link.bytes());
        if (m_most > 0)
            return;
    }
}

int LoadScale::classOf(double bytes) const
{
    constexpr double kStep = 3;
    int index = kClasses - 1;
    for (double bound = m_most / kStep; index > 0 && bytes <= bound * 1.0001; bound /= kStep)
        --index;
    return index;
}

profiler::Colour LoadScale::colour(int index, const Theme& theme)
{
    constexpr double kTowardsSurface[] = {0.65, 0.45, 0.15}, kInDark[] = {0.35, 0.2, 0};
    const auto& palette = theme.palette;
    if (index < kClasses - 1)
        return profiler::mix(palette.communication, palette.surface,
                             (theme.isDark() ? kInDark : kTowardsSurface)[index]);
    constexpr double kTowardsInk = 0.45;
    return profiler::mix(palette.communication, palette.ink, kTowardsInk);
}

double LoadScale::width(int index)
{
    constexpr double kWidths[] = {2, 3.5, 5.5, 8};
    return kWidths[index];
}

profiler::Rect toRect(const QRectF& r)
{
    return {r.x(), r.y(), r.width(), r.height()};
}

QRectF around(const QPolygonF& path)
{
    constexpr double kReach = 7;
    return path.boundingRect().adjusted(-kReach, -kReach, kReach, kReach);
}

// Whether all boxes have space for "down" and "up".
bool fitDirections(const MappingStudy& study, const NodeLayout& layout)
{
    for (std::size_t node = 0; node < layout.places.size(); ++node)
        for (std::size_t i = 0; i < layout.places[node].size(); ++i)
            if (const NodeSlot& slot = study.nodes[node].slots[i];
                slot.device >= 0 && !fitsDirections(slot.stages, layout.places[node][i].width()))
                return false;
    return true;
}

class NodeDrawing
{
public:
    NodeDrawing(const MappingStudy& study, const ShownLoads& shown, const Theme& theme,
                const NodeLayout& layout)
        : m_study(study)
        , m_shown(shown)
        , m_theme(theme)
        , m_layout(layout)
        , m_scale(study)
        , m_areDirectionsNamed(fitDirections(study, layout))
    { }

    profiler::Group draw()
    {
        for (std::size_t node = 0; node < m_layout.frames.size(); ++node)
            drawNode(node);
        for (const LinkArrow& arrow : m_layout.arrows)
            drawArrow(arrow);
        return std::move(m_group);
    }

private:
    struct Type
    {
        double size = 11;
        QColor ink;
        bool isBold = false;
    };
    // Writes a line that is elided at the right. Returns the width of the text.
    double text(const QRectF& box, Text::Anchor anchor, const QString& text, const Type& type)
    {
        const QFontMetricsF metrics(
            uiFont(static_cast<int>(type.size), type.isBold ? QFont::Medium : QFont::Normal));
        const QString shown = metrics.elidedText(text, Qt::ElideRight, box.width() + 1);
        const double x = anchor == Text::Anchor::Start ? box.left()
            : anchor == Text::Anchor::End              ? box.right()
                                                       : box.center().x();
        m_group.shapes.emplace_back(Text{x,
                                         box.center().y() + 0.36 * type.size,
                                         type.size,
                                         shown.toStdString(),
                                         fromQt(type.ink),
                                         anchor,
                                         type.isBold,
                                         {}});
        return metrics.horizontalAdvance(shown);
    }

    void drawNode(std::size_t node)
    {
        const Chrome& c = m_theme.chrome;
        const QRectF frame = m_layout.frames[node].adjusted(0.5, 0.5, -0.5, -0.5);
        m_group.shapes.emplace_back(profiler::Box{
            toRect(frame), fromQt(c.surface), 1, fromQt(c.lineStrong), 0, {}, {}, {}});
        const QRectF line(frame.left() + 12, frame.top() + 6, frame.width() - 24, 18);
        const double after = text(line, Text::Anchor::Start, QStringLiteral("Node %1").arg(node),
                                  {12, c.text, true})
            + 12;
        text(line.adjusted(after, 0, 0, 0), Text::Anchor::Start,
             fittingSummary(m_study.nodes[node].summary, line.width() - after), {11, c.text2});
        const auto& slots = m_study.nodes[node].slots;
        for (std::size_t i = 0; i < m_layout.places[node].size(); ++i)
            drawSlot(slots[i], m_layout.places[node][i]);
        if (slots.size() > m_layout.places[node].size())
            text(line, Text::Anchor::End,
                 QStringLiteral("the first %1 of %2")
                     .arg(m_layout.places[node].size())
                     .arg(slots.size()),
                 {11, c.text2});
    }

    void drawSlot(const NodeSlot& slot, const QRectF& box)
    {
        const Chrome& c = m_theme.chrome;
        const bool isFree = slot.device < 0;
        const bool hasCopies = m_study.prediction->run->schedule.shape.dataParallel > 1;
        const QRectF rows = box.adjusted(0, kSlotCaption, 0, 0);
        text(QRectF(box.left(), box.top(), box.width(), kSlotCaption), Text::Anchor::Start,
             isFree          ? QStringLiteral("free")
                 : hasCopies ? QStringLiteral("device %1, w%2").arg(slot.device).arg(slot.copy)
                             : QStringLiteral("device %1").arg(slot.device),
             {11, c.text2});
        if (isFree)
            m_group.shapes.emplace_back(profiler::Box{
                toRect(rows), fromQt(c.surface), 1, fromQt(c.lineStrong), 0, {}, {}, {}});
        for (qsizetype r = 0; r < slot.stages.size() && !isFree; ++r) {
            const QRectF row(rows.left(), rows.top() + kSlotRow * static_cast<double>(r),
                             rows.width(), kSlotRow - 1);
            m_group.shapes.emplace_back(profiler::Box{toRect(row),
                                                      fromQt(r == 0 ? c.pressed : c.lineStrong),
                                                      0,
                                                      {},
                                                      r > 0 ? 5.0 : 0.0,
                                                      {},
                                                      {},
                                                      {}});
            const QRectF inside = row.adjusted(stageInset(r), 0, -kStageEnd, 0);
            if (m_areDirectionsNamed)
                text(inside, Text::Anchor::Start, directionName(r), {kStageText, c.text2});
            text(inside, Text::Anchor::End, slot.stages.at(r), {kStageText, c.text, true});
        }
    }

    void drawArrow(const LinkArrow& arrow)
    {
        const profiler::LinkLoad* link = m_study.shown().loads.find(arrow.from, arrow.to);
        if (link == nullptr)
            return;
        const double bytes = m_shown.of(*link);
        const int load = m_scale.classOf(bytes);
        const profiler::Colour colour = LoadScale::colour(load, m_theme);
        const double thick = LoadScale::width(load), head = std::max(8.0, 1.6 * thick);
        QPolygonF path = arrow.path;
        const QPointF tip = path.back(), way = tip - path[path.size() - 2];
        const QPointF along = way / std::max(1.0, std::hypot(way.x(), way.y()));
        path.back() = tip - along * head * 0.8;
        for (qsizetype i = 1; i < path.size(); ++i)
            m_group.shapes.emplace_back(profiler::Line{path[i - 1].x(),
                                                       path[i - 1].y(),
                                                       path[i].x(),
                                                       path[i].y(),
                                                       thick,
                                                       colour,
                                                       false,
                                                       {}});
        const QPointF across(-along.y(), along.x()), base = tip - along * head;
        const QPointF left = base + across * head * 0.6, right = base - across * head * 0.6;
        m_group.shapes.emplace_back(profiler::Polygon{
            {{tip.x(), tip.y()}, {left.x(), left.y()}, {right.x(), right.y()}}, colour, {}});
        if (!arrow.label.isNull())
            text(arrow.label, arrow.anchor, loadText(bytes), {11, m_theme.chrome.text2});
    }

    const MappingStudy& m_study;
    const ShownLoads& m_shown;
    const Theme& m_theme;
    const NodeLayout& m_layout;
    LoadScale m_scale;
    bool m_areDirectionsNamed;
    profiler::Group m_group{"nodes", {}};
};

} // namespace

bool fitsDirections(const QStringList& stages, double width)
{
    const QFontMetricsF name(uiFont(kStageText)), bold(uiFont(kStageText, QFont::Medium));
    for (qsizetype r = 0; r < stages.size(); ++r)
        if (name.horizontalAdvance(directionName(r)) + kNameGap
                + bold.horizontalAdvance(stages.at(r))
            > width - stageInset(r) - kStageEnd)
            return false;
    return stages.size() > 1;
}

QString fittingSummary(const QString& summary, double width)
{
    const QFontMetricsF metrics(uiFont(kStageText));
    return metrics.elidedText(metrics.horizontalAdvance(summary) <= width
                                  ? summary
                                  : summary.section(QLatin1Char(';'), 0, 0),
                              Qt::ElideRight, width);
}

std::vector<NodePair> shownLinks(const MappingStudy& study, const ShownLoads& shown)
{
    std::vector<NodePair> links;
    for (const profiler::LinkLoad& link : study.shown().loads.links)
        if (shown.of(link) > 0)
            links.emplace_back(link.from, link.to);
    return links;
}

profiler::MarkedScene nodeScene(const MappingStudy& study, const ShownLoads& shown,
                                const Theme& theme, double width)
{
    const std::vector<NodePair> links = shownLinks(study, shown);
    const NodeLayout layout = layoutOf(study, links, width);
    profiler::MarkedScene drawn;
    drawn.scene.width = width;
    drawn.scene.height = layout.height;
    drawn.scene.groups.push_back(NodeDrawing(study, shown, theme, layout).draw());
    for (std::size_t i = 0; i < links.size(); ++i) {
        const auto& [from, to] = links[i];
        const auto isIt
            = [&](const LinkArrow& arrow) { return NodePair(arrow.from, arrow.to) == links[i]; };
        const auto arrow = std::ranges::find_if(layout.arrows, isIt);
        drawn.marks.push_back({i,
                               toRect(from == to ? layout.frames[static_cast<std::size_t>(from)]
                                                 : around(arrow->path)),
                               0});
    }
    return drawn;
}

} // namespace app
