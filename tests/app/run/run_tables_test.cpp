#include "app/compare/compare_page.h"
#include "app/documents/run_document.h"
#include "app/range/range_panel.h"
#include "app/run/run_panels.h"
#include "app/ui/data_table.h"
#include "tests/app/model_texts.h"
#include "tests/app/simulated_run.h"

#include <QFile>
#include <QTemporaryDir>

using namespace app;
using namespace tests;

TEST_CASE("the mode of a live run states that its threads oversubscribe the cores")
{
    engine::RunInfo info;
    info.mode = engine::Mode::Live;
    info.threads = 4;
    info.cores = 4;
    CHECK(modeText(info) == QStringLiteral("live"));
    info.cores = 2;
    CHECK(modeText(info) == QStringLiteral("live, oversubscribed"));
}

// Only a hint named the unit, and narrow windows hid it.
TEST_CASE("the summary shows BitPipe's numbers by device and in total, with their units")
{
    MetricsModel model;
    const QAbstractItemModelTester tester(&model, kStrict);
    const auto run = sharedRun({"bitpipe", 4, 4});
    model.show(run, *profiler::metrics(*run));

    CHECK(header(model).join(u'|')
          == QStringLiteral("Device|Stages|F, units|B, units|Exposed, units|Fill, units|"
                            "Wait, units|Drain, units|Bubble, units|Bubble, %|Stash, Mₐ|"
                            "Sent / received|Local"));
    CHECK(row(model, 0).join(u'|')
          == QStringLiteral("Device 0|0, 3, 4, 7|4.0|8.0|0.0|0.0|2.0|0.0|2.0|14.3|3.5|8 / 8|4"));
    CHECK(row(model, 1).mid(0, 3).join(u'|') == QStringLiteral("Device 1|1, 2, 5, 6|4.0"));
    // The means 0.25, 1.25 and 0.5 of the causes would round to 2.1.
    CHECK(row(model, 4).join(u'|')
          == QStringLiteral("All devices||4.0|8.0|0.0|0.3|1.2|0.5|2.0|14.3|4.0|48|8"));
    CHECK(model.index(4, 0).data(kStrongRole).toBool());
}

// The share was 0.0, as if the device had no bubble, and the stash and the messages were 0.
TEST_CASE("if a device has no trace, no device has times")
{
    const auto run
        = std::make_shared<const engine::Run>(withoutLastTrace(simulatedRun({"1f1b", 2, 2})));
    MetricsModel summary;
    summary.show(run, *profiler::metrics(*run));
    RangeModel range;
    range.show(run, *profiler::rangeMetrics(*run, run->timeline.iterations.front().window));
    for (const QAbstractItemModel* model : {static_cast<const QAbstractItemModel*>(&summary),
                                            static_cast<const QAbstractItemModel*>(&range)}) {
        CHECK(!header(*model).contains(QStringLiteral("Bubble, %")));
        CHECK(!header(*model).contains(QStringLiteral("Compute, units")));
    }
}

TEST_CASE("the summary has a column of recompute where it occurs, and its parts add up")
{
    engine::ScheduleRequest request;
    request.scheme = "1f1b";
    request.devices = 2;
    request.microBatches = 4;
    auto run = std::make_shared<engine::Run>();
    run->schedule = engine::lower(engine::addRecompute(*engine::buildSchedule(request)));
    const auto costs = engine::unitOpCosts(run->schedule, {});
    REQUIRE(costs.has_value());
    run->info.ticksPerUnit = costs->ticksPerUnit;
    run->timeline = *engine::simulate(run->schedule, *costs);
    MetricsModel model;
    model.show(run, *profiler::metrics(*run));
    CHECK(header(model).mid(2, 3).join(u'|') == QStringLiteral("F, units|RC, units|B, units"));
    const QStringList cells = row(model, 0);
    CHECK(cells[3].toDouble() == 4.0);
    double sum = 0;
    for (int part = 2; part < 9; ++part) // F, RC, B, exposed, fill, wait, drain
        sum += cells[part].toDouble();
    CHECK(sum * static_cast<double>(run->info.ticksPerUnit)
          == Approx(profiler::metrics(*run)->duration));
}

