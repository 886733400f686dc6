#pragma once

#include "engine/base/field.h"
#include "profiler/figure/layout.h"

namespace app {

enum class FigureTimes : std::uint8_t { Measured, Schematic };

// How a figure looks, whoever asks for it.
struct FigureSettings
{
    profiler::FigureOptions options;
    FigureTimes times = FigureTimes::Measured; // of each run: as recorded, or F = 1 and B = 2
    int dpi = 600;                             // of PNG

    friend bool operator==(const FigureSettings&, const FigureSettings&) = default;
};

// Every setting of a figure, once: the options of `bubblescope figure` and its help, and what the
// export dialog remembers (the fields with a key). Of two that set the same, the later one counts.
engine::Fields<FigureSettings> figureFields();

// "0,2-3" -> 0 2 3; "all" and "" are all rows: an empty list.
engine::Result<std::vector<int>> parseRows(std::string_view text);

} // namespace app
