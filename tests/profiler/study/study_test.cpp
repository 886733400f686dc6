#include "profiler/store/sqlite.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/run_study.h"
#include "profiler/study/study_answer.h"
#include "profiler/study/study_file.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <limits>
#include <mutex>
#include <thread>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

constexpr const char* kStudy = R"(
title = "A & B"
[fixed]
devices = 4
[grid]
scheme = ["gpipe", "1f1b"]
micro-batches = [4, 8]
[scheme_options]
gpipe = ["--set", "backward=lifo"]
[[ratio]]
name = "speed_up"
inverse = true
baseline = { scheme = "gpipe" }
[[chart]]
kind = "lines"
title = "Speed-up"
x = "micro-batches"
y = "speed_up"
)";

std::string errorOf(const std::string& toml)
{
    const auto study = readStudy(toml, "s.toml");
    REQUIRE(!study);
    CHECK(study.error().message.find('\n') == std::string::npos);
    return study.error().message;
}

// An iteration of N, less a tenth for 1F1B; GPipe has no point at N = 8.
Result<StudyValues> evaluated(const StudyPoint& point)
{
    const auto has = [&](const char* text) {
        return std::ranges::find(point.arguments, text) != point.arguments.end();
    };
    if (has("gpipe") && has("8"))
        return fail(Error::Code::InvalidArgument, "too <large>");
    StudyValues values;
    values.unit = "units";
    values.of[StudyMetric::Iteration] = (has("8") ? 8 : 4) * (has("1f1b") ? 0.9 : 1.0);
    return values;
}

std::string contentOf(const std::filesystem::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("a study is all combinations of its axes")
{
    const auto study = readStudy(kStudy, "s.toml");
    REQUIRE(study);
    const auto points = pointsOf(*study);
    REQUIRE(points.size() == 4);
    using Words = std::vector<std::string>;
    CHECK(points[0].arguments
          == Words{"--devices", "4", "--micro-batches", "4", "--scheme", "gpipe", "--set",
                   "backward=lifo"});
    CHECK(points[3].arguments
          == Words{"--devices", "4", "--micro-batches", "8", "--scheme", "1f1b"});
}

constexpr const char* kCases = R"(
[files]
"a.toml" = ["devices", "--calibrate"]
[grid]
case = ["roofline", "live"]
seed = [1, 2]
[case_options]
roofline = ["--mode", "simulate", "--hardware", "a.toml"]
live = ["--mode", "live"]
[[ratio]]
name = "predicted"
metric = ["iteration", "forward"]
inverse = true
baseline = { case = "roofline" }
[[answer]]
y = "predicted_iteration"
where = { seed = 2 }
)";

TEST_CASE("a case stands for its options and its mode")
{
    const auto study = readStudy(kCases, "s.toml");
    REQUIRE(study);
    CHECK(study->isMeasured());
    CHECK_FALSE(readStudy(kStudy, "s.toml")->isMeasured());
    const auto points = pointsOf(*study);
    REQUIRE(points.size() == 4);
    CHECK(points[0].mode == Study::Mode::Simulate);
    CHECK(points[0].arguments == std::vector<std::string>{"--hardware", "a.toml", "--seed", "1"});
    CHECK(points[3].mode == Study::Mode::Live);
    CHECK(points[3].arguments == std::vector<std::string>{"--seed", "2"});
    CHECK(study->ratios.size() == 2);
    CHECK(study->ratios[1].name == "predicted_forward");
    CHECK(readStudy(studyToml(*study), "s.toml").value() == *study);
}

