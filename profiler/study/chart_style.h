#pragma once

#include "profiler/figure/palette.h"

#include <cstddef>

namespace profiler {

// Size and colours of a chart. The defaults are those of reports and figures, on white paper.
struct ChartStyle
{
    double width = 720, height = 320; // points
    bool fillsHeight = false; // whether the rows of maps share `height`; otherwise they are 22 high
    Colour ground{255, 255, 255}, ink{29, 35, 43}, text{74, 84, 98}, grid{228, 232, 237};
    Colour shade{243, 244, 246};                 // values over the memory of a device
    Colour low{238, 241, 246}, high{43, 52, 66}; // the least and the greatest value of a heat map

    friend bool operator==(const ChartStyle&, const ChartStyle&) = default;
};

// A colour with contrast to the background. Colour-blind readers can distinguish neighbouring
// series.
Colour seriesColour(std::size_t series, const ChartStyle& style);
// Like seriesColour(), with enough contrast for text.
Colour seriesTextColour(std::size_t series, const ChartStyle& style);
bool isDashedSeries(std::size_t series); // whether it repeats an earlier colour

} // namespace profiler
