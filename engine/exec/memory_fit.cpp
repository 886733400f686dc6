#include "engine/exec/memory_fit.h"

#include "engine/exec/memory_need.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

std::string bytesText(double bytes)
{
    constexpr double kMega = 1e6, kGiga = 1e9;
    return bytes < kGiga ? fmt::format("{:.1f} MB", bytes / kMega)
                         : fmt::format("{:.1f} GB", bytes / kGiga);
}

// "these would fit: --micro-batches 4 (1.2 GB), --scheme bpipe (2.0 GB)": of the device or of all.
std::string whatWouldFit(const MemoryFit& fit, const Device& device, bool perDevice)
{
    std::string text;
    for (const Remedy& remedy : remediesFor(fit.experiment, fit.available, device)) {
        const double need
            = perDevice ? static_cast<double>(remedy.need.fullest) : remedy.need.total;
        text += fmt::format("{}{} ({})", text.empty() ? "these would fit: " : ", ", remedy.words,
                            bytesText(need));
    }
    return text.empty() ? "use a smaller model, or other --devices" : text;
}

struct Fullest
{
    std::ptrdiff_t device = 0;
    Bytes arena = 0;
    std::string op; // while which it holds most
};

Fullest fullestOf(const MemoryFit& fit)
{
    const auto device = std::ranges::max_element(fit.plan.devices, {}, &DevicePlan::arena);
    const auto number = device - fit.plan.devices.begin();
    const auto program = fit.lowered.on(DeviceId{static_cast<std::int32_t>(number)});
    return {number, device->arena, toString(program[device->layout.peakAt])};
}

Result<void> refuse(double needed, Bytes available, const std::string& more)
{
    const double usable = kUsableShare * static_cast<double>(available);
    return fail(Error::Code::Device,
                fmt::format("this run needs {} of memory and {} are free, {} too little; {}",
                            bytesText(needed), bytesText(static_cast<double>(available)),
                            bytesText(needed - usable), more));
}

} // namespace

double recordOf(const Experiment& experiment, const Schedule& lowered)
{
    const std::int64_t iterations = experiment.warmup + experiment.iterations + 1; // the replay
    return recordBytes(opCount(lowered), iterations);
}

MemoryNeed memoryNeed(const Experiment& experiment, const Schedule& lowered,
                      const ExecutionPlan& plan)
{
    Bytes fullest = 0;
    for (const DevicePlan& device : plan.devices)
        fullest = std::max(fullest, device.arena);
    return {plan.total() + recordOf(experiment, lowered), fullest};
}

bool fitsMachine(double bytes, Bytes available)
{
    return available <= 0 || bytes <= kUsableShare * static_cast<double>(available);
}

bool fits(const MemoryNeed& need, const Experiment& experiment, Bytes available)
{
    return fitsMachine(need.total, available)
        && (experiment.deviceMemory == 0 || need.fullest <= experiment.deviceMemory);
}

Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered, Bytes available)
{
    const double record = recordOf(experiment, lowered);
    if (fitsMachine(record, available))
        return {};
    return refuse(record, available,
                  "most of it is the record: use fewer --iterations or --micro-batches");
}

Result<void> checkFits(const MemoryFit& fit, const Device& device)
{
    const MemoryNeed need = memoryNeed(fit.experiment, fit.lowered, fit.plan);
    const Fullest fullest = fullestOf(fit);
    const Bytes limit = fit.experiment.deviceMemory;
    if (limit > 0 && fullest.arena > limit)
        return fail(Error::Code::Device,
                    fmt::format("device {} needs {} at {} and --device-memory leaves it {}, {} too "
                                "little; {}",
                                fullest.device, bytesText(static_cast<double>(fullest.arena)),
                                fullest.op, bytesText(static_cast<double>(limit)),
                                bytesText(static_cast<double>(fullest.arena - limit)),
                                whatWouldFit(fit, device, true)));
    if (fitsMachine(need.total, fit.available))
        return {};
    return refuse(need.total, fit.available,
                  fmt::format("device {} is the fullest, with {} at {}; {}", fullest.device,
                              bytesText(static_cast<double>(fullest.arena)), fullest.op,
                              whatWouldFit(fit, device, false)));
}

} // namespace engine
