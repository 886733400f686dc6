#include "app/timeline/widget/timeline_widget.h"

#include "app/documents/run_document.h"
#include "app/timeline/details/details.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QPixmap>
#include <QRegion>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {

IterationStepper::IterationStepper(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_previous(makeIconButton("previousIteration", Icon::ChevronLeft, tr("Previous iteration"),
                                theme, this, [this] { Q_EMIT chosen(m_iteration - 1); }))
    , m_next(makeIconButton("nextIteration", Icon::ChevronRight, tr("Next iteration"), theme, this,
                            [this] { Q_EMIT chosen(m_iteration + 1); }))
    , m_name(named(makeLabel({}), "iterationName"))
{
    m_name->setFont(uiFont(13, QFont::Medium));
    m_next->setToolTip(tr("Next iteration; the last one has typical ops"));
    spaced(new QHBoxLayout(this), {}, 4,
           {makeLabel(tr("Iteration"), "small"), m_previous, m_name, m_next});
    show({}, -1);
}

void IterationStepper::show(const engine::Timeline& timeline, int iteration)
{
    m_iteration = iteration;
    m_count = static_cast<int>(timeline.iterations.size());
    const auto measured = std::ranges::count(timeline.iterations, engine::Iteration::Kind::Measured,
                                             &engine::Iteration::kind);
    QString name = iteration < 0 ? QStringLiteral("–") : iterationName(timeline, iteration);
    if (measured > 1 && iteration == engine::reportedIteration(timeline))
        name += measured == 2 ? tr(", the shorter") : tr(", the median");
    m_name->setText(name);
    m_previous->setEnabled(iteration > 0);
    m_next->setEnabled(iteration >= 0 && iteration + 1 < m_count);
}

namespace {

constexpr double kReach = 6;     // pixels around a handle
constexpr double kTriangle = 22; // width of the triangle at the left of a lane's header

// A separate pool, because simulations may occupy the threads of the global one for seconds.
QThreadPool& painters()
{
    static QThreadPool pool;
    pool.setMaxThreadCount(1);
    return pool;
}

std::size_t spansInSight(const TimelineScene& scene)
{
    const engine::Window sight = scene.axis.window();
    std::size_t count = scene.view->spansInSight(sight);
    if (const KernelView* kernels = scene.drawnKernels()) {
        const double share = (scene.axis.end - scene.axis.begin)
            / std::max(1.0, static_cast<double>(scene.view->extent().duration()));
        count += static_cast<std::size_t>(std::min(share, 1.0)
                                          * static_cast<double>(kernels->activity().work().size()));
    }
    return count;
}

} // namespace

bool OverviewDrag::isOnHandle(const QRectF& frame, double x)
{
    return std::abs(x - frame.left()) <= kReach || std::abs(x - frame.right()) <= kReach;
}

OverviewDrag::Grip OverviewDrag::gripAt(const QRectF& frame, double x)
{
    if (frame.width() < 3 * kReach || !isOnHandle(frame, x))
        return Grip::Frame;
    return std::abs(x - frame.left()) <= kReach ? Grip::Begin : Grip::End;
}

ViewWindow OverviewDrag::press(const RunView& view, const QRectF& area, ViewWindow inSight,
                               QPointF at)
{
    const QRectF frame = overviewWindowRect(view, area, inSight);
    const TimeAxis whole = overviewAxis(view, area, 1);
    const Grip grip = gripAt(frame, at.x());
    if (grip == Grip::Frame && !frame.contains(at))
        inSight = inSight.moved(whole.time(at.x()) - inSight.centre());
    m_ticksPerPixel = whole.ticksPerPixel();
    begin(grip, inSight);
    return inSight;
}

ViewWindow OverviewDrag::moved(double ticks, double least) const
{
    switch (m_grip) {
    case Grip::Begin:
        return {std::min(m_from.begin + ticks, m_from.end - least), m_from.end};
    case Grip::End:
        return {m_from.begin, std::max(m_from.end + ticks, m_from.begin + least)};
    default:
        return m_from.moved(ticks);
    }
}

std::optional<EmptyState::Texts> TimelineScene::emptyTexts() const
{
    if (!isEmpty())
        return std::nullopt;
    if (view && view->run().info.outcome != engine::Outcome::Running)
        return EmptyState::Texts{Icon::Chart,
                                 tr("No iteration was recorded"),
                                 tr("The run ended before its first iteration was "
                                    "complete."),
                                 {}};
    return EmptyState::Texts{Icon::Chart,
                             tr("No iteration yet"),
                             tr("The timeline fills when the first iteration is "
                                "complete."),
                             {}};
}

bool TimelineScene::areMessagesThin(const ViewWindow& window) const
{
    constexpr double kThin = 2;
    return !isEmpty() && !view->occurs().has(engine::OpKind::Evict)
        && static_cast<double>(view->occurs().longestMessage) * areas.lanes.width()
        < kThin * window.duration();
}

bool TimelineScene::areLanesDense() const
{
    return std::ranges::any_of(
        lanes, [](const Lane& lane) { return !lane.isHidden && lane.kind == LaneKind::Dense; });
}

void TimelineScene::layout(QSizeF size, LaneOptions options)
{
    const bool hasMany = !isEmpty() && iterations().size() > IterationStrip::kFrom;
    areas = TimelineGeometry(size, {hasMany, !notes.empty()});
    options.available = areas.lanes.height();
    options.hasOneStrip = hasOneStrip;
    const KernelView* drawn = drawnKernels();
    options.kernels = drawn != nullptr ? drawn->rows() : engine::IdVector<engine::DeviceId, int>();
    options.ranges
        = drawn != nullptr ? drawn->ranges().rows() : engine::IdVector<engine::DeviceId, int>();
    options.kernelsDecide = drawn != nullptr && view->run().info.import
        && view->run().info.import->onGpu && !view->run().info.import->stagesKnown;
    lanes = layoutLanes(view ? view->devices() : 0, options);
}

std::optional<ViewWindow> TimelineScene::fitOf(int which) const
{
    if (isEmpty() || which < 0 || which >= static_cast<int>(iterations().size()))
        return std::nullopt;
    return fitted(view->iteration(which).window, areas.lanes.width());
}

PlanView TimelineScene::drawnPlan() const
{
    const bool isGrowing = !isEmpty() && view->run().info.outcome == engine::Outcome::Running;
    if (!isGrowing || !look.isPlanShown || !plan)
        return {};
    PlanView drawn{plan.get(), view->extent().end};
    const int next = static_cast<int>(iterations().size());
    if (planIteration == next)
        drawn.devices = opsDone;
    drawn.isComplete = planIteration > next; // it has ended, but its times are not read yet
    return drawn;
}

std::optional<PlannedOp> TimelineScene::plannedAt(QPointF at) const
{
    const PlanView drawn = drawnPlan();
    const int k = areas.lanes.contains(at) ? laneAt(lanes, laneY(at.y())) : -1;
    if (drawn.plan == nullptr || k < 0)
        return std::nullopt;
    const Lane& lane = lanes[static_cast<std::size_t>(k)];
    const double above = laneY(at.y()) - lane.computeTop();
    const engine::DeviceId device{k};
    const auto* op = lane.hasBoxes() && above >= 0 && above < lane.compute
        ? drawn.at(device, axis.time(at.x()))
        : nullptr;
    return op == nullptr ? std::nullopt : std::optional(PlannedOp{device, *op});
}

QString TimelineScene::plannedText(const PlannedOp& planned) const
{
    const PlanView drawn = drawnPlan();
    if (drawn.plan == nullptr)
        return {};
    const Scale scale = timeScale(view->run().info, drawn.plan->duration());
    const bool isDone = drawn.plan->positionOf(planned.op.op) < drawn.done(planned.device);
    const engine::Window window{planned.op.begin, planned.op.end};
    return toolTipPage(
        opName(view->run().info, view->op(planned.op.op)),
        tr("planned %1").arg(scale.withUnit(window.duration())),
        {tr("device %1, %2 %3 of its iteration")
             .arg(QString::number(planned.device.value), rangeText(window, 0, scale), scale.unit()),
         isDone ? tr("has run; measured times appear when its iteration is complete")
                : tr("not yet run; predicted from the iterations so far")});
}

engine::Window TimelineScene::extent() const
{
    engine::Window all = view->extent();
    if (const PlanView drawn = drawnPlan(); drawn.plan != nullptr)
        all.end = drawn.window().end;
    return all;
}

RulerScale TimelineScene::rulerScale() const
{
    const PlanView drawn = drawnPlan();
    const bool isFromPlan = drawn.plan != nullptr && drawn.reached() > drawn.begin
        && axis.window().contains(drawn.begin);
    return app::rulerScale(*view, axis, isFromPlan ? std::optional(drawn.begin) : std::nullopt);
}

ViewWindow TimelineScene::tail() const
{
    const int last = view->run().info.outcome == engine::Outcome::Running
        ? static_cast<int>(iterations().size()) - 1
        : std::max(0, engine::reportedIteration(view->timeline()));
    const engine::Window window = view->iteration(last).window;
    const double duration = axis.end - axis.begin;
    constexpr double kNow = 0.79; // place of the current time, as a share of the width
    const PlanView drawn = drawnPlan();
    const std::int64_t ahead = drawn.plan == nullptr ? 0 : drawn.reached() - drawn.begin;
    const auto begin = static_cast<double>(window.begin + ahead),
               end = static_cast<double>(window.end + ahead);
    if (duration < 0.9 * static_cast<double>(window.duration()))
        return {end - kNow * duration, end + (1 - kNow) * duration};
    return drawn.plan == nullptr ? *fitOf(last) : ViewWindow{begin, begin + (end - begin) / kNow};
}

Selection TimelineScene::rangeBetween(double fromX, double toX) const
{
    const double a = axis.time(fromX), b = axis.time(toX);
    return {.kind = Selection::Kind::Range,
            .iteration = view->iterationAt(std::min(a, b)),
            .window = {std::llround(std::min(a, b)), std::llround(std::max(a, b))}};
}

QString TimelineScene::stripText(QPointF at) const
{
    const int note = noteAt(at);
    if (note >= 0)
        return toolTipText(fromUtf8(notes[static_cast<std::size_t>(note)].text));
    if (const int under = reasonAt(at); under >= 0)
        return toolTipText(reasons[static_cast<std::size_t>(under)].tip);
    return isEmpty() ? QString() : iterationToolTip(*view, iterationStrip(), at);
}

std::optional<Selection> TimelineScene::reasonTarget() const
{
    const auto at = static_cast<std::size_t>(reason);
    if (isEmpty() || !path || reason < 0 || at >= reasons.size())
        return std::nullopt;
    return Selection{.kind = Selection::Kind::Op,
                     .iteration = path->why.path.iteration,
                     .device = reasons[at].device,
                     .window = reasons[at].window};
}

int TimelineScene::iterationAt(QPointF at) const
{
    const IterationColumn column = isEmpty() ? IterationColumn() : columnAt(iterationStrip(), at);
    return column.count == 0 ? -1 : static_cast<int>(column.first + column.count / 2);
}

bool TimelineScene::isOnHandle(QPointF at) const
{
    const QRectF& area = areas.overview;
    const QRectF frame = overviewWindowRect(*view, area, {axis.begin, axis.end});
    return area.contains(at) && OverviewDrag::isOnHandle(frame, at.x());
}

Selection TimelineScene::hit(QPointF at) const
{
    if (isEmpty() || !areas.lanes.contains(at))
        return {};
    return selectionAt(*view, axis, lanes, {at.x(), laneY(at.y())}, drawnKernels());
}

Selection TimelineScene::menuTarget(QPointF at) const
{
    if (const int device = deviceAt(at); device >= 0)
        return deviceSelection(device);
    const bool isInRange = selection.kind == Selection::Kind::Range && areas.lanes.contains(at)
        && selection.window.contains(std::llround(axis.time(at.x())));
    return isInRange ? selection : hit(at);
}

bool TimelineScene::hoverAt(QPointF at)
{
    const auto planned = plannedAt(at);
    const Selection under = planned ? Selection() : hit(at);
    const bool isOther = under != hover || planned != plannedHover;
    hover = under;
    plannedHover = planned;
    return isOther;
}

void TimelineScene::endHover()
{
    hover = {};
    plannedHover.reset();
}

std::optional<Selection> TimelineScene::walkedTo(int key, Qt::KeyboardModifiers modifiers) const
{
    const bool isOnKernel = selection.kind == Selection::Kind::Kernel;
    const auto step = kernels ? kernelStep(key, modifiers, isOnKernel) : std::nullopt;
    if (!step && !isWalkKey(key))
        return std::nullopt;
    const auto to = step ? walkedKernel(*view, *kernels, selection, *step)
                         : walked(*view, selection, iteration, key);
    return to.value_or(selection);
}

QString TimelineScene::columnText(QPointF at) const
{
    const int lane = !isEmpty() && areas.column.contains(at) ? laneAt(lanes, laneY(at.y())) : -1;
    return lane < 0 ? QString()
                    : groupCellText(*view, lanes[static_cast<std::size_t>(lane)], iteration);
}

QString TimelineScene::toolTip(QPointF at) const
{
    if (plannedHover)
        return plannedText(*plannedHover);
    if (hover.kind == Selection::Kind::Kernel)
        return kernelToolTip(*view, *kernels, hover);
    const double y = laneY(at.y());
    const int lane = laneAt(lanes, y);
    const HostRange* range = nullptr;
    if (hover.kind == Selection::Kind::Range && drawnKernels() != nullptr && lane >= 0)
        range = rangeAt(kernels->ranges(), engine::DeviceId{lane}, axis,
                        lanes[static_cast<std::size_t>(lane)], {at.x(), y});
    return range != nullptr ? rangeToolTip(*view, *range) : toolTipText(*view, hover);
}

QString TimelineScene::spoken() const
{
    using enum Selection::Kind;
    if (isEmpty() || selection.kind == None)
        return {};
    if (selection.kind == Category)
        return tr("%1, %2").arg(fromUtf8(profiler::timeCategoryName(selection.category)),
                                countOf(category ? std::ssize(category->all()) : 0, "box"));
    const Details details = detailsOf(*view, selection, kernels.get());
    const bool isBubble = selection.kind == Bubble;
    return QStringList{details.title, isBubble ? details.left : details.right,
                       details.value + QLatin1Char(' ') + details.unit}
        .join(QStringLiteral(", "))
        .remove(QChar(0x200B)); // where a line may break
}

std::optional<Selection> TimelineScene::noteTarget(int note) const
{
    if (isEmpty() || note < 0 || note >= static_cast<int>(notes.size()))
        return std::nullopt;
    return selectionOf(*view, notes[static_cast<std::size_t>(note)]);
}

int TimelineScene::currentNote() const
{
    if (isEmpty() || selection.kind == Selection::Kind::None)
        return -1;
    for (std::size_t k = 0; k < notes.size(); ++k) {
        const engine::Note& note = notes[k];
        const bool isOfOp = selection.kind == Selection::Kind::Op && note.op == selection.op;
        if ((isOfOp || note.window == selection.window) // cheap test before selectionOf()
            && selectionOf(*view, note) == selection)
            return static_cast<int>(k);
    }
    return -1;
}

namespace {

// Draws the areas of a TimelineScene that is not empty.
class TimelinePainter : LaneCanvas
{
public:
    TimelinePainter(QPainter& on, const TimelineScene& scene, const BoxColours& of)
        : LaneCanvas{on, *scene.view, scene.axis, of, scene.lanes}
        , m_scene(scene)
        , m_areas(scene.areas)
    { }

    void paintFrame() const
    {
        const double width = m_areas.legend.width(), left = m_areas.column.left();
        const auto fill
            = [&](const QRectF& area, const QColor& colour) { painter.fillRect(area, colour); };
        for (const QRectF& strip :
             {m_areas.ruler, m_areas.iterations, m_areas.notes, m_areas.legend})
            fill({0, strip.top(), width, strip.height()}, chrome().surfaceAlt);
        if (hasColumn())
            fill({left, 0, m_areas.column.width(), m_areas.legend.top()}, chrome().surfaceAlt);
        for (const double y : {m_areas.ruler.top(), m_areas.lanes.top(), m_areas.legend.top(),
                               m_areas.legend.bottom()})
            fill({0, y - 1, width, 1}, chrome().line);
        if (hasColumn())
            fill({left, 0, 1, m_areas.legend.top()}, chrome().line);
    }
    // overview, ruler and notes
    void paintTop(const QPixmap& overview) const
    {
        paintTopTexts();
        painter.drawPixmap(m_areas.overview.topLeft(), overview);
        paintOverviewLabels(*this, m_areas.overview, m_scene.iteration);
        paintOverviewWindow(*this, m_areas.overview);
        if (m_scene.found)
            paintOverviewHits(*this, m_areas.overview, m_scene.found->hits());
        painter.save();
        painter.setClipRect(m_areas.ruler);
        RulerScale scale = m_scene.rulerScale();
        if (m_scene.path)
            scale.taken = reasonPlaces(m_scene.reasons, axis);
        paintRuler(painter, scale, axis, theme(), m_areas.ruler.adjusted(0, 0, 0, -1));
        paintEndTriangles(*this, m_areas.ruler.bottom() - 1);
        if (m_scene.selection.kind == Selection::Kind::Range)
            paintRangeBand(painter, scale, axis, theme(),
                           {m_scene.selection.window, m_areas.ruler});
        if (m_scene.path)
            paintReasonMarks(painter, m_scene.pathPicture(colours),
                             m_areas.ruler.adjusted(0, 0, 0, -1));
        painter.restore();
        paintIterationTimes();
        paintNotes();
        label(m_areas.ruler.adjusted(0, 0, 0, -1), 11, scale.title);
        if (hasColumn() && !lanes.empty())
            note(m_areas.ruler.adjusted(0, 0, 0, -1), memoryTitle(view, lanes.front()));
    }
    // Paints the visible lanes, with the top of the first lane at y = 0. The caller caches the
    // picture and translates it by the scroll offset.
    void paintLanes() const
    {
        const QRectF area(m_areas.lanes.left(), 0, m_areas.lanes.width(), heightOf(lanes));
        const std::vector<engine::DeviceId> devices = paintedDevices();
        for (const engine::DeviceId device : devices)
            paintLaneGround(lane(device));
        paintGrid(painter, m_scene.rulerScale(), axis, theme(), area);
        app::paintLanes(
            *this, devices, m_scene.iteration,
            {m_scene.flow, m_scene.found.get(), m_scene.path.get(), m_scene.category.get()});
        if (const KernelView* shown = m_scene.drawnKernels()) {
            paintRanges(*this, shown->ranges(), devices);
            paintKernels(*this, *shown, devices);
        }
        paintIterationEdges(*this, area);
    }
    void paintSides() const
    {
        painter.save();
        painter.setClipRect(
            QRectF(0, m_areas.lanes.top(), m_areas.legend.width(), m_areas.lanes.height()));
        for (const engine::DeviceId device : paintedDevices()) {
            const double top = m_areas.lanes.top() + lane(device).top - m_scene.scroll,
                         height = lane(device).height;
            LaneCell cell{device,
                          m_scene.iteration,
                          {0, top, TimelineGeometry::kHeader, height},
                          m_scene.drawnKernels()};
            paintHeader(*this, cell);
            cell.area = {m_areas.column.left(), top, m_areas.column.width(), height};
            if (hasColumn())
                paintMemoryCell(*this, cell);
            if (lane(device).kind != LaneKind::Dense)
                for (const QRectF& side : {m_areas.header, m_areas.column})
                    painter.fillRect(QRectF(side.left(), top + height - 1, side.width(), 1),
                                     chrome().line);
        }
        painter.restore();
    }
    void paintMarks() const
    {
        painter.save();
        painter.setClipRect(m_areas.lanes);
        if (m_scene.selection.kind == Selection::Kind::Range)
            paintRange(painter, axis, theme(), m_scene.selection.window, m_areas.lanes);
        paintNoteLines(painter, m_scene.noteStrip(), m_areas.lanes, theme());
        if (m_scene.path)
            paintReasonBand(painter, m_scene.pathPicture(colours), m_areas.lanes.top(),
                            m_areas.lanes.bottom());
        paintCurrentTime();
        painter.translate(0, m_areas.lanes.top() - m_scene.scroll);
        // Above the cached picture of the lanes, which therefore stays valid while ops complete.
        paintPlan(*this, m_scene.drawnPlan(), paintedDevices(), m_scene.plannedHover);
        paintFlows();
        paintPlates(*this, m_scene.iteration);
        if (m_scene.found)
            paintHits(*this, m_scene.found->hits());
        if (m_scene.category)
            paintHits(*this, m_scene.category->all());
        if (m_scene.hover != m_scene.selection)
            paintHover(*this, m_scene.hover);
        paintSelected(*this, m_scene.selection);
        if (m_scene.isFocused || m_scene.found) // the current hit stands out among the others
            paintFocus(*this, m_scene.selection);
        painter.restore();
    }
    QStringList paintLegend() const
    {
        const LaneKind kind = lanes.empty() ? LaneKind::Full : lanes.front().kind;
        const bool isDense = kind == LaneKind::Dense;
        Legend legend = legendOf({{&view, axis.ticksPerPixel()}}, colours,
                                 isDense                         ? LegendDetail::TimeOnly
                                     : kind == LaneKind::Compute ? LegendDetail::ComputeAndMemory
                                                                 : LegendDetail::WithMemory);
        if (m_scene.path)
            addPath(legend, colours);
        if (const KernelView* shown = m_scene.drawnKernels())
            addKernels(legend, *shown, colours);
        if (m_scene.drawnPlan().plan != nullptr)
            addPlan(legend, colours);
        if (isDense)
            legend.note = m_scene.drawnKernels() != nullptr
                ? tr("click a device to open its lane and kernels")
                : denseNote();
        return app::paintLegend(painter, legend, colours, m_areas.legend);
    }

private:
    void paintTopTexts() const
    {
        const auto& iterations = view.timeline().iterations;
        const bool hasReplay = iterations.back().kind == engine::Iteration::Kind::Replay;
        const std::size_t count = iterations.size() - (hasReplay && iterations.size() > 1 ? 1 : 0);
        const QColor& ink = chrome().text2;
        paintText(painter, QPointF(24, 20), tr("Whole run"), uiFont(11), ink);
        paintText(painter, QPointF(24, 35),
                  count == 1 ? tr("1 iteration") : tr("%1 iterations").arg(count), uiFont(11), ink);
        if (m_scene.iteration < 0 || !hasColumn())
            return;
        const auto& one = view.iteration(m_scene.iteration);
        const bool isReplay = one.kind == engine::Iteration::Kind::Replay;
        const double left = m_areas.column.left() + 16;
        paintText(painter, QPointF(left, 20),
                  isReplay ? tr("Typical ops") : capitalized(shortTitle(one)), uiFont(11), ink);
        paintText(painter, QPointF(left, 37), durationText(info(), one.window.duration()),
                  uiFont(13, QFont::Medium), chrome().text);
    }
    void paintCurrentTime() const
    {
        const PlanView plan = m_scene.drawnPlan();
        if (plan.plan == nullptr)
            return;
        const RulerScale scale = m_scene.rulerScale();
        const auto reached = static_cast<double>(plan.reached());
        painter.save();
        painter.setClipping(false);
        paintNow(painter,
                 {reached, scale.unit.text(reached - scale.origin), m_areas.ruler, m_areas.lanes},
                 axis, theme());
        painter.restore();
    }
    // Paints the critical path and the arrows between lanes.
    void paintFlows() const
    {
        const bool areAllShown = m_scene.look.flow == TimelineLook::Flow::All && !m_scene.found
            && m_scene.iteration >= 0;
        if (m_scene.path)
            paintPath(painter, m_scene.pathPicture(colours), lanes);
        else if (m_scene.flow)
            paintFlow(*this, *m_scene.flow);
        if (areAllShown)
            paintAllFlows(*this, m_scene.iteration);
    }
    bool hasColumn() const { return m_areas.column.width() > 0; }
    // Texts beside a strip, in front of it and in the column.
    void label(const QRectF& strip, double left, const QString& text) const
    {
        paintText(painter, {left, strip.top(), TimelineGeometry::kHeader - left, strip.height()},
                  text, uiFont(11), chrome().text2);
    }
    void note(const QRectF& strip, const QString& text) const
    {
        paintText(painter, {m_areas.column.left() + 16, strip.top(), 108, strip.height()}, text,
                  uiFont(11), chrome().text2);
    }
    std::vector<engine::DeviceId> paintedDevices() const
    {
        return devicesInSight(lanes, m_scene.scroll, m_scene.scroll + m_areas.lanes.height());
    }
    void paintIterationTimes() const
    {
        const QRectF& area = m_areas.iterations;
        if (area.height() <= 0)
            return;
        painter.save();
        painter.setClipRect(area);
        paintIterationStrip(painter, view, m_scene.iterationStrip(), theme());
        painter.restore();
        paintText(painter, QRectF(0, area.top(), TimelineGeometry::kHeader - 8, area.height()),
                  tr("iteration time"), uiFont(11), chrome().text2, kAtRight);
        if (hasColumn())
            note(area, iterationRange(view, axis));
    }
    void paintNotes() const
    {
        if (m_scene.notes.empty())
            return;
        const QRectF& area = m_areas.notes;
        paintText(painter, QRectF(0, area.top(), TimelineGeometry::kHeader - 8, area.height()),
                  tr("notes"), uiFont(11), chrome().text2, kAtRight);
        paintNoteFlags(painter, m_scene.noteStrip(), theme());
    }
    void paintLaneGround(const Lane& lane) const
    {
        if (lane.kind == LaneKind::Dense)
            return;
        painter.fillRect(QRectF(axis.left, lane.bottom() - 1, axis.width, 1), chrome().line);
        std::vector<std::pair<double, double>> rows; // top, height
        for (int row = 0; row < lane.ranges; ++row)
            rows.emplace_back(lane.rangeTop(row), Lane::kKernel);
        for (int row = 0; row < lane.kernels; ++row)
            rows.emplace_back(lane.kernelTop(row), lane.kernel);
        if (lane.kind == LaneKind::Full)
            for (const double top : {lane.sendTop(), lane.receiveTop(), lane.reduceTop()})
                rows.emplace_back(top, Lane::kTransfer);
        for (const engine::Window window : drawnWindows(view.timeline().iterations, axis))
            for (const auto& [top, height] : rows)
                painter.fillRect(stretch(axis, window, top, height), chrome().surfaceAlt);
    }
    QString denseNote() const
    {
        const double pixel = axis.ticksPerPixel();
        const Scale scale = timeScale(info(), static_cast<std::int64_t>(pixel));
        return tr("one pixel is %1, so narrow boxes are merged; zoom in to see them")
            .arg(scale.withUnit(pixel));
    }

    const TimelineScene& m_scene;
    const TimelineGeometry& m_areas;
};

} // namespace

// The picture of the lanes in sight. A frame with few spans is painted in the GUI thread. With many
// spans, the picture is painted in the background. Until it is ready, a frame shows the last
// picture, moved and stretched to the time in sight, over a picture of the whole run.
class LanePicture
{
public:
    // Calls owner->update() when a picture is ready; `owner` owns this object.
    explicit LanePicture(QWidget* owner)
        : m_owner(owner)
        , m_background(owner, painters())
    { }
    // Waits, about 0.1 s at most, because a thread must not paint after fonts and the application
    // are destroyed.
    ~LanePicture()
    {
        if (m_isPainting)
            painters().waitForDone();
    }

    // Draws the lanes into the area of the scene. `colours` must be those of the scene's widget.
    void paint(QPainter& painter, const TimelineScene& scene,
               const std::shared_ptr<const BoxColours>& colours, const CachedPicture::Key& key)
    {
        Request request{key, scene, colours};
        request.scene.notes.clear(); // drawn above the picture
        m_wanted = key;
        bool isExact = m_last.key == key && isAlike(m_last, request);
        if (!isExact) {
            m_isDense = spansInSight(scene) >= TimelineWidget::kSpansInBackground;
            if (!m_isDense || !isAlike(m_last, request)) {
                m_last = painted(request);
                isExact = true;
            }
        }
        if (isExact) {
            painter.drawImage(scene.areas.lanes.topLeft(), m_last.image);
            if (m_isDense && !m_isPainting)
                startWhole(std::move(request));
            return;
        }
        drawStale(painter, request);
        if (!m_isPainting)
            start(std::move(request), m_last);
    }
    // call it when another run is shown
    void clear()
    {
        m_last = m_whole = {};
        ++m_cleared;
    }

private:
    struct Picture
    {
        CachedPicture::Key key;
        QImage image;
        std::vector<Lane> lanes;
        std::shared_ptr<const BoxColours> colours;
    };
    // The input of painted(); independent of the widget, so that another thread can paint it.
    struct Request
    {
        CachedPicture::Key key;
        TimelineScene scene;
        std::shared_ptr<const BoxColours> colours;
    };

    static Picture painted(const Request& request)
    {
        const auto& [key, scene, colours] = request;
        QImage image((key.size * key.dpr).toSize(), QImage::Format_RGB32);
        image.setDevicePixelRatio(key.dpr);
        image.fill(colours->surface());
        QPainter painter(&image);
        painter.translate(-scene.areas.lanes.left(), -key.scroll);
        TimelinePainter(painter, scene, *colours).paintLanes();
        painter.end();
        return {key, std::move(image), scene.lanes, colours};
    }
    // Whether `picture` can be shown until the requested one is ready.
    static bool isAlike(const Picture& picture, const Request& request)
    {
        return !picture.image.isNull() && picture.key.size == request.key.size
            && picture.key.dpr == request.key.dpr && picture.colours == request.colours
            && picture.lanes == request.scene.lanes;
    }
    // Draws the last picture. Where it does not cover the area, draws the picture of the whole run.
    void drawStale(QPainter& painter, const Request& request) const
    {
        painter.save();
        const QRectF last = draw(painter, m_last, request);
        painter.setClipRegion(QRegion(request.scene.areas.lanes.toRect()) - last.toRect());
        painter.fillRect(request.scene.areas.lanes, request.colours->surface());
        if (isAlike(m_whole, request))
            draw(painter, m_whole, request);
        painter.restore();
    }
    // Returns the covered part of the lanes' area.
    static QRectF draw(QPainter& painter, const Picture& picture, const Request& request)
    {
        const QRectF& area = request.scene.areas.lanes;
        const TimeAxis& axis = request.scene.axis;
        const ViewWindow& shown = picture.key.window;
        // Draws only the part in sight, because painters have a limited range of coordinates.
        const double left = std::max(axis.snappedX(shown.begin), area.left());
        const double right = std::min(axis.snappedX(shown.end), area.right());
        const int down = request.key.scroll - picture.key.scroll;
        const double top = std::max(0, down), bottom = area.height() + std::min(0, down);
        if (left >= right || top >= bottom)
            return {};
        const double perTick = picture.image.width() / shown.duration(), dpr = picture.key.dpr;
        const QRectF source((axis.time(left) - shown.begin) * perTick, top * dpr,
                            (right - left) * axis.ticksPerPixel() * perTick, (bottom - top) * dpr);
        const QRectF target(left, area.top() + top - down, right - left, bottom - top);
        painter.drawImage(target, picture.image, source);
        return target;
    }
    void start(Request request, Picture& into)
    {
        m_isPainting = true;
        m_background.run([request = std::move(request)] { return painted(request); },
                         [this, &into, cleared = m_cleared](Picture picture) {
                             m_isPainting = false;
                             const bool isLate = &into == &m_last && m_last.key == m_wanted;
                             if (cleared == m_cleared && !isLate)
                                 into = std::move(picture);
                             m_owner->update();
                         });
    }
    void startWhole(Request request)
    {
        request.key.window = viewOf(request.scene.view->extent());
        request.scene.axis.begin = request.key.window.begin;
        request.scene.axis.end = request.key.window.end;
        if (!(request.key == m_whole.key) || !isAlike(m_whole, request))
            start(std::move(request), m_whole);
    }

    QWidget* m_owner;
    Picture m_last, m_whole; // `m_whole` shows all iterations
    CachedPicture::Key m_wanted;
    bool m_isDense = false, m_isPainting = false;
    int m_cleared = 0; // number of clear() calls; drops older requests
    Background m_background;
};

TimelineWidget::TimelineWidget(const ThemeController& theme, QWidget* parent)
    : TimeCanvas(QStringLiteral("timeline"), theme, parent)
    , m_lanes(std::make_unique<LanePicture>(this))
{
    setAccessibleName(tr("Timeline"));
    setEmptyState(m_scene.emptyTexts());
    relayout();
}

TimelineWidget::~TimelineWidget() = default;

void TimelineWidget::waitForPainting()
{
    app::painters().waitForDone();
}

void TimelineWidget::setView(RunViewPointer view, View how)
{
    const bool wasEmpty = isEmpty(), wasHovering = isHovering();
    m_scene.view = std::move(view);
    ++m_overviewSerial;
    endHover();
    setEmptyState(m_scene.emptyTexts());
    relayout();
    if (how == View::FitIteration || wasEmpty) {
        m_lanes->clear();
        forgetHistory();
        setSelection({});
        if (!isEmpty())
            moveTo(*m_scene.fitOf(m_isFollowing
                                      ? static_cast<int>(m_scene.iterations().size()) - 1
                                      : engine::reportedIteration(m_scene.view->timeline())),
                   Remember::No);
    } else {
        showTail();
    }
    updateFlow();
    updateIteration();
    fitMessages();
    if (wasHovering && !isEmpty())
        hover(pointer()); // finds the hovered item again, so that a pending tooltip still appears
}

void TimelineWidget::relayout()
{
    m_scene.layout(size(), m_laneOptions);
    layoutScrollBar(heightOf(m_scene.lanes));
}

void TimelineWidget::changeLanes()
{
    endHover();
    relayout();
}

void TimelineWidget::setCollapsed(std::vector<LaneGroup> groups)
{
    m_laneOptions.collapsed = std::move(groups);
    changeLanes();
    Q_EMIT collapsedChanged();
}

void TimelineWidget::toggleGroup(int device)
{
    const std::vector<LaneGroup> all = laneGroups();
    const LaneGroup* group = groupOf(all, device);
    if (group == nullptr)
        return;
    std::vector<LaneGroup> groups = collapsed();
    if (std::erase(groups, *group) == 0)
        groups.push_back(*group);
    setCollapsed(std::move(groups));
}

void TimelineWidget::toggleLane(int device)
{
    if (groupOf(collapsed(), device) != nullptr)
        return toggleGroup(device);
    if (!m_laneOptions.toggled.insert(device).second)
        m_laneOptions.toggled.erase(device);
    changeLanes();
}

void TimelineWidget::updateAxis()
{
    const QRectF& lanes = m_scene.areas.lanes;
    m_scene.axis
        = {inSight().begin, inSight().end, lanes.left(), lanes.width(), devicePixelRatioF()};
    m_scene.scroll = scrollY();
}

// The lanes change only when a zoom has ended, because boxes that jump are hard to follow.
void TimelineWidget::sightChanged()
{
    updateIteration();
    if (m_scene.areMessagesThin(inSight()) != m_scene.hasOneStrip)
        m_zoomEnd.start();
}

void TimelineWidget::fitMessages()
{
    const bool areThin = m_scene.areMessagesThin(inSight());
    if (areThin == std::exchange(m_scene.hasOneStrip, areThin))
        return;
    endHover();
    relayout();
    contentChanged();
}

void TimelineWidget::updateIteration()
{
    const int now = isEmpty() ? -1 : m_scene.view->iterationAt(inSight().centre());
    if (now == std::exchange(m_scene.iteration, now))
        return;
    contentChanged();
    Q_EMIT iterationChanged(now);
}

void TimelineWidget::updateFlow()
{
    m_scene.flow.reset();
    const Selection& selected = m_scene.selection;
    m_scene.category = nullptr;
    if (selected.kind == Selection::Kind::Category && !isEmpty()) {
        auto boxes
            = std::make_shared<CategoryBoxes>(*m_scene.view, selected.iteration, selected.category);
        boxes->sort();
        m_scene.category = std::move(boxes);
    }
    if (m_scene.look.flow == TimelineLook::Flow::Selected && !m_scene.found && !isEmpty())
        m_scene.flow = flowOf(*m_scene.view, m_scene.selection);
    contentChanged();
}

void TimelineWidget::paintCanvas(QPainter& painter)
{
    m_scene.isFocused = isByKeyboard() && hasFocus();
    const TimelineGeometry& areas = m_scene.areas;
    const TimelinePainter timeline(painter, m_scene, colours());
    timeline.paintFrame();
    const CachedPicture::Key key{
        {}, areas.overview.size(), devicePixelRatioF(), 0, m_overviewSerial};
    timeline.paintTop(m_overview.get(key, Qt::transparent, [&](QPainter& on) {
        on.translate(-areas.overview.topLeft());
        paintOverview({on, *m_scene.view, m_scene.axis, colours(), m_scene.lanes}, areas.overview);
    }));
    m_lanes->paint(painter, m_scene, sharedColours(), pictureKey(areas.lanes.size()));
    timeline.paintSides();
    timeline.paintMarks();
    setHiddenLegend(timeline.paintLegend());
}

void TimelineWidget::setNotes(std::vector<engine::Note> notes)
{
    const bool had = !m_scene.notes.empty();
    m_scene.notes = std::move(notes);
    if (had != !m_scene.notes.empty())
        relayout();
    update();
}

void TimelineWidget::goToNote(int note)
{
    const auto target = m_scene.noteTarget(note);
    if (!target)
        return;
    if (const auto to = bringIn(target->window, inSight()))
        userMovesTo(*to, Remember::Yes);
    select(*target);
}

void TimelineWidget::setFound(FoundPointer found)
{
    m_scene.found = std::move(found);
    updateFlow();
}

void TimelineWidget::setPath(PathMarksPointer path)
{
    m_scene.path = std::move(path);
    m_scene.reasons.clear();
    m_scene.reason = -1;
    contentChanged();
}

void TimelineWidget::setReasons(std::vector<PathReason> reasons)
{
    m_scene.reasons = std::move(reasons);
    contentChanged();
}

void TimelineWidget::setReason(int reason)
{
    m_scene.reason = reason;
    update();
}

void TimelineWidget::revealReason(int reason)
{
    setReason(reason);
    if (const auto target = m_scene.reasonTarget())
        revealItem(*target);
}

// The first Esc closes the path, the next one clears the selection.
void TimelineWidget::clearSelection()
{
    if (m_scene.path)
        Q_EMIT pathClosed();
    else
        setSelection({});
}

void TimelineWidget::setKernels(KernelViewPointer kernels)
{
    if (m_scene.selection.kind == Selection::Kind::Kernel)
        setSelection({});
    m_scene.kernels = std::move(kernels);
    endHover();
    relayout();
}

void TimelineWidget::setLook(const TimelineLook& look)
{
    if (look == m_scene.look)
        return;
    const TimelineLook before = std::exchange(m_scene.look, look);
    if (!look.areKernelsShown && m_scene.selection.kind == Selection::Kind::Kernel)
        setSelection({});
    if (look.colourBy != before.colourBy)
        setColoursBy(look.colourBy);
    if (look.areKernelsShown != before.areKernelsShown)
        relayout();
    updateFlow();
    showTail();
    Q_EMIT lookChanged(look);
}

void TimelineWidget::setPlan(std::shared_ptr<const engine::Run> plan)
{
    m_scene.plan = plan ? std::make_shared<const Plan>(std::move(plan)) : nullptr;
    contentChanged();
    showTail();
}

void TimelineWidget::setOpsDone(int iterations, std::vector<int> devices)
{
    const auto title = [this] { return isEmpty() ? QString() : m_scene.rulerScale().title; };
    const QString before = title();
    m_scene.planIteration = iterations;
    m_scene.opsDone = std::move(devices);
    if (title() != before)
        contentChanged(); // the ruler changed, and the cached picture has its grid lines
    showTail();
    update();
}

void TimelineWidget::setFollow(bool follow)
{
    if (follow == std::exchange(m_isFollowing, follow))
        return;
    showTail();
    Q_EMIT followChanged(follow);
}

void TimelineWidget::showIteration(int iteration)
{
    setFollow(false);
    if (const auto to = m_scene.fitOf(iteration))
        moveTo(*to, Remember::Yes);
}

void TimelineWidget::showPlace(const engine::Note& place)
{
    constexpr double kMargin = 4; // on each side, in durations of the place
    if (isEmpty())
        return;
    const double margin = kMargin * static_cast<double>(place.window.duration());
    userMovesTo({static_cast<double>(place.window.begin) - margin,
                 static_cast<double>(place.window.end) + margin},
                Remember::Yes);
    setSelection(selectionOf(*m_scene.view, place));
}

void TimelineWidget::setSelection(const Selection& to)
{
    if (to == m_scene.selection)
        return;
    m_scene.selection = to;
    updateFlow();
    setAccessibleDescription(m_scene.spoken());
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    Q_EMIT selectionChanged(m_scene.selection);
}

void TimelineWidget::select(const Selection& selection)
{
    const Selection to = selection; // a copy: `selection` may refer to a member that changes
    setSelection(to);
    if (!isEmpty())
        revealItem(to);
}

void TimelineWidget::revealItem(const Selection& what)
{
    if (!what.isOfTime())
        return;
    reveal(viewOf(what.window));
    const auto device = static_cast<std::size_t>(what.device.value);
    if (!what.device.isValid() || device >= m_scene.lanes.size())
        return;
    if (TimelineLook look = m_scene.look; what.kind == Selection::Kind::Kernel) {
        look.areKernelsShown = true;
        setLook(look);
    }
    if (!m_scene.lanes[device].hasBoxes())
        toggleGroup(what.device.value);
    revealLane(m_scene.lanes[device].top, m_scene.lanes[device].bottom());
}

bool TimelineWidget::hover(QPointF at)
{
    const QString text = m_scene.stripText(at);
    setCursor(m_scene.isOnHandle(at) ? Qt::SizeHorCursor
                  : !text.isEmpty()  ? Qt::PointingHandCursor
                                     : Qt::ArrowCursor);
    if (const QString tip = text + m_scene.columnText(at); !tip.isEmpty())
        QToolTip::showText(mapToGlobal(at.toPoint() + QPoint(8, 8)), tip, this);
    return m_scene.hoverAt(at);
}

std::optional<ViewWindow> TimelineWidget::openAt(QPointF at)
{
    setSelection(m_scene.hit(at));
    return selectedBox();
}

bool TimelineWidget::ownPress(QMouseEvent& event)
{
    const QPointF at = event.position();
    const TimelineGeometry& areas = m_scene.areas;
    const bool isLeft = event.button() == Qt::LeftButton;
    m_overviewDrag.end();
    if (isLeft && areas.notes.contains(at)) {
        goToNote(m_scene.noteAt(at));
    } else if (const int reason = isLeft ? m_scene.reasonAt(at) : -1; reason >= 0) {
        Q_EMIT reasonClicked(reason);
    } else if (isLeft && areas.iterations.contains(at)) {
        showIteration(m_scene.iterationAt(at));
    } else if (areas.overview.contains(at)) {
        remember();
        const auto to = m_overviewDrag.press(*m_scene.view, areas.overview, inSight(), at);
        if (to != inSight())
            userMovesTo(to, Remember::No);
    } else if (areas.lanes.contains(at) || areas.ruler.contains(at)) {
        return false;
    } else if (const int device = m_scene.deviceAt(at); isLeft && device >= 0) {
        if (at.x() < kTriangle)
            toggleLane(device);
        else
            setSelection(m_scene.deviceSelection(device));
    }
    return true;
}

void TimelineWidget::ownDrag(QPointF from, QPointF to)
{
    const double least = extent().duration() > 0 ? m_scene.axis.ticksPerPixel() : 1;
    if (m_overviewDrag.isActive())
        userMovesTo(m_overviewDrag.dragged(to.x() - from.x(), least), Remember::No);
}

bool TimelineWidget::ownWheel(QWheelEvent& event, double notches)
{
    const QPointF at = event.position();
    if (event.modifiers() & Qt::AltModifier) { // some platforms swap the axes with Alt
        const double now = m_scene.lanes.empty() ? LaneOptions::kUsual : m_scene.lanes[0].compute;
        m_laneOptions.compute = std::clamp(m_laneOptions.compute.value_or(now) + 3 * notches,
                                           LaneOptions::kLeast, LaneOptions::kMost);
        changeLanes();
        return true;
    }
    const bool isSideways = event.modifiers() & Qt::ShiftModifier || event.angleDelta().y() == 0;
    if (isSideways || !m_scene.areas.overview.contains(at))
        return false;
    const double about = overviewAxis(*m_scene.view, m_scene.areas.overview, 1).time(at.x());
    zoomByWheel(event, inSight().zoomed(zoomStep(event, notches), about));
    return true;
}

bool TimelineWidget::ownKey(int key, Qt::KeyboardModifiers modifiers)
{
    // Ignores letters with Shift, because they are shortcuts of actions, which may be disabled.
    if (modifiers & Qt::ShiftModifier && key >= Qt::Key_A && key <= Qt::Key_Z)
        return false;
    TimelineLook look = m_scene.look;
    if (key == Qt::Key_C)
        look.colourBy = nextColourBy(look.colourBy);
    if (key == Qt::Key_L)
        look.flow = nextFlow(look.flow);
    if (key == Qt::Key_G)
        look.areKernelsShown = !look.areKernelsShown;
    if (look != m_scene.look) {
        setLook(look);
    } else if (key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
        showIteration(m_scene.iteration + (key == Qt::Key_PageUp ? -1 : 1));
    } else if (key == Qt::Key_Space) {
        setFollow(!m_isFollowing);
    } else if (key >= Qt::Key_1 && key <= Qt::Key_9 && !m_scene.notes.empty()) {
        goToNote(key - Qt::Key_1);
    } else if (const auto to = m_scene.walkedTo(key, modifiers)) {
        setByKeyboard();
        if (*to != m_scene.selection)
            select(*to);
        update();
    } else {
        return false;
    }
    return true;
}

// Opens the context menu. With the mouse, first selects the item under the pointer. With the
// keyboard, the menu is for the selection.
void TimelineWidget::contextMenuEvent(QContextMenuEvent* event)
{
    if (isEmpty())
        return;
    const bool isByMouse = event->reason() == QContextMenuEvent::Mouse;
    if (isByMouse)
        setSelection(m_scene.menuTarget(event->pos()));
    const QRect box = selectionRect().isEmpty() ? rect() : selectionRect();
    Q_EMIT menuRequested(isByMouse ? event->globalPos() : mapToGlobal(box.center()));
}

void TimelineWidget::resizeEvent(QResizeEvent*)
{
    keepFit([this] { relayout(); });
    if (m_scene.areMessagesThin(inSight()) != m_scene.hasOneStrip)
        m_zoomEnd.start();
}

} // namespace app
