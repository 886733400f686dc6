#include "app/timeline/widget/timeline_painter.h"

#include "app/timeline/paint/header_painter.h"
#include "app/timeline/paint/iteration_strip.h"
#include "app/timeline/paint/kernel_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/paint/marks_painter.h"
#include "app/timeline/paint/overview_painter.h"
#include "app/timeline/paint/path_painter.h"
#include "app/timeline/paint/plan_painter.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/widget/time_canvas.h"
#include "app/ui/text.h"
#include "engine/timeline/span_index.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPixmap>
#include <QRegion>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kRangeTextFrom = 24; // least width of a box with text, which may be elided

void paintRangeText(QPainter& painter, const HostRange& range, const QRectF& box)
{
    const QFontMetricsF metrics(painter.font());
    const QString text
        = metrics.elidedText(QString::fromStdString(range.text), Qt::ElideRight, box.width() - 6);
    painter.drawText(
        QPointF(box.left() + 3, std::round(box.center().y() + metrics.capHeight() / 2)), text);
}

// Draws adjacent boxes as one rectangle and skips boxes in pixels that are already drawn, so the
// cost depends on the number of pixels.
void paintRow(QPainter& painter, std::span<const HostRange> ranges, const TimeAxis& axis,
              const Theme& theme, double top)
{
    QRectF fill;
    const auto flush = [&] {
        if (!fill.isEmpty())
            painter.fillRect(fill, theme.chrome.pressed);
        fill = {};
    };
    double drawnTo = axis.left - 1;
    for (std::size_t k = 0;; ++k) {
        const BoxesUpTo passed(axis, drawnTo);
        k = engine::gallop(k, ranges.size(),
                           [&](std::size_t at) { return passed.has(ranges[at].window); });
        if (k >= ranges.size())
            break;
        const QRectF whole = boxRect(axis, ranges[k].window, top, Lane::kKernel);
        const double left = std::max(whole.left(), axis.left);
        const QRectF box(left, top, std::min(whole.right(), axis.right()) - left, Lane::kKernel);
        drawnTo = whole.right();
        if (box.left() > fill.right())
            flush();
        fill = fill.isEmpty() ? box : fill.united(box);
        if (box.width() < kRangeTextFrom)
            continue;
        flush(); // before the text
        paintRangeText(painter, ranges[k], box);
    }
    flush();
}

} // namespace

void paintRanges(QPainter& painter, const RangeRows& rows, const TimeAxis& axis, const Theme& theme)
{
    painter.setFont(uiFont(10));
    painter.setPen(theme.chrome.text);
    for (int row = 0; row < rows.lane.ranges; ++row)
        paintRow(painter, rows.ranges.around(rows.device, row, axis.window()), axis, theme,
                 rows.lane.rangeTop(row));
}

TimelinePainter::TimelinePainter(QPainter& painter, const TimelineScene& scene,
                                 const BoxColours& colours)
    : m_painter(painter)
    , m_scene(scene)
    , m_colours(colours)
    , m_theme(colours.theme())
    , m_view(*scene.view)
    , m_areas(scene.areas)
    , m_lanes(scene.lanes)
    , m_axis(scene.axis)
{ }

// The topmost lane; nullptr without lanes.
const Lane* TimelinePainter::firstLane() const
{
    const Lane* first = nullptr;
    for (const Lane& lane : m_lanes)
        if (!lane.isHidden && (first == nullptr || lane.top < first->top))
            first = &lane;
    return first;
}

void TimelinePainter::paintLegend() const
{
    const Lane* first = firstLane();
    const LaneKind kind = first == nullptr ? LaneKind::Full : first->kind;
    const bool isDense = kind == LaneKind::Dense;
    Legend legend = legendOf({{&m_view, m_axis.ticksPerPixel()}}, m_colours,
                             isDense                         ? LegendDetail::TimeOnly
                                 : kind == LaneKind::Compute ? LegendDetail::ComputeAndMemory
                                                             : LegendDetail::WithMemory);
    if (m_scene.path)
        addPath(legend, m_colours);
    if (const KernelView* shown = m_scene.drawnKernels())
        addKernels(legend, *shown, m_colours);
    if (m_scene.drawnPlan().plan != nullptr)
        addPlan(legend, m_colours);
    if (isDense)
        legend.note = m_scene.drawnKernels() != nullptr
            ? TimeCanvas::tr("click a device to open its lane and kernels")
            : denseNote();
    app::paintLegend(m_painter, legend, m_colours, m_areas.legend);
}

