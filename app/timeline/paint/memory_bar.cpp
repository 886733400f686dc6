#include "app/timeline/paint/memory_bar.h"

#include "app/models/theme.h"

#include <QPainter>

#include <cmath>

namespace app {

std::vector<MemoryPart> memoryParts(const RunView& view, const profiler::DeviceMetrics& device,
                                    const Theme& theme)
{
    const auto& palette = theme.palette;
    if (!view.hasMemory())
        return {{toQt(palette.stash), device.peakStash}};
    const profiler::Colour fills[] = {palette.weights, palette.gradients, palette.optimizerState,
                                      palette.buffers, palette.stash};
    using enum engine::MemoryCategory;
    const engine::MemoryCategory order[] = {Weights, Gradients, Optimizer, Buffers, Stash};
    std::vector<MemoryPart> parts;
    for (std::size_t k = 0; k < std::size(order); ++k)
        parts.push_back({toQt(fills[k]), static_cast<double>(device.bytesAtPeak[order[k]])});
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
