#include "app/mapping/mapping_view.h"

#include "app/figures/scene_view.h"
#include "app/mapping/mapping_text.h"
#include "app/plan/memory_bars.h"
#include "app/timeline/paint/box_colours.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/csv.h"
#include "app/ui/data_table.h"
#include "app/ui/empty_state.h"
#include "app/ui/form_rows.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"
#include "engine/base/try.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QFontMetricsF>
#include <QPolygonF>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStackedWidget>

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

namespace {

constexpr int kDebounce = 60; // ms
constexpr int kDock = 352, kNarrow = 860;
constexpr int kFile = 3;          // segment of the picker
constexpr int kMostPictured = 16; // nodes
constexpr int kRow = 23, kMostRows = 8, kBarsHeight = 150;

void fitTable(DataTable& table)
{
    const int rows = table.model()->rowCount();
    table.setVisible(rows > 0);
    table.setFixedHeight(rows <= kMostRows
                             ? table.fittingHeight()
                             : table.horizontalHeader()->height() + kMostRows * kRow + kRow / 2);
}

QLabel* makeVerdict(const char* name, const char* role)
{
    auto* label = named(makeLabel({}, role), name);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

void setVerdict(QLabel& label, const QString& text)
{
    label.setText(text);
    label.setVisible(!text.isEmpty());
}

int segmentOf(const QString& mapping)
{
    for (std::size_t i = 0; i < engine::kMappingNames.size(); ++i)
        if (mapping == fromUtf8(engine::kMappingNames[i]))
            return static_cast<int>(i);
    return kFile;
}

} // namespace

// The traffic of the selected link, and the all-reduces of the schedule.
class LinkPanel : public QWidget
{
public:
    explicit LinkPanel(const ThemeController& theme)
        : m_title(named(makeLabel({}, "section"), "linkTitle"))
        , m_load(named(makeLabel({}, "section"), "linkLoad"))
        , m_sentence(named(makeLabel({}, "hint"), "linkSentence"))
        , m_members(makeLabel({}, "hint"))
        , m_flowTable(named(new DataTable(theme, kRow), "linkFlows", tr("Traffic of the link")))
        , m_sumTable(named(new DataTable(theme, kRow), "allReduces", tr("All-reduces")))
    {
        m_sentence->setWordWrap(true);
        m_flowTable->setModel(&m_flows);
        m_flowTable->setRestColumn(0);
        m_sumTable->setModel(&m_sums);
        m_sumTable->setRestColumn(0);
        auto* head = spaced(new QHBoxLayout, {12, 10, 12, 0}, 8, {m_title, kStretch, m_load});
        auto* sentence = spaced(new QHBoxLayout, {12, 2, 12, 6}, 0, {{m_sentence, 1}});
        spaced(new QVBoxLayout(m_sumPart), {}, 0,
               {makeLine(Qt::Horizontal),
                makeBar(36, 8, {makeLabel(tr("All-reduces"), "dock"), kStretch, m_members}),
                makeLine(Qt::Horizontal), m_sumTable});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeBar(40, 8,
                        {makeLabel(tr("Selected link"), "dock"), kStretch,
                         makeLabel(tr("Esc clears"), "hint")}),
                makeLine(Qt::Horizontal), head, sentence, m_flowTable, m_sumPart});
    }

    void showStudy(const MappingStudy& study)
    {
        const auto& sums = study.shown().loads.allReduces;
        m_sums.reset(allReduceColumns(), sums);
        fitTable(*m_sumTable);
        m_sumPart->setVisible(!sums.empty());
        m_members->setText(
            sums.empty() ? QString() : tr("of %1 each").arg(countOf(sums.front().ranks, "member")));
    }

    void showLink(const MappingStudy& study, const std::optional<NodePair>& nodes)
    {
        const profiler::LinkLoad* link
            = nodes ? study.shown().loads.find(nodes->first, nodes->second) : nullptr;
        m_title->setText(link == nullptr ? tr("None") : linkTitle(*link));
        m_load->setText(link == nullptr ? QString() : loadText(link->bytes()));
        m_sentence->setText(link == nullptr
                                ? tr("Click a link in the picture, or press the arrow keys there.")
                                : linkSentence(study, *link));
        m_flows.reset(flowColumns(study.prediction->run->schedule.shape.replicas),
                      link == nullptr ? std::vector<profiler::LinkFlow>() : link->flows);
        fitTable(*m_flowTable);
    }

