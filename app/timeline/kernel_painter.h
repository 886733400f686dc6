#pragma once

#include "app/timeline/box_colours.h"
#include "app/timeline/columns.h"
#include "app/timeline/coordinates.h"
#include "app/timeline/kernel_view.h"
#include "app/timeline/lanes.h"

class QPainter;

namespace app {

// Kernels under their ops, a row a stream. Boxes with the kernel's name where there is room; what
// is narrower becomes columns of exact shares, so that gaps stay visible and the cost is of the
// pixels.
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
        double top = 0;
    };
    void paintRow(const Row& row);
    void paintBoxes(const Row& row, std::span<const engine::Span> spans);
    void paintBox(const Row& row, const engine::Span& span);
    void paintColumnsOf(const Row& row, engine::Window window);

    QPainter& m_painter;
    const KernelView& m_kernels;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    KernelColumnColours m_columns;
};

// The row of kernels at `y`, which lies within the lane; -1: none.
int kernelRowAt(const Lane& lane, double y);
// The kernel under the pointer or, within reach, beside it; Kind::None where there is none.
Selection kernelAt(const KernelView& kernels, engine::DeviceId device, const TimeAxis& axis,
                   const Lane& lane, QPointF at);

} // namespace app
