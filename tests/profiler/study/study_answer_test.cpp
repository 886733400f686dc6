#include "profiler/study/study_answer.h"
#include "profiler/study/study_file.h"
#include "tests/catch.h"
#include "tests/profiler/study/small_study.h"

#include <algorithm>
#include <cmath>

using namespace profiler;
using namespace tests;

namespace {

constexpr double kUnset = std::nan("");

// A study of three schemes and four N whose iterations are given by hand, N slowest.
struct ByHand : StudyData
{
    static std::string toml(const std::string& answer)
    {
        return "only_fitting = true\n[fixed]\ndevices = 4\n[grid]\nscheme = [\"gpipe\", \"1f1b\", "
               "\"bitpipe\"]\nmicro-batches = [4, 8, 16, 32]\n[[answer]]\n"
            + answer;
    }

    ByHand(const std::string& answer, const std::vector<double>& iterations)
        : StudyData(readStudy(toml(answer), "s.toml").value())
    {
        REQUIRE(iterations.size() == points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            results[i].isDone = true;
            results[i].values.unit = "units";
            if (!std::isnan(iterations[i]))
                results[i].values.of[StudyMetric::Iteration] = iterations[i];
            else
                results[i].error = "needs N >= 8";
        }
    }

    AnsweredQuestion answer() const
    {
        const auto all = studyAnswers(*this);
        REQUIRE(all.size() == 1);
        return all.front();
    }
    void spread(std::size_t point, double low, double high)
    {
        results[point].values.low[StudyMetric::Iteration] = low;
        results[point].values.high[StudyMetric::Iteration] = high;
    }
};

PointSummary summaryOf(const SmallStudy& small, std::size_t point)
{
    return summarizePoint(small, point, "p2p");
}

const PointSummary::Row& rowOf(const PointSummary& summary, std::string_view title)
{
    const auto row = std::ranges::find(summary.rows, title, &PointSummary::Row::title);
    REQUIRE(row != summary.rows.end());
    return *row;
}

} // namespace

TEST_CASE("the best by axis names the winner of each range, ties and what is left out")
{
    const ByHand study("along = \"micro-batches\"\n",
                       {8, 7, kUnset, 8, 8, 10, 16, 17, 15, 32, 33, 31});
    const AnsweredQuestion best = study.answer();
    CHECK(best.claim
          == "1F1B has the shortest iteration for N = 4, GPipe and 1F1B (equal) for N = 8, BitPipe "
             "for N = 16 to 32");
    CHECK(best.sentence
          == best.claim + "; without BitPipe at N = 4: needs N >= 8 (D = 4; simulated).");
    CHECK(best.conditions
          == std::vector<std::pair<std::string, std::string>>{{"devices", "4"},
                                                              {"mode", "simulated"}});
}

TEST_CASE("the best of several set-ups is counted, with its lead over the second")
{
    const ByHand study("kind = \"best\"\n", {8, 7, kUnset, 8, 9, 10, 16, 17, 15, 32, 33, 16});
    const AnsweredQuestion best = study.answer();
    CHECK(best.claim
          == "BitPipe has the shortest iteration in 2 of 4 set-ups, by a factor of 1.533 over the "
             "second (median, at most 2.000); 1F1B in 1 of 4 set-ups (N = 4), by a factor of 1.143 "
             "over GPipe, the second; GPipe in 1 of 4 set-ups (N = 8), by a factor of 1.125 over "
             "1F1B, the second");
    CHECK(best.value.value() == Approx((16.0 / 15 + 2) / 2));
}

TEST_CASE(
    "the set-ups that a scheme wins are counted, ties for both, and without those of one value")
{
    const double none = kUnset;
    const ByHand data("kind = \"best\"\n",
                      {9, 8, 7,         // N = 4: bitpipe
                       9, 8, 8,         // N = 8: 1f1b and bitpipe
                       9, 8, none,      // N = 16: 1f1b
                       none, none, 7}); // N = 32: nothing to compare
    const StudyWins wins = studyWins(data);
    CHECK(wins.setUps == 3);
    CHECK(wins.of == std::map<std::string, int>{{"1f1b", 2}, {"bitpipe", 2}});
}

