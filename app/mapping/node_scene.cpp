#include "app/mapping/node_scene.h"

#include "app/mapping/mapping_study.h"
#include "app/plan/scene_sheet.h"

#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using Anchor = SceneSheet::Anchor;

// An arrow from one node to another.
struct LinkArrow
{
    QPolygonF path; // at right angles
    QRectF label;   // empty: no space beside the line
    Anchor anchor = Anchor::Middle;
};

constexpr int kStageText = 11;
constexpr double kNodeTitle = 30, kSlotCaption = 15, kSlotRow = 20;
// Slots that are drawn per node. If the hardware defines no nodes, all devices are in one node,
// which may have more.
constexpr std::size_t kMostSlots = 64;
constexpr double kMargin = 1, kColumnGap = 112, kRowGap = 50, kInset = 12, kBetween = 13;
constexpr double kStageEnd = 5, kNameGap = 5;

double stageInset(qsizetype row)
{
    return row > 0 ? 7 : 5;
}

QString directionName(qsizetype row)
{
    return row == 0 ? QStringLiteral("down") : QStringLiteral("up");
}

// Colour and width of a link by its load, in four classes. The upper bound of the highest class is
// the largest load between two nodes in all compared mappings, so that pictures of two mappings can
// be compared. Each other bound is a third of the next one.
class LoadScale
{
public:
    explicit LoadScale(const MappingStudy& study)
    {
        for (const bool crossing : {true, false})
            for (std::size_t i = 0; i < study.all.size() && (crossing || !m_crosses); ++i)
                for (const profiler::LinkLoad& link : study.all[i].loads.links)
                    if ((link.from != link.to) == crossing) {
                        m_most = std::max(m_most, link.bytes());
                        m_crosses = m_crosses || (crossing && m_most > 0);
                    }
    }

    int classOf(double bytes) const
    {
        int index = kClasses - 1;
        for (double bound = m_most / 3; index > 0 && bytes <= bound * 1.0001; bound /= 3)
            --index;
        return index;
    }

    static profiler::Colour colour(int index, const Theme& theme)
    {
        constexpr double kTowardsSurface[] = {0.65, 0.45, 0.15}, kInDark[] = {0.35, 0.2, 0},
                         kTowardsInk = 0.45;
        const auto& palette = theme.palette;
        return index == kClasses - 1
            ? profiler::mix(palette.communication, palette.ink, kTowardsInk)
            : profiler::mix(palette.communication, palette.surface,
                            (theme.isDark() ? kInDark : kTowardsSurface)[index]);
    }

    static double width(int index) // of the line, in pixels
    {
        constexpr double kWidths[] = {2, 3.5, 5.5, 8};
        return kWidths[index];
    }

private:
    static constexpr int kClasses = 4;
    double m_most = 0;
    bool m_crosses = false; // whether a load crosses nodes
};

class NodePicture
{
public:
    NodePicture(const MappingStudy& study, const Theme& theme, double width)
        : m_study(study)
        , m_theme(theme)
        , m_scale(study)
        , m_slots(std::min(study.nodes.front().slots.size(), kMostSlots))
        , m_columns(study.nodes.size() == 1 ? 1 : 2)
    {
        constexpr double kLeast = 62; // width of a box
        const double wide = (width - 2 * kMargin - kColumnGap * (m_columns - 1)) / m_columns;
        const int slots = static_cast<int>(m_slots);
        const int wished = slots <= 4 ? slots : slots <= 8 ? 4 : 8;
        m_across = std::clamp(
            wished, 1,
            std::max(1, static_cast<int>((wide - 2 * kInset + kBetween) / (kLeast + kBetween))));
        m_box = {(wide - 2 * kInset - kBetween * (m_across - 1)) / m_across,
                 kSlotCaption + kSlotRow * study.prediction->run->schedule.shape.replicas};
        const double high
            = kNodeTitle + std::ceil(1.0 * slots / m_across) * (m_box.height() + kBetween);
        for (int node = 0; node < static_cast<int>(study.nodes.size()); ++node)
            m_frames.emplace_back(kMargin + column(node) * (wide + kColumnGap),
                                  kMargin + row(node) * (high + kRowGap), wide, high);
        m_areDirectionsNamed = std::ranges::all_of(study.nodes, [&](const NodeContents& node) {
            return std::ranges::all_of(node.slots, [&](const NodeSlot& slot) {
                return slot.device < 0 || fitsDirections(slot.stages, m_box.width());
            });
        });
    }

