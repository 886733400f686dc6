#include "app/timeline/paint/header_painter.h"

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/labels.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "profiler/analysis/run_measures.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using engine::OpKind;
using Emphasis = BoxColours::Emphasis;

// Splits the live bytes of a device by category. Takes the bytes of weights, gradients and
// optimizer state from the peak of an iteration, because they do not change during the run.
std::vector<MemoryPart> liveParts(const RunningBar& running, const profiler::Palette& palette)
{
    using enum engine::MemoryCategory;
    const MemorySeries::Level& live = running.memory.live;
    std::vector<MemoryPart> parts;
    double rest = live.base;
    for (const engine::MemoryCategory category : profiler::kMemoryStack) {
        const auto atPeak = static_cast<double>(running.device.bytesAtPeak[category]);
        const double bytes = category == Stash ? live.total - live.base
            : category == Buffers              ? rest
                                               : std::min(rest, atPeak);
        parts.push_back({toQt(palette.*profiler::memoryFill(category)), bytes});
        rest -= bytes;
    }
    return parts;
}

void paintAmounts(QPainter& painter, const RunningBar& running, const Chrome& chrome)
{
    const RunningMemory& memory = running.memory;
    const Scale bytes = byteScale(static_cast<std::int64_t>(running.scale));
    struct Line
    {
        std::optional<double> amount;
        QString name;
        bool isError = false;
    };
    const Line lines[] = {{memory.live.total, tr("live")},
                          {memory.touched, tr("touched"), memory.isOverArena()},
                          {memory.arena, tr("arena")},
                          {memory.plan, tr("plan"), memory.isOverPlan}};
    const double step = std::min(17.0, std::floor(running.amounts.height() / 4));
    QRectF row(running.amounts.left(), running.amounts.top(), running.amounts.width(), step);
    for (const Line& line : lines) {
        const bool isLive = &line == lines;
        const QString amount = line.amount ? bytes.text(*line.amount) : QStringLiteral("–");
        painter.setFont(uiFont(11, isLive ? QFont::Medium : QFont::Normal));
        painter.setPen(line.isError ? chrome.error : isLive ? chrome.text : chrome.text2);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, amount);
        const double taken = QFontMetricsF(painter.font()).horizontalAdvance(amount) + 4;
        painter.setFont(uiFont(10));
        painter.drawText(row.adjusted(taken, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(painter.font())
                             .elidedText(line.name, Qt::ElideRight, row.width() - taken));
        row.translate(0, step);
    }
}

constexpr double kLeft = 24, kBar = 100;

const profiler::DeviceMetrics* metricsOf(const RunView& view, engine::DeviceId device,
                                         int iteration)
{
    const auto* metrics = view.metrics(iteration);
    if (!metrics || !metrics->devices.has(device))
        return nullptr;
    return &metrics->devices[device];
}

