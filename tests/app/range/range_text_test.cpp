#include "app/range/range_panel.h"
#include "app/ui/data_table.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QAbstractItemModelTester>

using app::parseRange;

namespace {

// Three iterations of 100 ms in ns, with gaps of 10 ms, then the typical ops.
engine::Run hundreds()
{
    constexpr std::int64_t kMs = 1'000'000;
    engine::Run run = *sample::measured({"1f1b", 2, 2, 1});
    run.timeline.iterations.clear();
    using Kind = engine::Iteration::Kind;
    for (int k = 0; k < 4; ++k) {
        const Kind kind = k == 0 ? Kind::Warmup : k == 3 ? Kind::Replay : Kind::Measured;
        const int number = k == 0 || k == 3 ? 0 : k - 1;
        run.timeline.iterations.push_back(
            {number, kind, {k * 110 * kMs, (k * 110 + 100) * kMs}, {}, {}, {}});
    }
    return run;
}

// "from..to" in ms, or the message.
QString parsed(const char* text, int iteration = 1)
{
    const auto range = parseRange(QString::fromUtf8(text), hundreds(), iteration);
    if (!range)
        return QString::fromStdString(range.error().message);
    return QStringLiteral("%1..%2").arg(range->begin / 1e6).arg(range->end / 1e6);
}

} // namespace

TEST_CASE("a typed range is read from the begin of the shown or of a named iteration")
{
    CHECK(parsed("20-72.4 ms") == QStringLiteral("130..182.4"));
    CHECK(parsed("20 - 72.4", 2) == QStringLiteral("240..292.4"));
    CHECK(parsed("range 20..72.4ms") == QStringLiteral("130..182.4"));
    CHECK(parsed("20 to 72 ms") == QStringLiteral("130..182"));
    CHECK(parsed("-15..5 ms") == QStringLiteral("95..115"));
    CHECK(parsed("\u221215 – 5 ms") == QStringLiteral("95..115"));
    CHECK(parsed("500-1500 µs") == QStringLiteral("110.5..111.5"));
    CHECK(parsed("0.01-0.02 s") == QStringLiteral("120..130"));
    CHECK(parsed("iteration 1, 40..60 ms") == QStringLiteral("260..280"));
    CHECK(parsed("Iteration 1") == QStringLiteral("220..320"));
    CHECK(parsed("iterations 0-1") == QStringLiteral("110..320"));
    CHECK(parsed("warm-up 0, 5-6") == QStringLiteral("5..6"));
    CHECK(parsed("typical ops, 1-2") == QStringLiteral("331..332"));
    CHECK(parsed("0-5000 ms") == QStringLiteral("110..430")); // to the end of the run
}

TEST_CASE("a typed range that cannot be read names what to type")
{
    CHECK(parsed("soon").startsWith(QStringLiteral("\"soon\" is not a range; type 102-172.4 ms")));
    CHECK(parsed("").contains(QStringLiteral("is not a range")));
    CHECK(parsed("5 ms").contains(QStringLiteral("is not a range")));
    CHECK(parsed("72-20 ms")
          == QStringLiteral("The range ends at 20 and begins at 72; type the earlier time first"));
    CHECK(parsed("iteration 9, 1-2")
          == QStringLiteral("The run has no iteration 9; it has warm-up 0 to typical ops"));
    CHECK(parsed("1-2 min")
          == QStringLiteral("\"min\" is not a unit of time; use ns, µs, ms or s"));
    CHECK(parsed("5000-6000 ms").startsWith(QStringLiteral("This range is outside the run")));
    CHECK(parsed("iterations 1-0") == QStringLiteral("Name the earlier iteration first"));
    const auto units = sample::units({"1f1b", 2, 2, 1});
    CHECK(parseRange(QStringLiteral("1-2"), *units, 0).value()
          == engine::Window{units->info.ticksPerUnit, 2 * units->info.ticksPerUnit});
    CHECK(parseRange(QStringLiteral("1-2 ms"), *units, 0).error().message
          == "The times of this run are in abstract cost units; leave out \"ms\"");
}

TEST_CASE("the name of a range is read as the same range")
{
    const engine::Run run = hundreds();
    const engine::Window range{130'000'000, 290'400'000};
    const QString name = app::rangeName(run, range);
    CHECK(name == QStringLiteral("iteration 0, 20.0 – 180.4 ms"));
    CHECK(parseRange(name, run, 2).value() == range);
}

// The narrow spaces between thousands were read as plain spaces.
TEST_CASE("the name of a range is read if its numbers have thousands")
{
    constexpr std::int64_t kMs = 1'000'000;
    engine::Run run = hundreds();
    run.timeline.iterations.resize(2);
    run.timeline.iterations[1].window.end = 15'110 * kMs;
    const engine::Window range{12'455 * kMs, 14'110 * kMs};
    const QString name = app::rangeName(run, range);
    CHECK(name == QStringLiteral("iteration 0, 12\u202f345.0 – 14\u202f000.0 ms"));
    CHECK(parseRange(name, run, 1).value() == range);
}

TEST_CASE("the table of a range has a row per device, means in the last row, and is valid CSV")
{
    const auto run = sample::measured({"1f1b", 4, 8, 2});
    const auto& iterations = run->timeline.iterations;
    const engine::Window range{iterations[0].window.begin + 5'000'000,
                               iterations[1].window.end - 5'000'000};
    app::RangeModel model;
    const QAbstractItemModelTester tester(&model);
    model.show(run, profiler::rangeMetrics(*run, range).value());
    CHECK(model.rowCount() == 5);
    QStringList titles;
    for (int k = 0; k < model.columnCount(); ++k)
        titles << model.headerData(k, Qt::Horizontal).toString();
    CHECK(titles.join(QLatin1Char('|'))
          == QString::fromUtf8("Device|Compute, ms|F, ms|B, ms|Optimizer, ms|Exposed, ms|"
                               "Bubble, ms|Bubble, %|fill, ms|wait, ms|drain, ms|Peak, GiB|"
                               "Stash, Mₐ|Ops|Cut|Sent / received"));
    const auto cell = [&](int row, const char* title) {
        const auto column = titles.indexOf(QString::fromUtf8(title));
        REQUIRE(column >= 0);
        return model.index(row, static_cast<int>(column)).data().toString();
    };
    CHECK(cell(4, "Device") == QStringLiteral("All devices"));
    double sum = 0;
    for (int d = 0; d < 4; ++d)
        sum += cell(d, "Ops").toDouble();
    CHECK(cell(4, "Ops").toDouble() == sum);
    const double ms = static_cast<double>(range.duration()) / 1e6;
    CHECK(cell(1, "Compute, ms").toDouble() + cell(1, "Exposed, ms").toDouble()
              + cell(1, "Bubble, ms").toDouble()
          == Approx(ms).margin(0.2));
    CHECK(app::csvOf(model).startsWith(QStringLiteral("Device,\"Compute, ms\",\"F, ms\",")));
    CHECK(app::csvOf(model).count(QLatin1Char('\n')) == 6);
    model.clear();
    CHECK(model.rowCount() == 0);
}
