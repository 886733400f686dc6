#include "engine/cost/hardware.h"

#include "engine/base/try.h"
#include "engine/cost/spec_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 1> kHardware{"hardware/"};
constexpr double kGiga = 1e9, kTera = 1e12, kMicro = 1e-6, kGibi = 1 << 30;

void readLink(SpecFile& file, const std::string& table, LinkSpec& link)
{
    double bandwidth = link.bandwidth / kGiga, latency = link.latency / kMicro;
    file.number(table + ".gb_per_second", bandwidth, {0.001, 1e6});
    file.number(table + ".microseconds", latency, {0, 1e6});
    link = {latency * kMicro, bandwidth * kGiga};
}

void readLinks(SpecFile& file, HardwareSpec& hardware)
{
    constexpr double kMost = 1e3;
    readLink(file, "node", hardware.node);
    readLink(file, "network", hardware.network);
    hardware.island = hardware.node;
    readLink(file, "island", hardware.island);
    file.integer("island.devices", hardware.islandDevices, {0, 65535});
    file.number("node.oversubscription", hardware.nodeOversubscription, {1, kMost});
    file.number("network.oversubscription", hardware.networkOversubscription, {1, kMost});
    file.integer("network.nics_per_node", hardware.nicsPerNode, {0, 65535});
    const std::string ring = "ring", hierarchical = "hierarchical";
    const std::string allReduce = file.text("network.all_reduce", ring);
    file.require(allReduce == ring || allReduce == hierarchical, "network.all_reduce",
                 "must be ring or hierarchical");
    hardware.hierarchicalAllReduce = allReduce == hierarchical;
    file.require(hardware.islandDevices <= hardware.devicesPerNode, "island.devices",
                 "must be at most devices_per_node");
    file.require(hardware.nicsPerNode <= hardware.devicesPerNode, "network.nics_per_node",
                 "must be at most devices_per_node");
}

} // namespace

double ringAllReduce(const LinkSpec& link, int ranks, double bytes)
{
    return 2.0 * (ranks - 1) * link.time(bytes / ranks);
}

double hierarchicalAllReduce(const LinkSpec& node, const LinkSpec& network, const StageGroup& group,
                             double bytes)
{
    return ringAllReduce(node, group.most, bytes)
        + ringAllReduce(network, group.nodes, bytes / group.fewest);
}

NodeShape nodeShape(const HardwareSpec& hardware, int tensorParallel)
{
    return {std::max(1, hardware.devicesPerNode / tensorParallel), hardware.nodes,
            hardware.islandDevices / tensorParallel};
}

LinkSharing linkSharing(const HardwareSpec& hardware, int tensorParallel)
{
    return {tensorParallel,
            hardware.devicesPerNode,
            hardware.nicsPerNode,
            hardware.nodeOversubscription,
            hardware.networkOversubscription,
            hardware.hierarchicalAllReduce,
            hardware.network.bandwidth / hardware.node.bandwidth};
}

Result<HardwareSpec> loadHardware(std::string_view nameOrFile)
{
    auto file = TRY(SpecFile::open(kHardware, nameOrFile, "hardware"));
    HardwareSpec hardware;
    hardware.node = {3 * kMicro, 300 * kGiga};
    hardware.network = {10 * kMicro, 25 * kGiga};
    hardware.name = file.text("name", std::string(nameOrFile));
    double teraflops = 0, gib = 0, gbPerSecond = 0, kernel = 4;
    file.need({"teraflops", "memory_gib", "memory_gb_per_second"});
    file.number("teraflops", teraflops, {0.001, 1e9});
    file.number("memory_gib", gib, {0.001, 1e9});
    file.number("memory_gb_per_second", gbPerSecond, {0.001, 1e9});
    file.integer("devices_per_node", hardware.devicesPerNode, {1, 65535});
    file.integer("nodes", hardware.nodes, {0, 65535});
    readLinks(file, hardware);
    file.number("reached.matmul", hardware.matmulShare, {0.001, 1});
    file.number("reached.memory", hardware.memoryShare, {0.001, 1});
    file.number("reached.link", hardware.linkShare, {0.001, 1});
    file.number("reached.kernel_microseconds", kernel, {0, 1e6});
    hardware.peakFlops = teraflops * kTera;
    hardware.memory = gib * kGibi;
    hardware.memoryBandwidth = gbPerSecond * kGiga;
    hardware.kernelLaunch = kernel * kMicro;
    TRY(file.done());
    return hardware;
}

std::vector<std::string> hardwareNames()
{
    return SpecFile::names(kHardware);
}

std::string hardwareToml(const HardwareSpec& hardware)
{
    const auto link = [](std::string_view table, const LinkSpec& spec) {
        return fmt::format("\n[{}]\ngb_per_second = {:.5g}\nmicroseconds = {:.5g}\n", table,
                           spec.bandwidth / kGiga, spec.latency / kMicro);
    };
    std::string name = hardware.name;
    std::erase_if(name, [](char c) { return c == '"' || c == '\\' || c < ' '; });
    return fmt::format("name = \"{}\"\nteraflops = {:.5g}\nmemory_gib = {:.5g}\n"
                       "memory_gb_per_second = {:.5g}\ndevices_per_node = {}\nnodes = {}\n",
                       name, hardware.peakFlops / kTera, hardware.memory / kGibi,
                       hardware.memoryBandwidth / kGiga, hardware.devicesPerNode, hardware.nodes)
        + link("node", hardware.node)
        + fmt::format("oversubscription = {:.5g}\n", hardware.nodeOversubscription)
        + link("network", hardware.network)
        + fmt::format("oversubscription = {:.5g}\nnics_per_node = {}\nall_reduce = \"{}\"\n",
                      hardware.networkOversubscription, hardware.nicsPerNode,
                      hardware.hierarchicalAllReduce ? "hierarchical" : "ring")
        + (hardware.islandDevices > 0 ? link("island", hardware.island)
                   + fmt::format("devices = {}\n", hardware.islandDevices)
                                      : "")
        + fmt::format("\n[reached]\nmatmul = {:.5g}\nmemory = {:.5g}\nlink = {:.5g}\n"
                      "kernel_microseconds = {:.5g}\n",
                      hardware.matmulShare, hardware.memoryShare, hardware.linkShare,
                      hardware.kernelLaunch / kMicro);
}

} // namespace engine
