#include "profiler/whatif/predicted_bytes.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace profiler {

using namespace engine;

namespace {

struct Sizes
{
    double stash = 0, weights = 0; // bytes per M_a and per M_theta
};

std::optional<Sizes> sizesOf(const DeviceMetrics& device)
{
    if (!device.peakBytes || !device.peakStashBytes || device.peakStash <= 0 || device.weights <= 0)
        return std::nullopt;
    const auto stash = static_cast<double>(*device.peakStashBytes);
    return Sizes{stash / device.peakStash,
                 (static_cast<double>(*device.peakBytes) - stash) / device.weights};
}

} // namespace

IdVector<DeviceId, std::int64_t> predictedBytes(const Run& measured, const Schedule& schedule,
                                                const RunMetrics& predicted)
{
    const auto numbers = metrics(measured);
    if (!numbers || measured.info.import)
        return {};
    IdVector<DeviceId, Sizes> own;
    Sizes largest;
    for (const DeviceMetrics& device : numbers->devices) {
        const auto sizes = sizesOf(device);
        if (!sizes)
            return {};
        own.push_back(*sizes);
        largest
            = {std::max(largest.stash, sizes->stash), std::max(largest.weights, sizes->weights)};
    }
    const bool holdsSameStages = schedule.deviceOf == measured.schedule.deviceOf;
    // With more devices, each device has fewer layers, so one M_a and one M_theta are smaller by
    // this factor.
    const double share
        = static_cast<double>(own.size()) / static_cast<double>(predicted.devices.size());
    IdVector<DeviceId, std::int64_t> bytes;
    for (const DeviceMetrics& device : predicted.devices) {
        const Sizes& sizes = holdsSameStages ? own[device.device] : largest;
        bytes.push_back(std::llround(
            share * (sizes.stash * device.peakStash + sizes.weights * device.weights)));
    }
    return bytes;
}

} // namespace profiler
