#include "profiler/study/study_answer.h"
#include "tests/profiler/study/small_study.h"

#include <algorithm>

using namespace profiler;
using namespace tests;

namespace {

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
