#include "engine/cost/hardware.h"
#include "engine/cost/mapping.h"
#include "engine/cost/shared_links.h"
#include "tests/support/pipelines.h"
#include "tests/support/temporary_folder.h"

#include <fstream>

using namespace engine;
using namespace tests;

namespace {

Schedule copiesOf(const char* scheme, int devices, int copies)
{
    Schedule schedule = scheduleOf(scheme, devices, devices);
    schedule.shape.dataParallel = copies;
    return schedule;
}

// The devices of a node, by slot: "0.1 7.1" is device 0, then device 7, of copy 1.
std::string nodeOf(const Mapping& mapping, const Shape& shape, int node)
{
    std::map<int, std::string> bySlot;
    for (int w = 0; w < shape.dataParallel; ++w)
        for (const DeviceId d : Ids<DeviceId>(shape.devices))
            if (mapping.node(d, w) == node)
                bySlot[mapping.slot(d, w)] = std::to_string(d.value) + "." + std::to_string(w);
    std::string text;
    for (const auto& [slot, device] : bySlot)
        text += (text.empty() ? "" : " ") + device;
    return text;
}

std::string nodeOf(const char* scheme, int copies, const char* name, int node)
{
    const Schedule schedule = copiesOf(scheme, 8, copies);
    return nodeOf(Mapping::of(schedule, name, {8}).value(), schedule.shape, node);
}

class MappingFile
{
public:
    explicit MappingFile(const std::string& text) { std::ofstream(m_path) << text; }
    Result<Mapping> of(const Schedule& schedule, const NodeShape& nodes) const
    {
        return Mapping::of(schedule, m_path, nodes);
    }

private:
    tests::TemporaryFolder m_folder;
    std::string m_path = (m_folder / "mapping.toml").string();
};

} // namespace

TEST_CASE("contiguous places copy after copy, with the devices in sequence")
{
    CHECK(nodeOf("bitpipe", 4, "contiguous", 1) == "0.1 1.1 2.1 3.1 4.1 5.1 6.1 7.1");
    const Mapping mapping = Mapping::of(copiesOf("bitpipe", 8, 4), "contiguous", {8}).value();
    CHECK(mapping.nodes() == 4);
    CHECK(mapping.tier(0, 1) == LinkTier::InNode);
    CHECK(mapping.group(StageId{0}).tier == LinkTier::AcrossNodes);
    CHECK(mapping.group(StageId{0}).ranks == 8);
    CHECK(mapping.group(StageId{0}).most == 2);
}

TEST_CASE("replicas-together keeps an all-reduce in a node, and messages cross nodes")
{
    CHECK(nodeOf("bitpipe", 4, "replicas-together", 0) == "0.0 0.1 0.2 0.3 7.0 7.1 7.2 7.3");
    CHECK(nodeOf("bitpipe", 4, "replicas-together", 3) == "3.0 3.1 3.2 3.3 4.0 4.1 4.2 4.3");
    CHECK(nodeOf("1f1b", 4, "replicas-together", 0) == "0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3");
    const Schedule schedule = copiesOf("bitpipe", 8, 4);
    const Mapping mapping = Mapping::of(schedule, "replicas-together", {8}).value();
    for (const StageId stage : Ids<StageId>(schedule.shape.stages))
        CHECK(mapping.group(stage).tier == LinkTier::InNode);
    for (int d = 0; d < 7; ++d)
        CHECK(mapping.tier(d, d + 1) == (d == 3 ? LinkTier::InNode : LinkTier::AcrossNodes));
}

TEST_CASE("pair-adjacent puts devices d and D-1-d side by side")
{
    const Schedule schedule = copiesOf("bpipe", 8, 1);
    const Mapping mapping = Mapping::of(schedule, "pair-adjacent", {2}).value();
    CHECK(nodeOf(mapping, schedule.shape, 0) == "0.0 7.0");
    CHECK(nodeOf(mapping, schedule.shape, 3) == "3.0 4.0");
    const Schedule odd = copiesOf("bpipe", 5, 2);
    const Mapping ofOdd = Mapping::of(odd, "pair-adjacent", {5}).value();
    CHECK(nodeOf(ofOdd, odd.shape, 1) == "0.1 4.1 1.1 3.1 2.1");
}

