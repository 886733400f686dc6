#include "app/plan/memory_bars.h"

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/box_painter.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

// Returns the bytes of the stashes for stages of other devices that the device holds at its peak.
double guestBytes(const engine::Run& run, const profiler::DeviceMetrics& device)
{
    const engine::OpIndex index(run.schedule);
    std::int64_t bytes = 0;
    for (const engine::MemoryEvent& event : run.timeline.memory) {
        if (event.time > device.timeOfPeak)
            break;
        if (event.device != device.device.value || event.op == engine::MemoryEvent::kNoOp)
            continue;
        const engine::Op& op = opAt(run.schedule, index, event.op);
        if (run.schedule.device(op.replica, op.stage) != device.device)
            bytes += event.bytes;
    }
    return static_cast<double>(bytes);
}

} // namespace

std::vector<DevicePeak> devicePeaks(const Prediction& prediction)
{
    using engine::MemoryCategory;
    std::vector<DevicePeak> all;
    if (prediction.run == nullptr || prediction.run->timeline.memory.empty())
        return all;
    for (const profiler::DeviceMetrics& device : prediction.metrics.devices) {
        const auto bytes
            = [&](MemoryCategory of) { return static_cast<double>(device.bytesAtPeak[of]); };
        DevicePeak peak{bytes(MemoryCategory::Weights), bytes(MemoryCategory::Gradients),
                        bytes(MemoryCategory::Optimizer), bytes(MemoryCategory::Stash)};
        peak.guests = guestBytes(*prediction.run, device);
        peak.stash -= peak.guests;
        all.push_back(peak);
    }
    return all;
}

namespace {

using enum engine::MemoryCategory;
constexpr std::pair<engine::MemoryCategory, double DevicePeak::*> kParts[]
    = {{Weights, &DevicePeak::weights},
       {Gradients, &DevicePeak::gradients},
       {Optimizer, &DevicePeak::optimizer},
       {Stash, &DevicePeak::stash}};

constexpr int kBarsLeft = 56, kBarsRight = 12, kBarsTop = 26, kBarsBottom = 43, kGroupGap = 24,
              kLegendLine = 17;
constexpr double kBarShare = 0.58, kMostBar = 32;
constexpr double kTick = 25; // GiB

// Returns the distance between the lines of the scale: the smallest of 25, 50, 100, ... GiB that
// gives at most five lines.
double tickOf(double top)
{
    double tick = kTick * scaleIn(Unit::GiB).perUnit();
    while (top / tick > 5)
        tick *= 2;
    return tick;
}

QString summaryOf(const QString& name, const std::vector<DevicePeak>& peaks)
{
    QStringList all;
    for (const DevicePeak& peak : peaks)
        all.append(scaleIn(Unit::GiB).text(peak.sum()));
    return (name.isEmpty() ? QString() : name + QStringLiteral(": "))
        + all.join(QStringLiteral(", "));
}

} // namespace

MemoryBars::MemoryBars(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setMinimumHeight(170);
}

void MemoryBars::show(std::vector<Group> groups, double capacity)
{
    m_groups = std::move(groups);
    m_capacity = capacity;
    m_reason.clear();
    double most = capacity;
    QStringList texts;
    for (const Group& group : m_groups) {
        for (const DevicePeak& peak : group.peaks)
            most = std::max(most, peak.sum());
        for (const double outline : group.outlines)
            most = std::max(most, outline);
        texts.append(summaryOf(group.title, group.peaks));
    }
    m_top = most * 1.08;
    setAccessibleDescription(
        tr("%1 per device. %2.").arg(scaleIn(Unit::GiB).unit(), texts.join(QStringLiteral(". "))));
    update();
}