TEST_CASE("a crossing lies between two values of the axis")
{
    const std::string asked
        = "kind = \"crossing\"\nof = \"bitpipe\"\nagainst = \"1f1b\"\nalong = \"micro-batches\"\n";
    const ByHand crossing(asked, {9, 8, 4, 9, 8, 8, 9, 8, 10, 9, 8, 10});
    const AnsweredQuestion found = crossing.answer();
    CHECK(found.claim
          == "BitPipe rises above 1F1B in iteration between N = 4 and 16 (0.500 and 1.250 times); "
             "not distinguishable for N = 8");
    CHECK(found.interval == std::pair(4.0, 16.0));
    CHECK(ByHand(asked, {9, 8, 10, 9, 8, 12, 9, 8, 10, 9, 8, 16}).answer().claim
          == "BitPipe stays above 1F1B in iteration for N = 4 to 32 (1.250 to 2.000 times)");
    const AnsweredQuestion none
        = ByHand(asked, {9, 8, kUnset, 9, 8, kUnset, 9, 8, kUnset, 9, 8, kUnset}).answer();
    CHECK(none.claim
          == "The order of BitPipe and 1F1B in iteration is unknown: needs N >= 8, and 3 more "
             "points");
    CHECK(none.unknown == "needs N >= 8, and 3 more points");
}

TEST_CASE("the parts of a difference add up to it")
{
    const std::string asked = "kind = \"parts\"\nof = \"bitpipe\"\nagainst = \"1f1b\"\n"
                              "where = { micro-batches = 8 }\n";
    ByHand study(asked, {9, 8, 4, 9, 10, 8, 9, 8, 10, 9, 8, 10});
    const auto set = [&](std::size_t point, double bubble) {
        study.results[point].values.of[StudyMetric::Bubble] = bubble;
    };
    set(4, 0.2), set(5, 0.1); // 2 and 0.8 units of bubble
    CHECK(study.answer().claim
          == "BitPipe takes 20.0 % less time than 1F1B (-2.00 units): compute -0.80 units, bubble "
             "and exposed communication -1.20 units (not known apart)");
    study.results[4].values.of[StudyMetric::Exposed] = 0.5;
    study.results[5].values.of[StudyMetric::Exposed] = 1;
    const AnsweredQuestion parts = study.answer();
    CHECK(parts.claim
          == "BitPipe takes 20.0 % less time than 1F1B (-2.00 units): compute -1.30 units, bubble "
             "-1.20 units, exposed communication +0.50 units");
    CHECK(parts.value == -2);
    CHECK(parts.unit == "units");
}

TEST_CASE("a ratio has its interval, and one about 1 is not distinguishable")
{
    const std::string asked = "kind = \"ratio\"\nof = \"bitpipe\"\n";
    ByHand along(asked + "along = \"micro-batches\"\n",
                 {9, 8, 4, 9, 10, 8, 9, 8, 10, 9, 8, kUnset});
    CHECK(along.answer().claim
          == "BitPipe has 0.500 times the iteration of 1F1B at N = 4, 0.889 times that of GPipe at "
             "N = 8, 1.250 times that of 1F1B at N = 16");
    CHECK(along.answer().value == Approx(8.0 / 9)); // the median along the axis, and the range
    CHECK(along.answer().interval == std::pair(0.5, 1.25));
    CHECK_THAT(along.answer().sentence,
               Catch::Contains("; unknown for BitPipe at N = 32: needs N >= 8 ("));
    ByHand one(asked + "against = \"1f1b\"\nwhere = { micro-batches = 8 }\n",
               {9, 8, 4, 9, 10, 8, 9, 8, 10, 9, 8, 10});
    one.spread(4, 9, 12);
    one.spread(5, 6, 9);
    const AnsweredQuestion ratio = one.answer();
    CHECK(ratio.claim
          == "BitPipe has 0.800 times the iteration of 1F1B (95 % interval 0.500 to 1.000)");
    CHECK(ratio.value == 0.8);
    CHECK(ratio.interval == std::pair(0.5, 1.0));
    one.spread(5, 6, 11);
    CHECK_THAT(one.answer().claim, Catch::EndsWith("(not distinguishable)"));
    CHECK(ByHand(asked + "against = \"1f1b\"\n", {9, 8, 4, 9, 10, 8, 9, 8, 10, 9, 8, 8})
              .answer()
              .claim
          == "BitPipe has 0.900 times the iteration of 1F1B in the median of 4 set-ups (0.500 to "
             "1.250)");
}