TEST_CASE("the events table lists every op of an iteration once a lane, in time order")
{
    TableModel<Event> model;
    const QAbstractItemModelTester tester(&model, kStrict);
    const auto run = sharedRun({"1f1b", 2, 2, 2});
    model.reset(eventColumns(run, 1), eventsOf(*run, 1));
    std::size_t spans = 0;
    for (const auto& track : run->timeline.tracks)
        for (const auto& span : track.spans)
            spans += span.iteration == 1 ? 1 : 0;
    REQUIRE(model.rowCount() == static_cast<int>(spans));
    CHECK(row(model, 0).mid(0, 7).join(u'|') == QStringLiteral("0F0|Forward|0|0|0|down|0.000"));

    model.sort(static_cast<int>(EventColumn::Duration), Qt::DescendingOrder);
    CHECK(model.at(0).window.duration() == 2 * run->info.ticksPerUnit);
    const std::uint32_t chosen = model.at(0).op;
    model.sort(static_cast<int>(EventColumn::Start), Qt::AscendingOrder);
    CHECK(model.rowWith(&Event::op, chosen) > 0); // the row moved, the event is the same
}

TEST_CASE("chosen ops of all iterations are listed with their iteration, up to a limit")
{
    TableModel<Event> model;
    const QAbstractItemModelTester tester(&model, kStrict);
    const auto run = sharedRun({"1f1b", 2, 2, 2});
    const auto isFirst = [](const engine::Span& span) { return span.op == 0; };
    model.reset(eventColumns(run, {}), eventsOf(*run, {}, isFirst));
    REQUIRE(model.rowCount() == 2);
    const int last = model.columnCount() - 1;
    CHECK(header(model).back() == QStringLiteral("Iteration"));
    for (const int k : {0, 1}) {
        CHECK(row(model, k)[0] == QStringLiteral("0F0"));
        CHECK(row(model, k)[6] == QStringLiteral("0.000")); // since the start of its iteration
        CHECK(row(model, k)[last] == QString::number(k));
        CHECK(model.at(k).lane == engine::Track::Kind::Compute);
    }
    CHECK(eventsOf(*run, {}, isFirst, 1).size() == 1);
    model.reset(eventColumns(run, 1), eventsOf(*run, 1, isFirst));
    CHECK(model.rowCount() == 1);
    CHECK(header(model).back() != QStringLiteral("Iteration"));
}

TEST_CASE("iterations of a growing run are appended, and the last one may change")
{
    TableModel<IterationRow> model;
    const QAbstractItemModelTester tester(&model, kStrict);
    engine::Run run = simulatedRun({"1f1b", 4, 4, 3, true});
    run.timeline.iterations[0].kind = engine::Iteration::Kind::Warmup;
    run.timeline.iterations[1].number = 0;
    run.timeline.iterations[1].loss = 5.548;
    run.timeline.iterations[1].gradientNorm = 2.7182;
    auto rows = iterationRows(run, 0);
    REQUIRE(rows.size() == 3);

    model.reset(iterationColumns(run.info, rows[0].duration), {rows[0], rows[1]});
    model.update(1, {rows[1], rows[2]});
    CHECK(model.rowCount() == 3);
    CHECK(row(model, 0).mid(0, 3).join(u'|') == QStringLiteral("warm-up 0|21.0|42.9"));
    CHECK(row(model, 1).mid(0, 5).join(u'|') == QStringLiteral("0|21.0|42.9|5.55|2.718"));
    CHECK(row(model, 2).value(4) == QStringLiteral("–"));
    CHECK(header(model).value(4) == QStringLiteral("Gradient norm"));
    CHECK(header(model).value(1) == QStringLiteral("ms"));
}

namespace {

RunTable showRuns(TableModel<std::size_t>& model, std::vector<engine::Run> runs,
                  const QStringList& titles)
{
    std::vector<RunPointer> shared;
    for (engine::Run& run : runs)
        shared.push_back(std::make_shared<const engine::Run>(std::move(run)));
    auto numbers = compareNumbers(shared, 0);
    REQUIRE(numbers.has_value());
    RunTable table = differenceTable(std::make_shared<const CompareNumbers>(*std::move(numbers)),
                                     {titles, {}});
    model.reset(table.columns, table.rows);
    return table;
}

} // namespace

TEST_CASE("differences are coloured over 1 % of the baseline, less time being better")
{
    TableModel<std::size_t> model;
    const QAbstractItemModelTester tester(&model, kStrict);
    showRuns(model, {simulatedRun({"1f1b", 4, 4}), simulatedRun({"bitpipe", 4, 4})},
             {QStringLiteral("1F1B #1"), QStringLiteral("BitPipe #2")});

    CHECK(header(model).mid(0, 5).join(u'|')
          == QStringLiteral("Run|Iteration, units|Compute, units|Exposed, units|Bubble, units"));
    CHECK(row(model, 0).mid(0, 5).join(u'|')
          == QStringLiteral("1F1B #1, baseline|21.0|12.0|0.0|9.0"));
    CHECK(row(model, 1).mid(0, 5).join(u'|') == QStringLiteral("BitPipe #2|14.0|12.0|0.0|2.0"));
    CHECK(model.index(1, 1).data(kBelowRole).toString() == QStringLiteral("exact"));
    const auto iteration = model.index(1, 1), compute = model.index(1, 2);
    CHECK(iteration.data(kDifferenceRole).toString() == QStringLiteral("\u22127.0"));
    CHECK(iteration.data(kVerdictRole).toInt() == static_cast<int>(Verdict::Better));
    CHECK(compute.data(kDifferenceRole).toString() == QStringLiteral("0"));
    CHECK(compute.data(kVerdictRole).toInt() == static_cast<int>(Verdict::Neutral));
    CHECK_FALSE(model.index(0, 1).data(kDifferenceRole).isValid()); // the baseline has none
}

