#include "app/timeline/details/details.h"
#include "app/timeline/view/navigation.h"
#include "app/ui/text.h"
#include "engine/experiment/experiment.h"
#include "tests/app/sample_run.h"
#include "tests/app/timeline/details/details_row.h"
#include "tests/catch.h"

namespace {

using app::Selection;
using app::Step;

} // namespace

TEST_CASE("the details of a range over two iterations name both, the causes and the notes")
{
    const app::RunView view(sample::measured({"1f1b", 4, 8, 3}));
    const auto& iterations = view.timeline().iterations;
    Selection range;
    range.kind = Selection::Kind::Range;
    range.iteration = 1;
    range.window = {iterations[1].window.end - 30'000'000, iterations[2].window.begin + 20'000'000};
    const auto metrics = profiler::rangeMetrics(view.run(), range.window).value();
    const auto note = [](engine::Window window, const char* text) {
        engine::Note one;
        one.window = window;
        one.text = text;
        return one;
    };
    const std::vector<engine::Note> notes{note(iterations[0].window, "before"),
                                          note(range.window, "the turn"),
                                          note({range.window.begin, range.window.begin + 5}, "")};
    app::DetailsFacts context;
    context.range = metrics;
    context.notes = notes;
    const auto details = app::detailsOf(view, range, context);
    CHECK(details.sentence.startsWith(QLatin1String("The transition from iteration 1 to 2: <b>")));
    CHECK(details.sentence.endsWith(QLatin1String("of a whole iteration.")));
    CHECK(row(details, "drain: no work left") != QLatin1String("(none)"));
    CHECK(row(details, "fill: no input yet") != QLatin1String("(none)"));
    CHECK(row(details, "Largest memory").endsWith(QLatin1String("device 0")));
    const auto& inside = details.sections.back();
    REQUIRE(inside.title == QLatin1String("Notes"));
    REQUIRE(inside.links.size() == 2);
    CHECK(inside.links[0].prefix == QLatin1String("2"));
    CHECK(inside.links[0].name == QLatin1String("the turn"));
    CHECK(inside.links[1].name == QLatin1String("bookmark"));
    CHECK(inside.links[0].target.window == range.window);
    // The metrics of another range are not shown.
    range.window.end += 1;
    CHECK(row(app::detailsOf(view, range, context), "Messages") == QLatin1String("(none)"));
}

TEST_CASE("the details of an op compare it with its prediction")
{
    const auto run = sample::measured({"1f1b", 4, 8, 3});
    const app::RunView view(run);
    engine::Run predicted = *run;
    predicted.timeline = {};
    engine::OpCosts costs = sample::measuredCosts(run->schedule);
    for (auto& row : costs.of)
        for (auto& cost : row)
            cost.duration = cost.duration * 5 / 4;
    predicted.timeline = engine::simulate(run->schedule, costs).value();
    app::DetailsFacts context;
    context.prediction = std::make_shared<const engine::Run>(predicted);
    const auto details = app::detailsOf(view, *app::firstOp(view, 1), context);
    CHECK(row(details, "Predicted").endsWith(QString::fromUtf8(", 20.0\u202F% under")));
    CHECK(row(details, "Predicted start") == QLatin1String("0.0"));
    CHECK(row(app::detailsOf(view, *app::firstOp(view, 1)), "Predicted")
          == QLatin1String("(none)"));
}

TEST_CASE("the wait of an op is divided into bubble and transfer")
{
    const app::RunView view(sample::measured({"1f1b", 4, 8, 1}));
    auto at = *app::firstOp(view, 0);
    at = *app::toLane(view, at, Step::Next); // device 1 waits for 0F0 and its message
    while (at.kind != Selection::Kind::Op)
        at = *app::inLane(view, at, Step::Next);
    const auto details = app::detailsOf(view, at);
    CHECK(row(details, "... bubble, transfer").contains(QLatin1String(" + ")));
}

TEST_CASE("the details of an op state FLOPs, rate, MFU, and how long its stash is kept")
{
    engine::Run run = *sample::measured({"1f1b", 4, 8, 2});
    engine::Experiment experiment;
    run.info.experiment = engine::toToml(experiment);
    run.info.flopsPerIteration = engine::flopsPerIteration(experiment.model, 8);
    const auto of = [&] {
        const app::RunView view(std::make_shared<const engine::Run>(run));
        return app::detailsOf(view, *app::firstOp(view, 0));
    };
    CHECK(row(of(), "MFU of the op")
          == QLatin1String("unknown: the peak of the device was not measured"));
    CHECK(row(of(), "Rate").endsWith(QLatin1String("GFLOP/s")));
    run.info.peakFlops = 1e11;
    const app::RunView view(std::make_shared<const engine::Run>(run));
    const auto first = *app::firstOp(view, 0);
    const double flops = app::modelFlopsOf(experiment.model, run.schedule.shape, view.op(first.op));
    const double seconds = static_cast<double>(first.window.duration()) * 1e-9;
    CHECK(row(of(), "MFU of the op") == app::percent(flops / seconds / 1e11));
    CHECK(row(of(), "All F of stage 0") != QLatin1String("(none)"));
    run.info.peakFlops = flops / seconds / 2; // an edited peak gave 200 %
    CHECK(
        row(of(), "MFU of the op").startsWith(QLatin1String("unknown: the peak of the device, ")));
    CHECK(row(of(), "Stash kept for 0B0").startsWith(QLatin1String("0.88 GiB, ")));
    CHECK(row(of(), "Stash kept until") != QLatin1String("(none)"));
    CHECK(row(of(), "Device memory at the end") != QLatin1String("(none)"));
    CHECK(
        row(app::detailsOf(app::RunView(sample::units({"1f1b", 2, 2, 1})), *app::firstOp(view, 0)),
            "Model FLOPs")
        == QLatin1String("(none)"));
}
