#pragma once

#include "app/ui/numbers.h"
#include "profiler/analysis/metrics.h"
#include "profiler/figure/palette.h"

#include <QString>

#include <optional>
#include <vector>

namespace app {

// A chart with one stacked column per device of a run.
struct DeviceColumns
{
    struct Part
    {
        QString name;
        profiler::Colour profiler::Palette::*fill;
    };

    QString title, axis; // "Peak memory"; "%1 per device", with the unit for %1
    QString sum;         // name of the whole column: "peak"
    Scale scale;
    std::vector<Part> parts; // from the bottom, only those that occur; empty: nothing is known
    // amounts[device][i] is the amount of parts[i]: in bytes, in M_a, or as a share of the
    // iteration.
    engine::IdVector<engine::DeviceId, std::vector<double>> amounts;
    engine::IdVector<engine::DeviceId, QString> names; // "Device 3, stages 3, 7"
    std::optional<double> limit, mean;                 // amounts of a whole column

    bool isEmpty() const { return parts.empty(); }
    double total(engine::DeviceId device) const;
    double highest() const; // the largest total
    bool isOver(engine::DeviceId device) const { return limit && total(device) > *limit; }
    // Whether the columns can be drawn to a scale that includes the limit.
    bool isLimitInSight() const;
    QString text(engine::DeviceId device) const; // lines with the amounts, the top part first
};

// Peak memory by category, or the peak stash in M_a if no memory was recorded. Empty if neither is
// known. `metrics` are those of the run.
DeviceColumns memoryColumns(const engine::Run& run, const profiler::RunMetrics& metrics);
// The bubble by cause. Empty if no device has a bubble.
DeviceColumns bubbleColumns(const engine::Run& run, const profiler::RunMetrics& metrics);

// The devices with a label below their column, such as 0, 8, 16, ... and, if it fits, the last one.
// `step` is the distance between columns, `width` the least distance between labels; in pixels.
std::vector<int> labelledDevices(int devices, double step, double width);

} // namespace app
