#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/plan_view.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/run_view.h"

#include <QRectF>

class QPainter;

namespace app {

// Draws the compute ops of a plan. Ops that have run have a pale fill; the next op of each device
// is outlined in its colour, later ops in grey. Merges ops narrower than three pixels, so the cost
// depends on the number of pixels.
class PlanPainter
{
public:
    PlanPainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                const BoxColours& colours);

    void paint(const PlanView& plan, engine::DeviceId device, const Lane& lane);
    // Outlines the op under the pointer.
    void paintHover(const PlanView& plan, const engine::Span& op, const Lane& lane);

private:
    void outline(const QRectF& box, const QColor& colour);
    void fill(const engine::Span& op, engine::Window window, const Lane& lane);
    void flush(bool isDone);

    QPainter& m_painter;
    const RunView& m_view;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    BoxPainter m_boxes;
    QRectF m_merged; // encloses ops that are too narrow for separate boxes
};

// A line through all lanes at the time that a growing run has reached, and that time on the ruler.
struct NowLine
{
    double time = 0;
    QString text;
    QRectF ruler, lanes;
};
void paintNow(QPainter& painter, const NowLine& now, const TimeAxis& axis, const Theme& theme);

} // namespace app