void paintFold(QPainter& painter, bool isOpen, QPointF centre, QColor colour)
{
    QPen pen(colour, 1.3);
    pen.setCapStyle(Qt::RoundCap);
    painter.setPen(pen);
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF chevron{{-3.5, -2}, {0, 2}, {3.5, -2}};
    if (!isOpen)
        std::ranges::for_each(chevron, [](QPointF& point) { point = point.transposed(); });
    painter.drawPolyline(chevron.translated(centre));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

QString rowName(const KernelView& kernels, engine::DeviceId device, int row)
{
    const auto role = kernels.row(device, row).role;
    int number = 0, same = 0;
    for (int k = 0; k < kernels.rows()[device]; ++k) {
        same += kernels.row(device, k).role == role ? 1 : 0;
        number += k <= row && kernels.row(device, k).role == role ? 1 : 0;
    }
    const QString name = role == profiler::DeviceStream::Role::Compute ? tr("kernels")
        : role == profiler::DeviceStream::Role::Copy                   ? tr("copies")
                                                                       : tr("NCCL");
    return same > 1 ? tr("%1 %2").arg(name).arg(number) : name;
}

void paintKernelLabels(QPainter& painter, const LaneCell& cell)
{
    if (cell.kernels == nullptr)
        return;
    const auto label = [&](double top, double height, const QString& name) {
        paintText(painter,
                  QRectF(cell.area.left(), cell.area.top() + top - cell.lane.top,
                         cell.area.width() - 8, height),
                  name, uiFont(10), cell.colours.theme().chrome.text2, kAtRight);
    };
    for (int row = 0; row < cell.lane.ranges; ++row)
        label(cell.lane.rangeTop(row), Lane::kKernel,
              cell.lane.ranges > 1 ? tr("NVTX %1").arg(row + 1) : tr("NVTX"));
    for (int row = 0; row < cell.lane.kernels; ++row)
        label(cell.lane.kernelTop(row), cell.lane.kernel, rowName(*cell.kernels, cell.device, row));
}

QString reduceRowTitle(const RunView& view)
{
    const Occurrence& occurs = view.occurs();
    if (!occurs.has(OpKind::Evict))
        return tr("all-reduce");
    return occurs.has(OpKind::AllReduce) ? tr("all-reduce, moves") : tr("evict, load");
}

void paintSublaneLabels(QPainter& painter, const RunView& view, const Theme& theme,
                        const Lane& lane, const QRectF& area)
{
    const double offset = area.top() - lane.top;
    const auto label = [&](double top, double height, const QString& text) {
        paintText(painter, QRectF(area.left(), offset + top, area.width() - 8, height), text,
                  uiFont(10), theme.chrome.text2, kAtRight);
    };
    if (lane.hasOneStrip) {
        label(lane.sendTop(), Lane::kTransfer, tr("messages"));
    } else {
        label(lane.sendTop(), Lane::kTransfer, tr("P2P out"));
        label(lane.receiveTop(), Lane::kTransfer, tr("P2P in"));
        label(lane.reduceTop(), Lane::kTransfer, reduceRowTitle(view));
    }
    if (view.knowsMemory())
        label(lane.memoryTop() + 6, lane.memory - 6,
              view.hasMemory() ? tr("memory") : tr("stash, M\xE2\x82\x90"));
}

// Paints the name of a collapsed group, and the number of its devices if the lane is high enough.
void paintGroupHeader(QPainter& painter, const LaneCell& cell)
{
    constexpr double kTwoLinesFrom = 40, kNextLine = 17;
    const Theme& theme = cell.colours.theme();
    const bool hasTwoLines = cell.area.height() >= kTwoLinesFrom;
    const double middle = cell.area.center().y() - (hasTwoLines ? kNextLine / 2 : 0);
    paintFold(painter, false, {cell.area.left() + 13, middle}, theme.chrome.text2);
    const QRectF row(cell.area.left() + kLeft, std::round(middle - 9), kBar, 18);
    const QFont font = uiFont(hasTwoLines ? 13 : 11, QFont::Medium);
    paintText(
        painter, row,
        QFontMetricsF(font).elidedText(fromUtf8(cell.lane.group.name), Qt::ElideRight, row.width()),
        font, theme.chrome.text);
    if (hasTwoLines)
        paintText(painter, row.translated(0, kNextLine),
                  countOf(std::ssize(cell.lane.group.devices), "device"), uiFont(11),
                  theme.chrome.text2);
}

void paintDenseHeader(QPainter& painter, const RunView& view, const Theme& theme,
                      engine::DeviceId device, const QRectF& area)
{
    const QFont font = uiFont(11);
    const QRectF row = area.adjusted(kLeft, 0, -16, 0);
    paintText(painter, row, tr("device %1").arg(device.value), font, theme.chrome.text);
    paintText(painter, row,
              QFontMetricsF(font).elidedText(stagesText(view.run(), device), Qt::ElideRight,
                                             row.width() - 62),
              font, theme.chrome.text2, kAtRight);
}

struct MemoryText
{
    QString amount, unit, second;
};

MemoryText memoryText(const RunView& view, const profiler::DeviceMetrics& metrics)
{
    if (view.hasMemory()) {
        const Scale bytes = byteScale(static_cast<std::int64_t>(view.memoryScale()));
        return {bytes.text(metrics.peakBytes.value_or(0)), bytes.unit(),
                metrics.peakStashBytes ? tr("stash %1").arg(bytes.text(*metrics.peakStashBytes))
                                       : QString()};
    }
    return {
        number(metrics.peakStash, 1), QString::fromUtf8("Mₐ"),
        tr("weights %1 M\xCE\xB8")
            .arg(number(metrics.weights, metrics.weights == std::floor(metrics.weights) ? 0 : 1))};
}

void writeAmount(QPainter& painter, const MemoryText& text, const Theme& theme, QPointF at)
{
    painter.setFont(uiFont(13, QFont::Medium));
    painter.setPen(theme.chrome.text);
    painter.drawText(at, text.amount);
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text.amount);
    painter.setFont(uiFont(11));
    painter.setPen(theme.chrome.text2);
    painter.drawText(at + QPointF(width + 4, 0), text.unit);
}

