#include "app/timeline/details/details.h"
#include "app/timeline/view/navigation.h"
#include "app/ui/text.h"
#include "tests/app/sample_run.h"
#include "tests/app/simulated_run.h"
#include "tests/app/timeline/details/details_row.h"
#include "tests/catch.h"

#include <QStringList>

#include <algorithm>

namespace {

using app::Selection;
using app::Step;

Selection firstBubble(const app::RunView& view)
{
    auto at = *app::firstOp(view, 0);
    while (at.kind != Selection::Kind::Bubble)
        at = *app::inLane(view, at, Step::Next);
    return at;
}

} // namespace

TEST_CASE("the details of a bubble name the awaited op and its end")
{
    // D = 2, N = 2, F 1, B 2: device 0 has computed at 2, stage 1 ends 1B0 at 1 + 1 + 2 = 4.
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const auto details = app::detailsOf(view, firstBubble(view));
    CHECK(details.title == QLatin1String("Bubble"));
    CHECK(details.value.toDouble() == 2);
    CHECK(details.sentence.contains(QLatin1String("<b>B of micro-batch 0 on stage 1</b>")));
    CHECK(details.sentence.contains(QLatin1String("(device 1), which ends at 4.")));
    CHECK(row(details, "Kind") == QLatin1String("wait"));
    REQUIRE_FALSE(details.sections.empty());
    CHECK(details.sections.front().isChain);
    CHECK(details.sections.front().links.back().name == QLatin1String("0B0"));
}

TEST_CASE("the details of an op link to its inputs and its consumers")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const auto details = app::detailsOf(view, *app::firstOp(view, 0));
    CHECK(details.title == QLatin1String("0F0 forward"));
    CHECK(details.left == QLatin1String("Stage 0, direction down"));
    QStringList needed;
    for (const auto& section : details.sections) {
        for (const auto& link : section.links)
            needed << link.name;
    }
    CHECK(needed.contains(QLatin1String("1F0")));
    CHECK(needed.contains(QLatin1String("0B0")));
}

TEST_CASE("a range counts ops at its edges with their part")
{
    // Device 0 of one device, N = 2: 0F0 0F1.. back to back, no bubble at all.
    const app::RunView view(sample::units({"1f1b", 1, 2, 1}));
    Selection range;
    range.kind = Selection::Kind::Range;
    range.iteration = 0;
    const auto ticks = view.run().info.ticksPerUnit;
    range.window = {ticks / 2, 3 * ticks / 2};
    CHECK(row(app::detailsOf(view, range), "Ops: whole, cut off") == QLatin1String("(none)"));
    const auto metrics = profiler::rangeMetrics(view.run(), range.window).value();
    app::DetailsFacts context;
    context.range = metrics;
    const auto details = app::detailsOf(view, range, context);
    CHECK(details.value.toDouble() == 1);
    CHECK(row(details, "Ops: whole, cut off") == QLatin1String("0, 2"));
    CHECK(details.sentence.startsWith(QLatin1String("<b>0.0")));
}

// Such a device counted as 100 % bubble.
TEST_CASE("a device without a trace has no part in the idle time of a range")
{
    // 1F1B, D = 2, N = 2: device 0 computes in 6 of 9 units.
    auto run = std::make_shared<engine::Run>(withoutLastTrace(simulatedRun({"1f1b", 2, 2})));
    run->info.import->onGpu = true;
    const app::RunView view(run);
    Selection selected;
    selected.kind = Selection::Kind::Range;
    selected.iteration = 0;
    selected.window = view.timeline().iterations.front().window;
    const auto range = app::detailsOf(view, selected);
    CHECK(range.sentence.startsWith(
        QStringLiteral("<b>%1 idle</b>, compared with %1").arg(app::percent(1.0 / 3))));
    const auto shares
        = std::ranges::find(range.sections, QStringLiteral("Shares"), &app::DetailsSection::title);
    REQUIRE(shares != range.sections.end());
    REQUIRE(shares->bars.size() == 1);
    CHECK(shares->bars.front().name == QLatin1String("Device 0"));
    selected.kind = Selection::Kind::Device;
    selected.device = engine::DeviceId{1};
    const auto device = app::detailsOf(view, selected);
    CHECK(device.left.endsWith(QLatin1String("no trace")));
    CHECK(device.sections.empty());
    CHECK(app::toolTipText(view, selected).contains(QLatin1String("no trace")));
}

