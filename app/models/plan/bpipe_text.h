#pragma once

#include "app/models/plan/bpipe_plan.h"

namespace app {

// A number of the estimator page and its source. `kind` is "published", "rule", "computed", "typed"
// or "assumed".
struct NumberSource
{
    QString title, detail, kind;
};
// Returns the sources for the row `shown`, compared with the first row.
std::vector<NumberSource> numberSources(const engine::BpipeQuestion& question,
                                        const engine::BpipeAnswer& answer, std::size_t shown);

// The step from one micro-batch size to the next: the stage MFU grows by the factor `gain`, and the
// speed-up is gain / needed.
struct BpipeStep
{
    int from = 1, to = 2;
    double gain = 1, needed = 1;

    double speedUp() const { return gain / needed; }
};
std::vector<BpipeStep> stepsOf(const engine::BpipeAnswer& answer);
// "b = 1 to 2: the stage MFU must rise 5.2 % to offset the bubble; it rises 33.9 %."
QString stepText(const BpipeStep& step);

// A published case as a point. Its gain follows from the published speed-up and the bubble.
struct BpipePoint
{
    QString text; // "GPT-3 96B, recompute: published 1.35×"
    double gain = 1, speedUp = 1;
};
const std::vector<BpipePoint>& publishedPoints();

} // namespace app