// Whether the header shows a RunningBar: the run has not ended, and the lane is high enough and
// shows a single device.
bool showsRunningMemory(const RunView& view, const Lane& lane)
{
    return lane.height >= kStandingFrom && lane.group.devices.empty()
        && view.runningMemoryScale() > 0;
}

// The device of the group that needs the most memory.
engine::DeviceId fullestOf(const LaneGroup& group, const RunView& view,
                           const profiler::RunMetrics& metrics)
{
    return engine::DeviceId{*std::ranges::max_element(group.devices, {}, [&](int device) {
        return memoryPeak(view, metrics.devices[engine::DeviceId{device}]);
    })};
}

// The mean over the devices that have a trace; nullopt if none of them has one.
std::optional<std::int64_t> meanBubble(std::span<const int> devices,
                                       const profiler::RunMetrics& metrics)
{
    std::int64_t sum = 0, recorded = 0;
    for (const int device : devices) {
        const profiler::DeviceMetrics& one = metrics.devices[engine::DeviceId{device}];
        sum += one.bubble;
        recorded += one.isRecorded() ? 1 : 0;
    }
    return recorded > 0 ? std::optional(sum / recorded) : std::nullopt;
}

void paintBubbleCell(QPainter& painter, const profiler::RunMetrics& metrics,
                     std::optional<std::int64_t> bubble, const Theme& theme, const QRectF& area)
{
    const auto writeValue = [&](const QString& value) {
        paintText(painter, area.adjusted(0, 0, -10, 0), value, uiFont(11), theme.chrome.text,
                  kAtRight);
    };
    if (!bubble || !std::isfinite(metrics.bubbleRatio))
        return writeValue(QStringLiteral("–"));
    const auto duration = static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
    double largest = 1e-9;
    for (const auto& one : metrics.devices)
        largest = std::max(largest, static_cast<double>(one.bubble) / duration);
    largest = std::max(largest, metrics.bubbleRatio);
    const double share = static_cast<double>(*bubble) / duration;
    const QRectF bar(area.left() + 12, std::round(area.center().y() - 4.5), 68, 9);
    painter.fillRect(bar, theme.chrome.hover);
    painter.fillRect(QRectF(bar.left(), bar.top(), std::round(bar.width() * share / largest), 9),
                     toQt(theme.palette.gradients));
    painter.fillRect(QRectF(bar.left() + std::round(bar.width() * metrics.bubbleRatio / largest),
                            area.top(), 1, area.height()),
                     theme.chrome.text);
    writeValue(number(100 * share, 1));
}

} // namespace

std::vector<MemoryPart> memoryParts(const RunView& view, const profiler::DeviceMetrics& device,
                                    const Theme& theme)
{
    const auto& palette = theme.palette;
    if (!view.hasMemory())
        return {{toQt(palette.stash), device.peakStash}};
    std::vector<MemoryPart> parts;
    for (const engine::MemoryCategory category : profiler::kMemoryStack)
        parts.push_back({toQt(palette.*profiler::memoryFill(category)),
                         static_cast<double>(device.bytesAtPeak[category])});
    return parts;
}

double memoryPeak(const RunView& view, const profiler::DeviceMetrics& device)
{
    return view.hasMemory() ? static_cast<double>(device.peakBytes.value_or(0)) : device.peakStash;
}

void paintRunningMemory(QPainter& painter, const RunningBar& running, const Theme& theme)
{
    constexpr double kPaleShare = 0.72;
    const auto& [memory, device, bar, amounts, scale] = running;
    const auto upTo = [&](double bytes) {
        const double height = std::round(bar.height() * bytes / scale);
        return QRectF(bar.left(), bar.bottom() - height, bar.width(), height);
    };
    const QColor pale = mixed(toQt(theme.palette.forward), theme.chrome.surface, kPaleShare);
    painter.fillRect(upTo(static_cast<double>(memory.touched.value_or(0))),
                     memory.isOverArena() ? theme.chrome.error : pale);
    paintMemoryParts(painter, liveParts(running, theme.palette), scale, bar);
    painter.setPen(theme.chrome.text2);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(upTo(static_cast<double>(memory.arena)).adjusted(0.5, 0.5, -0.5, -0.5));
    const QPointF tip = upTo(static_cast<double>(memory.plan)).topLeft();
    fillPolygon(painter, {tip, tip + QPointF(-5, -3.5), tip + QPointF(-5, 3.5)},
                memory.isOverPlan ? theme.chrome.error : theme.chrome.text);
    paintAmounts(painter, running, theme.chrome);
}