private:
    TableModel<profiler::LinkFlow> m_flows;
    TableModel<profiler::AllReduceLoad> m_sums;
    QLabel *m_title, *m_load, *m_sentence, *m_members;
    DataTable *m_flowTable, *m_sumTable;
    QWidget* m_sumPart = new QWidget;
};

// The memory of the model on the devices: sizes of the stages, bytes per device, and whether they
// fit.
class ModelPanel : public QWidget
{
public:
    explicit ModelPanel(const ThemeController& theme)
        : m_table(named(new DataTable(theme, kRow), "stageSizes", tr("Sizes of the stages")))
        , m_bars(named(new MemoryBars(theme), "deviceBytes", tr("Bytes per device")))
        , m_model(named(makeLabel({}, "hint"), "modelName"))
        , m_outline(makeLabel({}, "hint"))
        , m_fit(makeVerdict("memoryFit", "dock"))
        , m_twice(makeVerdict("memoryTwice", "small"))
        , m_remedy(makeVerdict("memoryRemedy", "hint"))
        , m_icon(new IconLabel(theme, Icon::Check, &Chrome::ok))
    {
        m_table->setModel(&m_stages);
        m_table->setRestColumn(0);
        m_bars->setFixedHeight(kBarsHeight);
        auto* fit = spaced(new QHBoxLayout, {}, 8, {{m_icon, 0, Qt::AlignTop}, {m_fit, 1}});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeLine(Qt::Horizontal),
                makeBar(36, 8,
                        {makeLabel(tr("Model"), "dock"), new Tag(theme, tr("simulated")), kStretch,
                         m_model}),
                makeLine(Qt::Horizontal), m_table,
                spaced(new QHBoxLayout, {12, 10, 12, 4}, 8,
                       {makeLabel(labelled(tr("Bytes per device, %1"), Unit::GiB), "dock"),
                        kStretch, m_outline}),
                m_bars, spaced(new QVBoxLayout, {12, 8, 12, 12}, 4, {fit, m_twice, m_remedy})});
    }

    void show(const MappingStudy& study, const ModelFacts& facts)
    {
        m_stages.reset(stageColumns(study.prediction->run->schedule.shape.stages), facts.stages);
        m_table->setFixedHeight(m_table->fittingHeight());
        showModel(study.on->model);
        if (facts.now.devices.empty()) {
            m_bars->clear(tr("The memory of this schedule is not simulated."));
            for (QWidget* part : std::initializer_list<QWidget*>{m_icon, m_fit, m_twice, m_remedy})
                part->hide();
            return;
        }
        std::vector<double> outlines;
        if (facts.twice)
            for (const DevicePeak& peak : facts.twice->devices)
                outlines.push_back(peak.sum());
        m_outline->setText(facts.twice
                               ? tr("dashed: micro-batch size %1").arg(facts.twice->microBatchSize)
                               : QString());
        m_bars->show({{{}, facts.now.devices, outlines}},
                     static_cast<double>(facts.now.memory.usable()));
        m_icon->show();
        m_icon->setIcon(facts.now.fits() ? Icon::Check : Icon::Error,
                        facts.now.fits() ? &Chrome::ok : &Chrome::error);
        setVerdict(*m_fit, fitText(facts.now, facts.now));
        setVerdict(*m_twice, facts.twice ? fitText(*facts.twice, facts.now) : QString());
        setVerdict(*m_remedy, remedyText(facts));
    }

private:
    void showModel(const engine::TransformerSpec& model)
    {
        const bool isTied = model.family == engine::TransformerSpec::Family::Gpt;
        m_model->setText(
            (isTied ? tr("%1, %2 B parameters, tied") : tr("%1, %2 B parameters"))
                .arg(fromUtf8(model.name), number(engine::parameterCount(model) / 1e9, 1)));
        m_model->setToolTip(isTied ? tr("Counts the tied embeddings once; the first and the last "
                                        "stage both store them")
                                   : QString());
    }

    TableModel<StageSizes> m_stages;
    DataTable* m_table;
    MemoryBars* m_bars;
    QLabel *m_model, *m_outline, *m_fit, *m_twice, *m_remedy;
    IconLabel* m_icon;
};

