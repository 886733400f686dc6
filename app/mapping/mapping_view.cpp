#include "app/mapping/mapping_view.h"

#include "app/figures/scene_view.h"
#include "app/mapping/mapping_study.h"
#include "app/plan/scene_sheet.h"
#include "app/ui/band.h"
#include "app/ui/empty_state.h"
#include "app/ui/form_rows.h"
#include "app/ui/latest.h"
#include "app/ui/row_table.h"
#include "app/ui/segment_control.h"
#include "app/ui/table_text.h"
#include "app/ui/text.h"
#include "engine/base/try.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QPolygonF>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTimer>

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

// The kinds of load that a picture shows.
struct ShownLoads
{
    bool messages = true; // includes copies of stashes
    bool allReduces = true;

    double of(const profiler::LinkLoad& load) const
    {
        return (messages ? load.messages + load.copies : 0) + (allReduces ? load.allReduces : 0);
    }
};

// Sorted by nodes.
std::vector<NodePair> shownLinks(const MappingStudy& study, const ShownLoads& shown)
{
    std::vector<NodePair> links;
    for (const profiler::LinkLoad& link : study.shown().loads.links)
        if (shown.of(link) > 0)
            links.emplace_back(link.from, link.to);
    return links;
}

// Draws the nodes of a machine as frames, the devices in them with the stages that they hold, and
// the links between nodes as arrows by load. Mark i is shownLinks()[i]; the links within a node
// are marked at its frame. Nodes are in two columns, in serpentine order, so that consecutive nodes
// are neighbours.
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

namespace {

constexpr int kDebounce = 60; // ms
constexpr int kDock = 352, kNarrow = 860;
constexpr int kFile = 3;          // segment of the picker
constexpr int kMostPictured = 16; // nodes
constexpr int kRow = 23, kMostRows = 8, kBarsHeight = 176;

// The highest table of the panels: eight rows and a half.
constexpr int kTallest = 28 + kMostRows * kRow + kRow / 2;

int segmentOf(const QString& mapping)
{
    for (std::size_t i = 0; i < engine::kMappingNames.size(); ++i)
        if (mapping == fromUtf8(engine::kMappingNames[i]))
            return static_cast<int>(i);
    return kFile;
}

// The traffic of the selected link, and the all-reduces of the schedule.
class LinkPanel : public QWidget
{
public:
    explicit LinkPanel(const ThemeController& theme)
        : m_theme(theme)
    {
        auto* head = spaced(new QHBoxLayout, {12, 10, 12, 0}, 8, {m_title, kStretch, m_load});
        m_sentence->setContentsMargins(12, 2, 12, 6);
        spaced(new QVBoxLayout(m_sumPart), {}, 0,
               {makeLine(Qt::Horizontal),
                makeBar(36, 8, {makeLabel(tr("All-reduces"), "dock"), kStretch, m_members}),
                makeLine(Qt::Horizontal), m_sums});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeBar(40, 8,
                        {makeLabel(tr("Selected link"), "dock"), kStretch,
                         makeLabel(tr("Esc clears"), "hint")}),
                makeLine(Qt::Horizontal), head, m_sentence, m_flows, m_sumPart});
    }

    void showStudy(const MappingStudy& study)
    {
        const auto& sums = study.shown().loads.allReduces;
        m_sums->show(allReduceColumns(), sums);
        m_sums->fit(kTallest);
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
        m_flows->show(flowColumns(study.prediction->run->schedule.shape.replicas),
                      link == nullptr ? std::vector<profiler::LinkFlow>() : link->flows);
        m_flows->fit(kTallest);
    }

private:
    const ThemeController& m_theme;
    RowTable<profiler::LinkFlow>* m_flows = new RowTable<profiler::LinkFlow>(
        m_theme, kRow, "linkFlows", tr("Traffic of the link"), 0);
    RowTable<profiler::AllReduceLoad>* m_sums
        = new RowTable<profiler::AllReduceLoad>(m_theme, kRow, "allReduces", tr("All-reduces"), 0);
    QLabel *m_title = named(makeLabel({}, "section"), "linkTitle"),
           *m_load = named(makeLabel({}, "section"), "linkLoad"),
           *m_sentence = makeWrapped("hint", "linkSentence"), *m_members = makeLabel({}, "hint");
    QWidget* m_sumPart = new QWidget;
};

