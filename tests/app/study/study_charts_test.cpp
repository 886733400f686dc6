#include "app/study/study_page.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/study_file.h"
#include "tests/catch.h"

using namespace app;
using profiler::StudyMetric;

namespace {

StudyData dataOf(const profiler::Study& study)
{
    StudyData data(study);
    for (std::size_t i = 0; i < data.points.size(); ++i) {
        data.results[i].isDone = true;
        data.results[i].values.unit = "units";
        data.results[i].values.of[StudyMetric::Iteration] = 100 - static_cast<double>(i);
    }
    return data;
}

QStringList titles(const std::vector<ChartChoice>& choices)
{
    QStringList all;
    for (const ChartChoice& choice : choices)
        all.append(choice.title);
    return all;
}

} // namespace

TEST_CASE("a panel offers the charts of the study, then those of the known metrics")
{
    const auto study = openStudy(QStringLiteral("best-scheme"));
    REQUIRE(study);
    const StudyData data = dataOf(*study);
    const QStringList map = titles(chartChoices(data, StudyPanel::Map, "", 0));
    CHECK(map
          == QStringList{QStringLiteral("Shortest iteration"), QStringLiteral("Bubble"),
                         QStringLiteral("Bubble, %"), QStringLiteral("Iteration, units"),
                         QStringLiteral("Speed-up over 1F1B")});
    CHECK(titles(chartChoices(data, StudyPanel::Lines, "", 0)).front()
          == QStringLiteral("Speed-up over 1F1B"));
    CHECK(titles(chartChoices(data, StudyPanel::Front, "", 0)).back()
          == QStringLiteral("Iteration against memory"));
}

TEST_CASE("the chart of a metric goes through the selected point")
{
    const auto study = openStudy(QStringLiteral("bandwidth"));
    REQUIRE(study);
    const StudyData data = dataOf(*study);
    const auto point = pointAt(*study, {"early", "8", "0.2", "zb-v"});
    REQUIRE(point);
    const auto choices = chartChoices(data, StudyPanel::Lines, "p2p", *point);
    const ChartChoice& iteration = choices[1];
    CHECK(iteration.title == QStringLiteral("Iteration, units"));
    CHECK(iteration.chart.x == "p2p");
    CHECK(profiler::whereText(iteration.chart.where) == "concatenation early, devices 8");
    CHECK_FALSE(iteration.isOwn);
    const auto front = chartChoices(data, StudyPanel::Front, "", *point).back();
    CHECK(front.chart.where.at("p2p") == "0.2");
    CHECK(front.chart.series == "scheme");
}

TEST_CASE("a map begins with N, and lines with an option that is no count")
{
    profiler::Study study = defaultStudy();
    profiler::setOption(study, "p2p", {"0", "0.1"});
    profiler::setOption(study, "devices", {"4", "8"});
    CHECK(chartAxes(study, StudyPanel::Map).front() == "micro-batches");
    CHECK(chartAxes(study, StudyPanel::Lines).front() == "p2p");
    profiler::Study single = defaultStudy();
    profiler::setOption(single, "micro-batches", {});
    const StudyData data = dataOf(single);
    const auto choices = chartChoices(data, StudyPanel::Map, "", 0);
    CHECK(choices.front().chart.kind == profiler::StudyChart::Kind::Bars);
}

TEST_CASE("a page begins with the best point of the first chart")
{
    const auto study = openStudy(QStringLiteral("odd-devices"));
    REQUIRE(study);
    const StudyData data = dataOf(*study); // the last scheme is the shortest
    const auto& values = data.points[firstPoint(data)].values;
    CHECK(values.front() == "5");
    CHECK(values.back() == study->axis("scheme")->values.back());
}
