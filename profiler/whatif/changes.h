#pragma once

#include "profiler/whatif/stage_times.h"

namespace profiler {

struct LayerMove
{
    engine::StageId from, to;
    int count = 0;
    friend bool operator==(const LayerMove&, const LayerMove&) = default;
};

// What a what-if changes in a measured run. The window and `bscope whatif` fill this struct, and
// both apply and print it here, in one order, so that a copied command predicts what the window
// shows: times of stages, share of W, speeds of stages, layers, tensor parallelism, stragglers,
// slow-downs, delay of messages.
struct WhatIfChanges
{
    struct Cell // a cell of the table of measured times
    {
        int stage = 0;
        engine::OpKind kind = engine::OpKind::Forward;
        friend auto operator<=>(const Cell&, const Cell&) = default;
    };
    struct Speed
    {
        int stage = 0;
        double factor = 1; // relative to the measured speed
        friend bool operator==(const Speed&, const Speed&) = default;
    };

    std::map<Cell, std::int64_t> times; // in ns; replace the measured medians
    std::optional<double> weightShare;  // share of W in B, if only B was measured
    std::vector<Speed> speeds;
    std::vector<LayerMove> moves;
    int layers = 0;            // layers of the model; needed by `moves`
    double tensorParallel = 1; // relative to the measured size
    bool removesStragglers = false;
    // Slow-downs of ops, kinds of ops, devices and links. The slow-down of a single op affects only
    // the prediction for the run's own order.
    std::vector<RunEdit> slowdowns;
    std::int64_t messageDelay = 0; // in ns, added to every message
    double linkSpeed = 1;          // of WhatIf; relative to the measured speed
    int microBatches = 1;          // of the predicted schedule

    std::size_t editedCells() const { return times.size() + (weightShare ? 1 : 0); }
    friend bool operator==(const WhatIfChanges&, const WhatIfChanges&) = default;
};

// Fails with Error::Code::InvalidArgument if the run does not have what a change names. The message
// begins with the option of this change.
engine::Result<void> apply(const WhatIfChanges& changes, const engine::Run& run,
                           MeasuredTimes& times);

// The options of `bscope whatif` with the changes, except that of single ops if `ownOrder` is
// false.
std::vector<std::string> arguments(const WhatIfChanges& changes, int measuredMicroBatches,
                                   bool ownOrder);

// Adds the value of a repeatable option: "--op-time", "--stage-speed", "--move-layers" or "--slow".
engine::Result<void> addChange(WhatIfChanges& changes, std::string_view flag,
                               std::string_view value);

} // namespace profiler
