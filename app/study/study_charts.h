#pragma once

#include "app/study/study_session.h"
#include "profiler/study/chart_kit.h"

#include <QString>

namespace app {

// The three charts of a study page.
enum class StudyPanel : std::uint8_t { Map, Lines, Front };
constexpr std::size_t kStudyPanels = 3;

// A chart that a panel can show. It is either defined by the study (isOwn), or shows a metric over
// one axis, with the other axes fixed at the values of the selected point.
struct ChartChoice
{
    QString title;
    profiler::StudyChart chart;
    bool isOwn = false;
};

// Returns the charts that a panel offers: those that the study defines, then one per metric. The
// charts of metrics vary `axis` ("": a suitable axis); the other axes have the values of `point`.
std::vector<ChartChoice> chartChoices(const StudyData& data, StudyPanel panel,
                                      const std::string& axis, std::size_t point);
// Returns the axes over which a panel can draw a metric, the most suitable one first.
std::vector<std::string> chartAxes(const profiler::Study& study, StudyPanel panel);

// Returns the point that a page selects first: the best point under the conditions of the study's
// first chart.
std::size_t firstPoint(const StudyData& data);

// Names the fixed values of a chart: "devices 8, P2P message 0.1"; "" if there are none.
QString whereText(const profiler::StudyChart& chart);
QString modeText(const profiler::Study& study); // "simulated"
// "4 values of devices × 6 of micro-batches × 10 of scheme"
QString gridText(const profiler::Study& study);
double gridSize(const profiler::Study& study); // number of points
// "20 simulations, 0.3 s". `results`: nullptr if there are none. `seconds`: 0 if unknown.
QString summaryText(const profiler::Study& study, const StudyPointer& results, double seconds);

} // namespace app
