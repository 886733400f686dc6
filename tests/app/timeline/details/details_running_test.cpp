#include "app/timeline/details/details.h"
#include "tests/app/sample_run.h"
#include "tests/app/timeline/details/details_row.h"
#include "tests/catch.h"

using app::Selection;

TEST_CASE("the details of a running run state what is left and how it keeps to the prediction")
{
    engine::Run run = *sample::measured({"1f1b", 4, 8, 3});
    run.info.outcome = engine::Outcome::Running;
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    for (int d = 0; d < 4; ++d)
        run.info.arenas.push_back({20 * kGiB, 21 * kGiB, {}});
    engine::Run predicted = run;
    predicted.timeline
        = engine::simulate(run.schedule, sample::measuredCosts(run.schedule)).value();
    const app::RunView view(std::make_shared<const engine::Run>(run));
    app::RunProgress progress;
    progress.done = 3;
    progress.planned = 7;
    progress.secondsLeft = 1.46;
    app::DetailsContext context;
    context.progress = &progress;
    auto details = app::detailsOf(view, Selection{}, context);
    CHECK(details.title == QLatin1String("Running"));
    CHECK(details.value == QLatin1String("1.5"));
    CHECK(details.unit == QLatin1String("s left"));
    CHECK(row(details, "Complete iterations") == QLatin1String("3 of 7"));
    CHECK(row(details, "Predicted") == QLatin1String("(none)"));
    CHECK(row(details, "device 3").endsWith(QLatin1String(" of 20.00")));
    context.predicted = &predicted;
    details = app::detailsOf(view, Selection{}, context);
    CHECK(row(details, "Predicted") == row(details, "Newest iteration, on time"));
    CHECK(row(details, "Iteration, mean of 0\u20132") == row(details, "Predicted"));
    for (auto& iteration : predicted.timeline.iterations)
        iteration.window.end -= 1'000'000;
    details = app::detailsOf(view, Selection{}, context);
    CHECK(row(details, "Newest iteration, 1.0 ms behind") != QLatin1String("(none)"));
    app::RunProgress ahead = progress;
    ahead.warmup = 1;
    ahead.opsDone = 113;
    ahead.ops = 192;
    context.progress = &ahead;
    CHECK(row(app::detailsOf(view, Selection{}, context), "Ops of iteration 2")
          == QLatin1String("113 of 192"));
    // An op keeps its own details.
    Selection device;
    device.kind = Selection::Kind::Device;
    device.iteration = 0;
    device.device = engine::DeviceId{0};
    CHECK(app::detailsOf(view, device, context).title == QLatin1String("Device 0"));
}

TEST_CASE("details are copied as lines of text")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const QString text = app::plainText(app::detailsOf(view, Selection{}));
    CHECK(text.startsWith(QLatin1String("1f1b\t")));
    CHECK(text.contains(QLatin1String("\nExposed communication\t0.0\n")));
    CHECK_FALSE(text.contains(QLatin1String("<b>")));
}
