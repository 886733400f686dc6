#include "app/timeline/paint/header_painter.h"

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
        const QColor& ink = line.isError ? chrome.error : isLive ? chrome.text : chrome.text2;
        const QFont font = uiFont(11, isLive ? QFont::Medium : QFont::Normal), small = uiFont(10);
        const double taken = QFontMetricsF(font).horizontalAdvance(amount) + 4;
        paintText(painter, row, amount, font, ink);
        paintText(painter, row.adjusted(taken, 0, 0, 0),
                  QFontMetricsF(small).elidedText(line.name, Qt::ElideRight, row.width() - taken),
                  small, ink);
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

QString reduceRowTitle(const RunView& view)
{
    const Occurrence& occurs = view.occurs();
    if (!occurs.has(OpKind::Evict))
        return tr("all-reduce");
    return occurs.has(OpKind::AllReduce) ? tr("all-reduce, moves") : tr("evict, load");
}

// Names the rows of kernels, messages and memory.
void paintRowLabels(const LaneCanvas& on, const LaneCell& cell)
{
    const Lane& lane = on.lane(cell.device);
    const auto label = [&](double top, double height, const QString& text) {
        paintText(on.painter,
                  QRectF(cell.area.left(), cell.area.top() + top - lane.top, cell.area.width() - 8,
                         height),
                  text, uiFont(10), on.chrome().text2, kAtRight);
    };
    for (int row = 0; cell.kernels != nullptr && row < lane.ranges; ++row)
        label(lane.rangeTop(row), Lane::kKernel,
              lane.ranges > 1 ? tr("NVTX %1").arg(row + 1) : tr("NVTX"));
    for (int row = 0; cell.kernels != nullptr && row < lane.kernels; ++row)
        label(lane.kernelTop(row), lane.kernel, rowName(*cell.kernels, cell.device, row));
    if (lane.kind != LaneKind::Full)
        return;
    if (lane.hasOneStrip) {
        label(lane.sendTop(), Lane::kTransfer, tr("messages"));
    } else {
        label(lane.sendTop(), Lane::kTransfer, tr("sent"));
        label(lane.receiveTop(), Lane::kTransfer, tr("received"));
        label(lane.reduceTop(), Lane::kTransfer, reduceRowTitle(on.view));
    }
    if (on.view.knowsMemory())
        label(lane.memoryTop() + 6, lane.memory - 6,
              on.view.hasMemory() ? tr("memory") : tr("stash, M\xE2\x82\x90"));
}

// Paints the name of a collapsed group, and the number of its devices if the lane is high enough.
void paintGroupHeader(const LaneCanvas& on, const LaneCell& cell)
{
    constexpr double kTwoLinesFrom = 40, kNextLine = 17;
    const LaneGroup& group = on.lane(cell.device).group;
    const bool hasTwoLines = cell.area.height() >= kTwoLinesFrom;
    const double middle = cell.area.center().y() - (hasTwoLines ? kNextLine / 2 : 0);
    paintFold(on.painter, false, {cell.area.left() + 13, middle}, on.chrome().text2);
    const QRectF row(cell.area.left() + kLeft, std::round(middle - 9), kBar, 18);
    const QFont font = uiFont(hasTwoLines ? 13 : 11, QFont::Medium);
    paintText(on.painter, row,
              QFontMetricsF(font).elidedText(fromUtf8(group.name), Qt::ElideRight, row.width()),
              font, on.chrome().text);
    if (hasTwoLines)
        paintText(on.painter, row.translated(0, kNextLine),
                  countOf(std::ssize(group.devices), "device"), uiFont(11), on.chrome().text2);
}

