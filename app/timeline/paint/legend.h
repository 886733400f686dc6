#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "profiler/figure/legend_entries.h"

#include <QStringList>

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
// Returns an entry for every kind of op, chunk and memory category that occurs in the runs and that
// their lanes draw. `detail` is what the lanes draw: only WithMemory includes transfers, TimeOnly
// and Coverage exclude memory, and Coverage also excludes chunks and directions.
Legend legendOf(const std::vector<LegendRun>& runs, const BoxColours& colours, LegendDetail detail);
void addPath(Legend& legend, const BoxColours& colours); // adds the critical path and ops off it
// Replaces the right entries with the kinds of kernels that occur.
void addKernels(Legend& legend, const KernelView& kernels, const BoxColours& colours);
// Adds the entry for planned ops, which have not run yet.
void addPlan(Legend& legend, const BoxColours& colours);
// Entries that do not fit are counted at the right end: "3 more". Returns their texts.
QStringList paintLegend(QPainter& painter, const Legend& legend, const BoxColours& colours,
                        const QRectF& area);

} // namespace app