TEST_CASE("one value alone is the only one, not the best")
{
    const ByHand study("where = { micro-batches = 8 }\n",
                       {9, 8, 4, kUnset, 10, kUnset, 9, 8, 10, 9, 8, 8});
    CHECK(
        study.answer().sentence
        == "Only 1F1B has a value of iteration; without GPipe and BitPipe in 2 points (needs N >= "
           "8) (D = 4; N = 8; simulated).");
}

TEST_CASE("an answer says what does not fit, and the limit")
{
    ByHand study(
        "kind = \"ratio\"\nof = \"bitpipe\"\nagainst = \"1f1b\"\nwhere = { micro-batches = "
        "8 }\n",
        {9, 8, 4, 9, 10, 8, 9, 8, 10, 9, 8, 10});
    constexpr double kGibibyte = 1 << 30;
    for (StudyResult& result : study.results) {
        auto& of = result.values.of;
        of[StudyMetric::DeviceMemory] = 10 * kGibibyte;
        of[StudyMetric::UsableMemory] = 9.5 * kGibibyte;
        of[StudyMetric::Fits] = 1;
    }
    study.results[5].values.of[StudyMetric::PeakBytes] = 12 * kGibibyte;
    study.results[5].values.of[StudyMetric::Fits] = 0;
    const AnsweredQuestion ratio = study.answer();
    CHECK(ratio.claim
          == "The iteration of BitPipe over 1F1B is unknown: BitPipe does not fit: needs 12.0 GiB; "
             "9.5 GiB usable of 10.0 GiB: reserve 5 %");
    CHECK_THAT(ratio.sentence,
               Catch::Contains("(D = 4; N = 8; memory 9.5 GiB usable of 10.0 GiB: reserve 5 %"));
    study.study.onlyFitting = false;
    CHECK_THAT(study.answer().sentence, Catch::Contains("0.800 times"));
    CHECK_THAT(study.answer().sentence, Catch::Contains("memory limit not applied"));
}

TEST_CASE("an answer that lacks what its kind needs is refused")
{
    const auto fault = [](const std::string& answer) {
        const auto study = readStudy(ByHand::toml(answer), "s.toml");
        REQUIRE(!study);
        return study.error().message;
    };
    CHECK_THAT(fault("kind = \"worst\""),
               Catch::Contains("kind 'worst' is not one of best, crossing, parts, ratio"));
    CHECK_THAT(fault("kind = \"ratio\""), Catch::Contains("ratio needs `of`, a value of scheme"));
    CHECK_THAT(fault("kind = \"parts\"\nof = \"1f1b\""), Catch::Contains("parts needs `against`"));
    CHECK_THAT(fault("kind = \"crossing\"\nof = \"1f1b\"\nagainst = \"gpipe\""),
               Catch::Contains("crossing needs `along`"));
    CHECK_THAT(fault("along = \"scheme\""), Catch::Contains("has the compared axis as `along`"));
    CHECK_THAT(fault("kind = \"ratio\"\nof = \"zb-v\""),
               Catch::Contains("scheme = zb-v is not in [grid]"));
    CHECK_THAT(fault("kind = \"parts\"\nof = \"1f1b\"\nagainst = \"gpipe\""),
               Catch::Contains("micro-batches has several values; name one"));
    CHECK_THAT(fault("kind = \"ratio\"\nof = \"1f1b\"\nwhere = { scheme = \"gpipe\" }"),
               Catch::Contains("fixes the compared axis or `along` in where"));
    CHECK_THAT(fault("of = 4\ncolour = 1"), Catch::Contains("unknown key 'colour'"));
}