// The memory of the model on the devices: sizes of the stages, bytes per device, and whether they
// fit.
class ModelPanel : public QWidget
{
public:
    explicit ModelPanel(const ThemeController& theme)
        : m_theme(theme)
    {
        m_bars->setFixedHeight(kBarsHeight);
        auto* fit = spaced(new QHBoxLayout, {}, 8, {{m_icon, 0, Qt::AlignTop}, {m_fit, 1}});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeLine(Qt::Horizontal),
                makeBar(36, 8,
                        {makeLabel(tr("Model"), "dock"), new Tag(m_theme, tr("simulated")),
                         kStretch, m_model}),
                makeLine(Qt::Horizontal), m_stages, m_bars,
                spaced(new QVBoxLayout, {12, 8, 12, 12}, 4, {fit, m_twice, m_remedy})});
    }

    void show(const MappingStudy& study, const ModelFacts& facts)
    {
        m_stages->show(stageColumns(study.prediction->run->schedule.shape.stages), facts.stages);
        m_stages->fit();
        showModel(study.on->model);
        DeviceColumns peaks = facts.now.devices;
        if (peaks.isEmpty()) {
            m_bars->clear(tr("The memory of this schedule is not simulated."));
            for (QWidget* part : std::initializer_list<QWidget*>{m_icon, m_fit, m_twice, m_remedy})
                part->hide();
            return;
        }
        if (facts.twice) {
            peaks.outlines = facts.twice->devices.totals();
            peaks.axis += tr("; dashed: micro-batch size %1").arg(facts.twice->microBatchSize);
        }
        m_bars->show(std::move(peaks));
        m_icon->show();
        m_icon->setIcon(facts.now.fits() ? Icon::Check : Icon::Error,
                        facts.now.fits() ? &Chrome::ok : &Chrome::error);
        setHint(m_fit, fitText(facts.now, facts.now));
        setHint(m_twice, facts.twice ? fitText(*facts.twice, facts.now) : QString());
        setHint(m_remedy, remedyText(facts));
    }

private:
    void showModel(const engine::TransformerSpec& model)
    {
        const bool isTied = engine::isTied(model);
        m_model->setText(
            (isTied ? tr("%1, %2 B parameters, tied") : tr("%1, %2 B parameters"))
                .arg(fromUtf8(model.name), number(engine::parameterCount(model) / 1e9, 1)));
        m_model->setToolTip(isTied ? tr("Counts the tied embeddings once; the first and the last "
                                        "stage both store them")
                                   : QString());
    }

    const ThemeController& m_theme;
    RowTable<StageSizes>* m_stages
        = new RowTable<StageSizes>(m_theme, kRow, "stageSizes", tr("Sizes of the stages"), 0);
    DeviceView* m_bars = new DeviceView(m_theme, "deviceBytes");
    QLabel *m_model = named(makeLabel({}, "hint"), "modelName"),
           *m_fit = makeWrapped("dock", "memoryFit"),
           *m_twice = makeWrapped("small", "memoryTwice"),
           *m_remedy = makeWrapped("hint", "memoryRemedy");
    IconLabel* m_icon = new IconLabel(m_theme, Icon::Check, &Chrome::ok);
};

class View : public MappingView
{
public:
    explicit View(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("mappingView"));
        m_mapping->setName(tr("Mapping"));
        m_dockScroll->setFixedWidth(kDock);
        m_stack->addWidget(makeScroll(makeCentre()));
        m_stack->addWidget(makeColumn({24, 24, 24, 24}, 0, {m_empty, kStretch}));
        auto* left = spaced(new QVBoxLayout, {}, 0,
                            {makeToolbar(), makeLine(Qt::Horizontal), {m_stack, 1}});
        spaced(new QHBoxLayout(this), {}, 0, {{left, 1}, m_side});
        m_debounce.setSingleShot(true);
        m_debounce.setInterval(kDebounce);
        connectAll();
    }

    void setPlan(const RunPlan& plan, const QString& problem) override
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

    const MappingStudy* study() const override { return m_found ? &m_found->study : nullptr; }
    const std::vector<NodePair>& links() const override { return m_links; }
    QString csv() const override
    {
        return m_found && m_isAnswered ? csvOf(m_compared->rows()) : QString();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        QWidget::showEvent(event);
        if (!m_isAsked)
            ask();
    }

    // Moves the panels below the picture in a narrow window.
    void resizeEvent(QResizeEvent* event) override
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

