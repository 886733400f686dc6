#include "app/memory/memory_plots.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

constexpr int kCellHeight = 128, kCellWidth = 250;
constexpr int kHeadWidth = 92, kCellTop = 14, kCellBottom = 24, kCellRight = 12;

} // namespace

MemoryPlots::MemoryPlots(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("memoryPlots"));
    setMouseTracking(true);
}

void MemoryPlots::show(RunViewPointer view, int iteration)
{
    m_view = std::move(view);
    m_iteration = iteration;
    const engine::Run& run = m_view->run();
    m_window = iteration < 0 ? engine::Window{}
                             : run.timeline.iterations[static_cast<std::size_t>(iteration)].window;
    m_highest = m_view->memoryScale();
    m_time = timeScale(run.info, m_window.duration());
    m_bytes = byteScale(static_cast<std::int64_t>(m_highest));
    m_cursor.reset();
    update();
}

int MemoryPlots::heightFor(int width) const
{
    const int columns = std::max(1, width / kCellWidth);
    return std::max(1, (devices() + columns - 1) / columns) * kCellHeight;
}

QRect MemoryPlots::cell(int device) const
{
    const int columns = std::min(std::max(1, width() / kCellWidth), std::max(1, devices()));
    const int column = device % columns, row = device / columns;
    const int left = width() * column / columns;
    return {left, row * kCellHeight, width() * (column + 1) / columns - left, kCellHeight};
}

QRectF MemoryPlots::plot(int device) const
{
    return QRectF(cell(device)).adjusted(kHeadWidth, kCellTop, -kCellRight, -kCellBottom);
}

double MemoryPlots::timeAt(const QRectF& plot, double x) const
{
    return static_cast<double>(m_window.begin)
        + static_cast<double>(m_window.duration()) * (x - plot.left()) / plot.width();
}

QString MemoryPlots::text(double value) const
{
    return m_view->hasMemory() ? m_bytes.withUnit(value) : number(value, 1) + QStringLiteral(" Mₐ");
}

QString MemoryPlots::stashText(engine::DeviceId device) const
{
    const profiler::RunMetrics* metrics = m_view->metrics(m_iteration);
    const std::int64_t stash
        = metrics != nullptr ? metrics->devices[device].peakStashBytes.value_or(0) : 0;
    return m_bytes.text(static_cast<double>(stash));
}

// Draws the highest level of every pixel column, so that no peak is lost.
void MemoryPlots::paintArea(QPainter& painter, int device, const QRectF& plot) const
{
    const MemorySeries& series = seriesOf(device);
    if (series.isEmpty() || m_highest <= 0 || m_window.duration() <= 0)
        return;
    const auto& palette = theme().palette;
    const QColor stash = toQt(profiler::mix(palette.stash, palette.surface, 0.35));
    const auto yOf
        = [&](double value) { return plot.bottom() - plot.height() * value / m_highest; };
    QPainterPath outline;
    for (int x = 0; x < static_cast<int>(plot.width()); ++x) {
        const auto level
            = series.highest(timeAt(plot, plot.left() + x), timeAt(plot, plot.left() + x + 1));
        const double top = yOf(level.total), base = yOf(level.base);
        painter.fillRect(QRectF(plot.left() + x, top, 1, base - top), stash);
        painter.fillRect(QRectF(plot.left() + x, base, 1, plot.bottom() - base),
                         toQt(palette.optimizerState));
        const QPointF at(plot.left() + x, std::round(top) + 0.5);
        if (x == 0)
            outline.moveTo(at);
        else
            outline.lineTo(QPointF(at.x(), outline.currentPosition().y()));
        outline.lineTo(at);
    }
    painter.setPen(QPen(toQt(palette.forward), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(outline);
}

void MemoryPlots::paintHead(QPainter& painter, int device) const
{
    const Chrome& chrome = theme().chrome;
    const QRect box = cell(device).adjusted(12, 8, 0, 0);
    const MemorySeries& series = seriesOf(device);
    const auto highest = series.isEmpty()
        ? MemorySeries::Level{}
        : series.highest(static_cast<double>(m_window.begin), static_cast<double>(m_window.end));
    painter.setPen(chrome.text);
    painter.setFont(uiFont(12, QFont::Medium));
    painter.drawText(QRect(box.left(), box.top(), kHeadWidth, 16), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Device %1").arg(device));
    painter.setFont(uiFont(13, QFont::Medium));
    painter.drawText(QRect(box.left(), box.top() + 22, kHeadWidth, 18),
                     Qt::AlignLeft | Qt::AlignVCenter, text(highest.total));
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    painter.drawText(QRect(box.left(), box.top() + 40, kHeadWidth, 15),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("peak"));
    if (m_view->hasMemory())
        painter.drawText(QRect(box.left(), box.top() + 56, kHeadWidth, 15),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         tr("stash %1").arg(stashText(engine::DeviceId{device})));
}

void MemoryPlots::paintTimes(QPainter& painter, const QRectF& plot) const
{
    const Chrome& chrome = theme().chrome;
    painter.fillRect(QRectF(plot.left(), plot.bottom(), plot.width(), 1), chrome.lineStrong);
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text3);
    const QRectF row(plot.left(), plot.bottom() + 3, plot.width(), 15);
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("0"));
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter,
                     m_time.withUnit(static_cast<double>(m_window.duration())));
}

void MemoryPlots::paintCursor(QPainter& painter, int device, const QRectF& plot) const
{
    const MemorySeries& series = seriesOf(device);
    if (!m_cursor || series.isEmpty())
        return;
    const Chrome& chrome = theme().chrome;
    const double share = (*m_cursor - static_cast<double>(m_window.begin))
        / static_cast<double>(m_window.duration());
    const double x = std::round(plot.left() + plot.width() * share);
    painter.fillRect(QRectF(x, plot.top() - 12, 1, plot.height() + 12), chrome.text);
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setPen(chrome.text);
    const bool isRight = share > 0.6;
    painter.drawText(QRectF(isRight ? x - 124 : x + 4, plot.top() - 14, 120, 14),
                     (isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                     text(series.at(*m_cursor).total));
}

void MemoryPlots::paintCell(QPainter& painter, int device) const
{
    const QRectF area = plot(device);
    const Chrome& chrome = theme().chrome;
    for (int line = 1; line <= 2; ++line)
        painter.fillRect(QRectF(area.left(), std::round(area.bottom() - area.height() * line / 2),
                                area.width(), 1),
                         chrome.grid);
    paintArea(painter, device, area);
    paintTimes(painter, area);
    paintHead(painter, device);
    paintCursor(painter, device, area);
}

void MemoryPlots::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), theme().chrome.surface);
    for (int device = 0; device < devices(); ++device)
        if (cell(device).intersects(event->rect()))
            paintCell(painter, device);
}

void MemoryPlots::mouseMoveEvent(QMouseEvent* event)
{
    m_cursor.reset();
    for (int device = 0; device < devices(); ++device)
        if (const QRectF area = plot(device); area.contains(event->position()))
            m_cursor = timeAt(area, event->position().x());
    update();
}

void MemoryPlots::leaveEvent(QEvent*)
{
    m_cursor.reset();
    update();
}

} // namespace app