void MemoryBars::clear(const QString& reason)
{
    m_groups.clear();
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
    const Chrome& chrome = theme().chrome;
    const double tick = tickOf(m_top);
    for (double at = 0; at < m_top; at += tick) {
        const double y = yOf(at, plot);
        painter.fillRect(QRectF(plot.left(), y, plot.width(), 1),
                         at == 0 ? chrome.line : chrome.grid);
        if (plot.left() > kBarsLeft + 1 || std::abs(at - m_capacity) < tick / 4)
            continue;
        paintText(painter, {0, y - 8, kBarsLeft - 8, 16}, scaleIn(Unit::GiB, 0).text(at),
                  uiFont(11), chrome.text3, kAtRight);
    }
}

void MemoryBars::paintGuests(QPainter& painter, const QRectF& box) const
{
    Hatch::ofGuests(toQt(theme().palette.forward), theme().chrome.surface, devicePixelRatioF())
        .fill(painter, box, box.left());
}

void MemoryBars::paintBar(QPainter& painter, const DevicePeak& peak, const QRectF& plot) const
{
    const Theme& theme = this->theme();
    const auto& palette = theme.palette;
    double from = 0;
    const auto part = [&](double bytes, const QBrush& fill) {
        const QRectF box(plot.left(), yOf(from + bytes, plot), plot.width(),
                         yOf(from, plot) - yOf(from + bytes, plot));
        from += bytes;
        painter.fillRect(box, fill);
        return box;
    };
    for (const auto& [category, bytes] : kParts)
        part(peak.*bytes, toQt(palette.*profiler::memoryFill(category)));
    if (peak.guests > 0)
        paintGuests(painter, part(peak.guests, theme.chrome.surface));
    if (peak.sum() > m_capacity) {
        const double top = yOf(peak.sum(), plot);
        painter.fillRect(QRectF(plot.left(), top, plot.width(), yOf(m_capacity, plot) - top),
                         theme.chrome.error);
    }
}

void MemoryBars::paintGroup(QPainter& painter, const Group& group, const QRectF& plot) const
{
    const Chrome& chrome = theme().chrome;
    paintText(painter, {plot.left() + 8, 4, plot.width(), 16}, group.title,
              uiFont(12, QFont::Medium), chrome.text, Qt::AlignLeft);
    paintScale(painter, plot);
    const auto& peaks = group.peaks;
    const double step = plot.width() / static_cast<double>(std::max<std::size_t>(1, peaks.size()));
    const double width = std::max(1.0, std::floor(std::min(kMostBar, step * kBarShare)));
    // Pixels that a label needs. If the devices are closer, only every n-th device has a label.
    constexpr double kLabel = 30;
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kLabel / step)));
    for (std::size_t device = 0; device < peaks.size(); ++device) {
        const double middle = plot.left() + (static_cast<double>(device) + 0.5) * step;
        const QRectF bar(std::round(middle - width / 2), plot.top(), width, plot.height());
        paintBar(painter, peaks[device], bar);
        if (device < group.outlines.size()) {
            painter.setPen(QPen(chrome.text2, 1, Qt::DashLine));
            painter.drawRect(QRectF(QPointF(bar.left() + 0.5, yOf(group.outlines[device], plot)),
                                    QPointF(bar.right() - 0.5, plot.bottom())));
        }
        if (device % every != 0)
            continue;
        const QRectF label(middle - 24, plot.bottom() + 3, 48, 14);
        const double sum = peaks[device].sum();
        paintText(painter, label, QString::number(device), uiFont(11), chrome.text2,
                  Qt::AlignCenter);
        paintText(painter, label.translated(0, 15), scaleIn(Unit::GiB).text(sum),
                  uiFont(11, QFont::Medium), sum > m_capacity ? chrome.error : chrome.text,
                  Qt::AlignCenter);
    }
    painter.fillRect(QRectF(plot.left(), yOf(m_capacity, plot) - 1, plot.width(), 2), chrome.text);
}

