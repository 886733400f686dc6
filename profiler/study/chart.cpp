#include "profiler/study/chart.h"

#include "engine/base/try.h"
#include "profiler/study/chart_map.h"
#include "profiler/study/chart_plot.h"

#include <algorithm>

namespace profiler {
namespace {

void drawNothing(const ChartStyle& style, bool hasOpenPoints, ChartSheet& sheet)
{
    sheet.height = style.fillsHeight ? style.height : 40;
    sheet.canvas.text(kPlotLeft, 24,
                      hasOpenPoints
                          ? "No results yet"
                          : "No point of this chart is possible; results.csv has the reasons");
}

} // namespace

engine::Result<MarkedScene> drawChart(const Study& study, const StudyChart& chart,
                                      const std::vector<StudyPoint>& points,
                                      const std::vector<StudyResult>& results,
                                      const ChartStyle& style)
{
    const auto of = TRY(ChartPoints::of(study, chart, points, results));
    const bool isMap
        = chart.kind == StudyChart::Kind::HeatMap || chart.kind == StudyChart::Kind::PhaseMap;
    const auto isOpen = [](const StudyResult& result) { return !result.isDone; };
    ChartSheet sheet(style);
    if (of.values().empty() && (!isMap || std::ranges::all_of(results, isOpen))) {
        bool hasOpenPoints = false;
        for (std::size_t i = 0; i < points.size(); ++i)
            hasOpenPoints = hasOpenPoints || (of.isShown(i) && isOpen(results[i]));
        drawNothing(style, hasOpenPoints, sheet);
    } else if (isMap) {
        ChartMap(of, style, sheet).draw();
    } else {
        ChartPlot(of, style, sheet).draw();
    }
    MarkedScene drawn = sheet.canvas.finish(std::move(sheet.marks));
    drawn.scene.height = sheet.height;
    drawn.scene.title = chart.title;
    return drawn;
}

} // namespace profiler
