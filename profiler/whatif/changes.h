#pragma once

#include "engine/base/field.h"
#include "engine/cost/layer_layout.h"
#include "profiler/whatif/predict.h"

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
    int layers = 0;             // layers of the model; needed by `moves` and `layout`
    engine::LayerLayout layout; // of the predicted schedule; default: as in the run
    double tensorParallel = 1;  // relative to the measured size
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

// The options of `bscope whatif`, from which the window takes its labels and limits. Not included
// is --micro-batches, which is a field of the schedule.
engine::Fields<WhatIfChanges> whatIfFields();

// Fails with Error::Code::InvalidArgument if the run does not have what a change names. The message
// begins with the option of this change.
engine::Result<void> apply(const WhatIfChanges& changes, const engine::Run& run,
                           MeasuredTimes& times);

// Returns the number of layers of the model that the run trained; 0 if the run does not state it.
int modelLayers(const engine::Run& run);
// Returns the FLOPs of F of each stage for one sequence, with the output layer; empty if the run
// does not state its model.
engine::IdVector<engine::StageId, double> stageFlops(const engine::Run& run);
// Returns the layers of every stage in the run; empty if the run does not state them.
std::vector<int> stageLayers(const engine::Run& run);
// Returns the predictor of a run with the changes applied; `layers` of 0 means modelLayers(). Fails
// as apply() does, and if the heads of the model cannot be divided. Copies of a predictor share
// only the run, so threads can use different copies at the same time.
engine::Result<WhatIfPredictor> withChanges(const WhatIfPredictor& measured, WhatIfChanges changes);

// The options of `bscope whatif` with the changes, except that of single ops if `ownOrder` is
// false.
std::vector<std::string> arguments(WhatIfChanges changes, int measuredMicroBatches, bool ownOrder);

} // namespace profiler
