#pragma once

#include "engine/base/field.h"
#include "profiler/figure/layout.h"

namespace app {

// The TOML table with the fields that the export dialog stores.
constexpr std::string_view kFigureTable = "figure";

enum class FigureTimes : std::uint8_t { Measured, Schematic };

// The settings for the appearance of a figure, shared by the command line and the export dialog.
struct FigureSettings
{
    profiler::FigureOptions options;
    // Measured: the figure shows recorded times. Schematic: a forward takes 1 unit, a backward 2.
    FigureTimes times = FigureTimes::Measured;
    int dpi = 600; // resolution of PNG
    int chart = 1; // of a study, from 1

    friend bool operator==(const FigureSettings&, const FigureSettings&) = default;
};

// Returns all settings of a figure. A field with a flag is an option of `bubblescope figure`, with
// its help. A field with a key is stored by the export dialog. If two options conflict, the later
// one applies.
engine::Fields<FigureSettings> figureFields();

// Parses a list of rows: "0,2-3" gives {0, 2, 3}. "all" and "" give an empty list, which means all
// rows.
engine::Result<std::vector<int>> parseRows(std::string_view text);

} // namespace app
