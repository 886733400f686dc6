#include "engine/schedule/passes/passes.h"
#include "engine/sim/network.h"
#include "engine/timeline/stash_ledger.h"
#include "tests/engine/sim/spans.h"
#include "tests/support/text_schedule.h"

#include <random>
#include <set>

using namespace engine;
using namespace tests;
using sim::Network;

namespace {

// Transfers over numbered links of capacity 1.
class Flows
{
public:
    std::uint32_t add(std::int64_t work, std::int64_t ready, std::vector<int> links,
                      std::vector<std::uint32_t> after = {})
    {
        auto& uses = m_uses.emplace_back();
        for (const int link : links)
            uses.push_back({static_cast<std::uint64_t>(link), 1});
        return m_network.add(work, ready, uses, after);
    }
    // The ends of all transfers, in the order added.
    std::vector<std::int64_t> ends()
    {
        std::map<std::uint32_t, std::int64_t> ends;
        for (;;) {
            const auto done = m_network.advance();
            if (done.empty())
                break;
            for (const auto flow : done)
                ends[flow] = m_network.window(flow).end;
        }
        std::vector<std::int64_t> result;
        for (const auto& [flow, end] : ends)
            result.push_back(end);
        return result;
    }

private:
    SharedLinks m_links{Mapping(), LinkSharing()};
    Network m_network{m_links};
    std::deque<Network::Uses> m_uses;
};

using Ends = std::vector<std::int64_t>;

} // namespace

TEST_CASE("two transfers over one link take twice as long, and over two links no longer")
{
    Flows shared;
    shared.add(100, 0, {1});
    shared.add(100, 0, {1});
    CHECK(shared.ends() == Ends{200, 200});
    Flows apart;
    apart.add(100, 0, {1});
    apart.add(100, 0, {2});
    CHECK(apart.ends() == Ends{100, 100});
}

TEST_CASE("the rest of a longer or later transfer has the link alone")
{
    Flows flows; // from 0 to 60 alone; to 140 half: 40 of 40 left; then 60 of 100
    flows.add(100, 0, {1});
    flows.add(100, 60, {1});
    CHECK(flows.ends() == Ends{140, 200});
    Flows sizes; // half each until 200, then alone
    sizes.add(100, 0, {1});
    sizes.add(300, 0, {1});
    CHECK(sizes.ends() == Ends{200, 400});
}

TEST_CASE("three transfers over one link have a third each")
{
    Flows flows;
    for (const int work : {100, 200, 300}) // thirds to 300, halves to 500, alone to 600
        flows.add(work, 0, {1});
    CHECK(flows.ends() == Ends{300, 500, 600});
}

TEST_CASE("speeds are max-min fair: what a transfer cannot use, the others get")
{
    Flows flows; // link 1 has three transfers, link 2 one of them and a fourth
    flows.add(100, 0, {1});
    flows.add(100, 0, {1});
    flows.add(100, 0, {1, 2}); // 1/3, so that the fourth has 2/3 of link 2
    flows.add(100, 0, {2});
    CHECK(flows.ends() == Ends{300, 300, 300, 150});
}

TEST_CASE("a transfer begins after those that it waits for, and nothing takes no time")
{
    Flows flows;
    const auto first = flows.add(100, 0, {1});
    const auto second = flows.add(50, 20, {1}, {first});
    flows.add(0, 0, {1}, {second});
    flows.add(10, 400, {1}, {second});
    CHECK(flows.ends() == Ends{100, 150, 150, 410});
}

namespace {

struct Job
{
    double work = 0;
    std::int64_t ready = 0;
    std::vector<int> links;
};

// The same rules without events per link: all speeds are computed anew in steps of one tick.
std::vector<std::int64_t> stepped(const std::vector<Job>& jobs)
{
    std::vector<double> left, speeds(jobs.size());
    for (const Job& job : jobs)
        left.push_back(job.work);
    std::vector<std::int64_t> ends(jobs.size(), -1);
    for (std::int64_t now = 0; std::ranges::count(ends, -1) > 0; ++now) {
        std::set<std::size_t> rising; // active, and not on a full link
        std::ranges::fill(speeds, 0);
        for (std::size_t i = 0; i < jobs.size(); ++i)
            if (ends[i] < 0 && jobs[i].ready <= now)
                rising.insert(i);
        while (!rising.empty()) { // until the next link is full
            std::map<int, double> used, more;
            for (std::size_t i = 0; i < jobs.size(); ++i)
                for (const int link : jobs[i].links) {
                    used[link] += speeds[i];
                    more[link] += rising.contains(i) ? 1 : 0;
                }
            double rise = 1;
            for (const auto& [link, count] : more)
                rise = count > 0 ? std::min(rise, (1 - used[link]) / count) : rise;
            for (const std::size_t i : rising)
                rise = std::min(rise, 1 - speeds[i]);
            for (const std::size_t i : rising)
                speeds[i] += rise;
            std::erase_if(rising, [&](std::size_t i) {
                return speeds[i] > 1 - 1e-9 || std::ranges::any_of(jobs[i].links, [&](int link) {
                           return used[link] + more[link] * rise > 1 - 1e-9;
                       });
            });
        }
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            left[i] -= speeds[i];
            if (ends[i] < 0 && left[i] < 1e-6)
                ends[i] = now + 1;
        }
    }
    return ends;
}

