#include "app/timeline/paint/memory_bar.h"

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/translate.h"
#include "app/ui/numbers.h"
#include "app/ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

// Splits the live bytes of a device by category. Takes the bytes of weights, gradients and
// optimizer state from the peak of an iteration, because they do not change during the run.
std::vector<MemoryPart> liveParts(const RunningBar& running, const profiler::Palette& palette)
{
    using enum engine::MemoryCategory;
    const MemorySeries::Level& live = running.memory.live;
    std::vector<MemoryPart> parts;
    double rest = live.base;
    for (const auto& [category, fill] : memoryFills()) {
        const auto atPeak = static_cast<double>(running.device.bytesAtPeak[category]);
        const double bytes = category == Stash ? live.total - live.base
            : category == Buffers              ? rest
                                               : std::min(rest, atPeak);
        parts.push_back({toQt(palette.*fill), bytes});
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

} // namespace

std::span<const MemoryFill> memoryFills()
{
    using enum engine::MemoryCategory;
    using profiler::Palette;
    static constexpr MemoryFill kFills[] = {{Weights, &Palette::weights},
                                            {Gradients, &Palette::gradients},
                                            {Optimizer, &Palette::optimizerState},
                                            {Buffers, &Palette::buffers},
                                            {Stash, &Palette::stash}};
    return kFills;
}

std::vector<MemoryPart> memoryParts(const RunView& view, const profiler::DeviceMetrics& device,
                                    const Theme& theme)
{
    const auto& palette = theme.palette;
    if (!view.hasMemory())
        return {{toQt(palette.stash), device.peakStash}};
    std::vector<MemoryPart> parts;
    for (const auto& [category, fill] : memoryFills())
        parts.push_back({toQt(palette.*fill), static_cast<double>(device.bytesAtPeak[category])});
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

} // namespace app
