#pragma once

#include "engine/base/result.h"
#include "engine/timeline/note.h"
#include "engine/timeline/run.h"
#include "profiler/figure/palette.h"
#include "profiler/figure/scene.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

constexpr double kPointsPerInch = 72;
constexpr double kSmallestType = 5; // in points; smaller text is not legible in print

// A column or page width of a publisher, with a suitable font size.
struct FigurePreset
{
    std::string_view name, title; // "acm-column", "ACM, USENIX column"
    double inches = 0, fontSize = 0;
    std::string_view latexWidth; // "\\columnwidth", for \includegraphics
    double heightInches = 0;     // 0: as high as the rows require
    double marginInches = 0;
};
std::span<const FigurePreset> figurePresets(); // the first, "acm-column", is the default
engine::Result<FigurePreset> findFigurePreset(std::string_view name);

// The part of an iteration that is drawn. Times are relative to the start of the iteration, in ms,
// or in cost units for runs in abstract units.
struct FigureRange
{
    double begin = 0, end = 0; // both 0: the whole iteration

    bool isWhole() const { return begin == 0 && end == 0; }
    friend bool operator==(const FigureRange&, const FigureRange&) = default;
};

enum class BubbleStyle : std::uint8_t { Hatched, Blank, WithCause };

struct FigureOptions
{
    double width = 3.33 * kPointsPerInch; // in points
    // The height in points; 0: as high as the rows require. If a height is set, the figure is
    // centred vertically, with a smaller font if necessary.
    double height = 0;
    double margin = 0; // empty space at every edge, within width and height
    // The height in points that a figure without a set height must not exceed; 0: no limit.
    double pageHeight = 9 * kPointsPerInch;
    double fontSize = 5.5; // in points
    std::string font;      // font family; "": the first of installedFonts()
    // Name of a palette, used with its light theme because figures are for paper.
    std::string palette = "default";
    int iteration = -1; // index into Timeline::iterations; -1: the reported iteration
    FigureRange range;
    std::vector<int> devices; // rows in this order; empty: all
    ColourBy colourBy = ColourBy::Operation;
    BubbleStyle bubbles = BubbleStyle::Hatched;
    bool microBatches = true, directionMark = true, bubbleShare = true;
    bool timeAxis = true, legend = true, memory = false, title = false;
    bool notes = false;
    bool communication = false; // lanes of messages, all-reduces and copies under every row

    friend bool operator==(const FigureOptions&, const FigureOptions&) = default;
};

// Lays out one run, or several runs below each other with one time axis and scale; the first run is
// the baseline.
//  * Runs in abstract units are drawn as a schematic: edges in ink, no gaps.
//  * If a number does not fit in its box at smallestNumber(), its row has no numbers.
//  * A figure that is too large for a page fails with Error::Code::Unsupported; the message states
//    how much of it fits.
//  * `notes` has the notes of each run, in recorded times. They are drawn if options.notes is set.
//  * Error messages name the invalid option.
engine::Result<Scene> layoutFigure(std::span<const engine::Run* const> runs,
                                   const FigureOptions& options,
                                   std::span<const std::vector<engine::Note>> notes = {});

} // namespace profiler