void paintDenseHeader(const LaneCanvas& on, const LaneCell& cell)
{
    const QFont font = uiFont(11);
    const QRectF row = cell.area.adjusted(kLeft, 0, -16, 0);
    paintText(on.painter, row, tr("device %1").arg(cell.device.value), font, on.chrome().text);
    paintText(on.painter, row,
              QFontMetricsF(font).elidedText(stagesText(on.view.run(), cell.device), Qt::ElideRight,
                                             row.width() - 62),
              font, on.chrome().text2, kAtRight);
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

void writeAmount(const LaneCanvas& on, const MemoryText& text, QPointF at)
{
    const double width
        = paintText(on.painter, at, text.amount, uiFont(13, QFont::Medium), on.chrome().text);
    paintText(on.painter, at + QPointF(width + 4, 0), text.unit, uiFont(11), on.chrome().text2);
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

void paintBubbleCell(const LaneCanvas& on, const profiler::RunMetrics& metrics,
                     std::optional<std::int64_t> bubble, const QRectF& area)
{
    const auto writeValue = [&](const QString& value) {
        paintText(on.painter, area.adjusted(0, 0, -10, 0), value, uiFont(11), on.chrome().text,
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
    on.painter.fillRect(bar, on.chrome().hover);
    on.painter.fillRect(QRectF(bar.left(), bar.top(), std::round(bar.width() * share / largest), 9),
                        toQt(on.theme().palette.gradients));
    on.painter.fillRect(QRectF(bar.left() + std::round(bar.width() * metrics.bubbleRatio / largest),
                               area.top(), 1, area.height()),
                        on.chrome().text);
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

void paintHeader(const LaneCanvas& on, const LaneCell& cell)
{
    const auto& [device, iteration, area, kernels] = cell;
    const Lane& lane = on.lane(device);
    if (!lane.group.devices.empty())
        return paintGroupHeader(on, cell);
    if (lane.kind == LaneKind::Dense)
        return paintDenseHeader(on, cell);
    // The labels of the sub-lanes start at the lower edge of the boxes. Therefore the lines of text
    // are closer together on low lanes, and the stages are omitted on the lowest lanes.
    constexpr double kTwoLinesFrom = 36, kTwoLines = 46, kOneLine = 28;
    const bool isLow = lane.compute < kTwoLinesFrom;
    const double rest = area.height() - lane.kernelsHeight();
    const double top = area.top()
        + (lane.kind == LaneKind::Full ? 8
                                       : std::round((rest - (isLow ? kOneLine : kTwoLines)) / 2));
    paintFold(on.painter, lane.kind == LaneKind::Full, {area.left() + 13, top + 9},
              on.chrome().text2);
    const QRectF row(area.left() + kLeft, top, kBar, 18);
    const QFont small = uiFont(11);
    const engine::Run& run = on.view.run();
    const double lower = std::min(0.0, lane.compute - LaneOptions::kUsual);
    paintText(on.painter, row, tr("Device %1").arg(device.value), uiFont(13, QFont::Medium),
              on.chrome().text);
    if (!isLow)
        paintText(on.painter, row.translated(0, std::round(17 + 0.5 * lower)),
                  QFontMetricsF(small).elidedText(deviceText(run, device), Qt::ElideRight, kBar),
                  small, on.chrome().text2);
    const auto* metrics = metricsOf(on.view, device, iteration);
    if (metrics != nullptr && profiler::knowsTimes(run)) {
        const double busy = static_cast<double>(metrics->compute)
            / static_cast<double>(std::max<std::int64_t>(1, metrics->whole));
        if (hasTrace(run, device))
            paintText(on.painter, row, percent(busy, 0), small, on.chrome().text2, kAtRight);
        paintShareBar(
            on.painter, *metrics, on.colours,
            QRectF(row.left(), std::round(top + (isLow ? 21 : 34 + 0.7 * lower)), kBar, 4));
    }
    paintRowLabels(on, cell);
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

void paintMemoryCell(const LaneCanvas& on, const LaneCell& cell)
{
    const auto& [first, iteration, area, kernels] = cell;
    const RunView& view = on.view;
    const Lane& lane = on.lane(first);
    if (metricsOf(view, first, iteration) == nullptr)
        return;
    const profiler::RunMetrics& all = *view.metrics(iteration);
    const bool isGroup = !lane.group.devices.empty();
    if (lane.kind == LaneKind::Dense) {
        const std::span<const int> devices
            = isGroup ? std::span(lane.group.devices) : std::span(&first.value, 1);
        return paintBubbleCell(on, all, meanBubble(devices, all), area);
    }
    const engine::DeviceId device = isGroup ? fullestOf(lane.group, view, all) : first;
    const auto* metrics = &all.devices[device];
    if (!view.knowsMemory() || !hasTrace(view.run(), device))
        return paintText(on.painter, area.adjusted(16, 14, 0, 0), tr("not recorded"), uiFont(11),
                         on.chrome().text2, Qt::AlignLeft | Qt::AlignTop);
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
        return paintRunningMemory(on.painter, {*running, *metrics, bar, amounts, scale},
                                  on.theme());
    }
    on.painter.fillRect(bar, on.chrome().hover);
    paintMemoryParts(on.painter, memoryParts(view, *metrics, on.theme()), scale, bar);
    if (stands) {
        writeAmount(on, text, {bar.right() + 12, bar.top() + 22});
        const QPointF second(bar.right() + 12, bar.top() + 39 - on.painter.fontMetrics().ascent());
        drawSubscripted(on.painter, QRectF(second, QPointF(area.right(), bar.bottom())),
                        Qt::AlignLeft | Qt::AlignTop,
                        isGroup ? tr("device %1").arg(device.value) : text.second);
    } else {
        writeAmount(on, text, {bar.left(), bar.bottom() + 18});
        if (isGroup)
            paintText(on.painter, {bar.left(), bar.bottom() + 6, bar.width(), 16},
                      tr("dev. %1").arg(device.value), uiFont(11), on.chrome().text2,
                      Qt::AlignRight | Qt::AlignBottom);
    }
}

} // namespace app