private:
    struct Found
    {
        MappingStudy study;
        ModelFacts facts;
    };

    static engine::Result<Found> find(const PredictionRequest& request,
                                      const std::atomic<bool>& isDropped)
    {
        const auto isCancelled = [&isDropped] { return isDropped.load(); };
        auto study = TRY(studyMappings(request, isCancelled));
        auto facts = TRY(modelFacts(request, study, isCancelled));
        return Found{std::move(study), std::move(facts)};
    }

    QWidget* makeToolbar()
    {
        for (QCheckBox* box : {m_messages, m_allReduces}) {
            box->setChecked(true);
            box->setToolTip(tr("Show the load of %1").arg(box->text()));
        }
        return makeBar(44, 12, {makeLabel(tr("Mapping"), "dock"), m_mapping, m_file, kStretch});
    }

    QWidget* makeCentre()
    {
        auto* centre = makeSurface("plain");
        auto* loads = spaced(new QHBoxLayout, {}, 14, {m_messages, m_allReduces, kStretch});
        auto* head = spaced(new QVBoxLayout, {14, 10, 14, 8}, 6, {m_crossing, loads});
        auto* picture = spaced(new QVBoxLayout, {14, 0, 14, 8}, 8, {m_picture});
        auto* verdict = spaced(new QVBoxLayout, {14, 10, 14, 10}, 0, {m_verdict});
        m_centre = spaced(
            new QVBoxLayout(centre), {}, 0,
            {head, picture, makeLine(Qt::Horizontal),
             makeBar(36, 8,
                     {makeLabel(tr("Mappings compared"), "dock"), new Tag(m_theme, tr("simulated")),
                      kStretch, makeLabel(tr("exposed: mean of the devices"), "hint")}),
             makeLine(Qt::Horizontal), verdict, m_compared, kStretch});
        return centre;
    }

    void connectAll()
    {
        connect(&m_debounce, &QTimer::timeout, this, &View::ask);
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
        connect(m_compared, &QAbstractItemView::clicked, this, &View::offerRow);
        connect(m_compared, &QAbstractItemView::activated, this, &View::offerRow);
        for (QCheckBox* box : {m_messages, m_allReduces})
            connect(box, &QCheckBox::toggled, this, &View::drawPicture);
        m_picture->setListed();
        connect(m_picture, &SceneView::resized, this, &View::drawPicture);
        connect(&m_theme, &ThemeController::changed, this, &View::drawPicture);
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

    void ask()
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

    void showAnswer(engine::Result<Found> answer)
    {
        if (!answer)
            return showEmpty(tr("Not predicted"), capitalized(fromUtf8(answer.error().message)),
                             false);
        m_found = std::make_shared<const Found>(*std::move(answer));
        showFound();
        m_isAnswered = true;
        Q_EMIT csvChanged();
    }

    void showFound()
    {
        const MappingStudy& study = m_found->study;
        m_stack->setCurrentIndex(0);
        showSide();
        const bool isPictured = study.nodes.size() <= kMostPictured;
        m_mapping->setEnabled(true);
        for (QWidget* widget :
             std::initializer_list<QWidget*>{m_messages, m_allReduces, m_picture}) {
            widget->setEnabled(true);
            widget->setVisible(isPictured);
        }
        m_crossing->setText(
            crossingText(study)
            + (isPictured ? QString()
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
        m_compared->show(mappingColumns(study), study.all);
        m_compared->fit();
        m_compared->selectRow(static_cast<int>(study.chosen));
        m_model->show(study, m_found->facts);
    }

    // Keeps the selected link if it is in the picture.
    void drawPicture()
    {
        if (!m_found)
            return;
        const ShownLoads shown{m_messages->isChecked(), m_allReduces->isChecked()};
        const bool isPictured = m_found->study.nodes.size() <= kMostPictured;
        m_links = shownLinks(m_found->study, shown);
        if (isPictured && m_picture->width() > 0) {
            auto scene = std::make_shared<const profiler::MarkedScene>(
                NodePicture(m_found->study, m_theme.theme(), m_picture->width())
                    .draw(shown, m_picture->width()));
            m_picture->setFixedHeight(
                std::max(1, static_cast<int>(std::ceil(scene->scene.height))));
            m_picture->show(std::move(scene));
        }
        const auto selected = std::ranges::find(m_links, m_selected.value_or(NodePair(-1, -1)));
        if (selected == m_links.end())
            m_picture->select({});
        else
            m_picture->select(static_cast<std::size_t>(selected - m_links.begin()));
    }

    // The link under the mouse, or else the selected one.
    std::optional<NodePair> highlighted() const
    {
        const auto link = m_picture->highlighted();
        return link && *link < m_links.size() ? std::optional(m_links[*link]) : std::nullopt;
    }

    QString describeLink(std::size_t link) const
    {
        const auto& [from, to] = m_links.at(link);
        const profiler::LinkLoad* load = m_found->study.shown().loads.find(from, to);
        const QString text = tr("%1, %2").arg(linkTitle(*load), loadText(load->bytes()));
        return from == to
            ? tr("%1: %2").arg(text, m_found->study.nodes[static_cast<std::size_t>(from)].summary)
            : text;
    }

    void showEmpty(const QString& fact, const QString& advice, bool offersHardware)
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

    void offerMapping(const QString& mapping)
    {
        RunPlan plan = m_plan;
        plan.experiment.schedule.mapping = mapping.toStdString();
        Q_EMIT planOffered(plan);
    }

    void offerRow(const QModelIndex& row)
    {
        if (const MappedPrediction& mapped = m_compared->at(row.row()); mapped.problem.isEmpty())
            offerMapping(mapped.mapping);
    }

    void chooseFile()
    {
        showMapping(); // the picker keeps the current mapping until a file is chosen
        askForFile(this, tr("Mapping of the devices"), tr("Mappings (*.toml)"),
                   [this](const QString& file) { offerMapping(file); });
    }

    void showMapping()
    {
        const QString mapping = QString::fromStdString(m_plan.experiment.schedule.mapping);
        m_isShowing = true;
        m_mapping->setCurrent(segmentOf(mapping));
        m_isShowing = false;
        const bool isFile = segmentOf(mapping) == kFile;
        m_file->setText(isFile ? mappingTitle(mapping) : QString());
        m_file->setToolTip(isFile ? toolTipText(mapping) : QString());
    }

    void showSide()
    {
        m_side->setVisible(m_stack->currentIndex() == 0 && m_centre->indexOf(m_dock) < 0);
    }

    const ThemeController& m_theme;
    RunPlan m_plan;
    QString m_problem;
    // Whether a study of the current plan was requested, and whether its answer has come. Until
    // then m_found is that of an earlier plan.
    bool m_isAsked = false, m_isAnswered = false;
    Latest<PredictionRequest, engine::Result<Found>> m_studies{
        this, &View::find, [this](engine::Result<Found> answer) { showAnswer(std::move(answer)); }};
    QTimer m_debounce;
    std::shared_ptr<const Found> m_found; // null: no answer
    bool m_isShowing = false;             // showMapping() is setting the picker
    SegmentControl* m_mapping = named(new SegmentControl(m_theme,
                                                         {tr("contiguous"), tr("replicas together"),
                                                          tr("pair-adjacent"), tr("from file…")}),
                                      "mapping");
    QLabel *m_file = named(makeLabel({}, "hint"), "mappingFile"),
           *m_crossing = makeWrapped("secondary", "mappingCrossing");
    QCheckBox *m_messages = named(new QCheckBox(tr("messages")), "showMessages"),
              *m_allReduces = named(new QCheckBox(tr("all-reduces")), "showAllReduces");
    SceneView* m_picture
        = named(new SceneView(m_theme, [this](std::size_t link) { return describeLink(link); }),
                "nodePicture", tr("Devices on nodes"));
    std::vector<NodePair> m_links; // of the marks in the picture
    std::optional<NodePair> m_selected;
    bool m_isCleared = false; // the user cleared the selection
    Band* m_verdict = named(new Band(m_theme, Band::Shape::Verdict), "mappingVerdict");
    RowTable<MappedPrediction>* m_compared
        = new RowTable<MappedPrediction>(m_theme, 28, "mappings", tr("Mappings compared"), 7);
    LinkPanel* m_link = new LinkPanel(m_theme);
    ModelPanel* m_model = new ModelPanel(m_theme);
    EmptyState* m_empty = named(
        new EmptyState(m_theme, {Icon::Chip, {}, {}, tr("Use costs of hardware")}), "mappingEmpty");
    QStackedWidget* m_stack = new QStackedWidget;
    // m_dock: the panels. m_side: the column in which a wide window shows them.
    QWidget* m_dock = makeColumn({}, 0, {m_link, m_model, kStretch});
    QScrollArea* m_dockScroll = makeScroll(m_dock);
    QWidget* m_side = makeRow({}, 0, {makeLine(Qt::Vertical), m_dockScroll});
    QVBoxLayout* m_centre;
};

} // namespace

MappingView* MappingView::make(const ThemeController& theme)
{
    return new View(theme);
}

} // namespace app
