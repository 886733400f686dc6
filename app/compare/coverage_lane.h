#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"

class QPainter;

namespace app {

// The content of a lane: the mean of the devices of the run, or the device with the most bubble.
enum class LaneOf { MeanOfDevices, WorstDevice };

// Draws one iteration of a run as one lane: every pixel column is filled with the exact share of
// its time in forward, backward, weight gradient, optimizer and exposed communication. The rest of
// the iteration is bubble.
void paintCoverageLane(QPainter& painter, const RunView& view, int iteration, LaneOf lane,
                       const TimeAxis& axis, const QRectF& area, const BoxColours& colours);

} // namespace app