// Two simulations on one node were said to assume different links.
TEST_CASE("mappings of one node have one description, those of several nodes a name")
{
    const Schedule schedule = copiesOf("bitpipe", 8, 1);
    for (const char* name : {"contiguous", "replicas-together"}) {
        CHECK(describe(Mapping::of(schedule, name, {8}).value()) == "one node");
        CHECK(describe(Mapping::of(schedule, name, {4}).value())
              == std::string(name) + " on 2 nodes, 4 slots per node");
    }
}

// Six schemes had defaults of their own, so comparisons of schemes compared placements.
TEST_CASE("one mapping is the default")
{
    ScheduleRequest request;
    CHECK(request.mapping == "replicas-together");
    const auto* field = findField(requestFields(), "--mapping");
    CHECK(field->set(request, "contiguous"));
    CHECK(request.mapping == "contiguous");
}

TEST_CASE("a copy that crosses nodes slows the messages of all copies down")
{
    const Schedule schedule = copiesOf("1f1b", 6, 2); // copy 1 begins in the middle of a node
    const Mapping mapping = Mapping::of(schedule, "contiguous", {4}).value();
    CHECK(mapping.tier(0, 1) == LinkTier::InNode);
    CHECK(mapping.tier(1, 2) == LinkTier::AcrossNodes); // slots 7 and 8 of copy 1
    CHECK(mapping.tier(3, 4) == LinkTier::AcrossNodes); // slots 3 and 4 of copy 0
    CHECK(Mapping().tier(0, 5) == LinkTier::InNode);
}

TEST_CASE("devices of an island have the fastest links")
{
    const Mapping mapping = Mapping::of(copiesOf("1f1b", 8, 1), "contiguous", {8, 0, 2}).value();
    CHECK(mapping.tier(0, 1) == LinkTier::InIsland);
    CHECK(mapping.tier(1, 2) == LinkTier::InNode);
}

TEST_CASE("a file lists the slots, and what is wrong with it is one clear error")
{
    const Schedule schedule = copiesOf("1f1b", 2, 2);
    const NodeShape nodes{2, 2};
    const auto mapping
        = MappingFile("copies = [[\"0:0\", \"1:0\"], [\"0:1\", \"1:1\"]]\n").of(schedule, nodes);
    REQUIRE(mapping);
    CHECK(mapping->slot(DeviceId{1}, 0) == 2);
    CHECK(mapping->group(StageId{0}).tier == LinkTier::InNode);
    const auto error = [&](const std::string& text) {
        return MappingFile(text).of(schedule, nodes).error().message;
    };
    CHECK_THAT(error("copies = [[\"0:0\"], [\"0:1\", \"1:1\"]]"),
               Catch::Contains("copy 0: device 1 is missing"));
    CHECK_THAT(error("copies = [[\"0:0\", \"1:0\"], [\"0:0\", \"1:1\"]]"),
               Catch::Contains("copy 1, device 0 has the slot 0:0 of copy 0, device 0"));
    CHECK_THAT(error("copies = [[\"0:0\", \"0:2\"], [\"0:1\", \"1:1\"]]"),
               Catch::Contains("a node has 2 slots, 0 to 1"));
    CHECK_THAT(error("copies = [[\"0:0\", \"2:0\"], [\"0:1\", \"1:1\"]]"),
               Catch::Contains("there are 2 nodes, 0 to 1"));
    CHECK_THAT(error("copies = [[\"0:0\", \"1:0\"]]"), Catch::Contains("1 copies, but"));
    CHECK_THAT(error("copies = [[\"0:0\", \"x\"], [\"0:1\", \"1:1\"]]"),
               Catch::Contains("'x' is not NODE:SLOT"));
    CHECK_THAT(error("copies = [[\"0:0\", 7], [\"0:1\", \"1:1\"]]"), Catch::Contains("NODE:SLOT"));
    CHECK_THAT(error("copies = [[\"0:0\", \"1:0\", \"1:1\"], []]"), Catch::Contains("3 devices"));
    CHECK_THAT(error("nodes = 2"), Catch::Contains("unknown key 'nodes'"));
    CHECK_THAT(error(""), Catch::Contains("no list of copies"));
    CHECK_THAT(error("copies = ["), Catch::Contains("line 1"));
}

