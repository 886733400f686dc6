#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/memory_levels.h"
#include "app/timeline/view/run_view.h"

#include <functional>

namespace app {

// Draws the narrow lanes below the compute boxes: messages, all-reduces, memory over time.
class SublanePainter
{
public:
    struct Source
    {
        engine::DeviceId device;
        engine::Track::Kind kind = engine::Track::Kind::Send;
    };
    using IsDimmed = std::function<bool(const engine::Span& span)>;

    SublanePainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                   const BoxColours& colours);

    void paintTransfers(Source source, double top, const IsDimmed& isDimmed);
    void paintMemory(engine::DeviceId device, const Lane& lane, int iteration);

private:
    void paintTransfer(const engine::Span& span, double top, bool isDimmed);
    void paintDense(Source source, engine::Window window, double top);
    void paintPeak(engine::DeviceId device, const MemoryLevels& levels, int iteration);

    QPainter& m_painter;
    const RunView& m_view;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    BoxPainter m_boxes;
};

// Where the dot at the highest memory of an iteration is drawn.
struct MemoryPeak
{
    std::int64_t time = 0;
    double level = 0;
};
MemoryPeak memoryPeak(const RunView& view, engine::DeviceId device, engine::Window window);

} // namespace app
