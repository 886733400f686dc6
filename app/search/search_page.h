#pragma once

#include "app/figures/scene_view.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "profiler/search/vary.h"

namespace app {

// What a search has found so far, over its time.
struct SearchHistory
{
    double budget = 0;                            // seconds that the search may take
    std::vector<std::pair<double, double>> steps; // seconds and length of every improvement
    // Peak memory and length of found schedules, of which none needs as much memory as a longer
    // one; see peakOf().
    std::vector<std::pair<double, double>> found;
    profiler::SearchProgress now;

    void add(const profiler::SearchProgress& progress);
    void addFound(const profiler::PredictedRun& run);
};

// The unit in which lengths are shown, and its name: (1, "units") or (1e6, "ms").
std::pair<double, QString> lengthUnit(bool inUnits);

// The best length over time as steps, the best published schedule as a dashed line, and the bound
// as a line with a shade below it.
profiler::MarkedScene searchChart(const SearchHistory& history, const ChartLook& look);

// The peak memory of the fullest device: GiB if its bytes are known, else M_a.
double peakOf(const profiler::RunMetrics& metrics);
// The lengths of the found schedules, as filled dots, and of the published schemes, over their
// peak memory. What exceeds the limit is shaded.
profiler::MarkedScene memoryChart(const SearchHistory& history,
                                  const std::vector<profiler::PublishedSchedule>& schemes,
                                  const profiler::MemoryLimit& limit, const ChartLook& look);

struct SearchSettings
{
    RunPlan plan;       // its scheme is not used
    std::string memory; // as of profiler::memoryLimit()
    profiler::Variation vary = {};
    double seconds = 10;
    std::int64_t orders = 0; // in place of `seconds`; 0: none
};

// The page that searches the shortest schedule for given costs. The search runs on other threads,
// and the page looks at its progress five times a second, however often it reports. Closing the
// page stops it.
Page* makeSearch(const ThemeController& theme);

} // namespace app
