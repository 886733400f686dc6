#include "app/compare/compare_memory.h"

#include "app/timeline/paint/memory_bar.h"

#include <QPainter>

#include <cmath>

namespace app {
namespace {

constexpr double kNumbersBelow = 16, kSide = 16, kTop = 10, kBottom = 8; // in pixels
constexpr double kHighest = 64, kLowest = 14, kDigits = 13;

// Returns n such that labels of every n-th device fit.
int numberStep(double slot)
{
    int step = 1;
    while (slot * step < kNumbersBelow)
        step *= 2;
    return step;
}

} // namespace

MemoryScales memoryScales(const CompareLayout& layout)
{
    MemoryScales scales{1e-9, 1e-9};
    for (const auto& row : layout.rows) {
        const auto* metrics = row.view->metrics(row.iteration);
        if (!metrics)
            continue;
        double& scale = row.view->hasMemory() ? scales.bytes : scales.stash;
        for (const auto& device : metrics->devices)
            scale = std::max(scale, memoryPeak(*row.view, device));
    }
    return scales;
}

QRectF compareMemoryArea(const CompareRow& row, const QRectF& column)
{
    const double top = compareNumbersHeight(row) + kTop;
    const double height = std::min(kHighest + kDigits, row.height - top - kBottom);
    if (height < kLowest)
        return {};
    return {column.left() + kSide, column.top() + top, column.width() - 2 * kSide, height};
}

QRectF compareMemorySlot(const CompareRow& row, const QRectF& area, int device)
{
    const int devices = std::max(1, row.view->devices());
    const double slot = std::min(24.0, area.width() / devices);
    const double left = std::round(area.left() + slot * device);
    const double right = std::round(area.left() + slot * (device + 1));
    return {left, area.top(), right - left, area.height()};
}

void paintCompareMemory(const ComparePaint& paint, const MemoryScales& scales, const QRectF& column)
{
    const RunView& view = *paint.row.view;
    const auto* metrics = view.metrics(paint.row.iteration);
    const QRectF area = compareMemoryArea(paint.row, column);
    if (!metrics || area.isEmpty() || !view.knowsMemory())
        return;
    QPainter& painter = paint.painter;
    const Theme& theme = paint.colours.theme();
    const bool hasDigits = area.height() >= 2 * kDigits;
    const double height = area.height() - (hasDigits ? kDigits : 0);
    const int step = numberStep(compareMemorySlot(paint.row, area, 0).width());
    painter.setFont(uiFont(10));
    for (const engine::DeviceId d : metrics->devices.ids()) {
        const int device = d.value;
        const QRectF slot = compareMemorySlot(paint.row, area, device);
        const double gap = std::min(8.0, std::max(1.0, std::floor(slot.width() / 3)));
        const QRectF bar(slot.left(), slot.top(), std::max(1.0, slot.width() - gap), height);
        painter.fillRect(bar, theme.chrome.hover);
        paintMemoryParts(painter, memoryParts(view, metrics->devices[d], theme), scales.of(view),
                         bar);
        if (!hasDigits || device % step != 0)
            continue;
        painter.setPen(theme.chrome.text2);
        painter.drawText(bar.adjusted(-8, height, 8, kDigits), Qt::AlignHCenter | Qt::AlignBottom,
                         QString::number(device));
    }
}

} // namespace app
