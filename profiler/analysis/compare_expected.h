#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace profiler {

// The time of one kind of work in every run: means over the devices, in ns.
struct KindTimes
{
    std::string title;                // "F", "messages, exposed", "bubble"
    std::optional<engine::OpKind> op; // set if the work is compute
    std::vector<double> times;        // indexed by run
};

struct DeviceTimes
{
    engine::DeviceId device;
    double compute = 0; // measured compute in ns
    // Ratio of measured to expected compute, divided by the median ratio of all devices. 1.1: the
    // device is 10 % slower than the median device.
    double factor = 1;
    bool isSlow = false; // factor >= kSlowFactor
};
inline constexpr double kSlowFactor = 1.05;

// The messages from one device to another: medians, in ns.
struct LinkTimes
{
    engine::DeviceId from, to;
    int messages = 0;
    double expected = 0, measured = 0;
};

struct ExpectedComparison
{
    std::vector<double> iterations; // indexed by run, in ns
    std::vector<KindTimes> kinds;   // only kinds that at least one of the runs has
    // Empty if the measured and the first run have different numbers of devices.
    std::vector<DeviceTimes> devices;
    std::vector<LinkTimes> links; // sorted by measured - expected, largest first
};

// Compares a measured run, the last of `runs`, with predictions and emulations of the same
// schedule. Devices and links are compared with the first run. Fails with
// Error::Code::InvalidArgument if there are fewer than two runs or a run is in abstract units. Also
// returns the errors of metrics().
engine::Result<ExpectedComparison> compareExpected(std::span<const engine::Run* const> runs);

} // namespace profiler