TEST_CASE("the option of a scheme is an axis that the other schemes ignore")
{
    const auto study = readStudy("[grid]\nscheme = [\"1f1b\", \"chimera\", \"bitpipe\"]\nconcat = "
                                 "[\"direct\", \"early\"]\n",
                                 "s.toml");
    REQUIRE(study);
    const auto points = pointsOf(*study);
    using Words = std::vector<std::string>;
    CHECK(points[3].arguments == Words{"--scheme", "1f1b"});
    CHECK(points[4].arguments == Words{"--scheme", "chimera"}); // which has no early
    CHECK(points[5].arguments == Words{"--set", "concat=early", "--scheme", "bitpipe"});
}

namespace {

// Two schemes, two learning rates and three seeds, seed slowest but one: iterations by hand.
struct Repeated : StudyData
{
    explicit Repeated(const std::string& answer, const std::vector<double>& iterations)
        : StudyData(
            readStudy("mode = \"emulate\"\nrepeat = \"seed\"\ncompare = \"scheme\"\n[grid]\n"
                      "learning-rate = [0.1, 0.2]\nscheme = [\"1f1b\", \"bitpipe\"]\n"
                      "seed = [1, 2, 3]\n[[answer]]\n"
                          + answer,
                      "s.toml")
                .value())
    {
        REQUIRE(iterations.size() == points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            results[i].isDone = true;
            results[i].values.unit = "ns";
            results[i].values.of[StudyMetric::Iteration] = iterations[i];
        }
    }
};

} // namespace

// The intervals of single runs were 0.6 wide where repeats differ by 8.
TEST_CASE("repeats are a mean whose interval covers them, and are compared one by one")
{
    const std::vector<double> iterations{42.9, 34.8, 39.5, 34.4, 27.8, 31.5, // rate 0.1
                                         50,   50,   50,   30,   50,   70};
    const Repeated study("kind = \"ratio\"\nof = \"bitpipe\"\nagainst = \"1f1b\"\n"
                         "where = { learning-rate = 0.1 }\n",
                         iterations);
    const auto mean = reducedData(study, {"learning-rate"}, "", "iteration");
    REQUIRE(mean);
    CHECK(mean->points.size() == 4);
    const Amount amount = mean->amount("iteration", 0).value();
    CHECK(amount.value == Approx(39.0667));
    CHECK(amount.spread == Spread::Interval);
    CHECK(amount.least < 34.8);
    CHECK(amount.most > 42.9);
    const AnsweredQuestion ratio = studyAnswers(study).front();
    REQUIRE(ratio.interval);
    CHECK(ratio.value == Approx(0.799).epsilon(0.001)); // although the intervals of both overlap
    CHECK(ratio.interval->second < 0.81);
    CHECK(ratio.sentence.find("mean over seed 1, 2 and 3") != std::string::npos);
    CHECK(ratio.sentence.ends_with("; emulated)."));
    CHECK_FALSE(reducedData(study, {"seed"}, "", "iteration"));
    Repeated toLoss("kind = \"ratio\"\ny = \"time_to_loss\"\nof = \"bitpipe\"\n"
                    "against = \"1f1b\"\nwhere = { learning-rate = 0.1 }\n",
                    iterations);
    toLoss.study.targetLoss = 2;
    for (std::size_t i = 0; i < toLoss.points.size(); ++i)
        toLoss.results[i].values.of[StudyMetric::TimeToLoss] = iterations[i];
    CHECK(studyAnswers(toLoss).front().claim.starts_with(
        "BitPipe has 0.799 times the time to a loss of 2.00 of 1F1B (95 % interval"));
    const Repeated single("kind = \"ratio\"\nof = \"bitpipe\"\nagainst = \"1f1b\"\n"
                          "where = { learning-rate = 0.1, seed = 2 }\n",
                          iterations);
    CHECK(studyAnswers(single).front().sentence.ends_with("; emulated, one run each)."));
}

