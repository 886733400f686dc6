#pragma once

#include "engine/base/field.h"
#include "profiler/figure/layout.h"

namespace app {

// The TOML table of the fields that the export dialog stores
constexpr std::string_view kFigureTable = "figure";

enum class FigureTimes : std::uint8_t { Measured, Schematic };

// The settings for the appearance of a figure, shared by the command line and the export dialog.
struct FigureSettings
{
    profiler::FigureOptions options;
    // Measured: times as recorded. Schematic: F = 1 and B = 2.
    FigureTimes times = FigureTimes::Measured;
    int dpi = 600; // resolution of PNG

    friend bool operator==(const FigureSettings&, const FigureSettings&) = default;
};

// All settings of a figure: the options of `bubblescope figure` with their help, and the fields
// that the export dialog stores (those with a key). If two options conflict, the later one
// applies.
engine::Fields<FigureSettings> figureFields();

// Parses a list of rows: "0,2-3" gives {0, 2, 3}. "all" and "" give an empty list, which means all
// rows.
engine::Result<std::vector<int>> parseRows(std::string_view text);

} // namespace app
