#include "profiler/analysis/compare.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/ranking.h"
#include "profiler/analysis/run_measures.h"
#include "tests/profiler/analysis/hand_made.h"

#include <clocale>
#include <cmath>
#include <functional>

using namespace analysis_test;
using namespace engine;
using namespace profiler;

namespace {

Run labelled(Run run, const std::string& label)
{
    run.info.label = label;
    return run;
}

} // namespace

TEST_CASE("a comparison states how much shorter a run is, and why")
{
    const Run base = labelled(simulated("1f1b", 4, 4), "1F1B");
    const Run bitpipe = labelled(simulated("bitpipe", 4, 4), "BitPipe");
    const Comparison c = compare({&base, &bitpipe}).value();
    CHECK(c.comparable);
    CHECK(c.notes.empty());
    CHECK(c.runs[1].peakStash == 4.0);
    CHECK(summarize(c, 0) == "1F1B is the baseline");
    CHECK(summarize(c, 1)
          == "BitPipe is 33.3 % shorter than 1F1B (−7.0 units, exact): 7.0 units less bubble");
}

// In a German session, 1000.0 units were "1000, units", and 7.0 units "7, units".
TEST_CASE("numbers of sentences have a point in every locale")
{
    for (const char* locale : {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
        if (std::setlocale(LC_NUMERIC, locale) == nullptr)
            continue; // not installed
        CHECK(unitNumber(7) == "7.0");
        CHECK(unitNumber(1000.125) == "1000.125");
        CHECK(shareText(0.125) == "12.5 %");
        CHECK(timeText(1'500'000, 1) == "1.5 ms");
    }
    std::setlocale(LC_NUMERIC, "C");
}

// Traces state no model, and those of two programs were a change of +1554 %.
TEST_CASE("traces of two programs are runs under other conditions")
{
    Run before = labelled(simulated("1f1b", 4, 4), "1F1B");
    before.info.mode = Mode::Imported;
    before.info.import.emplace().program = "Nsight Systems";
    Run run = before;
    CHECK(historyPoint(run, &before, "iteration")->conditions.empty());
    run.info.import->program = "PyTorch profiler";
    const auto point = historyPoint(run, &before, "iteration");
    REQUIRE(point);
    CHECK(point->conditions == "traced by");
    CHECK_FALSE(point->change);
    const Comparison both = compare({&before, &run}).value();
    CHECK(std::ranges::count(both.notes, "the runs were traced by different programs") == 1);
    CHECK(std::ranges::count(both.notes,
                             "a trace does not tell its model and batch, which are taken to be the "
                             "same in all runs")
          == 1);
    CHECK(conditionsText(both).find("taken to be") == std::string::npos); // is no difference
}

// A trace without stages was compared as "N = 2, v = 0" with a stash of 1.
TEST_CASE("what an imported run does not know is not compared")
{
    const Run base = labelled(simulated("1f1b", 4, 4), "1F1B");
    Run imported = labelled(simulated("1f1b", 2, 2), "1F1B");
    imported.info.mode = Mode::Imported;
    imported.info.import.emplace();
    const Comparison c = compare({&base, &imported}).value();
    CHECK_FALSE(c.runs[1].peakStash);
    CHECK(c.runs[1].label == "1F1B, D = 2, mode = imported");
    const auto valueOf = [&](std::string_view title) {
        return std::ranges::find(c.differences, title, &Difference::title)->values[1];
    };
    CHECK(valueOf("N") == "unknown");
    CHECK(valueOf("v") == "unknown");
    CHECK(std::ranges::count_if(c.notes,
                                [](const std::string& note) {
                                    return note.find("micro-batches") != std::string::npos;
                                })
          == 1);
}

TEST_CASE("runs are distinguishable if the interval of their difference excludes 0")
{
    const auto measured = [](const std::string& label, std::vector<std::int64_t> durations) {
        Run run = labelled(handMade({.devices = 2, .stages = 2, .microBatches = 1}, {0, 9},
                                    {{0, "0F0", 0, 2}, {1, "1F0", 2, 9}}),
                           label);
        run.info.mode = Mode::Live;
        const std::vector<Iteration> one = run.timeline.iterations;
        run.timeline.iterations.clear();
        std::int64_t begin = 0;
        for (const std::int64_t duration : durations) {
            run.timeline.iterations.push_back(one.front());
            run.timeline.iterations.back().window = {begin, begin + duration * 1'000'000};
            begin += duration * 1'000'000;
        }
        return run;
    };
    const Run a = measured("A", {10, 11, 12, 13, 14}), b = measured("B", {11, 12, 13, 14, 15});
    const Run c = measured("C", {30, 31, 30, 31, 30});
    CHECK_FALSE(iterationInterval(measured("two", {10, 11}), 1));
    const auto interval = iterationInterval(a, 2);
    REQUIRE(interval);
    CHECK(interval->least < 10'000'000); // five values say little of those between iterations
    CHECK(interval->least >= 8'000'000);
    CHECK(interval->most > 14'000'000);
    CHECK(interval->most <= 16'000'000);
    Run replayed = measured("replayed", {10, 11, 12, 13, 14});
    replayed.timeline.iterations.back().kind = Iteration::Kind::Replay;
    CHECK_FALSE(iterationInterval(replayed, 4)); // typical ops are not reported
    CHECK(iterationInterval(replayed, 1));       // the shorter of the middle two
    CHECK_FALSE(iterationInterval(a, 0));
    const Comparison comparison = compare({&a, &b, &c}).value();
    CHECK_THAT(summarize(comparison, 1),
               Catch::StartsWith("No clear winner: B and A are not distinguishable (+1.0 ms, 95 % "
                                 "interval "));
    CHECK_THAT(summarize(comparison, 2),
               Catch::StartsWith("C is 150.0 % longer than A (+18.0 ms, "));
    CHECK(comparison.change("iteration", 2)->isMarked());
    CHECK_FALSE(comparison.change("iteration", 1)->isMarked());
    const Run two = measured("two", {20, 21});
    CHECK_THAT(summarize(compare({&a, &two}).value(), 1),
               Catch::StartsWith("No clear winner: two and A have too few measured iterations "
                                 "(+8.0 ms, spread unknown)"));
}

// Two intervals that overlap can be distinguishable, and the larger of the two is not enough.
TEST_CASE("the interval of a difference combines those of the two numbers")
{
    const Amount a{10, Spread::Interval, 9, 12}, b{14, Spread::Interval, 11, 15};
    const Change ofBoth = change(a, b);
    CHECK(ofBoth.by.value == 4);
    CHECK(ofBoth.by.least == Approx(4 - std::hypot(3, 2)));
    CHECK(ofBoth.by.most == Approx(4 + std::hypot(1, 1)));
    CHECK(ofBoth.isDistinguishable());
    CHECK(change(a, {10.5, Spread::Exact}).by.most == Approx(1.5));
    CHECK(change({1, Spread::Exact}, {1, Spread::Exact}).by.spread == Spread::Exact);
    CHECK_FALSE(change({1, Spread::Exact}, {1, Spread::Exact}).isDistinguishable());
    CHECK_FALSE(change({1, Spread::Unknown}, {9, Spread::Exact}).isDistinguishable());
}

// The rank was by time per token, and the differences, colours and Pareto front by iteration.
TEST_CASE("runs with different numbers of tokens are compared per 1000 tokens")
{
    Run small = labelled(simulated("1f1b", 2, 2), "small"),
        large = labelled(simulated("1f1b", 2, 8), "large");
    small.info.tokensPerIteration = 2000;
    large.info.tokensPerIteration = 8000;
    const Comparison all = compare({&small, &large}).value();
    CHECK(all.isPerToken);
    CHECK(all.runs[0].time() / 2 == 4.5); // 9 units, 2 ticks a unit
    CHECK(all.runs[1].time() / 2 == 27.0 / 8);
    CHECK(all.obstacle.empty());
    CHECK(
        verdict(all).text()
        == "large is 25.0 % shorter than small (−1.125 units per 1000 tokens, exact): 1.125 units "
           "less bubble.");
}

TEST_CASE("what makes runs unlike is named before the result")
{
    Run base = labelled(simulated("1f1b", 2, 2), "1F1B");
    base.info.model = "tiny";
    base.info.command = "bscope run --scheme 1f1b";
    Run other = base;
    other.info.command += " --mapping round-robin";
    CHECK_THAT(verdict(compare({&base, &other}).value()).text(),
               Catch::StartsWith("Conditions differ: the runs map devices to nodes differently. "));
    other.info.model = "small";
    const Verdict unlike = verdict(compare({&base, &other}).value());
    CHECK(unlike.kind == Verdict::Kind::NotComparable);
    CHECK_THAT(unlike.text(),
               Catch::StartsWith("Not comparable: the runs train different models; the runs have "
                                 "different sequence lengths; the runs map "
                                 "devices to nodes differently. "));
}

// The machine slowed down by a tenth in every round: the runs overlap, their differences do not.
TEST_CASE("runs that took turns are compared round by round")
{
    const auto turns = [](const char* label, std::initializer_list<int> durations) {
        Run run = labelled(
            handMade({.devices = 1, .stages = 1, .microBatches = 1}, {0, 9}, {{0, "0F0", 0, 2}}),
            label);
        run.info.mode = Mode::Emulate;
        run.info.session = "one";
        run.info.rounds = run.info.plannedIterations = static_cast<int>(durations.size());
        run.timeline.iterations.clear();
        std::int64_t begin = 0;
        for (const int duration : durations) {
            run.timeline.iterations.push_back(
                {0, Iteration::Kind::Measured, {begin, begin + duration * 1'000'000}, {}, {}, {}});
            begin += duration * 1'000'000;
        }
        return run;
    };
    const Run a = turns("A", {10, 12, 14, 16, 18}), b = turns("B", {11, 13, 15, 17, 19});
    const Comparison together = compare({&a, &b}).value();
    CHECK(together.change("iteration", 1)->isDistinguishable());
    CHECK_FALSE(together.isMeasuredApart);
    // Three differences of one sign are no proof: equal runs have them once in four comparisons.
    const Run few = turns("A", {10, 10, 10}), noise = turns("B", {11, 14, 17});
    CHECK_FALSE(compare({&few, &noise}).value().change("iteration", 1)->isDistinguishable());
    Run alone = b;
    alone.info.session.clear();
    const Comparison apart = compare({&a, &alone}).value();
    CHECK_FALSE(apart.change("iteration", 1)->isDistinguishable());
    CHECK(apart.isMeasuredApart);
}

TEST_CASE("runs on the two clocks are never subtracted")
{
    const Run units = labelled(simulated("1f1b", 2, 4), "1F1B");
    const Run measured = labelled(handMade({.devices = 2, .stages = 2, .microBatches = 1}, {0, 9},
                                           {{0, "0F0", 0, 2}, {1, "1F0", 2, 9}}),
                                  "mine");
    const Comparison c = compare({&units, &measured}).value();
    CHECK_FALSE(c.comparable);
    CHECK(c.notes.size() == 2);
    CHECK(summarize(c, 1)
          == "Not comparable: one of mine and 1F1B is in abstract units, the other in nanoseconds");
}

TEST_CASE("a setting that one run lacks is not a difference")
{
    const Run simulatedRun = simulated("1f1b", 2, 2);
    Run here = simulated("1f1b", 2, 2), there = here;
    here.info.deviceName = "CPU A";
    there.info.deviceName = "CPU B";
    CHECK(compare({&simulatedRun, &here}).value().notes.empty());
    CHECK(compare({&here, &simulatedRun, &there}).value().notes
          == std::vector<std::string>{"the runs were measured on different hardware"});
}

TEST_CASE("conditions that differ are named before the result")
{
    Run base = simulated("1f1b", 2, 2);
    base.info.model = "tiny";
    base.info.command = "bscope run --scheme 1f1b";
    base.info.mode = Mode::Emulate;
    base.info.program = "0.1.0+a";
    base.info.deviceName = "CPU A";
    base.info.timing = "thread CPU clock";
    base.info.link = "10 GB/s";
    const auto conditionsWith = [&](const auto& change) {
        Run other = base;
        change(other);
        return conditionsText(compare({&base, &other}).value());
    };
    CHECK(conditionsWith([](Run&) {}).empty());
    const std::pair<const char*, std::function<void(Run&)>> kinds[]{
        {"the runs map devices to nodes differently",
         [](Run& r) { r.info.command += " --mapping contiguous"; }},
        {"the runs have different memory limits",
         [](Run& r) { r.info.command += " --device-memory 1GiB"; }},
        {"the runs have different memory limits",
         [](Run& r) { r.info.command += " --reserve 10"; }},
        {"the runs were measured on different hardware",
         [](Run& r) { r.info.deviceName = "CPU B"; }},
        {"the runs were recorded by different builds of this program",
         [](Run& r) { r.info.program = "0.1.0+b"; }},
        {"the ops were timed with different clocks", [](Run& r) { r.info.timing = "wall clock"; }},
        {"the runs assume different links between devices",
         [](Run& r) { r.info.link = "1 GB/s"; }}};
    for (const auto& [note, change] : kinds)
        CHECK(conditionsWith(change) == std::string("Conditions differ: ") + note);
    // The words of a label were once taken for those of a note that is left out.
    CHECK(conditionsWith([](Run& r) {
              r.info.label = "older weights";
              r.info.cpuShare = 0.5;
          }).starts_with("Conditions differ: older weights: "));
}

TEST_CASE("models, sequences, tokens and flushes that differ are noted")
{
    Run base = simulated("1f1b", 2, 2);
    base.info.model = "tiny";
    base.info.command = "bscope run --scheme 1f1b";
    base.info.tokensPerIteration = 64;
    const auto notesWith = [&](const auto& change) {
        Run other = base;
        change(other);
        return compare({&base, &other}).value().notes;
    };
    using Notes = std::vector<std::string>;
    CHECK(notesWith([](Run&) {}).empty());
    CHECK(notesWith([](Run& r) { r.info.command += " --width 96"; })
          == Notes{"the runs train different models"});
    CHECK(notesWith([](Run& r) { r.info.command += " --sequence 32"; })
          == Notes{"the runs have different sequence lengths"});
    CHECK(notesWith([](Run& r) { r.info.command += " --seed 2"; }).empty());
    CHECK(notesWith([](Run& r) { r.info.tokensPerIteration = 128; })
          == Notes{"the iterations of the runs process different numbers of tokens"});
    CHECK(notesWith([](Run& r) { r.schedule.shape.windows = 3; })
          == Notes{"asynchronous schemes do not flush between iterations and train with older "
                   "weights"});
}

TEST_CASE("the loss of a run is the last that was trained, and its note has the first")
{
    Run run = simulated("1f1b", 2, 2);
    run.timeline.iterations.front().loss = 5.5;
    run.timeline.iterations.push_back({0, Iteration::Kind::Measured, {6, 12}, 5.0, {}, {}});
    run.timeline.iterations.push_back({0, Iteration::Kind::Replay, {12, 18}, 1.0, {}, {}});
    const RunMetrics numbers = metrics(run).value();
    const auto loss = std::ranges::find(runMeasures(), "loss", &MeasureInfo::key);
    const Reading reading = (*loss)(ReportedRun{run, numbers});
    CHECK(reading.number() == 5.0);
    CHECK_THAT(reading.note, Catch::StartsWith("first 5.5, "));
}

TEST_CASE("runs in finer units are compared in units, and differences are not rounded to ticks")
{
    UnitCosts costs;
    costs.forward = {4, 3};
    const Run base = labelled(simulated("1f1b", 4, 4), "1F1B"),
              slower = labelled(simulated("1f1b", 4, 4, costs), "slower");
    REQUIRE(base.info.ticksPerUnit == 2);
    REQUIRE(slower.info.ticksPerUnit == 6);
    CHECK(
        summarize(compare({&base, &slower}).value(), 1)
        == "slower is 11.1 % longer than 1F1B (+2.333 units, exact): 1.0 units more bubble, 1.333 "
           "units slower ops");
    CHECK(
        summarize(compare({&slower, &base}).value(), 1)
        == "1F1B is 10.0 % shorter than slower (−2.333 units, exact): 1.0 units less bubble, 1.333 "
           "units faster ops");
}

TEST_CASE("nothing cannot be compared")
{
    CHECK_FALSE(compare({}));
}

TEST_CASE("numbers read as people write them")
{
    CHECK(timeText(19'040'000, 1) == "19.0 ms");
    CHECK(timeText(850'000, 1) == "850.0 µs");
    CHECK(timeText(25, 2) == "12.5 units");
    CHECK(timeText(14, 6) == "2.333 units");
    CHECK(unitNumber(4) == "4.0");
    CHECK(bytesText(512) == "512 B");
    CHECK(bytesText(3 * 1024 * 1024) == "3.0 MiB");
    CHECK(bytesText(-3 * 1024 * 1024) == "-3.0 MiB");
    CHECK(shareText(1.0 / 7) == "14.3 %");
}

TEST_CASE("runs of one scheme are labelled by their differences")
{
    Run one, two, other;
    for (Run* run : {&one, &two, &other}) {
        run->info.label = "1F1B";
        run->schedule.shape = {4, 4, 8, 1, 1, 1};
        run->info.command = "bscope run --scheme 1f1b --iterations 3";
    }
    CHECK(distinctLabels({&one, &two}) == std::vector<std::string>{"1F1B", "1F1B (2)"});
    two.schedule.shape.dataParallel = 2;
    two.info.command = "bscope run --scheme 1f1b --data-parallel 2 --learning-rate 0.01";
    other.info.label = "GPipe";
    CHECK(distinctLabels({&one, &two, &other})
          == std::vector<std::string>{"1F1B, W = 1", "1F1B, W = 2, --learning-rate 0.01", "GPipe"});
    const auto found = differences({&one, &two, &other});
    REQUIRE(found.size() == 2);
    CHECK(found[0].title == "W");
    CHECK(found[0].values == std::vector<std::string>{"1", "2", "1"});
    CHECK(found[1].title == "--learning-rate");
    CHECK(found[1].values == std::vector<std::string>{"", "0.01", ""});
    CHECK(differences({&one}).empty());
    CHECK(differences({}).empty());
}

// The sentences of a comparison had "hardware = Intel(R) Xeon(R) Processor, 1 BLAS thread" twice.
TEST_CASE("runs that differ only in their hardware are labelled by a number")
{
    Run one, two;
    one.info.label = two.info.label = "1F1B";
    one.info.deviceName = "Intel(R) Xeon(R) Processor, 1 BLAS thread";
    two.info.deviceName = "AMD EPYC 9654 96-Core Processor, 1 BLAS thread";
    CHECK(distinctLabels({&one, &two}) == std::vector<std::string>{"1F1B", "1F1B (2)"});
    two.info.deviceName = "NVIDIA A100-SXM4-80GB";
    CHECK(distinctLabels({&one, &two})
          == std::vector<std::string>{"1F1B", "1F1B, hardware = NVIDIA A100-SXM4-80GB"});
}

TEST_CASE("a point of a history has the change from the run before")
{
    UnitCosts slower;
    slower.forward = {2};
    const Run before = simulated("1f1b", 4, 8), run = simulated("1f1b", 4, 8, slower);
    const auto first = historyPoint(before, nullptr, "iteration").value();
    CHECK(units(before, std::llround(first.value.value().value)) == 33); // 3 (N + D - 1)
    CHECK_FALSE(first.change);
    const auto point = historyPoint(run, &before, "iteration").value();
    CHECK(point.conditions.empty());
    REQUIRE(point.change);
    CHECK(point.change->share() == Approx(1.0 / 3));
    CHECK(point.change->isDistinguishable());
    CHECK_FALSE(historyPoint(run, &before, "peak_bytes")->value); // no memory was recorded
}

TEST_CASE("runs of different conditions are marked and not compared")
{
    const Run before = simulated("1f1b", 4, 8);
    for (const auto& [run, conditions] :
         {std::pair(simulated("gpipe", 4, 8), "scheme"), std::pair(simulated("1f1b", 2, 8), "D"),
          std::pair(simulated("gpipe", 4, 4), "scheme, N")}) {
        const auto point = historyPoint(run, &before, "iteration").value();
        CHECK(point.conditions == conditions);
        CHECK_FALSE(point.change);
        CHECK(point.value);
    }
}
