#pragma once

#include "engine/base/result.h"
#include "profiler/figure/scene.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <vector>

namespace app {

enum class FigureFormat : std::uint8_t { Pdf, Svg, Png, Tikz };

// By the end of the file's name: ".pdf", ".svg", ".png", ".tex".
std::optional<FigureFormat> figureFormat(const QString& file);

// The bytes of the figure's file. The same scene gives the same bytes: the date in a PDF is the
// scene's. `dpi` is of PNG. Needs a QGuiApplication, but no screen.
engine::Result<QByteArray> renderFigure(const profiler::Scene& scene, FigureFormat format, int dpi);

// Replaces the file as a whole or leaves the old one as it was.
engine::Result<void> saveFigure(const QString& file, const QByteArray& bytes);

} // namespace app