MappingView::MappingView(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_mapping(named(new SegmentControl(theme,
                                         {tr("contiguous"), tr("replicas together"),
                                          tr("pair-adjacent"), tr("from file…")}),
                      "mapping"))
    , m_file(named(makeLabel({}, "hint"), "mappingFile"))
    , m_crossing(named(makeLabel({}, "secondary"), "mappingCrossing"))
    , m_messages(named(new QCheckBox(tr("messages")), "showMessages"))
    , m_allReduces(named(new QCheckBox(tr("all-reduces")), "showAllReduces"))
    , m_picture(named(new SceneView(theme, [this](std::size_t link) { return describeLink(link); }),
                      "nodePicture", tr("Devices on nodes")))
    , m_verdict(named(new Band(theme, Band::Shape::Verdict), "mappingVerdict"))
    , m_comparedTable(named(new DataTable(theme, 28), "mappings", tr("Mappings compared")))
    , m_link(new LinkPanel(theme))
    , m_model(new ModelPanel(theme))
    , m_stack(new QStackedWidget)
{
    setObjectName(QStringLiteral("mappingView"));
    m_mapping->setName(tr("Mapping"));
    m_dock = makeSurface("plain");
    spaced(new QVBoxLayout(m_dock), {}, 0, {m_link, m_model, kStretch});
    m_dockScroll = makeScroll(m_dock);
    m_dockScroll->setFixedWidth(kDock);
    m_centreScroll = makeScroll(makeCentre(theme));
    m_stack->addWidget(m_centreScroll);
    m_stack->addWidget(makeEmpty(theme));
    auto* left
        = spaced(new QVBoxLayout, {}, 0, {makeToolbar(), makeLine(Qt::Horizontal), {m_stack, 1}});
    m_side = makeSurface("plain");
    spaced(new QHBoxLayout(m_side), {}, 0, {makeLine(Qt::Vertical), m_dockScroll});
    spaced(new QHBoxLayout(this), {}, 0, {{left, 1}, m_side});
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounce);
    connectAll();
}

QWidget* MappingView::makeToolbar()
{
    for (QCheckBox* box : {m_messages, m_allReduces}) {
        box->setChecked(true);
        box->setToolTip(tr("Show the load of %1").arg(box->text()));
    }
    return makeBar(44, 12, {makeLabel(tr("Mapping"), "dock"), m_mapping, m_file, kStretch});
}

QWidget* MappingView::makeCentre(const ThemeController& theme)
{
    auto* centre = makeSurface("plain");
    auto* loads = spaced(new QHBoxLayout, {}, 14, {m_messages, m_allReduces, kStretch});
    auto* head = spaced(new QVBoxLayout, {14, 10, 14, 8}, 6, {m_crossing, loads});
    m_crossing->setWordWrap(true);
    auto* picture = spaced(new QVBoxLayout, {14, 0, 14, 8}, 8, {m_picture});
    auto* verdict = spaced(new QVBoxLayout, {14, 10, 14, 10}, 0, {m_verdict});
    m_comparedTable->setModel(&m_compared);
    m_comparedTable->setRestColumn(7);
    m_comparedTable->setDispensable({3, 4, 5});
    m_centre = spaced(
        new QVBoxLayout(centre), {}, 0,
        {head, picture, makeLine(Qt::Horizontal),
         makeBar(36, 8,
                 {makeLabel(tr("Mappings compared"), "dock"), new Tag(theme, tr("simulated")),
                  kStretch, makeLabel(tr("exposed: mean of the devices"), "hint")}),
         makeLine(Qt::Horizontal), verdict, m_comparedTable, kStretch});
    return centre;
}

QWidget* MappingView::makeEmpty(const ThemeController& theme)
{
    m_empty = named(new EmptyState(theme, {Icon::Chip, {}, {}, tr("Use costs of hardware")}),
                    "mappingEmpty");
    auto* empty = makeSurface("plain");
    spaced(new QVBoxLayout(empty), {24, 24, 24, 24}, 0, {m_empty, kStretch});
    return empty;
}

