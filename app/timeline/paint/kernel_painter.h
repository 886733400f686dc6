#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/columns.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/lanes.h"

class QPainter;

namespace app {

// Draws kernels below their ops, row by row, as boxes with the kernel's name if it fits. Kernels
// that are too narrow for a box are drawn as one column per pixel, whose height is the share of
// busy time. Gaps stay visible, and the cost depends on the number of pixels. The part in which an
// NCCL kernel waits is hatched like a bubble.
class KernelPainter
{
public:
    KernelPainter(QPainter& painter, const KernelView& kernels, const TimeAxis& axis,
                  const BoxColours& colours);

    void paint(engine::DeviceId device, const Lane& lane);

private:
    struct Row
    {
        engine::DeviceId device;
        int row = 0;
        double top = 0, height = 0;
    };
    void paintRow(const Row& row);
    void paintBoxes(const Row& row, std::span<const engine::Span> spans);
    void paintBox(const Row& row, const engine::Span& span);
    void paintName(std::uint32_t work, const QRectF& within, QColor ink);
    void paintColumnsOf(const Row& row, engine::Window window);

    QPainter& m_painter;
    const KernelView& m_kernels;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    KernelColumnColours m_columns;
};

// Draws the hatch of a wait and the frame around it, in a lane or the legend. `origin` is the x at
// which the hatch pattern begins, `edge` the width of the frame.
void paintKernelWait(QPainter& painter, const BoxColours& colours, const QRectF& part,
                     double origin, double edge);

} // namespace app
