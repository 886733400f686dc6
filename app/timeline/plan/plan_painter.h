#pragma once

#include "app/models/theme.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "engine/timeline/run.h"

#include <QRectF>

class QPainter;

namespace app {

// The predicted next iteration of a growing run.
struct PlanView
{
    const engine::Run* plan = nullptr; // one iteration from 0; nullptr: nothing is drawn
    std::int64_t begin = 0;            // where that iteration begins, in ticks of the growing run

    engine::Window window() const
    {
        return plan == nullptr || plan->timeline.iterations.empty()
            ? engine::Window{begin, begin}
            : engine::Window{begin, begin + plan->timeline.iterations.front().window.duration()};
    }
};

// Outlines the compute ops of the plan in a lane. Ops of under three pixels are drawn as one
// outline, so the cost depends on the visible ops.
void paintPlan(QPainter& painter, const PlanView& plan, engine::DeviceId device, const Lane& lane,
               const TimeAxis& axis, const Theme& theme);

// A line through all lanes at the end of the last complete iteration, and its time on the ruler.
struct NowLine
{
    double time = 0;
    QString text;
    QRectF ruler, lanes;
};
void paintNow(QPainter& painter, const NowLine& now, const TimeAxis& axis, const Theme& theme);

} // namespace app
