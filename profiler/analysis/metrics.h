#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

// The metrics of one device. ARCHITECTURE.md, "What every number means", defines them. Times are
// ticks of the timeline; divide by RunInfo::ticksPerUnit for display.
struct DeviceMetrics
{
    engine::DeviceId device;
    std::int64_t span = 0; // from the first start to the last end of the device
    // What compute, exposed and bubble add up to: the iteration, or `span` where bubbles are
    // unknown, because nothing shows what a device waits for that starts later than the others.
    std::int64_t whole = 0;
    std::int64_t compute = 0; // time in which F, B, I, W, RECOMPUTE or OPT runs
    // Duration of the ops of each kind. Joint ops are two ops that run as one in a common window.
    // Each counts half of that window, so that F, B, I, W, RECOMPUTE and OPT add up to `compute`.
    engine::EnumArray<engine::OpKind, std::int64_t, engine::kOpKinds> byKind{};
    std::int64_t exposedCommunication = 0;
    std::int64_t wait = 0;            // bubble between the first and the last op
    std::int64_t fill = 0, drain = 0; // bubble before the first and after the last op
    std::int64_t bubble = 0;          // equals whole - compute - exposed, and fill + wait + drain
    double peakStash = 0;             // in M_a
    // Largest number of activations for which the device keeps only the input of their RECOMPUTE.
    // Each of these activations adds RunInfo::recomputeKeeps to peakStash.
    double peakKept = 0;
    double weights = 0; // in M_theta
    // nullopt if no memory of the device was recorded
    std::optional<std::int64_t> peakBytes, peakStashBytes;
    engine::EnumArray<engine::MemoryCategory, std::int64_t, engine::kMemoryCategories>
        bytesAtPeak{};
    std::int64_t timeOfPeak = 0; // first time at which peakBytes is reached
    int messagesSent = 0, messagesReceived = 0, localCopies = 0;

    // False for a device of an imported run without a trace. All times of the device are then 0.
    bool isRecorded() const { return compute + exposedCommunication + bubble > 0; }
};

struct RunMetrics
{
    int iteration = -1;        // index into Timeline::iterations
    std::int64_t duration = 0; // from the first start of an F to the end of the last OPT
    std::int64_t span = 0;     // largest span of a device
    // sum of bubbles / (devices with ops x duration); not a number if unknown, see whyUnknown()
    double bubbleRatio = 0;
    engine::IdVector<engine::DeviceId, DeviceMetrics> devices;
    int recordedDevices = 0; // devices with ops; an imported run may lack the trace of a device
    int messages = 0, localCopies = 0;
    std::int64_t computeOps = 0; // of all devices and windows, without optimizer steps
    std::optional<double> tokensPerSecond, mfu;
    std::optional<double> hfu; // computed from executed FLOPs, including recomputation
    std::string whyNoMfu;      // why both are unknown although FLOPs and peak are known
    // False if the iteration has communication but no spans of it: see lacksMessages(), or they
    // were not kept. The exposed part of the communication is then unknown: `bubble` includes it,
    // and exposedCommunication is 0.
    bool exposedIsKnown = true;
    bool kindsAddUp = true; // whether the times of the kinds of ops add up to the compute time

    // The largest values of a device. peakBytes() is nullopt if that of a device is unknown.
    std::optional<std::int64_t> peakBytes() const;
    double peakStash() const;
    double weights() const;
    // Largest over mean peakBytes of the devices; nullopt if one of them is unknown.
    std::optional<double> memoryBalance() const;
    // The device with the largest value of a member; nullptr without devices.
    const DeviceMetrics* fullest(const auto& member) const
    {
        const auto found = std::ranges::max_element(devices, {}, member);
        return found == devices.end() ? nullptr : &*found;
    }

    // The mean over the recorded devices. `timeOf` is a member of DeviceMetrics or a function.
    double mean(const auto& timeOf) const
    {
        double sum = 0;
        for (const DeviceMetrics& device : devices)
            sum += static_cast<double>(std::invoke(timeOf, device));
        return recordedDevices > 0 ? sum / recordedDevices : 0;
    }
};