    profiler::MarkedScene draw(const ShownLoads& shown, double width)
    {
        for (const NodeContents& node : m_study.nodes)
            drawNode(node);
        profiler::MarkedScene drawn;
        int lane = 0;
        for (const auto& [from, to] : shownLinks(m_study, shown)) {
            QRectF mark = frame(from);
            if (from != to) {
                constexpr double kReach = 7;
                const LinkArrow arrow = route(from, to, lane);
                drawArrow(arrow, shown.of(*m_study.shown().loads.find(from, to)));
                mark = arrow.path.boundingRect().adjusted(-kReach, -kReach, kReach, kReach);
            }
            drawn.marks.push_back({drawn.marks.size(), SceneSheet::rect(mark), 0});
        }
        m_sheet.group.id = "nodes";
        drawn.scene.width = width;
        drawn.scene.height = m_frames.back().bottom() + kMargin;
        drawn.scene.groups.push_back(std::move(m_sheet.group));
        return drawn;
    }

private:
    const QRectF& frame(int node) const { return m_frames[static_cast<std::size_t>(node)]; }
    int row(int node) const { return node / m_columns; }
    int column(int node) const
    {
        const int i = node % m_columns;
        return row(node) % 2 == 0 ? i : m_columns - 1 - i;
    }

    // Neighbours have a straight arrow. Others have one through the gap between the columns, in one
    // of twelve lanes.
    LinkArrow route(int from, int to, int& lane) const
    {
        constexpr double kLane = 7,
                         kApart = 9; // kApart: distance from the middle between two nodes
        constexpr int kLanes = 12;
        const QRectF &a = frame(from), &b = frame(to);
        const bool toRight = a.center().x() < b.center().x(),
                   down = a.center().y() < b.center().y();
        if (row(from) == row(to)) {
            const double y = a.center().y() + (toRight ? -kApart : kApart);
            const QPointF begin(toRight ? a.right() + 3 : a.left() - 3, y),
                end(toRight ? b.left() - 2 : b.right() + 2, y);
            return {{begin, end},
                    {std::min(begin.x(), end.x()), toRight ? y - 23 : y + 7,
                     std::abs(end.x() - begin.x()), 16}};
        }
        if (std::abs(row(from) - row(to)) == 1 && column(from) == column(to)) {
            const double x = a.center().x() + (down ? -kApart : kApart);
            const QPointF begin(x, down ? a.bottom() + 3 : a.top() - 3),
                end(x, down ? b.top() - 2 : b.bottom() + 2);
            return {{begin, end},
                    {down ? x - 108 : x + 8, (begin.y() + end.y()) / 2 - 8, 100, 16},
                    down ? Anchor::End : Anchor::Start};
        }
        const double x = std::min(m_frames[0].right(), m_frames[1].right()) + kColumnGap / 2
            + (lane % 2 == 0 ? 1 : -1) * kLane * (0.5 + (lane / 2) % (kLanes / 2));
        const auto port = [&](const QRectF& of, bool isUpper) {
            return QPointF(of.center().x() < x ? of.right() + 3 : of.left() - 3,
                           of.top() + ((isUpper ? 0.06 : 0.72) + 0.03 * (lane % 8)) * of.height());
        };
        const QPointF begin = port(a, !down), end = port(b, down);
        ++lane;
        return {{begin, {x, begin.y()}, {x, end.y()}, end}, {}};
    }