TEST_CASE("a ratio of a prediction and a measurement has the interval of the measurement")
{
    StudyData data(readStudy(kCases, "s.toml").value());
    const auto set = [&](std::size_t point, double value) {
        data.results[point].values.of[StudyMetric::Iteration] = value;
    };
    const auto interval = [&](std::string_view column, std::size_t point) {
        const auto of = data.amount(column, point).value();
        return of.spread == Spread::Interval ? std::optional(std::pair(of.least, of.most))
                                             : std::nullopt;
    };
    set(0, 10), set(1, 12), set(2, 20), set(3, 16);
    CHECK_FALSE(interval("predicted_iteration", 2));
    data.results[2].values.low[StudyMetric::Iteration] = 16;
    data.results[2].values.high[StudyMetric::Iteration] = 25;
    CHECK(interval("predicted_iteration", 2) == std::pair(10.0 / 25, 10.0 / 16));
    CHECK(interval("iteration", 2) == std::pair(16.0, 25.0));
    CHECK_FALSE(interval("predicted_iteration", 0));               // its own baseline
    data.results[2].values.of[StudyMetric::TokensPerSecond] = 100; // of an iteration of 20
    CHECK(interval("tokens_per_second", 2) == std::pair(80.0, 125.0));
    CHECK(studyAnswers(data).front().claim == "Predicted iteration: live 0.750");
}

TEST_CASE("an answer ranks its own metric, and says what is equal or not distinguishable")
{
    const std::string toml = R"(
[grid]
scheme = ["gpipe", "1f1b", "bitpipe"]
seed = [1, 2]
[[answer]]
y = "loss"
[[answer]]
y = "iteration"
where = { seed = 1 }
)";
    StudyData data(readStudy(toml, "s.toml").value());
    for (std::size_t i = 0; i < 6; ++i) {
        auto& of = data.results[i].values.of;
        of[StudyMetric::Loss] = i % 2 == 0 ? 2.0 + 1e-9 * static_cast<double>(i) : 4.0;
        of[StudyMetric::Iteration] = 10 + static_cast<double>(i);
        data.results[i].values.low[StudyMetric::Iteration] = 9.0;
        data.results[i].values.high[StudyMetric::Iteration] = 20.0;
    }
    data.results[5].values.of[StudyMetric::Loss] = 1.0; // BitPipe or the last scheme with seed 2
    const std::string answer = answersText(data);
    CHECK_THAT(answer,
               Catch::Contains("GPipe, 1F1B and BitPipe (equal) in 1 of 2 set-ups (seed 1)"));
    CHECK_THAT(answer, Catch::Contains("(not distinguishable) have the shortest iteration"));
}

// No loss is less than NaN, so NaN remained the best one.
TEST_CASE("a run whose loss diverged has no loss")
{
    Run run;
    run.timeline.iterations.emplace_back().microBatchLoss = {2, 3};
    CHECK(valuesOf(run, {}).of[StudyMetric::Loss] == 2.5);
    for (const float diverged :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        run.timeline.iterations.front().microBatchLoss = {2, diverged};
        CHECK_FALSE(valuesOf(run, {}).of[StudyMetric::Loss]);
    }
}

TEST_CASE("the time to a loss ends with the iteration at which the mean of four reaches it")
{
    for (const int microBatches : {8, 16}) { // of the same sequences
        Run run;
        run.schedule.shape.microBatches = microBatches;
        run.info.tokensPerIteration = 320;
        for (const int loss : {4, 3, 2, 1, 1, 1}) {
            Iteration& one = run.timeline.iterations.emplace_back();
            one.loss = loss;
            one.microBatchLoss.assign(static_cast<std::size_t>(microBatches),
                                      static_cast<float>(loss));
        }
        RunMetrics metrics;
        metrics.duration = 100;
        const auto values = valuesOf(run, metrics, 1.8).of; // 3, 2, 1 and 1
        CHECK(values[StudyMetric::TimeToLoss] == 500);
        CHECK(values[StudyMetric::TokensToLoss] == 1600);
        CHECK(values[StudyMetric::TrainingTime] == 600);
        CHECK(values[StudyMetric::Tokens] == 1920);
        CHECK_FALSE(valuesOf(run, metrics, 0.5).of[StudyMetric::TimeToLoss]); // never reached
        CHECK_FALSE(valuesOf(run, metrics).of[StudyMetric::TimeToLoss]);
    }
}