TEST_CASE("an answer may give every compared value its best value of another axis, and names it")
{
    const std::vector<double> iterations{10, 11, 12, 30, 31, 32, 20, 21, 22, 6, 5, 4};
    const Repeated study("kind = \"ratio\"\nof = \"bitpipe\"\nagainst = \"1f1b\"\n"
                         "best_over = \"learning-rate\"\n",
                         iterations);
    const AnsweredQuestion ratio = studyAnswers(study).front();
    CHECK(ratio.value == Approx((0.6 + 5.0 / 11 + 1.0 / 3) / 3));
    CHECK(ratio.sentence.find("each with its best learning rate: 0.1, the first tried (1F1B) and "
                              "0.2, the last tried (BitPipe)")
          != std::string::npos);
    const Repeated same("kind = \"ratio\"\nof = \"bitpipe\"\nagainst = \"1f1b\"\n"
                        "where = { learning-rate = 0.2 }\n",
                        {10, 11, 12, 10, 11, 12, 30, 50, 70, 52, 50, 50});
    CHECK(studyAnswers(same).front().claim.find("not distinguishable") != std::string::npos);
}

TEST_CASE("the best value of an axis names the values that are not distinguishable from it")
{
    const Repeated study("kind = \"ratio\"\nof = \"bitpipe\"\nagainst = \"1f1b\"\n"
                         "best_over = \"learning-rate\"\n",
                         {10, 11, 12, 30, 31, 32, 10.5, 10.4, 12.2, 6, 5, 4});
    CHECK_THAT(studyAnswers(study).front().sentence,
               Catch::Contains("0.1, the first tried, not distinguishable from 0.2 (1F1B) and 0.2, "
                               "the last tried (BitPipe)"));
}

