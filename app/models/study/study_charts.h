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

// A chart that a panel can show: one that the study defines, or the chart of a metric for which all
// other axes have the values of a point.
struct ChartChoice
{
    QString title;
    profiler::StudyChart chart;
    bool isOwn = false;
};

// The charts of a panel; those that the study defines come first. The charts of a metric have the
// axis `axis` ("": a suitable one) and go through `point`.
std::vector<ChartChoice> chartChoices(const StudyData& data, StudyPanel panel,
                                      const std::string& axis, std::size_t point);
// The axes over which a panel can draw a metric, the most suitable first.
std::vector<std::string> chartAxes(const profiler::Study& study, StudyPanel panel);

// The point that a page selects first: the best one in the first chart that the study defines.
std::size_t firstPoint(const StudyData& data);

QString whereText(const profiler::StudyChart& chart); // "devices 8, P2P message 0.1"; "": all
QString modeText(const profiler::Study& study);       // "simulated"
// "4 values of devices × 6 of micro-batches × 10 of scheme"
QString gridText(const profiler::Study& study);
double gridSize(const profiler::Study& study); // the number of points
// "20 simulations, 0.3 s". `results`: nullptr if there are none. `seconds`: 0 if unknown.
QString summaryText(const profiler::Study& study, const StudyPointer& results, double seconds);

// The style of a chart that fills a widget.
profiler::ChartStyle chartStyle(const Theme& theme, QSize size);

} // namespace app
