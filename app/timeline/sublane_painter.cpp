#include "app/timeline/sublane_painter.h"

#include "app/timeline/columns.h"
#include "app/timeline/labels.h"
#include "app/timeline/lanes.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

namespace app {

using engine::DeviceId;
using engine::Window;
using Emphasis = BoxColours::Emphasis;

namespace {

constexpr double kSmallNumberFrom = 9; // one digit of 10 px

BoxText transferText(const engine::Op& op)
{
    using enum engine::OpKind;
    BoxText text;
    if (op.kind == AllReduce) {
        text.number = QString::number(op.stage.value);
        return text;
    }
    const bool isOut = op.kind == SendActivation || op.kind == SendGradient;
    text.name = (isOut ? QStringLiteral("to %1") : QStringLiteral("from %1")).arg(op.peer);
    return text;
}

} // namespace

SublanePainter::SublanePainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                               const BoxColours& colours)
    : m_painter(painter)
    , m_view(view)
    , m_axis(axis)
    , m_colours(colours)
    , m_boxes(painter, axis, colours)
{ }

void SublanePainter::paintTransfers(Source source, double top, const IsDimmed& isDimmed)
{
    const Window sight = m_axis.window();
    const auto spans = m_view.spansAround(source.device, source.kind, sight);
    if (static_cast<double>(spans.size()) > m_axis.width / 2) {
        paintDense(source, sight, top);
        return;
    }
    for (const engine::Span& span : spans)
        if (span.end >= sight.begin)
            paintTransfer(span, top, isDimmed(span));
}

void SublanePainter::paintTransfer(const engine::Span& span, double top, bool isDimmed)
{
    const auto& op = m_view.op(span.op);
    const auto& look = m_colours.look(op.kind, 0, isDimmed ? Emphasis::Dimmed : Emphasis::Normal);
    QRectF box = boxRect(m_axis, span.window(), top, Lane::kTransfer);
    box.setWidth(std::max(box.width(), m_axis.gap()));
    m_painter.fillRect(box, look.fill);
    const BoxText text = transferText(op);
    const QString& shown = text.number.isEmpty() ? text.name : text.number;
    const double needs = text.number.isEmpty() ? kNameFrom : kSmallNumberFrom;
    if (box.width() + m_axis.gap() < needs)
        return;
    const QFont font = uiFont(10, QFont::Medium);
    const QFontMetricsF metrics(font);
    m_painter.setFont(font);
    m_painter.setPen(look.ink);
    m_painter.drawText(QPointF(std::round(box.center().x() - metrics.horizontalAdvance(shown) / 2),
                               std::round(box.center().y() + metrics.capHeight() / 2)),
                       shown);
}

void SublanePainter::paintDense(Source source, Window window, double top)
{
    ColumnColours colours;
    for (auto& colour : colours.shares)
        colour = m_colours.look(engine::OpKind::SendActivation, 0, Emphasis::Normal).fill;
    colours.rest = Qt::transparent;
    paintColumns(m_painter, m_axis,
                 {stretch(m_axis, window, top, Lane::kTransfer), window, colours},
                 [&](double time) { return m_view.busyBefore(source.device, source.kind, time); });
}

double SublanePainter::levelY(double level, double top) const
{
    const double scale = m_view.memoryScale();
    return m_axis.snap(top + m_memory - (scale > 0 ? level / scale : 0) * (m_memory - 8));
}

void SublanePainter::paintMemory(DeviceId device, const Lane& lane, int iteration)
{
    const double top = lane.memoryTop();
    m_memory = lane.memory;
    const auto& iterations = m_view.timeline().iterations;
    for (const auto& one : iterations) {
        if (!one.window.intersects(m_axis.window()))
            continue;
        const QRectF area = stretch(m_axis, one.window, top, m_memory);
        m_painter.fillRect(QRectF(area.left(), area.top(), area.width(), m_axis.gap()),
                           m_colours.theme().chrome.line);
        paintLevels(device, area, one.window);
    }
    if (iteration >= 0 && iteration < static_cast<int>(iterations.size()))
        paintPeak(device, top, iterations[static_cast<std::size_t>(iteration)].window);
}

void SublanePainter::paintLevels(DeviceId device, const QRectF& area, Window window)
{
    const auto& palette = m_colours.theme().palette;
    const QColor base = mixed(toQt(palette.optimizerState), m_colours.surface(), 0.25);
    const QColor stash = mixed(toQt(palette.forward), m_colours.surface(),
                               m_colours.theme().isDark() ? 0.45 : 0.58);
    const QColor line = toQt(palette.forward);
    const auto& series = m_view.memory(device);
    const double step = m_axis.devicePixel(), bottom = area.bottom();
    double previous = bottom, runBegin = std::max(area.left(), m_axis.left);
    const double end = std::min(area.right(), m_axis.right());
    MemorySeries::Level shown;
    const auto flush = [&](double x) {
        const double y = levelY(shown.total, area.top()), yBase = levelY(shown.base, area.top());
        m_painter.fillRect(QRectF(runBegin, yBase, x - runBegin, bottom - yBase), base);
        m_painter.fillRect(QRectF(runBegin, y, x - runBegin, yBase - y), stash);
        m_painter.fillRect(QRectF(runBegin, y, x - runBegin, m_axis.gap()), line);
        const double from = std::min(y, previous), to = std::max(y, previous);
        m_painter.fillRect(QRectF(runBegin, from, m_axis.gap(), to - from), line);
        previous = y;
        runBegin = x;
    };
    for (double x = runBegin; x < end; x += step) {
        const double last = std::min(m_axis.time(x + step), static_cast<double>(window.end) - 0.5);
        const auto level = series.highest(m_axis.time(x), last);
        if (x > runBegin
            && (levelY(level.total, 0) != levelY(shown.total, 0)
                || levelY(level.base, 0) != levelY(shown.base, 0)))
            flush(x);
        shown = level;
    }
    if (end > runBegin)
        flush(end);
}

MemoryPeak memoryPeak(const RunView& view, DeviceId device, Window window)
{
    const auto& series = view.memory(device);
    const std::int64_t time = series.timeOfPeak(window);
    return {time, series.at(static_cast<double>(time)).total};
}

void SublanePainter::paintPeak(DeviceId device, double top, Window window)
{
    if (m_view.memory(device).isEmpty())
        return;
    const MemoryPeak peak = memoryPeak(m_view, device, window);
    const double x = m_axis.x(static_cast<double>(peak.time));
    if (x < m_axis.left || x > m_axis.right())
        return;
    const double y = levelY(peak.level, top);
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(m_colours.theme().chrome.text);
    m_painter.drawEllipse(QPointF(x, y + 0.5), 2.5, 2.5);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    const Scale bytes = byteScale(static_cast<std::int64_t>(m_view.memoryScale()));
    const QString amount = m_view.hasMemory() ? bytes.text(peak.level) : number(peak.level, 1);
    const QString text = QCoreApplication::translate("app::Memory", "peak %1").arg(amount);
    const QFont font = uiFont(10);
    const double width = QFontMetricsF(font).horizontalAdvance(text);
    const bool isLeft = x - width - 8 >= m_axis.left;
    m_painter.setFont(font);
    m_painter.setPen(m_colours.theme().chrome.text2);
    m_painter.drawText(QPointF(isLeft ? x - width - 6 : x + 6, y - 1), text);
}

} // namespace app
