#pragma once

#include "engine/base/result.h"
#include "profiler/figure/scene.h"

#include <QByteArray>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <optional>
#include <vector>

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

// Functions that correct the files of QPdfWriter. QPdfWriter writes the current time as the date
// and rounds the size of the page to whole points.

// Sets the dates of creation and of change to `digits` (YYYYMMDDhhmmss, UTC), in the metadata of
// Qt 6.8, too. Updates the offsets in the file, because the lengths of dates change.
void setPdfDate(QByteArray& pdf, const QByteArray& digits);
// Crops the page to the size `points`, measured from its upper left corner. The length of the file
// stays the same.
void cropPdfPage(QByteArray& pdf, QSizeF points);

enum class FigureFormat : std::uint8_t { Pdf, Svg, Png, Tikz };

// Returns the format of a file by its extension: ".pdf", ".svg", ".png", ".tex".
std::optional<FigureFormat> figureFormat(const QString& file);

// Returns the bytes of the figure's file. The same scene always gives the same bytes; the creation
// date of a PDF is that of the scene. `dpi` applies to PNG. Needs a QGuiApplication, but no screen.
engine::Result<QByteArray> renderFigure(const profiler::Scene& scene, FigureFormat format, int dpi);

} // namespace app
