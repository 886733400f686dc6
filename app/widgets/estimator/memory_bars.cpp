#include "app/widgets/estimator/memory_bars.h"

#include "app/models/numbers.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace app {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr int kBarsLeft = 56, kBarsRight = 12, kBarsTop = 26, kBarsBottom = 60, kGroupGap = 24;
constexpr double kBarShare = 0.58, kMostBar = 32;
constexpr double kTick = 25 * kGiB;

// 25, 50, 100, ... GiB, so that there are at most five lines.
double tickOf(double top)
{
    double tick = kTick;
    while (top / tick > 5)
        tick *= 2;
    return tick;
}

QString summaryOf(const QString& name, const std::vector<DevicePeak>& peaks)
{
    QStringList all;
    for (const DevicePeak& peak : peaks)
        all.append(number(peak.sum() / kGiB, 1));
    return QStringLiteral("%1: %2").arg(name, all.join(QStringLiteral(", ")));
}

} // namespace

MemoryBars::MemoryBars(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setMinimumHeight(170);
    connect(&theme, &ThemeController::changed, this, qOverload<>(&QWidget::update));
}

QSize MemoryBars::sizeHint() const
{
    return {600, 218};
}

void MemoryBars::show(const BpipeMemory& memory, double capacity)
{
    m_memory = memory;
    m_capacity = capacity;
    m_reason.clear();
    double most = capacity;
    for (const auto* group : {&memory.oneFOneB, &memory.bpipe})
        for (const DevicePeak& peak : *group)
            most = std::max(most, peak.sum());
    m_top = most * 1.08;
    setAccessibleDescription(
        tr("GiB of each device. %1. %2.")
            .arg(summaryOf(tr("1F1B"), memory.oneFOneB), summaryOf(tr("BPipe"), memory.bpipe)));
    update();
}

void MemoryBars::clear(const QString& reason)
{
    m_memory = {};
    m_reason = reason;
    setAccessibleDescription(reason);
    update();
}

double MemoryBars::yOf(double bytes, const QRectF& plot) const
{
    return std::round(plot.bottom() - plot.height() * bytes / m_top);
}

void MemoryBars::paintScale(QPainter& painter, const QRectF& plot) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    const double tick = tickOf(m_top);
    for (double at = 0; at < m_top; at += tick) {
        const double y = yOf(at, plot);
        painter.fillRect(QRectF(plot.left(), y, plot.width(), 1),
                         at == 0 ? chrome.line : chrome.grid);
        if (plot.left() > kBarsLeft + 1 || std::abs(at - m_capacity) < tick / 4)
            continue;
        painter.setPen(chrome.text3);
        painter.drawText(QRectF(0, y - 8, kBarsLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         number(at / kGiB, 0));
    }
}

void MemoryBars::paintBar(QPainter& painter, const DevicePeak& peak, double left, double width,
                          const QRectF& plot) const
{
    const Theme& theme = m_theme.theme();
    const auto& palette = theme.palette;
    double from = 0;
    const auto part = [&](double bytes, const QBrush& fill) {
        const QRectF box(left, yOf(from + bytes, plot), width,
                         yOf(from, plot) - yOf(from + bytes, plot));
        from += bytes;
        painter.fillRect(box, fill);
        return box;
    };
    part(peak.weights, toQt(palette.weights));
    part(peak.gradients, toQt(palette.gradients));
    part(peak.optimizer, toQt(palette.optimizerState));
    part(peak.stash, toQt(palette.stash));
    const QRectF guests = part(peak.guests, theme.chrome.surface);
    painter.fillRect(guests, QBrush(toQt(palette.stash), Qt::BDiagPattern));
    painter.setPen(toQt(palette.stash));
    if (guests.height() > 2)
        painter.drawRect(guests.adjusted(0.5, 0.5, -0.5, -0.5));
    if (peak.sum() > m_capacity) {
        const double top = yOf(peak.sum(), plot);
        painter.fillRect(QRectF(left, top, width, yOf(m_capacity, plot) - top), theme.chrome.error);
    }
}