UnitCosts ofSharedNics(int nics)
{
    UnitCosts costs;
    costs.p2p = {1};
    costs.transfer = {4};
    costs.devicesPerNode = 2;
    costs.nicsPerNode = nics;
    return costs;
}

std::vector<Window> windowsOf(const tests::Simulated& run, int device, Track::Kind kind)
{
    std::vector<Window> windows;
    const Track* track = run.timeline.track(DeviceId{device}, kind);
    REQUIRE(track != nullptr);
    for (const Span& span : track->spans)
        windows.push_back({span.begin / run.ticksPerUnit, span.end / run.ticksPerUnit});
    return windows;
}

} // namespace

TEST_CASE("whatever is sent when, the speeds are max-min fair")
{
    std::mt19937 random(1968);
    const auto number = [&random](int most) { return static_cast<int>(random() % most); };
    for (int round = 0; round < 40; ++round) {
        Flows flows;
        std::vector<Job> jobs;
        for (int i = 0; i < 12; ++i) {
            const int first = number(6), second = (first + 1 + number(5)) % 6;
            Job job{60.0 * (1 + number(20)), 60 * number(30), {first}};
            if (number(3) > 0)
                job.links.push_back(second);
            flows.add(static_cast<std::int64_t>(job.work), job.ready, job.links);
            jobs.push_back(job);
        }
        const auto ends = flows.ends(), expected = stepped(jobs);
        // A step ends up to a tick late, and so do the transfers that wait for its share.
        for (std::size_t i = 0; i < jobs.size(); ++i)
            CHECK(std::abs(ends[i] - expected[i]) <= 12);
    }
}

TEST_CASE("an evict and a message over the same NIC slow one another down")
{
    // Device 0 evicts its first stash to device 3, from 1 to 5, and sends to device 2 meanwhile.
    Schedule schedule = scheduleFrom({"0F0 0EVICT0 0F1 0LOAD0 0B0 0B1", "", "1F0 1F1 1B0 1B1", ""});
    const tests::Simulated alone = tests::simulated(schedule, ofSharedNics(0));
    CHECK(windowsOf(alone, 0, Track::Kind::Copy).front() == Window{1, 5});
    CHECK(windowsOf(alone, 0, Track::Kind::Send).front() == Window{1, 2});
    const tests::Simulated shared = tests::simulated(schedule, ofSharedNics(2));
    // Halves from 1 to 3 (the message) and from 3 to 5 (the next one): 2 of 4 units evicted.
    CHECK(windowsOf(shared, 0, Track::Kind::Send) == std::vector{Window{1, 3}, Window{3, 5}});
    CHECK(windowsOf(shared, 0, Track::Kind::Copy).front() == Window{1, 7});
}

TEST_CASE("devices that share a NIC share its bandwidth")
{
    // The pipelines of two directions send from node 0 to node 1 at the same time.
    const Schedule schedule = scheduleFrom({"0F0 0B0", "0F1u 0B1u", "1F0 1B0", "1F1u 1B1u"});
    for (const int device : {0, 1}) {
        CHECK(windowsOf(tests::simulated(schedule, ofSharedNics(2)), device, Track::Kind::Send)
              == std::vector{Window{1, 2}});
        CHECK(windowsOf(tests::simulated(schedule, ofSharedNics(1)), device, Track::Kind::Send)
              == std::vector{Window{1, 3}});
    }
}

TEST_CASE("a blocking send that shares a NIC blocks its device for longer")
{
    const Schedule schedule
        = scheduleFrom({"0F0 0F2 0B0 0B2", "0F1u 0B1u", "1F0 1F2 1B0 1B2", "1F1u 1B1u"});
    UnitCosts costs = ofSharedNics(1);
    costs.rules.blockingSend = true;
    const auto compute = windowsOf(tests::simulated(schedule, costs), 0, Track::Kind::Compute);
    CHECK(compute[0] == Window{0, 1});
    CHECK(compute[1] == Window{3, 4});
}

TEST_CASE("where no two transfers share a link, shared links change nothing")
{
    for (const char* scheme : {"1f1b", "gpipe", "zb-h1", "bitpipe", "chimera", "dualpipe"})
        for (const int rules : {0, 1, 2}) { // synchronous messages (3) deadlock with two directions
            INFO(scheme);
            UnitCosts costs; // two devices: one peer each
            costs.p2p = {1, 4};
            costs.latency = {1, 8};
            costs.optimizer = {1, 2};
            costs.devicesPerNode = 1;
            costs.rules.blockingSend = rules % 2 == 1;
            costs.rules.receive = static_cast<ReceiveRule>(rules / 2);
            costs.rules.jitter = {1, 20};
            const Schedule lowered = lower(scheduleOf(scheme, 2, 8));
            const auto alone = simulate(lowered, costsOf(lowered, costs));
            costs.nicsPerNode = 1;
            const auto shared = simulate(lowered, costsOf(lowered, costs));
            REQUIRE(alone);
            REQUIRE(shared);
            CHECK(*shared == *alone);
        }
}