void paintMemoryParts(QPainter& painter, const std::vector<MemoryPart>& parts, double scale,
                      const QRectF& bar)
{
    const bool stands = bar.height() > bar.width();
    const double length = stands ? bar.height() : bar.width();
    double at = 0;
    for (const auto& part : parts) {
        const double from = std::round(at * length),
                     to = std::round((at + part.amount / scale) * length);
        at += part.amount / scale;
        painter.fillRect(stands ? QRectF(bar.left(), bar.bottom() - to, bar.width(), to - from)
                                : QRectF(bar.left() + from, bar.top(), to - from, bar.height()),
                         part.fill);
    }
}

void paintShareBar(QPainter& painter, const profiler::DeviceMetrics& metrics,
                   const BoxColours& colours, const QRectF& area)
{
    using enum OpKind;
    painter.fillRect(area, colours.theme().chrome.selected);
    double x = area.left();
    double sum = 0;
    const auto add = [&](std::int64_t ticks, QColor fill) {
        sum += static_cast<double>(ticks)
            / static_cast<double>(std::max<std::int64_t>(1, metrics.whole));
        const double right = area.left() + std::round(area.width() * std::min(1.0, sum));
        painter.fillRect(QRectF(x, area.top(), right - x, area.height()), fill);
        x = right;
    };
    const auto kind = [&](OpKind of) { return metrics.byKind[of]; };
    const auto fill = [&](OpKind of) { return colours.look(of, 0, Emphasis::Normal).flat; };
    add(kind(Forward), fill(Forward));
    add(kind(Backward) + kind(BackwardInput), fill(Backward));
    add(kind(BackwardWeight), fill(BackwardWeight));
    add(kind(Recompute), fill(Recompute));
    add(kind(OptimizerStep), fill(OptimizerStep));
    add(metrics.exposedCommunication, colours.exposed(Emphasis::Normal).fill);
}

void paintHeader(QPainter& painter, const LaneCell& cell)
{
    const auto& [view, colours, device, lane, iteration, area, kernels] = cell;
    const Theme& theme = colours.theme();
    if (!lane.group.devices.empty()) {
        paintGroupHeader(painter, cell);
        return;
    }
    if (lane.kind == LaneKind::Dense) {
        paintDenseHeader(painter, view, theme, device, area);
        return;
    }
    // The labels of the sub-lanes start at the lower edge of the boxes. Therefore the lines of text
    // are closer together on low lanes, and the stages are omitted on the lowest lanes.
    constexpr double kTwoLinesFrom = 36, kTwoLines = 46, kOneLine = 28;
    const bool isLow = lane.compute < kTwoLinesFrom;
    const double rest = area.height() - lane.kernelsHeight();
    const double top = area.top()
        + (lane.kind == LaneKind::Full ? 8
                                       : std::round((rest - (isLow ? kOneLine : kTwoLines)) / 2));
    paintFold(painter, lane.kind == LaneKind::Full, {area.left() + 13, top + 9},
              theme.chrome.text2);
    const QRectF row(area.left() + kLeft, top, kBar, 18);
    const QFont small = uiFont(11);
    const QString shown
        = QFontMetricsF(small).elidedText(deviceText(view.run(), device), Qt::ElideRight, kBar);
    const double lower = std::min(0.0, lane.compute - LaneOptions::kUsual);
    paintText(painter, row, tr("Device %1").arg(device.value), uiFont(13, QFont::Medium),
              theme.chrome.text);
    if (!isLow)
        paintText(painter, row.translated(0, std::round(17 + 0.5 * lower)), shown, small,
                  theme.chrome.text2);
    const auto* metrics = metricsOf(view, device, iteration);
    if (metrics != nullptr && profiler::knowsTimes(view.run())) {
        const double busy = static_cast<double>(metrics->compute)
            / static_cast<double>(std::max<std::int64_t>(1, metrics->whole));
        if (hasTrace(view.run(), device))
            paintText(painter, row, percent(busy, 0), small, theme.chrome.text2, kAtRight);
        paintShareBar(
            painter, *metrics, colours,
            QRectF(row.left(), std::round(top + (isLow ? 21 : 34 + 0.7 * lower)), kBar, 4));
    }
    paintKernelLabels(painter, cell);
    if (lane.kind == LaneKind::Full)
        paintSublaneLabels(painter, view, theme, lane, area);
}

