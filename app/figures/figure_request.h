#pragma once

#include "engine/base/result.h"
#include "profiler/figure/layout.h"

#include <QStringList>

namespace app {

enum class FigureTimes : std::uint8_t { Measured, Schematic };

// What the command line of `bubblescope figure` asks for.
struct FigureRequest
{
    QStringList runs, outputs;
    profiler::FigureOptions options;
    FigureTimes times = FigureTimes::Measured; // of each run: as recorded, or F = 1 and B = 2
    int dpi = 600;
    bool help = false;
};

// `arguments` are those behind "figure". Errors are wrong usage and name the option.
engine::Result<FigureRequest> parseFigureRequest(const QStringList& arguments);
QString figureHelp();

// "0,2-3" -> 0 2 3; "all" and "" are all rows: an empty list.
engine::Result<std::vector<int>> parseRows(const QString& text);

} // namespace app
