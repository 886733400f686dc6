#pragma once

#include "profiler/figure/scene.h"

#include <QRectF>

class QPainter;

namespace app {

inline QRectF toQt(const profiler::Rect& r)
{
    return {r.x, r.y, r.width, r.height};
}

// Draws a scene on a widget, an image or a PDF page. One unit of the painter is a point, and the
// painter's origin is the upper left corner of the scene. Needs a QGuiApplication for fonts. May be
// called on any thread.
void paintScene(QPainter& painter, const profiler::Scene& scene);

} // namespace app
