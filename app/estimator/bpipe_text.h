#pragma once

#include "app/plan/bpipe_plan.h"

namespace app {

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

// A published case as a point of the chart. Its gain is computed from the published speed-up and
// the bubble.
struct BpipePoint
{
    QChar mark;   // in the chart and its legend: "□"
    QString text; // "GPT-3 96B, recompute: published 1.35×"
    double gain = 1, speedUp = 1;
};
const std::vector<BpipePoint>& publishedPoints();

} // namespace app