// The number of the slot overflowed.
TEST_CASE("a file lists slots below 1048576 only, in one node or many")
{
    const Schedule schedule = copiesOf("1f1b", 2, 1);
    const auto error = [&](const std::string& slot, const NodeShape& nodes) {
        const auto mapping
            = MappingFile("copies = [[\"0:0\", \"" + slot + "\"]]").of(schedule, nodes);
        return mapping ? "" : mapping.error().message;
    };
    CHECK(error("131071:7", {8}).empty());
    CHECK_THAT(error("131072:0", {8}), Catch::Contains("use a node below 131072"));
    CHECK_THAT(error("2147483647:7", {8}), Catch::Contains("use a node below 131072"));
    CHECK_THAT(error("65534:65534", {65535, 65535}), Catch::Contains("use a node below 16"));
}

TEST_CASE("a mapping that does not exist, or devices without room, are refused")
{
    const Schedule schedule = copiesOf("1f1b", 4, 4);
    const auto error = [&](const char* name, NodeShape nodes) {
        return Mapping::of(schedule, name, nodes).error().message;
    };
    CHECK_THAT(error("nearby", {8}), Catch::Contains("use contiguous, replicas-together"));
    CHECK_THAT(error("not/there.toml", {8}), Catch::Contains("not/there.toml"));
    CHECK_THAT(error("contiguous", {4, 3}),
               Catch::Contains("4 copies of 4 devices need 16 slots, but there are only 3 x 4 "
                               "(nodes x slots per node)"));
    CHECK(Mapping::of(copiesOf("1f1b", 4, 65535), "contiguous", {8}));
    Schedule huge = schedule;
    huge.shape.dataParallel = 1 << 20;
    CHECK_THAT(Mapping::of(huge, "contiguous", {8}).error().message,
               Catch::Contains("use at most 1048576"));
    CHECK(Mapping::of(huge, "contiguous", {})->isOneNode());
}

TEST_CASE("an all-reduce in three phases: rings in the nodes and between them")
{
    const LinkSpec node{1e-6, 200e9}, network{1e-5, 20e9};
    const StageGroup group{8, 4, 2, 2, LinkTier::AcrossNodes};
    // In the node 2 (1/2) S / 200, between four nodes 2 (3/4) (S/2) / 20, and the latencies.
    CHECK(hierarchicalAllReduce(node, network, group, 8e9)
          == Approx(8.0 / 200 + 0.75 * 8 / 20 + 2e-6 + 6e-5));
    CHECK(hierarchicalAllReduce(node, network, {4, 4, 1, 1, LinkTier::AcrossNodes}, 8e9)
          == Approx(ringAllReduce(network, 4, 8e9)));
    CHECK(hierarchicalAllReduce(node, network, {4, 1, 4, 4, LinkTier::InNode}, 8e9)
          == Approx(ringAllReduce(node, 4, 8e9)));
}

TEST_CASE("GPUs share the NICs of their node, and the nodes an oversubscribed network")
{
    const Schedule schedule = copiesOf("1f1b", 8, 4);
    const auto largest = [&](const LinkSharing& sharing, int from, int to) {
        const SharedLinks links(Mapping::of(schedule, "replicas-together", {8}).value(), sharing);
        double most = 0;
        for (const auto& use : links.ofTransfer(DeviceId{from}, DeviceId{to}))
            most = std::max(most, use.share / links.capacity(use.link));
        return most;
    };
    CHECK(largest({1, 8, 0}, 1, 2) == 1); // each copy has its own NIC
    CHECK(largest({1, 8, 4}, 1, 2) == 2);
    CHECK(largest({1, 8, 1}, 1, 2) == 4);       // the four copies share one
    CHECK(largest({1, 8, 1}, 0, 1) == 1);       // in the node no NIC is used
    CHECK(largest({1, 8, 0, 1, 2}, 1, 2) == 1); // half of eight NICs for four messages
    CHECK(largest({1, 8, 0, 1, 8}, 1, 2) == 4);
    CHECK(largest({1, 8, 0, 4, 1}, 0, 1) == 2); // a quarter of eight ports for four messages
}
