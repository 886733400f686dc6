#include "app/timeline/paint/sublane_painter.h"

#include "app/timeline/paint/columns.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/lanes.h"

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
                 [busy = m_view.transfers(source.device, source.kind)](double time) mutable {
                     return busy.before(time);
                 });
}

void SublanePainter::paintMemory(DeviceId device, const Lane& lane, int iteration)
{
    const Theme& theme = m_colours.theme();
    const QColor forward = toQt(theme.palette.forward), surface = m_colours.surface();
    const MemoryLevels levels{m_view.memory(device),
                              m_view.timeline().iterations,
                              m_axis.snap(lane.memoryTop()),
                              lane.memory,
                              m_view.memoryScale(),
                              {mixed(toQt(theme.palette.optimizerState), surface, 0.25),
                               mixed(forward, surface, theme.isDark() ? 0.45 : 0.58), forward,
                               theme.chrome.line}};
    paintMemoryLevels(m_painter, m_axis, levels);
    if (iteration >= 0 && iteration < static_cast<int>(levels.iterations.size()))
        paintPeak(device, levels, iteration);
}

MemoryPeak memoryPeak(const RunView& view, DeviceId device, Window window)
{
    const auto& series = view.memory(device);
    const std::int64_t time = series.timeOfPeak(window);
    return {time, series.at(static_cast<double>(time)).total};
}

void SublanePainter::paintPeak(DeviceId device, const MemoryLevels& levels, int iteration)
{
    if (levels.series.isEmpty())
        return;
    const MemoryPeak peak
        = memoryPeak(m_view, device, levels.iterations[static_cast<std::size_t>(iteration)].window);
    const double x = m_axis.x(static_cast<double>(peak.time));
    if (x < m_axis.left || x > m_axis.right())
        return;
    const double y = levels.y(m_axis, peak.level);
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