TEST_CASE("the details of a device state that no bytes were recorded")
{
    const app::RunView view(sample::units({"1f1b", 4, 4, 1}));
    Selection device;
    device.kind = Selection::Kind::Device;
    device.iteration = 0;
    device.device = engine::DeviceId{0};
    const auto details = app::detailsOf(view, device);
    CHECK(row(details, "Bytes") == QLatin1String("not recorded"));
    CHECK(row(details, "Peak stash").startsWith(QLatin1String("4.0")));
}

TEST_CASE("the details of a device list its peak by category and its weights")
{
    const app::RunView view(sample::measured({"bitpipe", 4, 4, 2}));
    Selection device;
    device.kind = Selection::Kind::Device;
    device.iteration = 0;
    device.device = engine::DeviceId{0};
    const auto details = app::detailsOf(view, device);
    CHECK(row(details, "Optimizer state") == QLatin1String("1.37 GiB"));
    CHECK(row(details, "Weights") == QString::fromUtf8("2.0 Mθ"));
}

TEST_CASE("the details of a device list planned, live and touched bytes")
{
    engine::Run run = *sample::units({"1f1b", 2, 2, 1});
    Selection device;
    device.kind = Selection::Kind::Device;
    device.iteration = 0;
    device.device = engine::DeviceId{1};
    CHECK(row(app::detailsOf(app::RunView(std::make_shared<engine::Run>(run)), device), "Arena")
          == QLatin1String("(none)"));
    constexpr std::int64_t kMiB = 1 << 20;
    run.info.arenas = {{1 * kMiB, 2 * kMiB, {}}, {10 * kMiB, 12 * kMiB, 11 * kMiB}};
    const auto details = app::detailsOf(app::RunView(std::make_shared<engine::Run>(run)), device);
    CHECK(row(details, "Arena") == QLatin1String("12.00 MiB"));
    CHECK(row(details, "Live") == QLatin1String("10.00 MiB"));
    CHECK(row(details, "Touched") == QLatin1String("11.00 MiB"));
    device.device = engine::DeviceId{0};
    CHECK(row(app::detailsOf(app::RunView(std::make_shared<engine::Run>(run)), device),
              "Touched")
          == QLatin1String("(none)")); // before the first iteration
}

TEST_CASE("MFU states the source of its peak")
{
    engine::Run run = *sample::units({"1f1b", 2, 2, 1});
    run.info.ticksPerUnit = 1;
    run.info.flopsPerIteration = 3;
    run.info.peakFlops = 2e9;
    const auto of = [](const engine::Run& one) {
        return app::detailsOf(app::RunView(std::make_shared<engine::Run>(one)), Selection{});
    };
    CHECK(row(of(run), "MFU").endsWith(QLatin1Char('%')));
    run.info.peakSource = "a measured product";
    CHECK(row(of(run), "MFU")
              .endsWith(QLatin1String(", of 2 GFLOP/s per device, a measured product")));
}

TEST_CASE("a selection that the run does not have shows nothing")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    Selection gone = *app::firstOp(view, 0);
    gone.iteration = 7;
    CHECK(app::detailsOf(view, gone).isEmpty());
    gone.iteration = 0;
    gone.op = 1'000'000;
    CHECK(app::detailsOf(view, gone).isEmpty());
}

TEST_CASE("a length that rounds to 0.0 is shown in a finer unit")
{
    engine::Run run = *sample::measured({"bitpipe", 4, 8, 1});
    for (engine::Track& track : run.timeline.tracks)
        for (engine::Span& span : track.spans)
            if (track.kind == engine::Track::Kind::Send)
                span.end = span.begin + 5'000; // of an iteration of milliseconds
    const app::RunView view(std::make_shared<const engine::Run>(std::move(run)));
    const auto sends = view.spans(engine::DeviceId{1}, engine::Track::Kind::Send);
    REQUIRE_FALSE(sends.empty());
    Selection transfer;
    transfer.kind = Selection::Kind::Op;
    transfer.iteration = 0;
    transfer.device = engine::DeviceId{1};
    transfer.lane = engine::Track::Kind::Send;
    transfer.op = sends.front().op;
    transfer.window = sends.front().window();
    const auto details = app::detailsOf(view, transfer);
    CAPTURE(details.value.toStdString(), details.unit.toStdString());
    CHECK(details.unit != QLatin1String("ms"));
    CHECK(details.value == QLatin1String("5.0"));
}