// What a device does at a time. The categories except Bubble add up to the iteration. Bubble is the
// sum of Fill, Wait and Drain.
enum class TimeCategory : std::uint8_t {
    Compute, // in place of the kinds of op, if their ops last longer than the kernels they launch
    Forward,
    Recompute,
    Backward,
    BackwardInput,
    BackwardWeight,
    Optimizer,
    Exposed,
    Fill,
    Wait,
    Drain,
    Bubble
};
constexpr int kTimeCategories = 12;
const char* timeCategoryName(TimeCategory category); // "F", "optimizer", "wait"

bool isOf(TimeCategory category, engine::OpKind kind); // false for categories without ops

using TimeByCategory = engine::EnumArray<TimeCategory, double, kTimeCategories>; // in ticks
TimeByCategory timeByCategory(const RunMetrics& run, const DeviceMetrics& device);
TimeByCategory timeByCategory(const RunMetrics& run); // mean of the recorded devices
// Rounds to multiples of `step` whose sum is `sum`, a multiple that differs from the exact sum by
// less than `step`: the parts with the largest remainders are rounded up.
std::vector<double> rounded(std::vector<double> parts, double sum, double step);
// Rounds to multiples of `step` that add up as the exact times do: rounds the iteration and the
// bubble, then distributes both among their parts by largest remainder.
TimeByCategory rounded(const TimeByCategory& times, double step);

// Whether a trace has ops of several devices and no message between them. Without kernels, the time
// of the messages is then in the bubbles.
bool lacksMessages(const engine::Run& run);

// `iteration` is an index into Timeline::iterations; -1 is the reported iteration. Fails with
// Error::Code::NotFound if the run has no such iteration.
engine::Result<RunMetrics> metrics(const engine::Run& run, int iteration = -1);

// Metrics of an iteration without spans. Memory, tokens and byKind are not set.
RunMetrics metrics(const engine::Schedule& schedule, const engine::IterationSummary& summary);

// Adds tokens per second, MFU and HFU if `info` has the required tokens, FLOPs and peak, and if the
// devices executed their ops at no more than `peak` FLOP/s.
void addRates(const engine::RunInfo& info, double peak, int dataParallel, RunMetrics& run);

// The metrics of one device in a range of time.
struct RangeDevice
{
    // Times include only the part of an op within the range. A message that overlaps the range is
    // counted as one message. `bubble` includes `between`. Peaks are those within the range.
    // `span`, `weights` and `localCopies` are not set.
    DeviceMetrics times;
    std::int64_t between = 0; // ticks of the range outside of all iterations
    // Numbers of compute ops entirely within the range, and of compute ops cut by its edges.
    std::int64_t opsWhole = 0, opsCut = 0;
    // False for a rank of an imported job without a trace; all its times are 0.
    bool isRecorded = true;
};

struct RangeMetrics
{
    engine::Window range;
    // Indices into Timeline::iterations of the first and the last iteration that overlap the range;
    // -1: none.
    int firstIteration = -1, lastIteration = -1;
    // sum of bubbles / (recorded devices x length of the range); not a number if unknown
    double bubbleRatio = 0;
    // For each recorded device: compute + exposed + fill + wait + drain + between equals the
    // length of the range.
    engine::IdVector<engine::DeviceId, RangeDevice> devices;
    int recorded = 0; // number of devices with a trace
};

// Returns the metrics of any window of the timeline, which may cover parts of several iterations.
// For the window of one whole iteration, the times equal those of metrics(). Takes time
// proportional to the number of spans in the iterations that overlap the range. Fails with
// Error::Code::InvalidArgument if the range is empty, and with NotFound if the run has no
// iteration.
engine::Result<RangeMetrics> rangeMetrics(const engine::Run& run, engine::Window range);

} // namespace profiler
