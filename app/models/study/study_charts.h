#pragma once

#include "app/models/study/study_data.h"
#include "app/models/theme.h"
#include "profiler/study/chart_style.h"

#include <QSize>
#include <QString>

namespace app {

// The three charts of a study page.
enum class StudyPanel : std::uint8_t { Map, Lines, Front };
constexpr std::size_t kStudyPanels = 3;

// A chart that a panel can show. It is defined by the study (isOwn), or shows a metric over one
// axis while the other axes have fixed values: those of the selected point.
struct ChartChoice
{
    QString title;
    profiler::StudyChart chart;
    bool isOwn = false;
};

// The charts that a panel offers: those that the study defines, then one per metric. The charts of
// metrics vary `axis` ("": a suitable axis); the other axes have the values of `point`.
std::vector<ChartChoice> chartChoices(const StudyData& data, StudyPanel panel,
                                      const std::string& axis, std::size_t point);
// The axes over which a panel can draw a metric, the most suitable first.
std::vector<std::string> chartAxes(const profiler::Study& study, StudyPanel panel);

// The point that a page selects first: the best one in the first chart that the study defines.
std::size_t firstPoint(const StudyData& data);

// The fixed values of a chart's other axes: "devices 8, P2P message 0.1"; "" if none is fixed.
QString whereText(const profiler::StudyChart& chart);
QString modeText(const profiler::Study& study); // "simulated"
// "4 values of devices × 6 of micro-batches × 10 of scheme"
QString gridText(const profiler::Study& study);
double gridSize(const profiler::Study& study); // the number of points
// "20 simulations, 0.3 s". `results`: nullptr if there are none. `seconds`: 0 if unknown.
QString summaryText(const profiler::Study& study, const StudyPointer& results, double seconds);

// The style of a chart that fills a widget.
profiler::ChartStyle chartStyle(const Theme& theme, QSize size);

} // namespace app