// The chart needed a series, although the study named the compared axis.
TEST_CASE("a chart without series draws the compared axis")
{
    const std::string grid = "compare = \"set\"\n[grid]\nset = [\"concat=direct\", "
                             "\"concat=early\"]\ndevices = [4, 8]\n";
    const auto study
        = readStudy(grid + "[[chart]]\nx = \"devices\"\ny = \"iteration\"\n", "s.toml");
    REQUIRE(study);
    CHECK(study->charts.front().series == "set");
}

// A study of one scheme compared that scheme with nothing, and had no answer.
TEST_CASE("the compared axis is the first that differs, schemes and cases before others")
{
    const auto compared = [](const std::string& grid) {
        return readStudy("[grid]\n" + grid, "s.toml").value().comparedAxis()->key;
    };
    CHECK(compared("devices = [4, 8]\nscheme = [\"1f1b\", \"gpipe\"]\n") == "scheme");
    CHECK(compared("devices = [4, 8]\nscheme = [\"1f1b\"]\n") == "devices");
    CHECK(compared("chunks = [2, 4]\ncase = [\"a\", \"b\"]\n[case_options]\na = []\nb = []\n")
          == "case");
    CHECK(compared("devices = [4]\n") == "devices");
}

TEST_CASE("every mistake in a study is named")
{
    const std::string grid = "[grid]\nscheme = [\"gpipe\", \"1f1b\"]\ndevices = [4, 8]\n";
    const auto chart
        = [&](const std::string& lines) { return errorOf(grid + "[[chart]]\n" + lines); };
    CHECK_THAT(errorOf("a = "), Catch::Contains("s.toml"));
    CHECK_THAT(errorOf("title = \"a\""), Catch::Contains("[grid] is missing"));
    CHECK_THAT(errorOf("titel = \"a\""), Catch::Contains("unknown key 'titel'"));
    CHECK_THAT(errorOf("compare = \"chunks\"\n" + grid),
               Catch::Contains("compare: 'chunks' is not in [grid]"));
    CHECK_THAT(errorOf("repeat = \"seed\"\n" + grid),
               Catch::Contains("repeat: 'seed' is not in [grid]"));
    CHECK_THAT(errorOf("target_loss = \"2\"\n" + grid), Catch::Contains("must be a number"));
    CHECK_THAT(chart("along = \"devices\"\nkind = \"bars\"\nx = \"devices\"\ny = \"bubble\""),
               Catch::Contains("only lines have `along`"));
    CHECK_THAT(errorOf("mode = \"fast\""), Catch::Contains("mode 'fast'"));
    // A text counted as false.
    CHECK_THAT(errorOf("only_fitting = \"true\"\n" + grid),
               Catch::Contains("only_fitting must be true or false"));
    CHECK_THAT(errorOf("[grid]\nscheme = [\"1f2b\"]"), Catch::Contains("unknown scheme '1f2b'"));
    CHECK_THAT(errorOf("[grid]\ndevices = []"), Catch::Contains("devices has no values"));
    CHECK_THAT(errorOf("[grid]\ndevices = [2, 4, 2]"), Catch::Contains("devices has 2 twice"));
    CHECK_THAT(errorOf("[fixed]\ndevices = [1, 2]"), Catch::Contains("put it into [grid]"));
    CHECK_THAT(errorOf("[grid]\noutput = [\"a\"]"), Catch::Contains("set by the study itself"));
    CHECK_THAT(chart("kind = \"pie\""), Catch::Contains("kind 'pie'"));
    CHECK_THAT(chart("x = \"devices\"\ny = \"speed\""), Catch::Contains("y = 'speed'"));
    CHECK_THAT(chart("x = \"chunks\"\ny = \"bubble\""),
               Catch::Contains("'chunks' is not in [grid]"));
    CHECK_THAT(chart("kind = \"pareto\"\nx = \"mfu\"\ny = \"bubble\""),
               Catch::Contains("devices has several values"));
    CHECK_THAT(errorOf(grid + "[[ratio]]\nname = \"a\"\nbaseline = { scheme = \"zb-v\" }"),
               Catch::Contains("scheme = zb-v is not in [grid]"));
    CHECK_THAT(errorOf("[grid]\nmode = [\"fast\"]"), Catch::Contains("mode 'fast'"));
    CHECK_THAT(errorOf("[grid]\ncase = [\"a\"]"), Catch::Contains("add [case_options] a"));
    CHECK_THAT(errorOf(grid + "[case_options]\na = []"), Catch::Contains("to `case` in [grid]"));
    CHECK_THAT(errorOf(grid + "[files]\n\"../a.toml\" = [\"run\"]"),
               Catch::Contains("without folders"));
    CHECK_THAT(errorOf(grid + "[files]\n\"a.toml\" = [\"remove\"]"),
               Catch::Contains("devices, run or search"));
    CHECK_THAT(errorOf(grid + "[[ratio]]\nname = \"error\"\nbaseline = { devices = 4 }"),
               Catch::Contains("not a column"));
    const std::string ratio = "[[ratio]]\nname = \"a\"\nbaseline = { devices = 4 }\n";
    CHECK_THAT(errorOf(grid + ratio + "inverse = \"true\""),
               Catch::Contains("inverse must be true or false"));
    // All points were computed before the second column of this name failed.
    CHECK_THAT(errorOf(grid + ratio + ratio), Catch::Contains("a occurs twice"));
    CHECK_THAT(errorOf(grid + "[[answer]]\ny = \"speed\""), Catch::Contains("y = 'speed'"));
    // The baseline lost its value of the axis without notice.
    CHECK_THAT(errorOf("repeat = \"devices\"\n" + grid + ratio),
               Catch::Contains("[[ratio]] a: the baseline fixes devices, the repeated axis"));
    CHECK_THAT(errorOf(grid + ratio + "[[answer]]\ny = \"a\"\nbest_over = \"devices\""),
               Catch::Contains("[[answer]] ratio: the baseline of a fixes devices"));
    CHECK_THAT(errorOf(grid + ratio
                       + "[[chart]]\nkind = \"pareto\"\nx = \"a\"\ny = \"bubble\"\n"
                         "best_over = \"devices\""),
               Catch::Contains("[[chart]] '': the baseline of a fixes devices"));
    std::string huge = "[grid]\n";
    for (const char axis : {'a', 'b', 'c', 'd', 'e', 'f', 'g'})
        huge += fmt::format("{} = [1,2,3,4,5,6,7,8,9,10]\n", axis);
    CHECK_THAT(errorOf(huge), Catch::Contains("1e+07 points"));
}

