#include "app/timeline/details/details.h"
#include "tests/app/sample_run.h"
#include "tests/app/timeline/details/details_row.h"
#include "tests/catch.h"

using app::Selection;

TEST_CASE("the details of a running run state what is left and how it keeps to the prediction")
{
    engine::Run run = *sample::measured({"1f1b", 4, 8, 3});
    run.info.outcome = engine::Outcome::Running;
    engine::Run predicted = run;
    predicted.timeline
        = engine::simulate(run.schedule, sample::measuredCosts(run.schedule)).value();
    const app::RunView view(std::make_shared<const engine::Run>(run));
    app::RunProgress progress;
    progress.done = 3;
    progress.planned = 7;
    progress.secondsLeft = 1.46;
    app::DetailsFacts context;
    context.progress = progress;
    auto details = app::detailsOf(view, Selection{}, context);
    CHECK(details.title == QLatin1String("Running"));
    CHECK(details.value == QLatin1String("1.5"));
    CHECK(details.unit == QLatin1String("s left"));
    CHECK(row(details, "Complete iterations") == QLatin1String("3 of 7"));
    CHECK(row(details, "Predicted") == QLatin1String("(none)"));
    const auto prediction = std::make_shared<engine::Run>(predicted);
    context.prediction = prediction;
    details = app::detailsOf(view, Selection{}, context);
    CHECK(row(details, "Predicted") == row(details, "Newest iteration, on time"));
    CHECK(row(details, "Iteration, mean of 0\u20132") == row(details, "Predicted"));
    for (auto& iteration : prediction->timeline.iterations)
        iteration.window.end -= 1'000'000;
    details = app::detailsOf(view, Selection{}, context);
    CHECK(row(details, "Newest iteration, 1.0 ms behind") != QLatin1String("(none)"));
    app::RunProgress ahead = progress;
    ahead.warmup = 1;
    ahead.opsDone = 113;
    ahead.ops = 192;
    context.progress = ahead;
    CHECK(row(app::detailsOf(view, Selection{}, context), "Ops of iteration 2")
          == QLatin1String("113 of 192"));
    // An op keeps its own details.
    Selection device;
    device.kind = Selection::Kind::Device;
    device.iteration = 0;
    device.device = engine::DeviceId{0};
    CHECK(app::detailsOf(view, device, context).title == QLatin1String("Device 0"));
}

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// Two devices in two iterations: 4 GiB stay, and 8 GiB more are live in the middle of each.
engine::Run running(const engine::ArenaUse& use)
{
    engine::Run run = *sample::units({"1f1b", 2, 2, 2});
    run.info.outcome = engine::Outcome::Running;
    run.info.arenas.resize(2, use);
    auto& memory = run.timeline.memory;
    constexpr auto kWeights = engine::MemoryCategory::Weights;
    constexpr auto kStash = engine::MemoryCategory::Stash;
    for (const std::uint16_t device : {0, 1})
        memory.push_back({0, 4 * kGiB, engine::MemoryEvent::kNoOp, device, kWeights});
    for (const auto& iteration : run.timeline.iterations)
        for (const std::int64_t bytes : {8 * kGiB, -8 * kGiB})
            for (const std::uint16_t device : {0, 1})
                memory.push_back(
                    {iteration.window.begin + (bytes > 0 ? 1 : 2), bytes, 0, device, kStash});
    return run;
}

app::Details detailsOf(const engine::Run& run)
{
    const app::RunProgress progress;
    app::DetailsFacts context;
    context.progress = progress;
    return app::detailsOf(app::RunView(std::make_shared<const engine::Run>(run)), Selection{},
                          context);
}

} // namespace

TEST_CASE("a running run lists live, touched, arena and plan of each device in one unit")
{
    using Cell = app::DetailsTable::Cell;
    const auto details = detailsOf(running({13 * kGiB, 14 * kGiB, {}}));
    CHECK(details.sections.back().title == QLatin1String("Memory, GiB"));
    CHECK(cell(details, "device 0", "live") == Cell{QStringLiteral("4.00"), true});
    CHECK(cell(details, "device 0", "touched") == Cell{QStringLiteral("–")});
    CHECK(cell(details, "device 1", "arena") == Cell{QStringLiteral("14.00")});
    CHECK(cell(details, "device 1", "plan") == Cell{QStringLiteral("13.00")});
    // Gaps between buffers are within the arena.
    CHECK(cell(detailsOf(running({12 * kGiB, 14 * kGiB, 13 * kGiB})), "device 0", "touched")
          == Cell{QStringLiteral("13.00")});
    CHECK(app::plainText(details).contains(
        QLatin1String("\n\tlive\ttouched\tarena\tplan\ndevice 0\t4.00\t")));
}

TEST_CASE("memory beyond the plan or the arena is an error, and a finished run has no such table")
{
    const auto details = detailsOf(running({11 * kGiB, 14 * kGiB, 15 * kGiB}));
    CHECK(cell(details, "device 0", "plan").isError); // 12 GiB were live
    CHECK(cell(details, "device 0", "touched").isError);
    CHECK_FALSE(cell(details, "device 0", "arena").isError);
    CHECK_FALSE(
        cell(detailsOf(running({12 * kGiB, 14 * kGiB, 14 * kGiB})), "device 0", "plan").isError);
    engine::Run finished = running({12 * kGiB, 14 * kGiB, 14 * kGiB});
    finished.info.outcome = engine::Outcome::Finished;
    CHECK(cell(detailsOf(finished), "device 0", "live").text.isEmpty());
}

TEST_CASE("details are copied as lines of text")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const QString text = app::plainText(app::detailsOf(view, Selection{}));
    CHECK(text.startsWith(QLatin1String("1f1b\t")));
    CHECK(text.contains(QLatin1String("\nDevice 0 wait: B of micro-batch 0\t2.0\n")));
    CHECK_FALSE(text.contains(QLatin1String("<b>")));
}
