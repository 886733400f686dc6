#include "app/timeline/paint/overview_painter.h"

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/columns.h"
#include "app/timeline/view/iteration_times.h"
#include "app/timeline/view/translate.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <vector>

namespace app {

namespace {

constexpr int kRows = 8;          // more devices are merged
constexpr double kLabelRoom = 64; // pixels for "iteration 100"

QRectF rowsArea(const QRectF& area)
{
    return area.adjusted(0, kOverviewLabels + 1, 0, -4);
}

} // namespace

// The iteration of typical ops was not recorded, so the overview leaves it out.
static engine::Window recordedExtent(const RunView& view)
{
    engine::Window extent = view.extent();
    const auto& iterations = view.timeline().iterations;
    if (iterations.size() > 1 && iterations.back().kind == engine::Iteration::Kind::Replay)
        extent.end = std::max(extent.begin, iterations.back().window.begin);
    return extent;
}

TimeAxis overviewAxis(const RunView& view, const QRectF& area, double dpr)
{
    const auto extent = recordedExtent(view);
    return {static_cast<double>(extent.begin),
            static_cast<double>(std::max(extent.end, extent.begin + 1)), area.left(), area.width(),
            dpr};
}

QString shortTitle(const engine::Iteration& iteration)
{
    using enum engine::Iteration::Kind;
    return iteration.kind == Warmup ? tr("warm-up")
        : iteration.kind == Replay  ? tr("typical")
                                    : tr("iteration %1").arg(iteration.number);
}

void paintOverview(QPainter& painter, const RunView& view, const BoxColours& colours,
                   const QRectF& area, double dpr)
{
    const TimeAxis axis = overviewAxis(view, area, dpr);
    const QRectF rows = rowsArea(area);
    const int count = std::min(view.devices(), kRows);
    const double pitch = std::min(std::max(7.0, 28.0 / count), rows.height() / count);
    const auto inks = columnColours(colours, BoxColours::Emphasis::Normal);
    for (int row = 0; row < count; ++row) {
        const int first = row * view.devices() / count, last = (row + 1) * view.devices() / count;
        const double top = axis.snap(rows.top() + row * pitch);
        const double bottom = axis.snap(rows.top() + (row + 1) * pitch - (pitch > 4 ? 1 : 0));
        RunView::MeanSweep mean;
        for (int device = first; device < last; ++device)
            mean.devices.emplace_back(view, engine::DeviceId{device});
        paintColumns(
            painter, axis,
            {QRectF(area.left(), top, area.width(), bottom - top), recordedExtent(view), inks},
            [mean](double time) mutable { return mean.before(time); });
    }
}

void paintOverviewLabels(QPainter& painter, const RunView& view, const BoxColours& colours,
                         const QRectF& area, int current)
{
    const TimeAxis axis = overviewAxis(view, area, 1);
    const auto& iterations = view.timeline().iterations;
    const int step = labelStep(area.width() / static_cast<double>(iterations.size()), kLabelRoom);
    std::vector<QRectF> drawn;
    const auto label = [&](std::size_t k) {
        const bool isCurrent = static_cast<int>(k) == current;
        painter.setFont(uiFont(10, isCurrent ? QFont::Medium : QFont::Normal));
        const QString text = shortTitle(iterations[k]);
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(text);
        const QRectF box(axis.x(iterations[k].window.begin), area.top(), width + 8,
                         kOverviewLabels);
        const bool isFree = std::ranges::none_of(
            drawn, [&](const QRectF& other) { return other.intersects(box); });
        if (!isFree || box.left() + width > area.right() + 1)
            return;
        painter.setPen(isCurrent ? colours.theme().chrome.text : colours.theme().chrome.text2);
        painter.drawText(QPointF(box.left() + 1, area.top() + 11), text);
        drawn.push_back(box);
    };
    if (current >= 0 && current < static_cast<int>(iterations.size()))
        label(static_cast<std::size_t>(current));
    for (std::size_t k = 0; k < iterations.size(); ++k) {
        const auto& one = iterations[k];
        const bool repeats = k > 0 && one.kind == engine::Iteration::Kind::Warmup
            && iterations[k - 1].kind == engine::Iteration::Kind::Warmup;
        if (!repeats && one.number % step == 0 && static_cast<int>(k) != current)
            label(k);
    }
}

void paintOverviewHits(QPainter& painter, const RunView& view, const BoxColours& colours,
                       const QRectF& area, const std::vector<Selection>& hits)
{
    const TimeAxis axis = overviewAxis(view, area, 1);
    double last = -10;
    for (const Selection& hit : hits) {
        const auto begin = static_cast<double>(hit.window.begin);
        const double x = std::round(axis.x((begin + static_cast<double>(hit.window.end)) / 2));
        if (x - last < 2) // one mark per position
            continue;
        last = x;
        const double top = area.top() + kOverviewLabels - 2;
        fillPolygon(painter, QPolygonF{{x - 3.5, top}, {x + 3.5, top}, {x, top + 4.5}},
                    colours.theme().chrome.text);
    }
}

QRectF overviewWindowRect(const RunView& view, const QRectF& area, ViewWindow window)
{
    const TimeAxis axis = overviewAxis(view, area, 1);
    const double left = std::clamp(axis.x(window.begin), area.left(), area.right() - 4);
    const double right = std::clamp(axis.x(window.end), left + 4, area.right());
    return {std::round(left), area.top() + kOverviewLabels - 1, std::round(right - left),
            area.height() - kOverviewLabels - 1};
}

void paintOverviewWindow(QPainter& painter, const RunView& view, const BoxColours& colours,
                         const QRectF& area, ViewWindow window)
{
    const QRectF frame = overviewWindowRect(view, area, window);
    const QRectF rows = rowsArea(area);
    QColor veil = colours.surface();
    veil.setAlphaF(0.5);
    painter.fillRect(QRectF(area.left(), rows.top(), frame.left() - area.left(), rows.height()),
                     veil);
    painter.fillRect(QRectF(frame.right(), rows.top(), area.right() - frame.right(), rows.height()),
                     veil);
    const QColor ink = colours.theme().chrome.text;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(frame.adjusted(0.75, 0.75, -0.75, -0.75));
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (const double x : {frame.left() + 0.75, frame.right() - 0.75})
        painter.drawRoundedRect(QRectF(x - 2, frame.center().y() - 7, 4, 14), 1, 1);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

namespace {

constexpr double kLabelFrom = 20; // pixels; an iteration that is narrower has no label

Scale stripScale(const RunView& view, std::int64_t greatest)
{
    return timeScale(view.run().info, greatest);
}

QString fromTo(const Scale& scale, std::int64_t least, std::int64_t greatest)
{
    const QString from = scale.text(least);
    const QString to = scale.withUnit(greatest);
    return least == greatest ? to : tr("%1 to %2").arg(from, to);
}

void paintLabel(QPainter& painter, const QRectF& cell, const QString& text)
{
    if (QFontMetricsF(painter.font()).horizontalAdvance(text) + 8 <= cell.width())
        painter.drawText(cell, Qt::AlignCenter | Qt::TextSingleLine, text);
}

} // namespace

void paintIterationStrip(QPainter& painter, const RunView& view, const IterationStrip& strip,
                         const Theme& theme)
{
    const auto inSight = iterationsInSight(strip.iterations, strip.axis);
    const auto columns = iterationColumns(inSight, strip.axis);
    std::int64_t top = 1;
    for (const IterationColumn& column : columns)
        top = std::max(top, column.greatest);
    const QRectF plot = strip.area.adjusted(0, 3, 0, -1);
    const double pixel = strip.axis.gap();
    const auto y = [&](std::int64_t time) {
        return strip.axis.snap(
            plot.bottom() - plot.height() * static_cast<double>(time) / static_cast<double>(top));
    };
    for (const IterationColumn& one : columns) {
        const double width
            = one.right - one.left - (one.count == 1 && one.right - one.left > 3 ? pixel : 0);
        const double median = y(one.median), least = y(one.least), greatest = y(one.greatest);
        painter.fillRect(QRectF(one.left, median, width, plot.bottom() - median),
                         theme.chrome.selected);
        painter.fillRect(QRectF(one.left, greatest, width, least - greatest),
                         theme.chrome.lineStrong);
        painter.fillRect(QRectF(one.left, median, width, pixel), theme.chrome.text2);
    }
    painter.setFont(uiFont(10));
    painter.setPen(theme.chrome.text2);
    for (const IterationColumn& one : columns) {
        if (one.count != 1 || one.right - one.left < kLabelFrom)
            continue;
        const QRectF seen
            = QRectF(one.left, y(one.median), one.right - one.left, plot.bottom() - y(one.median))
                  .intersected(plot);
        if (seen.height() >= QFontMetricsF(painter.font()).capHeight() + 6)
            paintLabel(painter, seen, stripScale(view, top).withUnit(one.median));
    }
}

QString iterationRange(const RunView& view, const TimeAxis& axis)
{
    const auto inSight = iterationsInSight(view.timeline().iterations, axis);
    if (inSight.empty())
        return {};
    const auto [least, greatest] = std::ranges::minmax_element(
        inSight, {}, [](const engine::Iteration& one) { return one.window.duration(); });
    const std::int64_t to = greatest->window.duration();
    return fromTo(stripScale(view, to), least->window.duration(), to);
}

QString iterationToolTip(const RunView& view, const IterationStrip& strip, QPointF at)
{
    const IterationColumn column = columnAt(strip, at);
    if (column.count == 0)
        return {};
    const Scale scale = stripScale(view, column.greatest);
    const auto title = [&](std::size_t k) { return shortTitle(strip.iterations[k]); };
    if (column.count == 1)
        return tr("%1: %2").arg(capitalized(title(column.first)), scale.withUnit(column.median));
    return tr("%1 to %2: %3, median %4")
        .arg(capitalized(title(column.first)), title(column.first + column.count - 1),
             fromTo(scale, column.least, column.greatest), scale.withUnit(column.median));
}

} // namespace app