TEST_CASE("a GPU run lists memory by owner and what the driver reports")
{
    auto run = std::make_shared<engine::Run>(*sample::units({"1f1b", 2, 2, 1}));
    engine::GpuMemory gpu;
    gpu[engine::GpuMemoryOwner::Weights] = 6LL << 30;
    gpu[engine::GpuMemoryOwner::Contexts] = 4LL << 30;
    gpu.used = 10LL << 30;
    run->info.gpuMemory = {gpu};
    const app::RunView one(run);
    auto details = app::detailsOf(one, {});
    CHECK(row(details, "Weights").toStdString() == "6.00 GiB");
    CHECK(row(details, "Stash").toStdString() == "(none)");
    CHECK(row(details, "Total").toStdString() == "10.00 GiB");
    CHECK(row(details, "Reported by the driver").toStdString() == "10.00 GiB");
    CHECK(row(details, "Difference") == app::percent(0));

    gpu.gpu = 1;
    gpu.used = 9LL << 30; // less than is known of
    run->info.gpuMemory.push_back(gpu);
    const app::RunView two(run);
    details = app::detailsOf(two, {});
    CHECK(row(details, "Weights").toStdString() == "12.00 GiB");
    CHECK(row(details, "Total").toStdString() == "20.00 GiB"); // the sum of the owners
    CHECK(row(details, "Reported by the driver").toStdString() == "19.00 GiB");
    CHECK(row(details, "GPU 1: driver, difference").contains(QString::fromUtf8("\u221211.1")));
}

TEST_CASE(
    "a run that trained says its loss and its gradient norm, from the first iteration to the last")
{
    auto run = std::make_shared<engine::Run>(*sample::units({"1f1b", 2, 2, 3}));
    CHECK(row(app::detailsOf(app::RunView(run), {}), "Loss") == QLatin1String("(none)"));
    auto& iterations = run->timeline.iterations;
    iterations[0].kind = engine::Iteration::Kind::Warmup; // trains, too
    iterations[0].loss = 10.8124;
    iterations[1].loss = 10.5;
    iterations[2].loss = 9.75;
    iterations[1].gradientNorm = 2.5;
    const auto details = app::detailsOf(app::RunView(run), {});
    CHECK(row(details, "Loss").startsWith(QLatin1String("9.75")));
    CHECK(
        row(details, "Loss").endsWith(QLatin1String(", first 10.81, largest 10.81, 3 iterations")));
    CHECK(row(details, "Gradient norm").startsWith(QLatin1String("2.5, first 2.5")));
}

TEST_CASE("a time that is short beside its iteration has as many digits as it needs")
{
    auto run = std::make_shared<engine::Run>(*sample::measured({"1f1b", 4, 8, 1}));
    const app::RunView view(run);
    auto op = *app::firstOp(view, 0); // 3.7 ms of more than 100
    CHECK(app::detailsOf(view, op).value.section(QLatin1Char('.'), 1).size() == 1);
    for (auto& track : run->timeline.tracks)
        for (auto& span : track.spans)
            if (span.op == op.op)
                span.end = span.begin + 600'000;
    const app::RunView shorter(run);
    op = *app::firstOp(shorter, 0);
    const auto details = app::detailsOf(shorter, op);
    CHECK(details.value == QLatin1String("0.60"));
    CHECK(row(details, "Start, end") == QString::fromUtf8("0.00 – 0.60 ms"));
}

TEST_CASE("a difference between driver and owners is marked, and GPUs are counted")
{
    auto run = std::make_shared<engine::Run>(*sample::units({"1f1b", 2, 2, 1}));
    engine::GpuMemory gpu;
    gpu[engine::GpuMemoryOwner::Weights] = 100LL << 20;
    const auto shown = [&](std::int64_t used, int gpus) {
        gpu.used = used;
        run->info.gpuMemory.assign(static_cast<std::size_t>(gpus), gpu);
        return app::detailsOf(app::RunView(run), {});
    };
    const auto isMarked = [](const app::Details& details) {
        const auto& rows = details.sections.at(1).rows; // after the longest bubbles
        return std::ranges::find(rows, QStringLiteral("Difference"), &app::DetailsRow::name)
            ->isStrong;
    };
    CHECK_FALSE(isMarked(shown(101LL << 20, 1))); // 1 % is within the tolerance of 2 %
    CHECK(isMarked(shown(110LL << 20, 1)));
    CHECK(shown(101LL << 20, 1).sections.at(1).title == QLatin1String("Memory of the GPU"));
    CHECK(shown(101LL << 20, 3).sections.at(1).title == QLatin1String("Memory of 3 GPUs"));
    CHECK(shown(0, 0).sections.at(1).title == QLatin1String("Run"));
}

