#pragma once

#include "app/plan/run_plan.h"

#include <QStringList>

#include <vector>

namespace app {

struct WrittenPredictions
{
    QStringList files;  // the file of each plan that was predicted, in the order of the plans
    QStringList failed; // why the other plans failed: "zb-h2: N must be at least 2D-1"
};

// Predicts each plan and writes it to a new file as a simulated run. May be called on any thread.
WrittenPredictions writePredictions(const std::vector<RunPlan>& plans);

} // namespace app
