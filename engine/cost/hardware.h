#pragma once

#include "engine/cost/shared_links.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine {

// The alpha-beta model of a link, in one direction: latency in seconds, bandwidth in bytes per
// second.
struct LinkSpec
{
    double latency = 0, bandwidth = 0;

    double time(double bytes) const
    {
        return bandwidth > 0 ? latency + bytes / bandwidth : latency;
    }
    friend bool operator==(const LinkSpec&, const LinkSpec&) = default;
};
// Seconds of a ring all-reduce of `bytes` over `ranks`: 2 (r-1) alpha + 2 (r-1)/r bytes/bandwidth
// (as documented by nccl-tests).
double ringAllReduce(const LinkSpec& link, int ranks, double bytes);
// Seconds of an all-reduce in three phases (Cho et al., BlueConnect, MLSys 2019, with two levels):
// a reduce-scatter in every node; then `group.fewest` rings between the nodes, each with
// 1/group.fewest of the bytes; then an all-gather in every node.
double hierarchicalAllReduce(const LinkSpec& node, const LinkSpec& network, const StageGroup& group,
                             double bytes);

// The devices of a pipeline, in SI units: FLOP/s, bytes, bytes per second, seconds.
struct HardwareSpec
{
    std::string name;
    double peakFlops = 312e12; // dense, bf16
    double memory = 0, memoryBandwidth = 2039e9;
    int devicesPerNode = 8;
    int nodes = 0;       // 0: as many as needed
    int nicsPerNode = 0; // 0: one for each device
    // Devices per island. An island is a part of a node with faster links; 0: no islands.
    int islandDevices = 0;
    // The links within an island, within a node and between nodes, in one direction. `island` and
    // `node` are per device, `network` is per NIC.
    LinkSpec island, node, network;
    // From a device to the memory of its host, which no other transfer uses; bandwidth 0: unknown.
    LinkSpec host;
    double nodeOversubscription = 1, networkOversubscription = 1; // see LinkSharing
    // Whether all-reduces across nodes are hierarchical. If false, an all-reduce is one ring, which
    // is as fast as its slowest link.
    bool hierarchicalAllReduce = false;
    // The attained fractions of the peaks. These are planning values; calibrate them.
    double matmulShare = 0.75, memoryShare = 0.85, linkShare = 0.8;
    double kernelLaunch = 4e-6; // overhead in seconds per kernel

    friend bool operator==(const HardwareSpec&, const HardwareSpec&) = default;
};

// The nodes of the hardware, with devices of `tensorParallel` GPUs each.
NodeShape nodeShape(const HardwareSpec& hardware, int tensorParallel);
LinkSharing linkSharing(const HardwareSpec& hardware, int tensorParallel);

// Loads a preset of resources/hardware or a .toml file with the same keys.
Result<HardwareSpec> loadHardware(std::string_view nameOrFile);
std::vector<std::string> hardwareNames();
// For loadHardware(), with numbers rounded to five digits.
std::string hardwareToml(const HardwareSpec& hardware);

} // namespace engine
