#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/cluster/results_panel.h"
#include "app/shell/page.h"

namespace app {

// Runs an experiment on a cluster: writes a kit, checks it, and imports the results to compare them
// with the prediction and with a run of this machine.
class ClusterPage : public Page
{
public:
    // For `plan`, the plan of a set-up, or for `emulated`, a run that recorded its experiment.
    static ClusterPage* make(const ThemeController& theme, RunLibrary& library,
                             const ClusterPlan& plan);
    static ClusterPage* make(const ThemeController& theme, RunLibrary& library,
                             const std::shared_ptr<RunDocument>& emulated);

    virtual void writeTo(const QString& folder, engine::IfExists ifExists) = 0;
    virtual const ClusterOutlook* outlook() const = 0; // nullptr: not computed yet, or failed
    virtual ResultsPanel& results() = 0;
};

} // namespace app
