#include "app/compare/compare_widget.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <algorithm>
#include <numeric>

using namespace app;

namespace {

using Runs = std::vector<RunPointer>;

CompareNumbers comparedNumbers(const Runs& runs)
{
    auto numbers = compareNumbers(runs, 0);
    REQUIRE(numbers.has_value());
    return *std::move(numbers);
}

bool hasText(const profiler::MarkedScene& chart, std::string_view part)
{
    return std::ranges::any_of(chart.scene.groups.front().shapes, [&](const auto& shape) {
        const auto* text = std::get_if<profiler::Text>(&shape);
        return text != nullptr && text->text.find(part) != std::string::npos;
    });
}

const QStringList kTitles{QStringLiteral("1F1B #1"), QStringLiteral("BitPipe #2"),
                          QStringLiteral("slow #3")};

} // namespace

// The charts were painted by hand and could not be exported.
TEST_CASE("the charts of a comparison are scenes with a mark for each run")
{
    const CompareNumbers numbers
        = comparedNumbers({sample::measured({"1f1b"}), sample::measured({"bitpipe"})});
    const ChartLook look;
    const auto causes
        = barChart(QStringLiteral("Causes"), causeRows(numbers, kTitles, 1, look.palette),
                   numbers.time(), look);
    CHECK(causes.marks.size() == 2);
    CHECK(hasText(causes, "drain"));
    CHECK(hasText(causes, "BitPipe #2"));
    const auto points = paretoChart(numbers, kTitles, 1, look);
    CHECK(points.marks.size() == 2);
    CHECK(hasText(points, "peak memory"));
    CHECK_FALSE(profiler::toSvg(points.scene).empty());
}

TEST_CASE("the parts of a mean device add up to the iteration")
{
    const CompareNumbers numbers = comparedNumbers({sample::measured({"bitpipe"})});
    const BarRow row = timeRow(0, {}, numbers.comparison.runs[0], {1, 0, {}}, ChartLook().palette);
    CHECK(row.total() == Approx(numbers.comparison.runs[0].metrics.duration));
    CHECK(row.parts.back().isBubble);
}

// The tooltip of a bar had the ticks of the run in the unit of the baseline.
TEST_CASE("the bars of a run with finer ticks are in the unit of the baseline")
{
    engine::Run finer = *sample::units({"1f1b"});
    finer.info.ticksPerUnit *= 2;
    finer.timeline.iterations[0].window.end *= 2;
    for (engine::Track& track : finer.timeline.tracks)
        for (engine::Span& span : track.spans) {
            span.begin *= 2;
            span.end *= 2;
        }
    const CompareNumbers numbers = comparedNumbers(
        {sample::units({"1f1b"}), std::make_shared<const engine::Run>(std::move(finer))});
    CHECK(timeRow(numbers, 0, kTitles, ChartLook().palette).total() == Approx(33));
    CHECK(timeRow(numbers, 1, kTitles, ChartLook().palette).total() == Approx(33));
    const BarRow ticks
        = timeRow(1, {}, numbers.comparison.runs[1], numbers.time(), ChartLook().palette);
    CHECK(ticks.total() == Approx(66)); // what the tooltip had
}

TEST_CASE("a run slower than the axis of the points is at its upper end, with its time")
{
    const CompareNumbers numbers
        = comparedNumbers({sample::measured({"1f1b", 4, 8}), sample::measured({"bitpipe", 4, 8}),
                           sample::measured({"1f1b", 4, 64})});
    const auto chart = paretoChart(numbers, kTitles, -1, {});
    const auto top = [&](std::size_t run) {
        return std::ranges::find(chart.marks, run, &profiler::SceneMark::point)->rect.y;
    };
    CHECK(top(2) < top(0) - 40);
    const Scale time = numbers.time();
    const std::string text
        = number(numbers.comparison.runs[2].time() / time.perUnit(), time.decimals()).toStdString();
    CHECK(hasText(chart, text));
}

TEST_CASE("schemes with older weights are not on the front and come last in the causes")
{
    CompareNumbers numbers
        = comparedNumbers({sample::measured({"1f1b"}), sample::measured({"bitpipe"})});
    numbers.comparison.runs[1].hasOlderWeights = true;
    numbers.ranking = rankRuns(numbers.comparison, profiler::RankBy::Iteration);
    CHECK(hasText(paretoChart(numbers, kTitles, -1, {}), "older weights"));
    const auto rows = causeRows(numbers, kTitles, -1, ChartLook().palette);
    REQUIRE(rows.size() == 2);
    CHECK(rows.back().run == 1);
    CHECK(rows.back().isApart);
}

TEST_CASE("the shares of a histogram add up to 1")
{
    const CompareNumbers numbers
        = comparedNumbers({sample::measured({"1f1b"}), sample::measured({"gpipe"})});
    const auto shares = Histogram{numbers, 1, engine::OpKind::Forward}.shares(1);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1));
    CHECK(histogramKinds(numbers).front() == engine::OpKind::Forward);
    CHECK(hasText(durationsChart({numbers, 1, engine::OpKind::Forward}, kTitles, {}), "median"));
}