QString TimelinePainter::denseNote() const
{
    const double pixel = m_axis.ticksPerPixel();
    const Scale scale = timeScale(m_view.run().info, static_cast<std::int64_t>(pixel));
    return TimeCanvas::tr("one pixel is %1, so narrow boxes are merged; zoom in to see them")
        .arg(scale.withUnit(pixel));
}

void TimelinePainter::paintFrame() const
{
    const Chrome& chrome = m_theme.chrome;
    const double width = m_areas.legend.width();
    m_painter.fillRect(QRectF(0, m_areas.ruler.top(), width, m_areas.ruler.height()),
                       chrome.surfaceAlt);
    for (const QRectF& strip : {m_areas.iterations, m_areas.notes})
        m_painter.fillRect(QRectF(0, strip.top(), width, strip.height()), chrome.surfaceAlt);
    m_painter.fillRect(m_areas.legend, chrome.surfaceAlt);
    if (m_areas.column.width() > 0)
        m_painter.fillRect(
            QRectF(m_areas.column.left(), 0, m_areas.column.width(), m_areas.legend.top()),
            chrome.surfaceAlt);
    for (const double y : {m_areas.ruler.top(), m_areas.lanes.top(), m_areas.legend.top()})
        m_painter.fillRect(QRectF(0, y - 1, width, 1), chrome.line);
    m_painter.fillRect(QRectF(0, m_areas.legend.bottom() - 1, width, 1), chrome.line);
    if (m_areas.column.width() > 0)
        m_painter.fillRect(QRectF(m_areas.column.left(), 0, 1, m_areas.legend.top()), chrome.line);
}

void TimelinePainter::paintTop(const QPixmap& overview) const
{
    paintTopTexts();
    m_painter.drawPixmap(m_areas.overview.topLeft(), overview);
    paintOverviewLabels(m_painter, m_view, m_colours, m_areas.overview, m_scene.iteration);
    paintOverviewWindow(m_painter, m_view, m_colours, m_areas.overview, {m_axis.begin, m_axis.end});
    if (m_scene.found)
        paintOverviewHits(m_painter, m_view, m_colours, m_areas.overview, m_scene.found->hits());
    m_painter.save();
    m_painter.setClipRect(m_areas.ruler);
    RulerScale scale = m_scene.rulerScale();
    if (m_scene.path)
        scale.taken = reasonPlaces(m_scene.reasons, m_axis);
    paintRuler(m_painter, scale, m_axis, m_theme, m_areas.ruler.adjusted(0, 0, 0, -1));
    paintEndTriangles(m_painter, m_view, m_axis, m_theme, m_areas.ruler.bottom() - 1);
    if (m_scene.selection.kind == Selection::Kind::Range)
        paintRangeBand(m_painter, scale, m_axis, m_theme,
                       {m_scene.selection.window, m_areas.ruler});
    if (m_scene.path)
        paintReasonMarks(m_painter, m_scene.pathPicture(m_colours),
                         m_areas.ruler.adjusted(0, 0, 0, -1));
    m_painter.restore();
    paintIterationTimes();
    paintNotes();
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(
        QRectF(11, m_areas.ruler.top(), TimelineGeometry::kHeader - 11, m_areas.ruler.height() - 1),
        Qt::AlignLeft | Qt::AlignVCenter, scale.title);
    if (const Lane* first = firstLane(); m_areas.column.width() > 0 && first != nullptr)
        m_painter.drawText(QRectF(m_areas.column.left() + 16, m_areas.ruler.top(), 108,
                                  m_areas.ruler.height() - 1),
                           Qt::AlignLeft | Qt::AlignVCenter, memoryTitle(m_view, *first));
}

