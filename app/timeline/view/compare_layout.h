#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/view_window.h"

#include <memory>
#include <vector>

namespace app {

// One run of a comparison and its position. Heights: title 28, 23 a device (more or less depending
// on the space), 12 below; at least the height of the key numbers.
struct CompareRow
{
    std::size_t run = 0; // index given by the caller
    const RunView* view = nullptr;
    int group = 0;     // runs of one unit
    int iteration = 0; // the reported one; -1: none yet
    double top = 0, lanesTop = 0, pitch = 23, height = 0;

    engine::Window window() const; // of the iteration, on the run's own clock
    double ticksPerUnit() const { return static_cast<double>(view->run().info.ticksPerUnit); }
    double duration() const { return static_cast<double>(window().duration()) / ticksPerUnit(); }
};

// Runs of one unit share a scale; abstract units and nanoseconds never do.
struct CompareGroup
{
    bool isInUnits = false;
    double longest = 1;  // duration of its longest run, in units or nanoseconds
    double rulerTop = 0; // of the second group; the widget draws the ruler of the first
};

struct CompareLayout
{
    std::vector<CompareRow> rows;     // from the top, groups together
    std::vector<CompareGroup> groups; // the baseline's first
    double height = 0;

    static constexpr double kTitle = 28, kPad = 12, kRuler = 40; // ruler with its note
    static constexpr double kLeast = 88;                         // of a row
};

// `order`: run indices, from the top.
CompareLayout layoutComparison(const std::vector<RunViewPointer>& runs,
                               const std::vector<std::size_t>& order, std::size_t baseline,
                               double available);

double greatestHeight(const CompareLayout& layout); // rows do not grow beyond it

// The view of a comparison is in shares of the longest run of each group (times 1e9), so that two
// groups zoom together; this is the axis of one row on its run's clock.
constexpr double kCompareWhole = 1e9;
TimeAxis compareAxis(const CompareLayout& layout, const CompareRow& row, ViewWindow window,
                     const QRectF& area, double dpr);

} // namespace app