QString memoryTitle(const RunView& view, const Lane& lane)
{
    if (lane.kind == LaneKind::Dense)
        return tr("Bubble, %");
    if (showsRunningMemory(view, lane))
        return tr("Memory now, %1")
            .arg(byteScale(static_cast<std::int64_t>(view.runningMemoryScale())).unit());
    return view.hasMemory() || !view.knowsMemory() ? tr("Peak memory") : tr("Peak stash");
}

QString groupCellText(const RunView& view, const Lane& lane, int iteration)
{
    const auto* metrics = view.metrics(iteration);
    if (!metrics || lane.group.devices.empty())
        return {};
    const QString devices = countOf(std::ssize(lane.group.devices), "device");
    if (lane.kind == LaneKind::Dense)
        return tr("Mean bubble of %1").arg(devices);
    const engine::DeviceId device = fullestOf(lane.group, view, *metrics);
    const MemoryText text = memoryText(view, metrics->devices[device]);
    return tr("The largest peak of %1: %2 %3 on device %4")
        .arg(devices, text.amount, text.unit, QString::number(device.value));
}

void paintMemoryCell(QPainter& painter, const LaneCell& cell)
{
    const auto& [view, colours, first, lane, iteration, area, kernels] = cell;
    const Theme& theme = colours.theme();
    if (metricsOf(view, first, iteration) == nullptr)
        return;
    const profiler::RunMetrics& all = *view.metrics(iteration);
    const bool isGroup = !lane.group.devices.empty();
    if (lane.kind == LaneKind::Dense) {
        const std::span<const int> devices
            = isGroup ? std::span(lane.group.devices) : std::span(&first.value, 1);
        paintBubbleCell(painter, all, meanBubble(devices, all), theme, area);
        return;
    }
    const engine::DeviceId device = isGroup ? fullestOf(lane.group, view, all) : first;
    const auto* metrics = &all.devices[device];
    if (!view.knowsMemory() || !hasTrace(view.run(), device)) {
        paintText(painter, area.adjusted(16, 14, 0, 0), tr("not recorded"), uiFont(11),
                  theme.chrome.text2, Qt::AlignLeft | Qt::AlignTop);
        return;
    }
    double scale = std::max(1e-9, view.runningMemoryScale());
    for (const auto& one : all.devices)
        scale = std::max(scale, memoryPeak(view, one));
    const MemoryText text = memoryText(view, *metrics);
    const bool stands = area.height() >= kStandingFrom;
    const QRectF bar = stands ? QRectF(area.left() + 16, area.top() + 14, 22, area.height() - 28)
                              : QRectF(area.left() + 16, area.top() + 16, 92, 6);
    const auto running = view.runningMemory(device);
    if (running && showsRunningMemory(view, lane)) {
        const QRectF amounts(QPointF(bar.right() + 8, bar.top()),
                             QPointF(area.right() - 4, bar.bottom()));
        paintRunningMemory(painter, {*running, *metrics, bar, amounts, scale}, theme);
        return;
    }
    painter.fillRect(bar, theme.chrome.hover);
    paintMemoryParts(painter, memoryParts(view, *metrics, theme), scale, bar);
    if (stands) {
        writeAmount(painter, text, theme, {bar.right() + 12, bar.top() + 22});
        painter.setFont(uiFont(11));
        const QPointF second(bar.right() + 12, bar.top() + 39 - painter.fontMetrics().ascent());
        drawSubscripted(painter, QRectF(second, QPointF(area.right(), bar.bottom())),
                        Qt::AlignLeft | Qt::AlignTop,
                        isGroup ? tr("device %1").arg(device.value) : text.second);
    } else {
        writeAmount(painter, text, theme, {bar.left(), bar.bottom() + 18});
        if (isGroup)
            paintText(painter, {bar.left(), bar.bottom() + 6, bar.width(), 16},
                      tr("dev. %1").arg(device.value), uiFont(11), theme.chrome.text2,
                      Qt::AlignRight | Qt::AlignBottom);
    }
}

} // namespace app
