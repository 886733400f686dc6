#pragma once

#include "app/plan/run_plan.h"
#include "app/shell/page.h"

#include <functional>
#include <optional>

namespace app {

// Sets up a run: the user chooses a scheme and sees its schedule, or its devices on the nodes of a
// machine. Every edit updates the prediction; a scheme that is not possible states the reason and
// stays in the list.
class SetupPage : public Page
{
    Q_OBJECT

public:
    static SetupPage* make(const ThemeController& theme);

    virtual const RunPlan& plan() const = 0;
    virtual void setPlan(const RunPlan& plan) = 0;
    // Replaces engine::cpuTimeOfOthers(), by which the page sees that the machine is busy; nullopt
    // while the load is not that of others.
    virtual void setCpuTimeOfOthers(std::function<std::optional<std::int64_t>()> time) = 0;
    virtual void showMapping() = 0; // instead of the predicted schedule
};

} // namespace app
