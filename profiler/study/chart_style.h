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
    // Whether the rows of a map share `height`. Otherwise each row is 22 points high.
    bool fillsHeight = false;
    Colour ground{255, 255, 255}, ink{29, 35, 43}, text{74, 84, 98}, grid{228, 232, 237};
    Colour shade{243, 244, 246}; // background of values over the memory of a device
    Colour alert{176, 42, 36};   // amounts above a limit
    // The colours of the least and of the greatest value in a heat map.
    Colour low{238, 241, 246}, high{43, 52, 66};

    friend bool operator==(const ChartStyle&, const ChartStyle&) = default;
};

// How a chart draws a series.
struct SeriesLook
{
    // Both contrast with the background; the contrast of `text` is sufficient for letters.
    Colour colour, text;
    double width = 1.5; // width of the line
    bool isDashed = false;
    std::size_t marker = 0; // shape of the marker
    // Hatch over boxes; set if another series has the same colour.
    HatchLines hatch = HatchLines::None;

    friend bool operator==(const SeriesLook&, const SeriesLook&) = default;
};
constexpr std::size_t kSeriesMarkers = 8;

// Returns a look for each value of the axis `key`; no two looks are equal. BitPipe, and the schemes
// that it is usually compared with, have the same look in all studies. Other values get the
// remaining colours.
std::vector<SeriesLook> seriesLooks(std::string_view key, const std::vector<std::string>& values,
                                    const ChartStyle& style);

} // namespace profiler
