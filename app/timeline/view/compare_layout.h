#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/view_window.h"

#include <memory>
#include <string>
#include <vector>

namespace app {

// One run of a comparison and its position. Heights in pixels: title 28, 23 per device (more or
// less depending on the space), 12 below; the row is at least as high as the key numbers.
struct CompareRow
{
    std::size_t run = 0; // the caller's index of the run
    const RunView* view = nullptr;
    std::string name;  // unique among the rows
    int group = 0;     // index of CompareLayout::groups
    int iteration = 0; // reported iteration; -1: none yet
    double top = 0, lanesTop = 0, pitch = 23, height = 0;

    engine::Window window() const; // window of the iteration, on the clock of the run
    double ticksPerUnit() const { return static_cast<double>(view->run().info.ticksPerUnit); }
    double duration() const { return static_cast<double>(window().duration()) / ticksPerUnit(); }
};

// Runs with the same unit, which share a time scale: abstract units or nanoseconds.
struct CompareGroup
{
    bool isInUnits = false;
    double longest = 1;  // duration of the longest run, in cost units or ns
    double rulerTop = 0; // only for the second group; the widget draws the first group's ruler
};

struct CompareLayout
{
    std::vector<CompareRow> rows;     // from the top; groups are contiguous
    std::vector<CompareGroup> groups; // the group of the baseline comes first
    double height = 0;

    static constexpr double kTitle = 28, kPad = 12, kRuler = 40; // kRuler: ruler with its note
    static constexpr double kLeast = 88;                         // smallest height of a row
};

// `order` has indices of runs, from the top.
CompareLayout layoutComparison(const std::vector<RunViewPointer>& runs,
                               const std::vector<std::size_t>& order, std::size_t baseline,
                               double available);

double greatestHeight(const CompareLayout& layout); // the height beyond which rows do not grow

// The view of a comparison is in fractions of the longest run of each group (times 1e9), so that
// both groups zoom together. compareAxis() returns the axis of one row on the clock of its run.
constexpr double kCompareWhole = 1e9;
TimeAxis compareAxis(const CompareLayout& layout, const CompareRow& row, ViewWindow window,
                     const QRectF& area, double dpr);

} // namespace app
