#include "profiler/analysis/metrics.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

namespace {

// In order of the devices: M_a at the peak, and activations that are kept for a recompute.
struct Peaks
{
    std::vector<double> stash, kept;

    friend bool operator==(const Peaks&, const Peaks&) = default;
};

Peaks peaksOf(const profiler::RunMetrics& metrics)
{
    Peaks peaks;
    for (const auto& device : metrics.devices) {
        peaks.stash.push_back(device.peakStash);
        peaks.kept.push_back(device.peakKept);
    }
    return peaks;
}

Peaks peaksOf(const Schedule& schedule, double keeps)
{
    Simulated simulation = simulated(schedule);
    Run run;
    run.schedule = std::move(simulation.schedule);
    run.timeline = std::move(simulation.timeline);
    run.info.recomputeKeeps = keeps;
    return peaksOf(profiler::metrics(run).value());
}

// The same without spans.
Peaks summedPeaks(const Schedule& schedule, double keeps)
{
    const auto prices = unitPrices(schedule.shape, {});
    const auto summaries = summarize(schedule, *prices, {.recomputeKeeps = keeps});
    REQUIRE(summaries);
    return peaksOf(profiler::metrics(schedule, summaries->front()));
}

} // namespace

TEST_CASE("the two halves of a backward recompute a forward between them")
{
    const Schedule schedule = addRecompute(scheduleOf("chimera", 4, 8, {{"concat", "halving"}}));
    Simulated run = simulated(schedule);
    double work = 0;
    for (const Span& span : run.timeline.track(DeviceId{0}, Track::Kind::Compute)->spans)
        work += run.units(span.end - span.begin);
    CHECK(work == (1 + 1 + 2) * 8);
}

TEST_CASE("full recomputation costs a forward for each backward, hidden where a device waits: "
          "4N+3(D-1)")
{
    for (const std::string scheme : {"gpipe", "1f1b"})
        CHECK(simulated(addRecompute(scheduleOf(scheme, 4, 8))).iteration() == 4 * 8 + 3 * 3);
    UnitCosts attention;
    attention.recompute = {1, 4};
    CHECK(simulated(addRecompute(scheduleOf("1f1b", 1, 8)), attention).iteration() == 3.25 * 8);
}

TEST_CASE("GPipe with recompute holds N inputs and one activation, 1F1B D-d of them")
{
    const Peaks gpipe = peaksOf(addRecompute(scheduleOf("gpipe", 4, 8)), 0);
    CHECK(gpipe.stash == std::vector<double>(4, 1));
    CHECK(gpipe.kept == std::vector<double>(4, 8));
    const Peaks steady = peaksOf(addRecompute(scheduleOf("1f1b", 4, 8)), 0);
    CHECK(steady.stash == std::vector<double>(4, 1));
    CHECK(steady.kept == std::vector<double>{4, 3, 2, 1});
    // A third stays: while one is whole, the other seven count so much each.
    CHECK(peaksOf(addRecompute(scheduleOf("gpipe", 4, 8)), 0.25).stash[0] == 1 + 7 * 0.25);
    CHECK(peaksOf(scheduleOf("gpipe", 4, 8), 0).kept == std::vector<double>(4, 0));
}

TEST_CASE("keeping all of an activation counts like no recomputation")
{
    for (const std::string scheme :
         {"gpipe", "1f1b", "bitpipe", "zb-h1", "seq1f1b", "dualpipe", "bpipe", "hanayo"}) {
        INFO(scheme);
        const Schedule plain = scheduleOf(scheme, 4, 8);
        CHECK(peaksOf(addRecompute(plain), 1).stash == peaksOf(plain, 0).stash);
    }
}

TEST_CASE("peaks under recompute are the same with spans and without")
{
    for (const std::string scheme : {"1f1b", "bitpipe", "zb-h1", "seq1f1b", "bpipe", "chimera"}) {
        INFO(scheme);
        const Schedule schedule
            = addRecompute(scheme == "chimera" ? scheduleOf(scheme, 4, 8, {{"concat", "halving"}})
                                               : scheduleOf(scheme, 4, 8));
        for (const double keeps : {0.0, 0.3, 1.0})
            CHECK(summedPeaks(schedule, keeps) == peaksOf(schedule, keeps));
    }
}

TEST_CASE("a stash that is evicted before its RECOMPUTE moves with its reduced size")
{
    const Schedule schedule = addRecompute(scheduleOf("bpipe", 8, 32));
    const Peaks peaks = peaksOf(schedule, 0);
    CHECK(*std::ranges::max_element(peaks.stash) == 1);
    CHECK(*std::ranges::max_element(peaks.kept) == 5);
}