// Opening the file deleted the database of the other process.
TEST_CASE("results that another process is creating are left as they are")
{
    const TemporaryFolder folder;
    const auto study = readStudy(kStudy, "s.toml");
    REQUIRE(study);
    const auto file = folder / "results.sqlite";
    auto other = Database::open(file, Database::Access::Create);
    REQUIRE(other);
    REQUIRE(other->execute("BEGIN IMMEDIATE; CREATE TABLE study (key TEXT)"));
    const auto opened = StudyFile::open(file, *study);
    REQUIRE(!opened);
    CHECK(opened.error().code == Error::Code::Locked);
    CHECK(std::filesystem::exists(file));
    CHECK(other->execute("COMMIT"));
}

TEST_CASE("a study stores its results, ratios, CSV and report")
{
    const TemporaryFolder folder;
    const auto study = readStudy(kStudy, "s.toml");
    REQUIRE(study);
    RunStudyOptions inTwoThreads;
    inTwoThreads.threads = 2;
    const auto results = runStudy(*study, kStudy, folder / "out", evaluated, inTwoThreads);
    REQUIRE(results);
    const auto ratios = results->column("speed_up");
    REQUIRE(ratios);
    CHECK((*ratios)[0] == 1);
    CHECK(*(*ratios)[1] == Approx(1 / 0.9));
    CHECK_FALSE((*ratios)[2]);
    CHECK_FALSE((*ratios)[3]); // its baseline is not possible
    const std::string csv = contentOf(folder / "out" / "results.csv");
    CHECK(csv.starts_with("micro-batches,scheme,iteration,"));
    CHECK(csv.find("8,gpipe," + std::string(46, ',') + "too <large>,") != std::string::npos);
    const std::string html = contentOf(folder / "out" / "report.html");
    CHECK(html.find("A &amp; B") != std::string::npos);
    CHECK(html.find("<svg") != std::string::npos);
    CHECK(html.find("too &lt;large&gt;") != std::string::npos);
    CHECK(html.find("1F1B has the shortest iteration in 1 of 1 set-ups") != std::string::npos);
    // Tables had the keys of the file.
    CHECK(html.find("Micro-batches N") != std::string::npos);
    CHECK(html.find(">micro-batches<") == std::string::npos);
    CHECK(html.find("only GPipe") != std::string::npos);
}

