#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "profiler/figure/legend_entries.h"

#include <QString>

#include <vector>

class QPainter;

namespace app {

struct Legend
{
    std::vector<profiler::LegendEntry> left, right; // `right` has the entries about memory
    QString note; // shown in place of the right entries, unless empty
};

enum class LegendDetail { WithMemory, ComputeAndMemory, TimeOnly, Coverage };
struct LegendRun
{
    const RunView* view = nullptr;
    double ticksPerPixel = 1; // ticks per pixel at the current zoom
};
// Returns entries for what occurs in the runs. `detail` states what their lanes draw: no transfers
// with ComputeAndMemory and TimeOnly, neither chunks nor directions with Coverage.
Legend legendOf(const std::vector<LegendRun>& runs, const BoxColours& colours, LegendDetail detail);
void addPath(Legend& legend, const BoxColours& colours); // the critical path, and ops off it
// Replaces the right entries by the kinds of kernels that occur.
void addKernels(Legend& legend, const KernelView& kernels, const BoxColours& colours);
// Adds the entry of ops that have not run yet.
void addPlan(Legend& legend, const BoxColours& colours);
void paintLegend(QPainter& painter, const Legend& legend, const BoxColours& colours,
                 const QRectF& area);

} // namespace app
