#pragma once

#include "app/figures/scene_view.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "engine/cost/bpipe_gain.h"
#include "profiler/predict/estimate.h"

#include <vector>

namespace app {

using profiler::EstimateRequest;

// What the estimator page shows of an estimate. The default is GPT-3 96B, as in arXiv 2401.02088.
EstimateRequest defaultEstimate();

// A speed-up that arXiv 2401.02088 publishes for the change from the micro-batch size `from` to
// `to`. `request` is the set-up with both sizes.
struct BpipeCase
{
    QString title, detail; // "GPT-3 96B, recompute", "b 1 → 2, attention recomputed"
    QString published;     // "1.35×"
    double speedUp = 1;    // as a factor
    int from = 1, to = 2;  // micro-batch sizes
    EstimateRequest request;
    // As a point of the chart: its mark ("□"), and its gain in stage MFU, which is computed from
    // the published speed-up and the bubble.
    QChar mark;
    double gain = 1;

    // "GPT-3 96B, recompute: published 1.35×"
    QString text() const { return QStringLiteral("%1: published %2").arg(title, published); }
};
const std::vector<BpipeCase>& bpipeCases();

// The command that prints the same estimate, quoted for a shell: "bscope estimate bpipe ...".
QString estimateCommand(const EstimateRequest& request);

// Returns a plan that simulates BPipe or 1F1B with micro-batches of `size` sequences. The costs are
// those of the model on its hardware.
RunPlan simulationOf(const EstimateRequest& request, const char* scheme, int size);

struct BpipeMemory
{
    DeviceColumns oneFOneB, bpipe;
    int microBatches = 0; // number of simulated micro-batches
};
// Simulates 1F1B and BPipe with micro-batches of `size` sequences. At most 4 D micro-batches are
// simulated, because the peaks no longer grow after 2 D. Takes milliseconds for 8 devices. Fails if
// the schedule or its times are too large to simulate.
engine::Result<BpipeMemory> bpipeMemory(const EstimateRequest& request, int size);

// A number of the estimator page and where it comes from. `kind` is "published", "rule",
// "computed", "typed" or "assumed".
struct NumberSource
{
    QString title, detail, kind;
};
// Returns the sources of the numbers in the row `shown`, which is compared with the first row.
std::vector<NumberSource> numberSources(const engine::BpipeQuestion& question,
                                        const engine::BpipeAnswer& answer, std::size_t shown);

// The change from one micro-batch size to the next. The stage MFU grows by the factor `gain`. It
// must grow by `needed` to offset the larger bubble, so the speed-up is gain / needed.
struct BpipeStep
{
    int from = 1, to = 2;
    double gain = 1, needed = 1;

    double speedUp() const { return gain / needed; }
};
std::vector<BpipeStep> stepsOf(const engine::BpipeAnswer& answer);
// "b = 1 to 2: the stage MFU must rise 5.2 % to offset the bubble; it rises 33.9 %."
QString stepText(const BpipeStep& step);

// The speed-up against the gain in stage MFU: a line per step between micro-batch sizes, a dot for
// the gain of this set-up, and the marks of the published cases. The step to `size` is marked. The
// points of the scene are the steps, then the published cases.
profiler::MarkedScene speedUpChart(const std::vector<BpipeStep>& steps, int size,
                                   const ChartLook& look);
QString speedUpText(const std::vector<BpipeStep>& steps, std::size_t point); // its tooltip

// The page that compares micro-batch sizes with and without BPipe.
Page* makeEstimator(const ThemeController& theme);

} // namespace app