void TimelinePainter::paintTopTexts() const
{
    const auto& iterations = m_view.timeline().iterations;
    const bool hasReplay = iterations.back().kind == engine::Iteration::Kind::Replay;
    const std::size_t count = iterations.size() - (hasReplay && iterations.size() > 1 ? 1 : 0);
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(QPointF(24, 20), TimeCanvas::tr("Whole run"));
    m_painter.drawText(QPointF(24, 35),
                       count == 1 ? TimeCanvas::tr("1 iteration")
                                  : TimeCanvas::tr("%1 iterations").arg(count));
    if (m_scene.iteration < 0 || m_areas.column.width() <= 0)
        return;
    const auto& one = iterations[static_cast<std::size_t>(m_scene.iteration)];
    const bool isReplay = one.kind == engine::Iteration::Kind::Replay;
    m_painter.drawText(QPointF(m_areas.column.left() + 16, 20),
                       isReplay ? TimeCanvas::tr("Typical ops") : capitalized(iterationTitle(one)));
    m_painter.setFont(uiFont(13, QFont::Medium));
    m_painter.setPen(m_theme.chrome.text);
    const Scale scale = timeScale(m_view.run().info, one.window.duration());
    m_painter.drawText(QPointF(m_areas.column.left() + 16, 37),
                       scale.withUnit(static_cast<double>(one.window.duration())));
}

void TimelinePainter::paintIterationTimes() const
{
    const QRectF& area = m_areas.iterations;
    if (area.height() <= 0)
        return;
    m_painter.save();
    m_painter.setClipRect(area);
    paintIterationStrip(m_painter, m_view, m_scene.iterationStrip(), m_theme);
    m_painter.restore();
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(QRectF(0, area.top(), TimelineGeometry::kHeader - 8, area.height()),
                       Qt::AlignRight | Qt::AlignVCenter, TimeCanvas::tr("iteration time"));
    if (m_areas.column.width() > 0)
        m_painter.drawText(QRectF(m_areas.column.left() + 16, area.top(), 108, area.height()),
                           Qt::AlignLeft | Qt::AlignVCenter, iterationRange(m_view, m_axis));
}

void TimelinePainter::paintNotes() const
{
    if (m_scene.notes.empty())
        return;
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(
        QRectF(0, m_areas.notes.top(), TimelineGeometry::kHeader - 8, m_areas.notes.height()),
        Qt::AlignRight | Qt::AlignVCenter, TimeCanvas::tr("notes"));
    paintNoteFlags(m_painter, m_scene.noteStrip(), m_theme);
}

void TimelinePainter::paintSides() const
{
    const Chrome& chrome = m_theme.chrome;
    m_painter.save();
    m_painter.setClipRect(
        QRectF(0, m_areas.lanes.top(), m_areas.legend.width(), m_areas.lanes.height()));
    for (const std::size_t k : paintedLanes()) {
        const double top = m_areas.lanes.top() + m_lanes[k].top - m_scene.scroll;
        const engine::DeviceId device{static_cast<int>(k)};
        if (m_lanes[k].isPinned)
            paintPinnedGround(top, m_lanes[k].height);
        const QRectF head(0, top, TimelineGeometry::kHeader, m_lanes[k].height);
        const QRectF tail(m_areas.column.left(), top, m_areas.column.width(), m_lanes[k].height);
        paintHeader(m_painter,
                    {m_view, m_colours, device, m_lanes[k], m_scene.iteration, head,
                     m_scene.drawnKernels()});
        if (m_areas.column.width() > 0)
            paintMemoryCell(m_painter,
                            {m_view, m_colours, device, m_lanes[k], m_scene.iteration, tail});
        if (m_lanes[k].kind != LaneKind::Dense)
            for (const QRectF& side : {m_areas.header, m_areas.column})
                m_painter.fillRect(
                    QRectF(side.left(), top + m_lanes[k].height - 1, side.width(), 1), chrome.line);
    }
    m_painter.restore();
}

