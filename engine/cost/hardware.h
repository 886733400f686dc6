#pragma once

#include "engine/base/result.h"

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

// The devices of a pipeline. SI units: FLOP/s, bytes, bytes per second, seconds.
struct HardwareSpec
{
    std::string name;
    double peakFlops = 312e12; // dense, bf16
    double memory = 0, memoryBandwidth = 2039e9;
    int devicesPerNode = 8;
    LinkSpec node, network; // between devices of a node, and between nodes
    // Fractions of the peaks that are attained. These are planning values; calibrate them.
    double matmulShare = 0.75, memoryShare = 0.85, linkShare = 0.8;
    double kernelLaunch = 4e-6; // overhead in seconds per kernel

    friend bool operator==(const HardwareSpec&, const HardwareSpec&) = default;
};

// Loads a preset of resources/hardware or a .toml file with the same keys.
Result<HardwareSpec> loadHardware(std::string_view nameOrFile);
std::vector<std::string> hardwareNames();

} // namespace engine