// A study with N = 1,000,000 ended 29 s after its cancellation.
TEST_CASE("a cancelled study does not wait for the points that are being evaluated")
{
    const TemporaryFolder folder;
    const auto study = readStudy(kStudy, "s.toml");
    std::atomic<bool> cancelled = false, isReported = false;
    const EvaluatePoint endless = [&](const StudyPoint& point) {
        cancelled = true;
        for (int i = 0; i < 1000 && !isReported; ++i) // ends if it is waited for
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return isReported ? Result<StudyValues>(fail(Error::Code::Cancelled, "cancelled"))
                          : evaluated(point);
    };
    RunStudyOptions how;
    how.cancelled = &cancelled;
    how.onCancelled = [&](const Error&) { isReported = true; };
    const auto stopped = runStudy(*study, kStudy, folder.path(), endless, how);
    REQUIRE(!stopped);
    CHECK(isReported);
    CHECK(storedResults(*study, folder.path())->done() == 0);
}

TEST_CASE("an interrupted study continues with the points that it lacks")
{
    const TemporaryFolder folder;
    const auto study = readStudy(kStudy, "s.toml");
    int calls = 0;
    const EvaluatePoint second = [&](const StudyPoint& point) {
        return ++calls == 2 ? Result<StudyValues>(fail(Error::Code::Cancelled, "stopped"))
                            : evaluated(point);
    };
    const auto stopped = runStudy(*study, kStudy, folder.path(), second, {});
    REQUIRE(!stopped);
    CHECK(stopped.error().message == "stopped");
    const auto stored = storedResults(*study, folder.path());
    REQUIRE(stored);
    CHECK(stored->results.size() == 4);
    CHECK(stored->results[0].isDone);
    CHECK_FALSE(stored->results[3].isDone);
    CHECK(storedResults(*study, folder / "none")->done() == 0);
    const auto reader = StudyFile::open(folder / "results.sqlite", *study);
    REQUIRE(reader); // keeps the file open while the study continues
    calls = 10;
    REQUIRE(runStudy(*study, kStudy, folder.path(), second, {}));
    CHECK(calls == 13);
    REQUIRE(runStudy(*study, kStudy, folder.path(), second, {}));
    CHECK(calls == 13);
    auto changed = *study;
    changed.grid[0].values = {"4", "16"};
    const auto other = runStudy(changed, kStudy, folder.path(), second, {});
    REQUIRE(!other);
    CHECK_THAT(other.error().message, Catch::Contains("another study"));
}

