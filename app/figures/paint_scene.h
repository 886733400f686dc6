#pragma once

#include "profiler/figure/scene.h"

class QPainter;

namespace app {

// Draws a scene with whatever the painter paints on: a widget, an image, a PDF page. One unit of
// the painter is one point; it must stand at the scene's upper left corner. GUI application needed
// (fonts), any thread.
void paintScene(QPainter& painter, const profiler::Scene& scene);

} // namespace app