TEST_CASE("the chain of a bubble goes back to the op that had no earlier choice")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const Selection bubble = firstBubble(view);
    const auto details = app::detailsOf(view, bubble);
    REQUIRE(details.sections.size() > 1);
    const auto& chain = details.sections[1];
    CHECK(chain.title == QLatin1String("Chain of causes"));
    CHECK(chain.isChain);
    REQUIRE(chain.links.size() == 3);
    CHECK(chain.links[0].name == QLatin1String("0F0"));
    CHECK(chain.links[1].name == QLatin1String("1F0"));
    CHECK(chain.links[1].rest.startsWith(QLatin1String("to 1B0 ")));
    CHECK(chain.links[1].time.toDouble() == 3); // F 1 and B 2
    CHECK(chain.links[2].name == QLatin1String("0B0"));
    CHECK(chain.links[2].target.kind == Selection::Kind::Op);
    CHECK(row(details, "Start to end of the chain").toDouble() == 6);
    CHECK(app::toolTipText(view, bubble).contains(details.sentence));
}

TEST_CASE("a drain names the op and the device that end the iteration")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const auto bubbles = view.bubbles(0);
    const auto drain
        = std::ranges::find(bubbles, profiler::Bubble::Kind::Drain, &profiler::Bubble::kind);
    REQUIRE(drain != bubbles.end());
    Selection selection;
    selection.kind = Selection::Kind::Bubble;
    selection.iteration = 0;
    selection.device = drain->device;
    selection.window = drain->window;
    const auto details = app::detailsOf(view, selection);
    CHECK(details.sentence.contains(
        QLatin1String("<b>B of micro-batch 1 on stage 0</b> on device 0")));
    CHECK(app::toolTipText(view, selection).contains(details.sentence));
}

// The times of the rows of a long chain did not add up, because the omitted steps had none.
TEST_CASE("the row of omitted steps of a chain states their time")
{
    const app::RunView view(sample::measured({"bitpipe", 4, 8, 1}));
    int shortened = 0;
    for (const profiler::Bubble& bubble : view.bubbles(0)) {
        Selection selection;
        selection.kind = Selection::Kind::Bubble;
        selection.iteration = 0;
        selection.device = bubble.device;
        selection.window = bubble.window;
        const auto details = app::detailsOf(view, selection);
        for (const app::DetailsSection& section : details.sections) {
            if (section.links.empty() || !section.links[0].rest.contains(QLatin1String(", then ")))
                continue;
            double sum = section.links[0].rest.section(QLatin1Char(' '), -1).toDouble();
            for (const app::DetailsLink& link : section.links)
                for (const QString& time : link.time.split(QStringLiteral(" after ")))
                    sum += time.toDouble();
            const double whole = row(details, "Start to end of the chain").toDouble();
            CHECK(sum > whole - 0.5); // 17 rounded times
            CHECK(sum < whole + 0.5);
            ++shortened;
        }
    }
    CHECK(shortened > 0);
}

// The tooltip of an op named a receive "6RECV_F1"; the details named it a transfer.
TEST_CASE("the tooltip of an op that waited for a message names the devices of the transfer")
{
    const app::RunView view(sample::measured({"1f1b", 2, 2, 1}));
    QStringList texts;
    for (std::uint32_t op = 0; op < engine::opCount(view.run().schedule); ++op)
        if (const auto selection = app::selectOp(view, op, 0);
            selection && engine::isCompute(view.op(op).kind))
            texts << app::toolTipText(view, *selection);
    const QString all = texts.join(QLatin1Char('\n'));
    CHECK(all.contains(QLatin1String(" for transfer device 0 to 1")));
    CHECK_FALSE(all.contains(QLatin1String("RECV")));
}

TEST_CASE("the reported iteration has the range of all and the interval of the median")
{
    auto run = std::make_shared<engine::Run>(*sample::measured({"1f1b", 2, 2, 3}));
    run->info.mode = engine::Mode::Live;
    for (int k = 0; k < 3; ++k)
        run->timeline.iterations[static_cast<std::size_t>(k)].window.end -= 1'000'000 * k;
    const app::RunView view(run);
    const int reported = engine::reportedIteration(run->timeline);
    Selection none;
    none.iteration = reported;
    const auto details = app::detailsOf(view, {.iteration = reported});
    CHECK(details.right.contains(QLatin1String(" to ")));
    CHECK(details.note == QLatin1String("3 iterations, the median is shown"));
    REQUIRE(details.dots.dots.size() == 3); // as in a click on a dot of the axis
    for (int k = 0; k < 3; ++k) {
        const auto& dot = details.dots.dots[static_cast<std::size_t>(k)];
        CHECK(dot.target.iteration == k);
        CHECK(dot.isShown == (k == reported));
    }
    CHECK(row(details, "95 % interval").contains(QLatin1String(" to ")));
    const auto other = app::detailsOf(view, {.iteration = reported == 0 ? 1 : 0});
    CHECK(row(other, "95 % interval") == QLatin1String("(none)"));
    CHECK(other.note.contains(QLatin1String("is shown")));
}