// A chart or a ratio that was added to a study of runs made all of them run again.
TEST_CASE("a study with other charts and ratios keeps its results")
{
    const TemporaryFolder folder;
    auto study = readStudy(kStudy, "s.toml").value();
    int calls = 0;
    const EvaluatePoint counted = [&](const StudyPoint& point) {
        ++calls;
        return evaluated(point);
    };
    REQUIRE(runStudy(study, kStudy, folder.path(), counted, {}));
    REQUIRE(calls == 4);
    study.title = "Another title";
    study.ratios.front().inverse = false;
    study.ratios.front().name = study.charts.front().y = "slow_down";
    for (StudyAnswer& answer : study.answers)
        answer.y = "slow_down";
    const std::string toml = studyToml(study);
    REQUIRE(runStudy(study, toml, folder.path(), counted, {}));
    CHECK(calls == 4);
    auto database = Database::open(folder / "results.sqlite", Database::Access::ReadOnly);
    REQUIRE(database);
    CHECK(database->text("SELECT value FROM study WHERE key = 'toml'") == toml);
    CHECK(database->text("SELECT slow_down FROM results WHERE point = 1") == "0.9");
    CHECK_FALSE(database->prepare("SELECT speed_up FROM results"));
    study.ratios.clear();
    study.charts.clear();
    CHECK(runStudy(study, studyToml(study), folder.path(), counted, {}));
    CHECK(calls == 4);
}

// The results had two columns "forward", so nothing was stored; the file that was left was refused.
TEST_CASE("the axis of an option with the name of a metric has the option's dashes in its column")
{
    const TemporaryFolder folder;
    std::ofstream(folder / "results.sqlite").flush();
    const std::string toml = "[grid]\nforward = [1, 2]\noptimizer = [0, 1]";
    const auto study = readStudy(toml, "s.toml");
    REQUIRE(study);
    REQUIRE(runStudy(*study, toml, folder.path(), evaluated, {}));
    CHECK(contentOf(folder / "results.csv").starts_with("--forward,--optimizer,iteration,"));
    auto database = Database::open(folder / "results.sqlite", Database::Access::ReadOnly);
    REQUIRE(database);
    CHECK(database->text("SELECT \"--forward\" FROM results WHERE point = 3") == "2");
    CHECK(storedResults(*study, folder.path())->results.at(3).isDone);
}

// The error was SQLite's: "no such column".
TEST_CASE("results of a version with other metrics are refused with what to do")
{
    const TemporaryFolder folder;
    const auto study = readStudy(kStudy, "s.toml");
    REQUIRE(study);
    REQUIRE(StudyFile::open(folder / "results.sqlite", *study));
    {
        auto database = Database::open(folder / "results.sqlite", Database::Access::ReadWrite);
        REQUIRE(database);
        REQUIRE(database->execute("ALTER TABLE results RENAME COLUMN bubble TO idle"));
    }
    const auto again = StudyFile::open(folder / "results.sqlite", *study);
    REQUIRE(!again);
    CHECK_THAT(again.error().message, Catch::Contains("choose another folder"));
}

TEST_CASE("numbers have three digits, and large ones are grouped")
{
    CHECK(metricNumber("iteration", 1.234) == "1.23");
    CHECK(metricNumber("iteration", 12.34) == "12.3");
    CHECK(metricNumber("bubble", 1.234) == "1.2"); // a percentage
    CHECK(metricNumber("tokens_per_second", 1234.5) == "1234");
    CHECK(metricNumber("tokens_per_second", 1020404) == "1\u2009020\u2009404");
    CHECK(metricNumber("tokens_per_second", -84653) == "-84\u2009653");
}

// The factor from ns to ms was applied to every column whose name begins with "iteration".
TEST_CASE("a ratio is shown as it is, whatever its name begins with")
{
    StudyData measured(readStudy(kStudy, "s.toml").value());
    measured.results.front().values.unit = "ns";
    CHECK(shownFactor(measured, "iteration_over_1f1b") == 1);
    CHECK(shownFactor(measured, "iteration") == 1e-6);
}

TEST_CASE("a study without a possible point is an error")
{
    const TemporaryFolder folder;
    const auto study = readStudy("[grid]\ndevices = [1, 2]", "s.toml");
    REQUIRE(study);
    const auto results = runStudy(
        *study, "", folder.path(),
        [](const auto&) { return Result<StudyValues>(fail(Error::Code::InvalidArgument, "why")); },
        {});
    REQUIRE(!results);
    CHECK_THAT(results.error().message, Catch::Contains("no point of the study is possible: why"));
}