void TimelinePainter::paintMarks() const
{
    m_painter.save();
    m_painter.setClipRect(m_areas.lanes);
    if (m_scene.selection.kind == Selection::Kind::Range)
        paintRange(m_painter, m_axis, m_theme, m_scene.selection.window, m_areas.lanes);
    paintNoteLines(m_painter, m_scene.noteStrip(), m_areas.lanes, m_theme);
    if (m_scene.path)
        paintReasonBand(m_painter, m_scene.pathPicture(m_colours), m_areas.lanes.top(),
                        m_areas.lanes.bottom());
    paintCurrentTime();
    m_painter.translate(0, m_areas.lanes.top() - m_scene.scroll);
    paintPlan();
    paintFlows();
    MarksPainter marks(m_painter, m_view, m_axis, m_lanes, m_colours);
    marks.paintPlates(m_scene.iteration);
    if (m_scene.found)
        marks.paintHits(m_scene.found->hits());
    if (m_scene.category)
        marks.paintHits(m_scene.category->all());
    if (m_scene.hover != m_scene.selection)
        marks.paintHover(m_scene.hover);
    marks.paintSelected(m_scene.selection);
    if (m_scene.isFocused || m_scene.found) // the current hit stands out among the others
        marks.paintFocus(m_scene.selection);
    m_painter.restore();
}

// Paints the critical path and the arrows between lanes.
void TimelinePainter::paintFlows() const
{
    const bool areAllShown
        = m_scene.look.flow == TimelineLook::Flow::All && !m_scene.found && m_scene.iteration >= 0;
    if (!m_scene.path && !m_scene.flow && !areAllShown)
        return;
    MarksPainter marks(m_painter, m_view, m_axis, m_lanes, m_colours);
    if (m_scene.path)
        paintPath(m_painter, m_scene.pathPicture(m_colours), m_lanes);
    else if (m_scene.flow)
        marks.paintFlow(*m_scene.flow);
    if (areAllShown)
        marks.paintAllFlows(m_scene.iteration);
}

void TimelinePainter::paintCurrentTime() const
{
    const PlanView plan = m_scene.drawnPlan();
    if (plan.plan == nullptr)
        return;
    const RulerScale scale = m_scene.rulerScale();
    const auto reached = static_cast<double>(plan.reached());
    m_painter.save();
    m_painter.setClipping(false);
    paintNow(m_painter,
             {reached, scale.unit.text(reached - scale.origin), m_areas.ruler, m_areas.lanes},
             m_axis, m_theme);
    m_painter.restore();
}

// Paints above the cached picture of the lanes, which therefore stays valid while ops complete.
void TimelinePainter::paintPlan() const
{
    const PlanView plan = m_scene.drawnPlan();
    if (plan.plan == nullptr)
        return;
    PlanPainter painter(m_painter, m_view, m_axis, m_colours);
    const std::vector<std::size_t> painted = paintedLanes();
    double pinned = 0; // bottom of the pinned lanes, which cover the others
    for (const std::size_t k : painted)
        pinned = m_lanes[k].isPinned ? std::max(pinned, m_lanes[k].bottom()) : pinned;
    for (const std::size_t k : painted) {
        const Lane& lane = m_lanes[k];
        if (!lane.isPinned && lane.bottom() <= pinned)
            continue;
        m_painter.save();
        if (!lane.isPinned)
            m_painter.setClipRect(
                QRectF(m_axis.left, pinned, m_axis.width, std::max(0.0, lane.bottom() - pinned)),
                Qt::IntersectClip);
        const engine::DeviceId device{static_cast<int>(k)};
        painter.paint(plan, device, lane);
        if (m_scene.plannedHover && m_scene.plannedHover->device == device)
            painter.paintHover(plan, m_scene.plannedHover->op, lane);
        m_painter.restore();
    }
}

