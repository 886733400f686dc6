#pragma once

#include "profiler/figure/palette.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

// How a chart draws a series.
struct SeriesLook
{
    Colour colour, text; // both have contrast to the background; `text` has enough for letters
    double width = 1.5;  // of its line
    bool isDashed = false;
    std::size_t marker = 0;              // its shape
    HatchLines hatch = HatchLines::None; // over boxes, if another series has the same colour

    friend bool operator==(const SeriesLook&, const SeriesLook&) = default;
};
constexpr std::size_t kSeriesMarkers = 8;

// Returns one look for each value of the axis `key`; no two are equal. BitPipe and the schemes that
// it is usually compared with look the same in all studies; others have the remaining colours.
std::vector<SeriesLook> seriesLooks(std::string_view key, const std::vector<std::string>& values,
                                    const ChartStyle& style);

} // namespace profiler