// Omits the entries for stashes of a partner and for excess memory if no bar shows them.
std::vector<MemoryBars::Entry> MemoryBars::legend() const
{
    const Theme& theme = this->theme();
    std::vector<Entry> entries;
    for (const auto& [category, bytes] : kParts)
        entries.push_back({fromUtf8(engine::memoryCategoryName(category)),
                           toQt(theme.palette.*profiler::memoryFill(category))});
    const auto any = [this](auto&& condition) {
        return std::ranges::any_of(m_groups, [&](const Group& group) {
            return std::ranges::any_of(group.peaks, condition);
        });
    };
    if (any([](const DevicePeak& peak) { return peak.guests > 0; }))
        entries.push_back({tr("stash of the partner"), {}, Sample::Guests});
    if (any([this](const DevicePeak& peak) { return peak.sum() > m_capacity; }))
        entries.push_back({tr("over usable"), theme.chrome.error});
    entries.push_back({tr("usable"), theme.chrome.text, Sample::Line});
    return entries;
}

std::vector<std::pair<QPointF, MemoryBars::Entry>> MemoryBars::placedLegend() const
{
    constexpr double kGap = 16, kSample = 14;
    const QFontMetricsF metrics(uiFont(11));
    std::vector<std::pair<QPointF, Entry>> placed;
    double all = -kGap;
    for (const Entry& entry : legend())
        all += kSample + metrics.horizontalAdvance(entry.name) + kGap;
    // Starts further left than the bars if the legend does not fit into one line otherwise.
    const double left = kBarsLeft + all <= width() ? kBarsLeft : kBarsRight;
    QPointF at(left, 0);
    for (const Entry& entry : legend()) {
        const double needed = kSample + metrics.horizontalAdvance(entry.name);
        if (at.x() + needed > width() && at.x() > left)
            at = {left, at.y() + kLegendLine};
        placed.emplace_back(at, entry);
        at.rx() += needed + kGap;
    }
    return placed;
}

void MemoryBars::paintLegend(QPainter& painter) const
{
    const auto placed = placedLegend();
    const double top = height() - kLegendLine - placed.back().first.y();
    painter.setFont(uiFont(11));
    painter.setPen(theme().chrome.text2);
    for (const auto& [at, entry] : placed) {
        const QRectF sample(at.x(), top + at.y(), 9, 9);
        if (entry.sample == Sample::Guests)
            paintGuests(painter, sample);
        else
            painter.fillRect(entry.sample == Sample::Line ? sample.adjusted(0, 4, 0, -3) : sample,
                             entry.fill);
        painter.drawText(QPointF(at.x() + 14, top + at.y() + 9), entry.name);
    }
}

void MemoryBars::paintNumbers(QPainter& painter, const QRectF& plot) const
{
    const Chrome& chrome = theme().chrome;
    paintText(painter, {0, yOf(m_capacity, plot) - 8, kBarsLeft - 8, 16},
              scaleIn(Unit::GiB).text(m_capacity), uiFont(11, QFont::Medium), chrome.text,
              kAtRight);
    const QRectF name(0, plot.bottom() + 3, kBarsLeft - 6, 14);
    paintText(painter, name, tr("device"), uiFont(11), chrome.text2, Qt::AlignRight);
    paintText(painter, name.translated(0, 15), tr("peak"), uiFont(11), chrome.text2,
              Qt::AlignRight);
}

void MemoryBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    painter.fillRect(rect(), chrome.surface);
    if (m_groups.empty()) {
        painter.setFont(uiFont(12));
        painter.setPen(chrome.text2);
        painter.drawText(rect().adjusted(12, 0, -12, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         m_reason);
        return;
    }
    const bool hasTitles = !m_groups.front().title.isEmpty();
    const QRectF plot
        = QRectF(rect()).adjusted(kBarsLeft, hasTitles ? kBarsTop : 8, -kBarsRight,
                                  -kBarsBottom - kLegendLine - placedLegend().back().first.y());
    const auto count = static_cast<double>(m_groups.size());
    const double each = (plot.width() - kGroupGap * (count - 1)) / count;
    for (std::size_t i = 0; i < m_groups.size(); ++i)
        paintGroup(painter, m_groups[i],
                   QRectF(plot.left() + static_cast<double>(i) * (each + kGroupGap), plot.top(),
                          each, plot.height()));
    paintNumbers(painter, plot);
    paintLegend(painter);
}

} // namespace app