// The page and the status bar had the time from the first op of stage 1.
TEST_CASE("without the trace of stage 0 an iteration has no time, and the reason is stated")
{
    auto run = std::make_shared<engine::Run>(*sample::measured({"1f1b", 2, 2, 3}));
    run->info.mode = engine::Mode::Imported;
    run->info.import.emplace().stagesKnown = true;
    run->info.import->lack = "stage 0 has no trace";
    auto& missing = run->schedule.program[engine::DeviceId{0}];
    for (engine::Track& track : run->timeline.tracks)
        for (engine::Span& span : track.spans)
            span.op -= static_cast<std::uint32_t>(missing.size());
    missing.clear();
    run->timeline.memory.clear();
    std::erase_if(run->timeline.tracks,
                  [](const engine::Track& track) { return track.device == engine::DeviceId{0}; });
    const app::RunView view(run);
    const int reported = engine::reportedIteration(run->timeline);
    const auto details = app::detailsOf(view, {.iteration = reported});
    CHECK(details.value == QLatin1String("unknown"));
    CHECK(details.note == QLatin1String("stage 0 has no trace"));
    CHECK(details.dots.dots.empty());
    CHECK(app::iterationText(run.get()) == QLatin1String("unknown"));
    app::RunDocument document(QStringLiteral("/runs/traces"), 1);
    document.setRun(run);
    CHECK(app::iterationStatus(document, *view.metrics(reported))
              .contains(QLatin1String("unknown (stage 0 has no trace)")));
}

// A run whose times were said to be unknown had a device that was 66 % busy.
TEST_CASE("a device has no share of an iteration if its times are unknown")
{
    auto run = std::make_shared<engine::Run>(*sample::measured({"1f1b", 2, 2, 3}));
    run->info.mode = engine::Mode::Imported;
    run->info.import.emplace().lack = "rank 1 has no kernels";
    const auto ofDevice = [&run] {
        Selection device{.iteration = engine::reportedIteration(run->timeline)};
        device.kind = Selection::Kind::Device;
        device.device = engine::DeviceId{0};
        return app::detailsOf(app::RunView(run), device);
    };
    CHECK(ofDevice().value.isEmpty());
    run->info.import->onGpu = true; // the kernels show when the device is idle
    CHECK(ofDevice().value.toDouble() > 0);
}

TEST_CASE("of two measured iterations the shorter is reported, without an interval")
{
    auto run = std::make_shared<engine::Run>(*sample::measured({"1f1b", 2, 2, 2}));
    run->info.mode = engine::Mode::Live;
    run->timeline.iterations.back().window.end -= 1'000'000;
    const auto details = app::detailsOf(app::RunView(run),
                                        {.iteration = engine::reportedIteration(run->timeline)});
    CHECK(details.note == QLatin1String("2 iterations, the shorter is shown"));
    CHECK(details.right.contains(QLatin1String(" to ")));
    CHECK(row(details, "95 % interval") == QLatin1String("(none)"));
}

TEST_CASE("one iteration has no range, and a simulated run has none")
{
    auto run = *sample::measured({"1f1b", 2, 2, 1});
    run.info.mode = engine::Mode::Live;
    app::DetailsFacts context;
    context.file = QStringLiteral("/runs/a.sqlite");
    const auto once = app::detailsOf(app::RunView(std::make_shared<engine::Run>(run)),
                                     {.iteration = 0}, context);
    CHECK(once.right == QLatin1String("only one iteration, no range"));
    CHECK(once.file == QLatin1String("/runs/a.sqlite"));
    CHECK(once.dots.dots.empty());
    const auto simulated
        = app::detailsOf(app::RunView(sample::units({"1f1b", 2, 2, 3})), {.iteration = 2});
    CHECK(simulated.dots.dots.empty());
    CHECK_FALSE(simulated.right.contains(QLatin1String("measured")));
}