TEST_CASE("an all-reduce and a message over the same NIC slow one another down")
{
    // Device 1 ends B at 5. Then the gradient and the all-reduce of its two copies have half of the
    // NIC each, until the gradient has arrived at 7.
    Schedule schedule = scheduleOf("1f1b", 2, 1);
    schedule.shape.dataParallel = 2;
    UnitCosts costs;
    costs.p2p = {1};
    costs.allReduce = {2};
    costs.devicesPerNode = 1;
    const tests::Simulated alone = tests::simulated(schedule, costs);
    CHECK(windowsOf(alone, 1, Track::Kind::Send) == std::vector{Window{5, 6}});
    CHECK(windowsOf(alone, 1, Track::Kind::AllReduce) == std::vector{Window{5, 7}});
    costs.nicsPerNode = 1;
    const tests::Simulated shared = tests::simulated(schedule, costs);
    CHECK(windowsOf(shared, 1, Track::Kind::Send) == std::vector{Window{5, 7}});
    CHECK(windowsOf(shared, 1, Track::Kind::AllReduce) == std::vector{Window{5, 8}});
    CHECK(windowsOf(shared, 0, Track::Kind::AllReduce) == std::vector{Window{9, 11}});
    CHECK(shared.iteration() == 11);
}

// It used only the links between the devices that hold the first stage.
TEST_CASE("the all-reduce of tied embeddings shares the links of the first and the last stage")
{
    // Two copies of devices 0 to 3, in nodes of two with one NIC. The B of stages 2, 1 and 0 end at
    // 8, 10 and 12. The tied stages use all NICs, stage 1 those of nodes 0 and 2, stage 2 those of
    // nodes 1 and 3.
    Schedule schedule = scheduleOf("1f1b", 4, 1);
    schedule.shape.dataParallel = 2;
    UnitCosts costs = ofSharedNics(1);
    costs.p2p = {0};
    costs.allReduce = {6};
    tests::Simulated run;
    run.schedule = tieEmbeddings(lower(schedule), SyncPolicy::Eager);
    const auto contiguous = Mapping::of(run.schedule, "contiguous", {costs.devicesPerNode});
    const auto prices = unitPrices(run.schedule.shape, costs, contiguous.value());
    run.ticksPerUnit = prices.value().ticksPerUnit;
    run.timeline = simulate(run.schedule, resolved(run.schedule, prices.value()).value()).value();
    // From 12 on all have half of their NICs: stage 2 until 16, stage 1 until 20.
    CHECK(windowsOf(run, 2, Track::Kind::AllReduce) == std::vector{Window{8, 16}});
    CHECK(windowsOf(run, 1, Track::Kind::AllReduce) == std::vector{Window{10, 20}});
    CHECK(windowsOf(run, 0, Track::Kind::AllReduce) == std::vector{Window{12, 22}});
    CHECK(windowsOf(run, 3, Track::Kind::AllReduce) == std::vector{Window{12, 22}});
}

TEST_CASE("an op that waits for an evict begins when the shared NIC has moved it")
{
    // BPipe keeps three stashes, so F3 waits for the first evict; messages make it longer.
    UnitCosts costs;
    costs.p2p = {1, 2};
    costs.transfer = {3};
    costs.devicesPerNode = 1;
    const Schedule schedule = scheduleOf("bpipe", 4, 6);
    const double alone = tests::simulated(schedule, costs).iteration();
    costs.nicsPerNode = 1;
    const tests::Simulated shared = tests::simulated(schedule, costs);
    CHECK(shared.iteration() > alone);
    // Copies of a direction are sequential, and each takes at least its time alone.
    std::map<bool, std::int64_t> ends;
    const Track* copies = shared.timeline.track(DeviceId{0}, Track::Kind::Copy);
    const OpIndex index(shared.schedule);
    REQUIRE(copies != nullptr);
    for (const Span& span : copies->spans) {
        const bool evicts = opAt(shared.schedule, index, span.op).kind == OpKind::Evict;
        CHECK(span.begin >= ends[evicts]);
        CHECK(span.window().duration() >= 3 * shared.ticksPerUnit);
        ends[evicts] = span.end;
    }
    // The stashes on the device never exceed the bound of BPipe.
    StashLedger ledger(shared.schedule, 0);
    for (const Track& track : shared.timeline.tracks)
        if (track.kind == Track::Kind::Compute || track.kind == Track::Kind::Copy)
            for (const Span& span : track.spans)
                ledger.add(track.device, opAt(shared.schedule, index, span.op), span.window());
    for (const DeviceId d : shared.schedule.program.ids())
        CHECK(ledger.peak(d).parts <= 3 * stashPartsPerActivation(shared.schedule.shape));
}
