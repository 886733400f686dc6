#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/link_loads.h"
#include "profiler/analysis/metrics.h"
#include "tests/catch.h"

using namespace engine;
using namespace profiler;

namespace {

struct Mapped
{
    Run run;
    Mapping mapping;
    TransferBytes bytes;
};

// A model on A100s in nodes of `perNode`; 0: in one node.
Mapped mapped(const ScheduleRequest& request, int perNode, std::string_view mapping,
              bool isHierarchical = false, bool isTied = false)
{
    ModelOnHardware on{
        loadTransformer("gpt3-96b").value(), loadHardware("a100-sxm-80").value(), {}};
    on.hardware.devicesPerNode = std::max(1, perNode);
    on.hardware.hierarchicalAllReduce = isHierarchical;
    on.setup.dataParallel = request.dataParallel;
    Schedule schedule = buildSchedule(request).value();
    schedule.shape.dataParallel = request.dataParallel;
    Mapped all;
    all.run.schedule = lower(schedule);
    if (isTied)
        all.run.schedule = tieEmbeddings(std::move(all.run.schedule), SyncPolicy::Eager);
    if (perNode > 0)
        all.mapping = Mapping::of(all.run.schedule, mapping, nodeShape(on.hardware, 1)).value();
    const auto prices = modelPrices(schedule.shape, on, all.mapping).value();
    all.run.timeline
        = simulate(all.run.schedule, resolved(all.run.schedule, prices).value()).value();
    all.bytes = transferBytes(on, schedule.shape.stages);
    return all;
}

ScheduleRequest request(const char* scheme, int devices, int microBatches, int copies)
{
    ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    request.dataParallel = copies;
    return request;
}

LinkLoads loadsOf(const Mapped& all)
{
    return linkLoads(all.run, all.mapping, all.bytes).value();
}

double sumOf(const IdVector<StageId, double>& bytes)
{
    double all = 0;
    for (const double each : bytes)
        all += each;
    return all;
}

} // namespace

TEST_CASE("with one copy in a node only all-reduces cross nodes, as rings of two")
{
    const Mapped all = mapped(request("1f1b", 4, 6, 2), 4, "contiguous");
    const LinkLoads loads = loadsOf(all);
    for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
        const LinkLoad* link = loads.find(from, to);
        REQUIRE(link != nullptr);
        CHECK(link->messages == 0);
        CHECK(link->allReduces == Approx(sumOf(all.bytes.allReduced))); // 2 (r-1)/r, r = 2
        CHECK(link->count(LinkLoad::Of::AllReduces) == 4);
        CHECK(link->busy > 0);
    }
    const LinkLoad* inside = loads.find(0, 0);
    REQUIRE(inside != nullptr);
    CHECK(inside->allReduces == 0);
    CHECK(inside->messages == Approx(2 * 3 * 6 * all.bytes.message)); // 3 boundaries, F and B
    REQUIRE(loads.allReduces.size() == 1);
    CHECK(loads.allReduces.front().ranks == 2);
    CHECK(loads.allReduces.front().nodes == std::vector<int>{0, 1});
    CHECK(loads.largest()->bytes() == loads.find(0, 1)->bytes());
}

TEST_CASE("with the replicas of a stage in a node only messages cross nodes, those of all copies")
{
    const Mapped all = mapped(request("1f1b", 4, 6, 2), 4, "replicas-together");
    const LinkLoads loads = loadsOf(all);
    const LinkLoad* link = loads.find(0, 1);
    REQUIRE(link != nullptr);
    REQUIRE(link->flows.size() == 1); // 1 -> 2 forward
    CHECK(link->flows.front().kind == OpKind::SendActivation);
    CHECK(link->flows.front().stage == StageId{1});
    CHECK(link->flows.front().transfers == 12);
    CHECK(link->bytes() == Approx(2 * 6 * all.bytes.message));
    CHECK(loads.find(1, 0)->flows.front().kind == OpKind::SendGradient);
    CHECK(loads.allReduces.size() == 2); // one per node
    CHECK(loads.slots.size()
          == 2 * (2 * 2 + 4)); // per node: two rings of two, two pairs of messages
}

TEST_CASE("a hierarchical all-reduce sends its bytes across nodes once for all ranks of a node")
{
    const Mapped ring = mapped(request("1f1b", 2, 4, 8), 8, "contiguous");
    const Mapped phases = mapped(request("1f1b", 2, 4, 8), 8, "contiguous", true);
    const double all = sumOf(ring.bytes.allReduced);
    CHECK(loadsOf(ring).find(0, 1)->allReduces == Approx(2.0 * 7 / 8 * all));
    CHECK(loadsOf(phases).find(0, 1)->allReduces == Approx(2.0 * 1 / 2 * all));
    CHECK(loadsOf(phases).allReduces.front().bytes == Approx((2.0 * 3 / 4 + 1.0 / 4) * all));
}

// With one copy they had no load, and with several only that of their stages.
TEST_CASE("the all-reduce of tied embeddings loads the links between the first and the last stage")
{
    const Mapped one = mapped(request("1f1b", 4, 6, 1), 2, "contiguous", false, true);
    const LinkLoads loads = loadsOf(one);
    REQUIRE(loads.find(0, 1) != nullptr);
    CHECK(loads.find(0, 1)->allReduces == Approx(one.bytes.tied)); // 2 (r-1)/r, r = 2
    CHECK(loads.find(1, 0)->allReduces == Approx(one.bytes.tied));
    REQUIRE(loads.allReduces.size() == 1);
    CHECK(loads.allReduces.front().stages == std::vector{StageId{0}});
    CHECK(loads.allReduces.front().time > 0);
    // Each copy fills a node: a ring of four for the tied part, and rings of two for the rest.
    const Mapped two = mapped(request("1f1b", 4, 6, 2), 4, "contiguous", false, true);
    CHECK(loadsOf(two).find(0, 1)->allReduces
          == Approx(1.5 * two.bytes.tied + sumOf(two.bytes.allReduced) - 2 * two.bytes.tied));
}

TEST_CASE("exposed time by kind adds up to the exposed communication of the metrics")
{
    for (const char* mapping : {"contiguous", "replicas-together", "pair-adjacent"}) {
        const Mapped all = mapped(request("bitpipe", 8, 8, 2), 8, mapping);
        const LinkLoads loads = loadsOf(all);
        const RunMetrics numbers = metrics(all.run).value();
        double exposed = 0;
        for (const DeviceMetrics& device : numbers.devices)
            exposed += static_cast<double>(device.exposedCommunication) / 8;
        CHECK(loads.exposed.sum() == Approx(exposed));
        CHECK(loads.exposed.sum() > 0);
        for (const LinkLoad& link : loads.links)
            for (const LinkFlow& flow : link.flows)
                CHECK(flow.exposed <= flow.time * numbers.duration);
    }
}

TEST_CASE("BPipe's evicts and loads are copies, and a machine of one node has one link")
{
    const Mapped all = mapped(request("bpipe", 4, 8, 1), 0, "contiguous");
    REQUIRE(all.mapping.isOneNode());
    const LinkLoads loads = loadsOf(all);
    REQUIRE(loads.links.size() == 1);
    double copied = 0; // every EVICT and LOAD moves the stash of its stage
    for (const auto& program : all.run.schedule.program)
        for (const Op& op : program)
            copied += isCopy(op.kind) ? all.bytes.stash[op.stage] : 0;
    REQUIRE(copied > 0);
    CHECK(loads.links.front().copies == Approx(copied));
    CHECK(loads.links.front().allReduces == 0);
    CHECK(loads.largest() == &loads.links.front());
}