void MappingView::connectAll()
{
    connect(&m_debounce, &QTimer::timeout, this, &MappingView::ask);
    connect(m_mapping, &SegmentControl::currentChanged, this, [this](int segment) {
        if (m_isShowing)
            return;
        if (segment == kFile)
            chooseFile();
        else
            offerMapping(fromUtf8(engine::kMappingNames[static_cast<std::size_t>(segment)]));
    });
    connect(m_mapping, &SegmentControl::chosenAgain, this, [this](int segment) {
        if (segment == kFile)
            chooseFile();
    });
    connect(m_comparedTable, &QAbstractItemView::clicked, this, &MappingView::offerRow);
    connect(m_comparedTable, &QAbstractItemView::activated, this, &MappingView::offerRow);
    for (QCheckBox* box : {m_messages, m_allReduces})
        connect(box, &QCheckBox::toggled, this, &MappingView::drawPicture);
    m_picture->setListed();
    connect(m_picture, &SceneView::resized, this, &MappingView::drawPicture);
    connect(&m_theme, &ThemeController::changed, this, &MappingView::drawPicture);
    connect(m_picture, &SceneView::pointChosen, this,
            [this](std::size_t link) { m_selected = m_links[link]; });
    connect(m_picture, &SceneView::cleared, this, [this] {
        m_selected.reset();
        m_isCleared = true;
    });
    connect(m_picture, &SceneView::highlightChanged, this, [this] {
        if (m_found)
            m_link->showLink(m_found->study, highlighted());
    });
    connect(m_empty, &EmptyState::activated, this, [this] {
        RunPlan plan = m_plan;
        plan.source.kind = CostSource::Kind::Hardware;
        Q_EMIT planOffered(plan);
    });
}

void MappingView::setPlan(const RunPlan& plan, const QString& problem)
{
    m_plan = plan;
    m_problem = problem;
    m_isAsked = m_isAnswered = false;
    m_studies.drop();
    Q_EMIT csvChanged();
    showMapping();
    if (isVisible())
        m_debounce.start();
}

void MappingView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!m_isAsked)
        ask();
}

void MappingView::ask()
{
    m_isAsked = true;
    const PredictionRequest request = m_plan.request();
    if (m_problem.isEmpty() && hasNodes(request))
        return m_studies.ask(request);
    m_studies.drop();
    if (!m_problem.isEmpty())
        showEmpty(tr("No schedule with these numbers"), m_problem, false);
    else
        showEmpty(tr("The costs have no nodes"),
                  tr("Loads of links need the bytes of a model and the nodes of hardware: set "
                     "Costs to hardware, then choose a transformer and GPUs."),
                  true);
}

void MappingView::showEmpty(const QString& fact, const QString& advice, bool offersHardware)
{
    m_found.reset();
    m_empty->setTexts(fact, advice);
    m_empty->button()->setVisible(offersHardware);
    m_stack->setCurrentIndex(1);
    showSide();
    // A mapping that cannot be predicted can be replaced.
    m_mapping->setEnabled(m_problem.isEmpty() && hasNodes(m_plan.request()));
    for (QCheckBox* box : {m_messages, m_allReduces})
        box->setEnabled(false);
    m_isAnswered = true;
    Q_EMIT csvChanged();
}

engine::Result<MappingView::Found> MappingView::find(const PredictionRequest& request,
                                                     const std::atomic<bool>& isDropped)
{
    const auto isCancelled = [&isDropped] { return isDropped.load(); };
    auto study = TRY(studyMappings(request, isCancelled));
    auto facts = TRY(modelFacts(request, study, isCancelled));
    return Found{std::move(study), std::move(facts)};
}

void MappingView::showAnswer(engine::Result<Found> answer)
{
    if (!answer)
        return showEmpty(tr("Not predicted"), capitalized(fromUtf8(answer.error().message)), false);
    m_found = std::make_shared<const Found>(*std::move(answer));
    showFound();
    m_isAnswered = true;
    Q_EMIT csvChanged();
}

