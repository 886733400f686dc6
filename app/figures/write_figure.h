#pragma once

#include "engine/base/result.h"
#include "profiler/figure/scene.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <vector>

namespace app {

enum class FigureFormat : std::uint8_t { Pdf, Svg, Png, Tikz };

// Returns the format of a file by its extension: ".pdf", ".svg", ".png", ".tex".
std::optional<FigureFormat> figureFormat(const QString& file);

// Returns the bytes of the figure's file. The same scene always gives the same bytes; the creation
// date of a PDF is that of the scene. `dpi` applies to PNG. Needs a QGuiApplication, but no screen.
engine::Result<QByteArray> renderFigure(const profiler::Scene& scene, FigureFormat format, int dpi);

} // namespace app