    void drawNode(const NodeContents& node)
    {
        const Chrome& c = m_theme.chrome;
        const QRectF around = frame(node.node).adjusted(0.5, 0.5, -0.5, -0.5);
        m_sheet.box(around, c.surface, c.lineStrong);
        const QRectF line(around.left() + 12, around.top() + 6, around.width() - 24, 18);
        const double after
            = m_sheet.elided(line, QStringLiteral("Node %1").arg(node.node), {12, c.text, true})
            + 12;
        m_sheet.elided(line.adjusted(after, 0, 0, 0),
                       fittingSummary(node.summary, line.width() - after), {11, c.text2});
        for (std::size_t i = 0; i < m_slots; ++i) {
            const int at = static_cast<int>(i);
            drawSlot(node.slots[i],
                     {QPointF(frame(node.node).left() + kInset
                                  + at % m_across * (m_box.width() + kBetween),
                              frame(node.node).top() + kNodeTitle
                                  + at / m_across * (m_box.height() + kBetween)),
                      m_box});
        }
        if (node.slots.size() > m_slots)
            m_sheet.elided(line,
                           QStringLiteral("the first %1 of %2").arg(m_slots).arg(node.slots.size()),
                           {11, c.text2, false, Anchor::End});
    }

    void drawSlot(const NodeSlot& slot, const QRectF& box)
    {
        const Chrome& c = m_theme.chrome;
        const bool isFree = slot.device < 0;
        m_sheet.elided({box.left(), box.top(), box.width(), kSlotCaption},
                       isFree ? QStringLiteral("free")
                           : m_study.prediction->run->schedule.shape.dataParallel > 1
                           ? QStringLiteral("device %1, w%2").arg(slot.device).arg(slot.copy)
                           : QStringLiteral("device %1").arg(slot.device),
                       {11, c.text2});
        const QRectF rows = box.adjusted(0, kSlotCaption, 0, 0);
        if (isFree)
            return m_sheet.box(rows, c.surface, c.lineStrong);
        for (qsizetype r = 0; r < slot.stages.size(); ++r) {
            const QRectF row(rows.left(), rows.top() + kSlotRow * static_cast<double>(r),
                             rows.width(), kSlotRow - 1);
            m_sheet.box(row, r == 0 ? c.pressed : c.lineStrong, {}, r > 0 ? 5 : 0);
            const QRectF inside = row.adjusted(stageInset(r), 0, -kStageEnd, 0);
            if (m_areDirectionsNamed)
                m_sheet.elided(inside, directionName(r), {kStageText, c.text2});
            m_sheet.elided(inside, slot.stages.at(r), {kStageText, c.text, true, Anchor::End});
        }
    }

    void drawArrow(const LinkArrow& arrow, double bytes)
    {
        const int load = m_scale.classOf(bytes);
        const profiler::Colour colour = LoadScale::colour(load, m_theme);
        const double thick = LoadScale::width(load), head = std::max(8.0, 1.6 * thick);
        QPolygonF path = arrow.path;
        const QPointF tip = path.back(), way = tip - path[path.size() - 2];
        const QPointF along = way / std::max(1.0, std::hypot(way.x(), way.y()));
        path.back() = tip - along * head * 0.8;
        for (qsizetype i = 1; i < path.size(); ++i)
            m_sheet.line(path[i - 1], path[i], thick, colour);
        const QPointF across(-along.y(), along.x()), base = tip - along * head;
        const QPointF left = base + across * head * 0.6, right = base - across * head * 0.6;
        m_sheet.group.shapes.emplace_back(profiler::Polygon{
            {{tip.x(), tip.y()}, {left.x(), left.y()}, {right.x(), right.y()}}, colour, {}});
        if (!arrow.label.isNull())
            m_sheet.elided(arrow.label, loadText(bytes),
                           {11, m_theme.chrome.text2, false, arrow.anchor});
    }

    const MappingStudy& m_study;
    const Theme& m_theme;
    LoadScale m_scale;
    std::size_t m_slots;              // of every node
    int m_columns, m_across = 1;      // of nodes; of slots in a node
    QSizeF m_box;                     // of a device in its slot
    std::vector<QRectF> m_frames;     // by node
    bool m_areDirectionsNamed = true; // all boxes have space for "down" and "up"
    SceneSheet m_sheet;
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
    return NodePicture(study, theme, width).draw(shown, width);
}

} // namespace app