void MemoryBars::paintGroup(QPainter& painter, const QString& title,
                            const std::vector<DevicePeak>& peaks, const QRectF& plot) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    painter.setPen(chrome.text);
    painter.setFont(uiFont(12, QFont::Medium));
    painter.drawText(QRectF(plot.left() + 8, 4, plot.width(), 16), Qt::AlignLeft, title);
    painter.setFont(uiFont(11));
    paintScale(painter, plot);
    const double step = plot.width() / static_cast<double>(std::max<std::size_t>(1, peaks.size()));
    const double width = std::max(1.0, std::floor(std::min(kMostBar, step * kBarShare)));
    constexpr double kLabel = 30; // width of a label, so that every n-th device has one
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kLabel / step)));
    for (std::size_t device = 0; device < peaks.size(); ++device) {
        const double middle = plot.left() + (static_cast<double>(device) + 0.5) * step;
        paintBar(painter, peaks[device], std::round(middle - width / 2), width, plot);
        if (device % every != 0)
            continue;
        const QRectF label(middle - 24, plot.bottom() + 3, 48, 14);
        painter.setFont(uiFont(11));
        painter.setPen(chrome.text2);
        painter.drawText(label, Qt::AlignCenter, QString::number(device));
        painter.setFont(uiFont(11, QFont::Medium));
        painter.setPen(peaks[device].sum() > m_capacity ? chrome.error : chrome.text);
        painter.drawText(label.translated(0, 15), Qt::AlignCenter,
                         number(peaks[device].sum() / kGiB, 1));
    }
    painter.fillRect(QRectF(plot.left(), yOf(m_capacity, plot) - 1, plot.width(), 2), chrome.text);
}

void MemoryBars::paintLegend(QPainter& painter) const
{
    const Theme& theme = m_theme.theme();
    const auto& palette = theme.palette;
    struct Entry
    {
        QString name;
        QBrush fill;
    };
    const std::array entries{
        Entry{tr("weights"), toQt(palette.weights)},
        Entry{tr("gradients"), toQt(palette.gradients)},
        Entry{tr("optimizer state"), toQt(palette.optimizerState)},
        Entry{tr("stash"), toQt(palette.stash)},
        Entry{tr("stash of the partner"), QBrush(toQt(palette.stash), Qt::BDiagPattern)},
        Entry{tr("over capacity"), theme.chrome.error}};
    painter.setFont(uiFont(11));
    const QFontMetricsF metrics(painter.font());
    double x = kBarsLeft;
    for (const Entry& entry : entries) {
        const double room = 14 + metrics.horizontalAdvance(entry.name);
        if (x + room > width())
            break;
        painter.fillRect(QRectF(x, height() - 17, 9, 9), entry.fill);
        painter.setPen(theme.chrome.text2);
        painter.drawText(QPointF(x + 14, height() - 8), entry.name);
        x += room + 16;
    }
}

void MemoryBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = m_theme.theme().chrome;
    painter.fillRect(rect(), chrome.surface);
    if (m_memory.oneFOneB.empty()) {
        painter.setFont(uiFont(12));
        painter.setPen(chrome.text2);
        painter.drawText(rect().adjusted(12, 0, -12, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         m_reason);
        return;
    }
    const QRectF plot = QRectF(rect()).adjusted(kBarsLeft, kBarsTop, -kBarsRight, -kBarsBottom);
    const double half = (plot.width() - kGroupGap) / 2;
    paintGroup(painter, tr("1F1B, without BPipe"), m_memory.oneFOneB,
               QRectF(plot.left(), plot.top(), half, plot.height()));
    paintGroup(painter, tr("BPipe"), m_memory.bpipe,
               QRectF(plot.right() - half, plot.top(), half, plot.height()));
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setPen(chrome.text);
    painter.drawText(QRectF(0, yOf(m_capacity, plot) - 8, kBarsLeft - 8, 16),
                     Qt::AlignRight | Qt::AlignVCenter, number(m_capacity / kGiB, 1));
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    const QRectF name(0, plot.bottom() + 3, kBarsLeft - 6, 14);
    painter.drawText(name, Qt::AlignRight, tr("device"));
    painter.drawText(name.translated(0, 15), Qt::AlignRight, tr("peak"));
    paintLegend(painter);
}

} // namespace app