// They were sorted as texts: 16 before 4.
TEST_CASE("numbers of settings are sorted by value in a comparison")
{
    TableModel<std::size_t> model;
    showRuns(
        model,
        {simulatedRun({"1f1b", 4, 16}), simulatedRun({"1f1b", 4, 4}), simulatedRun({"1f1b", 4, 8})},
        {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
    const auto column = static_cast<int>(header(model).indexOf(QStringLiteral("N")));
    REQUIRE(column >= 0);
    model.sort(column);
    for (const auto& [place, number] : {std::pair(0, "4"), {1, "8"}, {2, "16"}})
        CHECK(row(model, place)[column] == QLatin1String(number));
}

// A difference of 0.03 ms was printed as a red "0", because it was over 1 % of 0.1 ms.
TEST_CASE("a difference that is printed as 0 has no verdict")
{
    CHECK(differenceVerdict(0.03, 0.1, 1) == Verdict::Neutral);
    CHECK(differenceVerdict(0.03, 0.1, 2) == Verdict::Worse);
    CHECK(differenceVerdict(-2, 100, 1) == Verdict::Better);
    CHECK(differenceVerdict(-2, 100, 1, Verdict::Better) == Verdict::Worse);
    CHECK(differenceVerdict(-1, 100, 1) == Verdict::Neutral);
}

TEST_CASE("an oversubscribed live run is marked beside its mode")
{
    TableModel<std::size_t> model;
    engine::Run live = simulatedRun({"1f1b", 4, 4, 1, true});
    live.info.mode = engine::Mode::Live;
    live.info.threads = live.info.cores = 4;
    showRuns(model, {live, live}, {QStringLiteral("a"), QStringLiteral("b")});
    CHECK(header(model).value(1).startsWith(QStringLiteral("Iteration")));
    engine::Run slow = live;
    slow.info.cores = 2;
    showRuns(model, {live, slow}, {QStringLiteral("a"), QStringLiteral("b")});
    CHECK(header(model).value(1) == QStringLiteral("Mode"));
    CHECK(row(model, 0).value(1) == QStringLiteral("live"));
    CHECK(row(model, 1).value(1) == QStringLiteral("live, oversubscribed"));
}

TEST_CASE("runs in units and in milliseconds keep their own units and have no differences in time")
{
    TableModel<std::size_t> model;
    showRuns(model, {simulatedRun({"1f1b", 4, 4}), simulatedRun({"1f1b", 4, 4, 1, true})},
             {QStringLiteral("a"), QStringLiteral("b")});
    CHECK(header(model).mid(0, 3).join(u'|') == QStringLiteral("Run|Mode|Iteration"));
    CHECK(model.index(0, 2).data().toString() == QStringLiteral("21.0 units"));
    CHECK(model.index(1, 2).data().toString() == QStringLiteral("21.0 ms"));
    CHECK(model.index(1, 1).data().toString() == QStringLiteral("emulated"));
    CHECK_FALSE(model.index(1, 2).data(kDifferenceRole).isValid());
}

TEST_CASE("the value of a run is its reported iteration, or how far it is")
{
    RunDocument run(QStringLiteral("/tmp/a.sqlite"), 1);
    CHECK(run.title() == QStringLiteral("a.sqlite"));
    run.setState(RunDocument::State::Running);
    CHECK(run.value() == QStringLiteral("starting"));
    run.setProgress({.done = 3, .planned = 7, .opsDone = 1, .ops = 2});
    CHECK(run.value() == QStringLiteral("3 of 7"));
    CHECK(run.progress().iterations() == 3.5);
    run.setState(RunDocument::State::Finished);
    run.setRun(sharedRun({"bitpipe", 4, 4}));
    CHECK(run.subtitle() == QStringLiteral("a.sqlite"));
    CHECK(run.value() == QStringLiteral("14.0 units"));
}