// It was derived from that of the iteration, which is exact for one run only.
TEST_CASE("the mean of a rate over repeats has its own interval")
{
    Repeated study("kind = \"best\"\n", {40, 30, 35, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    const std::vector<double> rates{25, 36, 28};
    for (std::size_t i = 0; i < rates.size(); ++i)
        study.results[i].values.of[StudyMetric::TokensPerSecond] = rates[i];
    const auto mean = reducedData(study, {}, "", "iteration");
    REQUIRE(mean);
    const StudyValues& values = mean->results[0].values;
    const Amount amount = mean->amount("tokens_per_second", 0).value();
    CHECK(amount.spread == Spread::Interval);
    CHECK(amount.least == values.low[StudyMetric::TokensPerSecond]);
    CHECK(amount.most == values.high[StudyMetric::TokensPerSecond]);
}

TEST_CASE("a point is compared with the others of its set-up")
{
    const SmallStudy small;
    const PointSummary summary = summaryOf(small, small.at("8", "0.5", "bitpipe"));
    CHECK(summary.name == "BitPipe");
    CHECK(summary.where == "micro-batches 8, P2P message 0.5");
    CHECK(summary.best == small.at("8", "0.5", "1f1b"));
    const auto& time = rowOf(summary, "Iteration, units");
    CHECK(time == PointSummary::Row{"Iteration, units", "9.00", "8.50", "1F1B", false});
    CHECK(rowOf(summary, "Peak memory, GiB").isBest);
    CHECK(
        summary.sentence
        == "BitPipe has 1.059 times the iteration of 1F1B. BitPipe has the shortest iteration for "
           "P2P message 0, 1F1B for P2P message 0.5.");
}

TEST_CASE("the sentence on the best names where another one becomes shorter")
{
    const SmallStudy small;
    // BitPipe: 7 + 4 t; 1F1B: 8 + t
    CHECK(
        summaryOf(small, small.at("8", "0", "bitpipe")).sentence
        == "BitPipe has 0.875 times the iteration of 1F1B. BitPipe has the shortest iteration for "
           "P2P message 0, 1F1B for P2P message 0.5.");
    CHECK(summaryOf(small, small.at("4", "0", "1f1b")).sentence.empty()); // nothing else fits
}

TEST_CASE("a point without results has the reason")
{
    SmallStudy small;
    CHECK(summaryOf(small, small.at("4", "0", "bitpipe")).reason == "BitPipe needs N >= 8");
    CHECK(summaryOf(small, small.at("8", "0", "gpipe")).reason
          == "does not fit: needs 12.0 GiB; 10.0 GiB usable of 12.5 GiB: reserve 20 %");
    small.results[0].isDone = false;
    CHECK(summaryOf(small, 0).reason == "not computed yet");
    CHECK(pointText(summaryOf(small, small.at("4", "0", "bitpipe")))
          == "BitPipe, micro-batches 4, P2P message 0\nBitPipe needs N >= 8");
}

TEST_CASE("a point is not distinguishable from another one if the difference may be 0")
{
    SmallStudy small;
    const std::size_t bitpipe = small.at("8", "0.5", "bitpipe"),
                      other = small.at("8", "0.5", "1f1b");
    const auto spread = [&small](std::size_t point, double low, double high) {
        small.results[point].values.low[StudyMetric::Iteration] = low;
        small.results[point].values.high[StudyMetric::Iteration] = high;
    };
    spread(bitpipe, 8.4, 9.2);
    CHECK(summaryOf(small, bitpipe).sentence.starts_with("BitPipe has 1.059 times"));
    spread(other, 8.3, 9.0);
    CHECK(rowOf(summaryOf(small, bitpipe), "Iteration, units").value == "9.00 (8.40 to 9.20)");
    CHECK(summaryOf(small, bitpipe)
              .sentence.starts_with("BitPipe has 1.059 times the iteration of 1F1B (95 % interval "
                                    "0.933 to 1.108) (not distinguishable)."));
}

TEST_CASE("the text of a point has a line per metric")
{
    const SmallStudy small;
    const std::string text = pointText(summaryOf(small, small.at("16", "0", "1f1b")));
    CHECK(text.starts_with("1F1B, micro-batches 16, P2P message 0\nIteration, units: 16.0\n"));
}

// A study of two cases on different hardware did not say so; one with a schedule file said that its
// devices were those "by default".
TEST_CASE("the conditions in which compared cases differ are named")
{
    const auto sentenceOf = [](const std::string& a, const std::string& b) {
        StudyData data(readStudy("[grid]\ncase = [\"A\", \"B\"]\n[case_options]\nA = " + a
                                     + "\nB = " + b + "\n",
                                 "s.toml")
                           .value());
        for (std::size_t i = 0; i < 2; ++i) {
            data.results[i].isDone = true;
            data.results[i].values.unit = "units";
            data.results[i].values.of[StudyMetric::Iteration] = 8.0 + static_cast<double>(i);
        }
        const auto all = studyAnswers(data);
        REQUIRE(all.size() == 1);
        return all.front().sentence;
    };
    CHECK(sentenceOf(R"(["--scheme", "1f1b", "--devices", 4, "--p2p", 1])",
                     R"(["--scheme", "gpipe", "--devices", 4])")
              .find("P2P message 1 (A) and by default (B)")
          != std::string::npos);
    CHECK(sentenceOf(R"(["--schedule", "a.csv"])", R"(["--scheme", "gpipe", "--devices", 4])")
              .find("by default")
          == std::string::npos);
}