void TimelinePainter::paintLanes() const
{
    const double top = m_scene.scroll, bottom = top + m_areas.lanes.height();
    const QRectF sight(m_areas.lanes.left(), top, m_areas.lanes.width(), bottom - top);
    const std::vector<std::size_t> painted = paintedLanes();
    const auto pinned = std::ranges::find_if(painted, [&](auto k) { return m_lanes[k].isPinned; });
    paintGroup({painted.begin(), pinned},
               QRectF(sight.left(), 0, sight.width(), heightOf(m_lanes)));
    if (pinned == painted.end())
        return;
    double below = 0;
    for (auto k = pinned; k != painted.end(); ++k)
        below = std::max(below, m_lanes[*k].bottom());
    const QRectF above(sight.left(), top, sight.width(), below - top);
    m_painter.fillRect(above, m_theme.chrome.surface);
    paintGroup({pinned, painted.end()}, above);
}

// The lanes in sight, the pinned ones last, because they cover the others.
std::vector<std::size_t> TimelinePainter::paintedLanes() const
{
    const double top = m_scene.scroll, bottom = top + m_areas.lanes.height();
    std::vector<std::size_t> lanes;
    for (std::size_t k = 0; k < m_lanes.size(); ++k)
        if (!m_lanes[k].isHidden && m_lanes[k].bottom() >= top && m_lanes[k].top <= bottom)
            lanes.push_back(k);
    std::ranges::stable_partition(lanes, [this](auto k) { return !m_lanes[k].isPinned; });
    return lanes;
}

void TimelinePainter::paintGroup(std::span<const std::size_t> lanes, const QRectF& area) const
{
    for (const std::size_t k : lanes)
        paintLaneGround(m_lanes[k]);
    paintGrid(m_painter, m_scene.rulerScale(), m_axis, m_theme, area);
    LanePainter lanePainter(m_painter, m_view, m_axis, m_colours);
    lanePainter.setFlow(m_scene.flow);
    lanePainter.setFound(m_scene.found.get());
    lanePainter.setPath(m_scene.path.get());
    lanePainter.setCategory(m_scene.category.get());
    const KernelView* shown = m_scene.drawnKernels();
    for (const std::size_t k : lanes) {
        const engine::DeviceId device{static_cast<int>(k)};
        lanePainter.paint(device, m_lanes[k], m_scene.iteration);
        if (shown == nullptr)
            continue;
        paintRanges(m_painter, {shown->ranges(), device, m_lanes[k]}, m_axis, m_theme);
        KernelPainter(m_painter, *shown, m_axis, m_colours).paint(device, m_lanes[k]);
    }
    paintIterationEdges(m_painter, m_view, m_axis, m_theme, area);
}

void TimelinePainter::paintPinnedGround(double top, double height) const
{
    m_painter.fillRect(QRectF(0, top, m_areas.header.width(), height), m_theme.chrome.surface);
    m_painter.fillRect(QRectF(m_areas.column.left(), top, m_areas.column.width(), height),
                       m_theme.chrome.surfaceAlt);
}

void TimelinePainter::paintLaneGround(const Lane& lane) const
{
    const Chrome& chrome = m_theme.chrome;
    if (lane.kind != LaneKind::Dense)
        m_painter.fillRect(QRectF(m_axis.left, lane.bottom() - 1, m_axis.width, 1), chrome.line);
    const auto inSight = iterationsInSight(m_view.timeline().iterations, m_axis);
    if (lane.kind == LaneKind::Dense || inSight.empty())
        return;
    if (!areEdgesDrawn(inSight, m_axis)) {
        paintRowGround(lane, {inSight.front().window.begin, inSight.back().window.end});
        return;
    }
    for (const auto& one : inSight)
        paintRowGround(lane, one.window);
}

void TimelinePainter::paintRowGround(const Lane& lane, engine::Window window) const
{
    const QColor& ground = m_theme.chrome.surfaceAlt;
    for (int row = 0; row < lane.ranges + lane.kernels; ++row)
        m_painter.fillRect(stretch(m_axis, window, lane.rangeTop(row), Lane::kKernel), ground);
    if (lane.kind != LaneKind::Full)
        return;
    for (const double at : {lane.sendTop(), lane.receiveTop(), lane.reduceTop()})
        m_painter.fillRect(stretch(m_axis, window, at, Lane::kTransfer), ground);
}

} // namespace app