void MappingView::showFound()
{
    const MappingStudy& study = m_found->study;
    m_stack->setCurrentIndex(0);
    showSide();
    const bool isPictured = study.nodes.size() <= kMostPictured;
    m_mapping->setEnabled(true);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_messages, m_allReduces, m_picture}) {
        widget->setEnabled(true);
        widget->setVisible(isPictured);
    }
    m_crossing->setText(crossingText(study)
                        + (isPictured
                               ? QString()
                               : tr(" Machines of up to %1 nodes are drawn.").arg(kMostPictured)));
    m_link->showStudy(study);
    const profiler::LinkLoads& loads = study.shown().loads;
    if (m_selected && loads.find(m_selected->first, m_selected->second) == nullptr)
        m_selected.reset();
    if (const profiler::LinkLoad* most = loads.largest(); !m_selected && !m_isCleared && most)
        m_selected = NodePair(most->from, most->to);
    drawPicture();
    const MappingVerdict verdict = mappingVerdict(study);
    m_verdict->show(verdict.isBest ? Band::Kind::Ok : Band::Kind::Warning, verdict.bold,
                    verdict.rest);
    m_compared.reset(mappingColumns(study), study.all);
    m_comparedTable->setFixedHeight(m_comparedTable->fittingHeight());
    m_comparedTable->selectRow(static_cast<int>(study.chosen));
    m_model->show(study, m_found->facts);
}

// Keeps the selected link if it is in the picture.
void MappingView::drawPicture()
{
    if (!m_found)
        return;
    const ShownLoads shown{m_messages->isChecked(), m_allReduces->isChecked()};
    const bool isPictured = m_found->study.nodes.size() <= kMostPictured;
    m_links = shownLinks(m_found->study, shown);
    if (isPictured && m_picture->width() > 0) {
        auto scene = std::make_shared<const profiler::MarkedScene>(
            nodeScene(m_found->study, shown, m_theme.theme(), m_picture->width()));
        m_picture->setFixedHeight(std::max(1, static_cast<int>(std::ceil(scene->scene.height))));
        m_picture->show(std::move(scene));
    }
    const auto selected = std::ranges::find(m_links, m_selected.value_or(NodePair(-1, -1)));
    if (selected == m_links.end())
        m_picture->select({});
    else
        m_picture->select(static_cast<std::size_t>(selected - m_links.begin()));
}

// The link under the mouse, or else the selected one.
std::optional<NodePair> MappingView::highlighted() const
{
    const auto link = m_picture->highlighted();
    return link && *link < m_links.size() ? std::optional(m_links[*link]) : std::nullopt;
}

QString MappingView::describeLink(std::size_t link) const
{
    const auto& [from, to] = m_links.at(link);
    const profiler::LinkLoad* load = m_found->study.shown().loads.find(from, to);
    const QString text = tr("%1, %2").arg(linkTitle(*load), loadText(load->bytes()));
    return from == to
        ? tr("%1: %2").arg(text, m_found->study.nodes[static_cast<std::size_t>(from)].summary)
        : text;
}

void MappingView::offerRow(const QModelIndex& row)
{
    if (const MappedPrediction& mapped = m_compared.at(row.row()); mapped.problem.isEmpty())
        offerMapping(mapped.mapping);
}

void MappingView::offerMapping(const QString& mapping)
{
    RunPlan plan = m_plan;
    plan.experiment.schedule.mapping = mapping.toStdString();
    Q_EMIT planOffered(plan);
}

void MappingView::chooseFile()
{
    showMapping(); // the picker keeps the current mapping until a file is chosen
    askForFile(this, tr("Mapping of the devices"), tr("Mappings (*.toml)"),
               [this](const QString& file) { offerMapping(file); });
}

void MappingView::showMapping()
{
    const QString mapping = QString::fromStdString(m_plan.experiment.schedule.mapping);
    m_isShowing = true;
    m_mapping->setCurrent(segmentOf(mapping));
    m_isShowing = false;
    const bool isFile = segmentOf(mapping) == kFile;
    m_file->setText(isFile ? mappingTitle(mapping) : QString());
    m_file->setToolTip(isFile ? toolTipText(mapping) : QString());
}

QString MappingView::csv() const
{
    return m_found && m_isAnswered ? csvOf(m_compared) : QString();
}

// Moves the panels below the picture in a narrow window.
void MappingView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const bool isNarrow = event->size().width() < kNarrow;
    const bool isBelow = m_dock->parentWidget() != nullptr && m_centre->indexOf(m_dock) >= 0;
    if (isNarrow == isBelow)
        return;
    if (isNarrow)
        m_centre->addWidget(m_dockScroll->takeWidget());
    else {
        m_centre->removeWidget(m_dock);
        m_dockScroll->setWidget(m_dock);
    }
    m_dock->show();
    showSide();
}

void MappingView::showSide()
{
    m_side->setVisible(m_stack->currentIndex() == 0 && m_centre->indexOf(m_dock) < 0);
}

} // namespace app
