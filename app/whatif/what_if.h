#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/details/details.h"
#include "app/ui/thumbnail.h"
#include "engine/base/id.h"
#include "profiler/analysis/compare.h"
#include "profiler/whatif/changes.h"
#include "profiler/whatif/predict.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {

// The number of layers that each stage executes, in the order of the stages.
using LayerSplit = std::vector<int>;
using profiler::WhatIfChanges;
using profiler::withChanges;

// Returns the split of a recorded run, which is as even as possible.
LayerSplit evenSplit(int layers, int stages);
LayerSplit evenSplit(const LayerSplit& split); // with the same numbers of layers and stages

// Converts the moves between the even split and `split`. Layers keep their order.
std::vector<profiler::LayerMove> layerMoves(const LayerSplit& split);
LayerSplit withMoves(LayerSplit even, const std::vector<profiler::LayerMove>& moves);

// Returns the least and the greatest number of layers that can be before a border. `border` is the
// index of the stage that ends there. Each stage next to the border keeps at least one layer that
// it has in the even split.
std::pair<int, int> borderRange(const LayerSplit& split, int border);
// Returns the split with the border moved to `before` layers, clamped to borderRange().
LayerSplit withBorder(LayerSplit split, int border, int before);

// Returns the reason why other schemes cannot be predicted from the run; "" if no reason is known.
// Does not read the spans, so a prediction may still fail. `run` may be nullptr.
QString whyNoWhatIf(const engine::Run* run);

// The pseudo-scheme that keeps the order of the measured run.
inline const QString kOwnOrder = QStringLiteral("own-order");
// Returns kOwnOrder and the synchronous schemes, sorted by name.
std::vector<QString> whatIfSchemes();
QString schemeLabel(const QString& scheme); // "ZB-V" for "zb-v"

// A scheme predicted with the measured times.
struct WhatIfRow
{
    QString scheme;
    QString reason; // why there is no prediction; "" if there is one or it is still pending
    bool isKnown = false, hasInterval = false;
    // In ns; 95 % of the predictions are in [least, most].
    std::int64_t iteration = 0, least = 0, most = 0;
    double bubbleRatio = 0, peakStash = 0; // peakStash in M_a
    // Peak of each device; empty: unknown.
    engine::IdVector<engine::DeviceId, std::int64_t> deviceBytes;
    std::shared_ptr<const Thumbnail> thumbnail;
};

// Predicts one scheme with the micro-batches and the link speed of `changes`, which `changed` has.
// Labels the predicted run with the scheme. `resamples`: number of predictions for the interval; 0:
// no interval. Fails for kOwnOrder if the number of micro-batches differs from that of the run.
engine::Result<profiler::Prediction> predictScheme(const profiler::WhatIfPredictor& changed,
                                                   const QString& scheme,
                                                   const WhatIfChanges& changes, int resamples = 0,
                                                   const std::function<bool()>& isCancelled = {});
WhatIfRow whatIfRow(const QString& scheme, const engine::Result<profiler::Prediction>& prediction,
                    bool hasInterval);

// A prediction together with the measured run.
struct WhatIfDetails
{
    QString scheme;
    std::shared_ptr<const engine::Run> run; // the predicted run; null if `reason` is set
    QString reason;
    profiler::Comparison comparison; // compares the measured run and the prediction
    // Predicted iteration times in ns, each with one assumption changed; nullopt if the change
    // would have no effect or the time is unknown.
    std::optional<std::int64_t> withoutEdits, withMeasuredLayers, withoutStragglers, withHalfLinks;
    // WhatIfPredictor::correction(); nullopt if the prediction keeps the run's own order.
    std::optional<double> correction;
    int measuredStages = 0;
    std::vector<std::string> assumptions;
};

// Predicts one scheme and compares it with the run. `measured` has no changes.
WhatIfDetails whatIfDetails(const profiler::WhatIfPredictor& measured, const engine::Run& run,
                            const WhatIfChanges& changes, const QString& scheme);

// Returns the `bscope whatif` command with the changes, without -o.
QString whatIfCommand(const QString& file, const QString& scheme, const WhatIfChanges& changes,
                      const engine::Shape& measured);

// The device whose stages take longest, and by how much they exceed the mean of the other devices.
// `device` is -1 if the excess is less than 1 %.
struct SlowestDevice
{
    int device = -1;
    double excess = 0; // 0.043: 4.3 % slower
};
SlowestDevice slowestDevice(const engine::Run& run, const profiler::MeasuredTimes& times);

// A change to a measured run, and all other changes.
struct WhatIfEdit
{
    QString text; // "F on device 3 × 1.5"
    WhatIfChanges without;
};
// Returns an entry for each change.
std::vector<WhatIfEdit> editsOf(const WhatIfChanges& changes, const engine::Run& run);

// "2F3", "F on device 1", "F", "Device 1", "Link 0–1", "All links within nodes".
QString selectionText(const profiler::RunEdit& edit);

// Returns the slow-down factor of the ops or links that `edit` selects; 1 if none is set.
double slowdown(const WhatIfChanges& changes, const profiler::RunEdit& edit);
// Sets the slow-down factor of the ops or links that `edit` selects, clamped to the limits of
// factors. A factor of 1 removes the slow-down.
void setSlowdown(WhatIfChanges& changes, profiler::RunEdit edit);

// Returns the links between devices over which messages pass, as edits with a factor of 1. If the
// run names several hosts, edits for all links within nodes and for all links between nodes come
// first.
std::vector<profiler::RunEdit> linksOf(const engine::Run& run);

// The result of a prediction, in one sentence.
struct WhatIfVerdict
{
    enum class Kind : std::uint8_t { Shorter, Unclear, Longer, AlmostFull };

    Kind kind = Kind::Unclear;
    QString bold, rest; // "ZB-V would take 412 ms instead of 488 ms" "(−15.6 %, ...)"
};

// The input of a verdict. `measuredBytes` is the peak of each device; empty: unknown.
struct WhatIfNumbers
{
    std::int64_t measured = 0; // in ns
    engine::IdVector<engine::DeviceId, std::int64_t> measuredBytes;
    std::int64_t memoryLimit = 0; // bytes; 0: none
    // The numbers of micro-batches of the measured and of the predicted iteration. If they differ,
    // the times per micro-batch are compared.
    int measuredBatches = 1, batches = 1;
};
// Returns the measured iteration time, scaled to the number of micro-batches of the prediction.
std::int64_t atPace(const WhatIfNumbers& numbers);
WhatIfVerdict verdictOf(const WhatIfRow& row, const WhatIfNumbers& numbers);

// Returns the peak of each device of a compared run; empty if the peak of any device is unknown.
engine::IdVector<engine::DeviceId, std::int64_t> peaksOf(const profiler::ComparedRun& run);

// Describes a prediction: the causes of its difference from the measured run, the memory of its
// devices, and its assumptions. `row` has the interval and the memory; nullptr: not known yet.
// `memoryLimit` is in bytes; 0: none.
Details describeWhatIf(const WhatIfDetails& prediction, const WhatIfRow* row,
                       const WhatIfChanges& changes, std::int64_t memoryLimit);

} // namespace app
