#include "app/models/text.h"
#include "app/timeline/paint/header_painter.h"
#include "app/timeline/paint/kernel_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/paint/marks_painter.h"
#include "app/timeline/paint/overview_painter.h"
#include "app/timeline/paint/range_painter.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/labels.h"
#include "app/widgets/timeline/timeline_impl.h"

#include <QPainter>
#include <QScrollBar>

namespace app {

BoxColours& TimelineWidget::Impl::boxColours()
{
    if (!colours || coloursDpr != dpr()) {
        colours = std::make_unique<BoxColours>(theme.theme(), dpr());
        colours->setColourBy(colourBy);
        coloursDpr = dpr();
        pictureKey = {};
        overviewKey = {};
    }
    return *colours;
}

void TimelineWidget::Impl::paint(QPainter& painter)
{
    painter.fillRect(widget.rect(), theme.theme().chrome.surface);
    if (isEmpty())
        return;
    boxColours();
    paintFrame(painter);
    paintTop(painter);
    painter.drawPixmap(areas.lanes.topLeft(), lanePicture());
    paintSides(painter);
    paintMarks(painter);
    const LaneKind kind = lanes.empty() ? LaneKind::Full : lanes.front().kind;
    const bool isDense = kind == LaneKind::Dense;
    Legend legend = legendOf({{view.get(), axis().ticksPerPixel()}}, *colours,
                             isDense                         ? LegendDetail::TimeOnly
                                 : kind == LaneKind::Compute ? LegendDetail::ComputeAndMemory
                                                             : LegendDetail::WithMemory);
    if (const KernelView* shown = shownKernels())
        addKernels(legend, *shown, *colours);
    if (isDense)
        legend.note = shownKernels() != nullptr
            ? tr("a click on a device opens it, with its kernels")
            : denseNote();
    paintLegend(painter, legend, *colours, areas.legend);
}

QString TimelineWidget::Impl::denseNote() const
{
    const double pixel = axis().ticksPerPixel();
    const Scale scale = timeScale(view->run().info, static_cast<std::int64_t>(pixel));
    return tr("one pixel is %1: narrow boxes are shares of it; zoom in").arg(scale.withUnit(pixel));
}

// Grounds and lines between the areas.
void TimelineWidget::Impl::paintFrame(QPainter& painter) const
{
    const Chrome& chrome = theme.theme().chrome;
    const double width = widget.width();
    painter.fillRect(QRectF(0, areas.ruler.top(), width, areas.ruler.height()), chrome.surfaceAlt);
    painter.fillRect(QRectF(0, areas.notes.top(), width, areas.notes.height()), chrome.surfaceAlt);
    painter.fillRect(areas.legend, chrome.surfaceAlt);
    if (areas.column.width() > 0)
        painter.fillRect(QRectF(areas.column.left(), 0, areas.column.width(), areas.legend.top()),
                         chrome.surfaceAlt);
    for (const double y : {areas.ruler.top(), areas.lanes.top(), areas.legend.top()})
        painter.fillRect(QRectF(0, y - 1, width, 1), chrome.line);
    painter.fillRect(QRectF(0, areas.legend.bottom() - 1, width, 1), chrome.line);
    if (areas.column.width() > 0)
        painter.fillRect(QRectF(areas.column.left(), 0, 1, areas.legend.top()), chrome.line);
}

void TimelineWidget::Impl::paintTop(QPainter& painter)
{
    const Theme& look = theme.theme();
    paintTopTexts(painter, look);
    painter.drawPixmap(areas.overview.topLeft(), overviewPicture());
    paintOverviewLabels(painter, *view, *colours, areas.overview, iteration);
    paintOverviewWindow(painter, *view, *colours, areas.overview, window);
    if (found)
        paintOverviewHits(painter, *view, *colours, areas.overview, found->hits());
    painter.save();
    painter.setClipRect(areas.ruler.adjusted(0, 0, 0, 0));
    const TimeAxis time = axis();
    const RulerScale scale = rulerScale(*view, time);
    paintRuler(painter, scale, time, look, areas.ruler.adjusted(0, 0, 0, -1));
    paintEndTriangles(painter, *view, time, look, areas.ruler.bottom() - 1);
    if (selection.kind == Selection::Kind::Range)
        paintRangeBand(painter, scale, time, look, {selection.window, areas.ruler});
    painter.restore();
    paintNotes(painter);
    painter.setFont(uiFont(11));
    painter.setPen(look.chrome.text2);
    painter.drawText(
        QRectF(11, areas.ruler.top(), TimelineGeometry::kHeader - 11, areas.ruler.height() - 1),
        Qt::AlignLeft | Qt::AlignVCenter, scale.title);
    if (areas.column.width() > 0 && !lanes.empty())
        painter.drawText(
            QRectF(areas.column.left() + 16, areas.ruler.top(), 108, areas.ruler.height() - 1),
            Qt::AlignLeft | Qt::AlignVCenter, memoryTitle(*view, lanes.front()));
}

void TimelineWidget::Impl::paintTopTexts(QPainter& painter, const Theme& look) const
{
    const auto& iterations = view->timeline().iterations;
    const bool hasReplay = iterations.back().kind == engine::Iteration::Kind::Replay;
    const std::size_t count = iterations.size() - (hasReplay && iterations.size() > 1 ? 1 : 0);
    painter.setFont(uiFont(11));
    painter.setPen(look.chrome.text2);
    painter.drawText(QPointF(24, 20), tr("Whole run"));
    painter.drawText(QPointF(24, 35),
                     count == 1 ? tr("1 iteration") : tr("%1 iterations").arg(count));
    if (iteration < 0 || areas.column.width() <= 0)
        return;
    const auto& one = iterations[static_cast<std::size_t>(iteration)];
    painter.drawText(QPointF(areas.column.left() + 16, 20), capitalized(iterationTitle(one)));
    painter.setFont(uiFont(13, QFont::Medium));
    painter.setPen(look.chrome.text);
    const Scale scale = timeScale(view->run().info, one.window.duration());
    painter.drawText(QPointF(areas.column.left() + 16, 37),
                     scale.withUnit(static_cast<double>(one.window.duration())));
}

void TimelineWidget::Impl::paintSides(QPainter& painter)
{
    const Chrome& chrome = theme.theme().chrome;
    painter.save();
    painter.setClipRect(QRectF(0, areas.lanes.top(), widget.width(), areas.lanes.height()));
    for (std::size_t k = 0; k < lanes.size(); ++k) {
        const double top = areas.lanes.top() + lanes[k].top - scrollBar->value();
        if (top > areas.lanes.bottom() || top + lanes[k].height < areas.lanes.top())
            continue;
        const engine::DeviceId device{static_cast<int>(k)};
        const QRectF head(0, top, TimelineGeometry::kHeader, lanes[k].height);
        const QRectF tail(areas.column.left(), top, areas.column.width(), lanes[k].height);
        paintHeader(painter, {*view, *colours, device, lanes[k], iteration, head, shownKernels()});
        if (areas.column.width() > 0)
            paintMemoryCell(painter, {*view, *colours, device, lanes[k], iteration, tail});
        if (lanes[k].kind != LaneKind::Dense)
            for (const QRectF& side : {areas.header, areas.column})
                painter.fillRect(QRectF(side.left(), top + lanes[k].height - 1, side.width(), 1),
                                 chrome.line);
    }
    painter.restore();
}

void TimelineWidget::Impl::paintMarks(QPainter& painter)
{
    const TimeAxis time = axis();
    painter.save();
    painter.setClipRect(areas.lanes);
    if (selection.kind == Selection::Kind::Range) {
        MarksPainter range(painter, *view, time, lanes, *colours);
        range.paintRange(selection.window, areas.lanes.top(), areas.lanes.bottom());
    }
    paintNoteLines(painter, noteStrip(), areas.lanes, theme.theme());
    painter.translate(0, areas.lanes.top() - scrollBar->value());
    MarksPainter marks(painter, *view, time, lanes, *colours);
    if (flow)
        marks.paintFlow(*flow);
    if (flowMode == FlowMode::All && iteration >= 0)
        marks.paintAllFlows(iteration);
    if (found)
        marks.paintHits(found->hits());
    if (hover != selection)
        marks.paintHover(hover);
    const auto length = selection.window.duration();
    marks.paintSelected(selection,
                        timeScale(view->run().info, std::max<std::int64_t>(length, 10'000'000)));
    if (isByKeyboard && widget.hasFocus())
        marks.paintFocus(selection);
    painter.restore();
}

const QPixmap& TimelineWidget::Impl::overviewPicture()
{
    PictureKey key;
    key.run = view->shared().get();
    key.size = areas.overview.size();
    key.axis.dpr = dpr();
    if (key == overviewKey && !overview.isNull())
        return overview;
    overviewKey = key;
    overview = QPixmap((areas.overview.size() * dpr()).toSize());
    overview.setDevicePixelRatio(dpr());
    overview.fill(Qt::transparent);
    QPainter painter(&overview);
    painter.translate(-areas.overview.topLeft());
    paintOverview(painter, *view, *colours, areas.overview, dpr());
    return overview;
}

const QPixmap& TimelineWidget::Impl::lanePicture()
{
    const PictureKey key{view->shared().get(),
                         axis(),
                         areas.lanes.size(),
                         static_cast<double>(scrollBar->value()),
                         flow,
                         iteration,
                         layoutSerial,
                         theme.theme().mode};
    if (key == pictureKey && !picture.isNull())
        return picture;
    pictureKey = key;
    const QSize size = (areas.lanes.size() * dpr()).toSize();
    if (picture.size() != size)
        picture = QPixmap(size);
    picture.setDevicePixelRatio(dpr());
    picture.fill(theme.theme().chrome.surface);
    QPainter painter(&picture);
    painter.translate(-areas.lanes.left(), -scrollBar->value());
    paintLanes(painter, key.axis);
    return picture;
}

void TimelineWidget::Impl::paintLanes(QPainter& painter, const TimeAxis& time)
{
    const double top = scrollBar->value(), bottom = top + areas.lanes.height();
    const QRectF sight(areas.lanes.left(), top, areas.lanes.width(), bottom - top);
    for (const Lane& lane : lanes)
        paintLaneGround(painter, time, lane);
    paintGrid(painter, rulerScale(*view, time), time, theme.theme(),
              QRectF(sight.left(), 0, sight.width(), heightOf(lanes)));
    LanePainter lanePainter(painter, *view, time, *colours);
    lanePainter.setFlow(flow);
    lanePainter.setFound(found.get());
    const KernelView* shown = shownKernels();
    for (std::size_t k = 0; k < lanes.size(); ++k) {
        if (lanes[k].bottom() < top || lanes[k].top > bottom)
            continue;
        const engine::DeviceId device{static_cast<int>(k)};
        lanePainter.paint(device, lanes[k], iteration);
        if (shown == nullptr)
            continue;
        paintRanges(painter, {shown->ranges(), device, lanes[k]}, time, theme.theme());
        KernelPainter(painter, *shown, time, *colours).paint(device, lanes[k]);
    }
    paintIterationEdges(painter, *view, time, theme.theme(),
                        QRectF(sight.left(), 0, sight.width(), heightOf(lanes)));
}

void TimelineWidget::Impl::paintLaneGround(QPainter& painter, const TimeAxis& time,
                                           const Lane& lane) const
{
    const Chrome& chrome = theme.theme().chrome;
    if (lane.kind != LaneKind::Dense)
        painter.fillRect(QRectF(time.left, lane.bottom() - 1, time.width, 1), chrome.line);
    for (const auto& one : view->timeline().iterations) {
        if (lane.kind == LaneKind::Dense || !one.window.intersects(time.window()))
            continue;
        for (int row = 0; row < lane.ranges + lane.kernels; ++row)
            painter.fillRect(stretch(time, one.window, lane.rangeTop(row), Lane::kKernel),
                             chrome.surfaceAlt);
        if (lane.kind != LaneKind::Full)
            continue;
        for (const double at : {lane.sendTop(), lane.receiveTop(), lane.reduceTop()})
            painter.fillRect(stretch(time, one.window, at, Lane::kTransfer), chrome.surfaceAlt);
    }
}

} // namespace app
