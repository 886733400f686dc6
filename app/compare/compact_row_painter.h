#pragma once

#include "app/compare/compare_painter.h"
#include "app/compare/compare_scene.h"

namespace app {

// Draws a row of a compact comparison: rank, name, the lane of the run with its end and 95 %
// interval, the numbers, and the devices if the row is expanded.
void paintCompactRow(const ComparePaint& paint, const CompareScene& scene);
// Draws the titles beside the ruler.
void paintCompactTitles(QPainter& painter, const CompareScene& scene, const Theme& theme);

} // namespace app
