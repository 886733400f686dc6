#pragma once

#include "app/figures/scene_view.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "profiler/search/search.h"

namespace app {

// What a search has found so far, over its time.
struct SearchHistory
{
    double budget = 0;                            // seconds that the search may take
    std::vector<std::pair<double, double>> steps; // seconds and length of every improvement
    profiler::SearchProgress now;

    void add(const profiler::SearchProgress& progress);
};

// The unit in which lengths are shown, and its name: (1, "units") or (1e6, "ms").
std::pair<double, QString> lengthUnit(bool inUnits);

// The best length over time as steps, the best published schedule as a dashed line, and the bound
// as a line with a shade below it.
profiler::MarkedScene searchChart(const SearchHistory& history, const ChartLook& look);

struct SearchSettings
{
    RunPlan plan;       // its scheme is not used
    std::string memory; // as of profiler::memoryLimit()
    bool variesPlacement = false;
    double seconds = 10;
};

// The page that searches the shortest schedule for given costs. The search runs on other threads,
// and the page looks at its progress five times a second, however often it reports. Closing the
// page stops it.
Page* makeSearch(const ThemeController& theme);

} // namespace app
