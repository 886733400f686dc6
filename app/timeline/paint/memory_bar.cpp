#include "app/timeline/paint/memory_bar.h"

#include "app/models/theme.h"

#include <QPainter>

#include <cmath>

namespace app {

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
