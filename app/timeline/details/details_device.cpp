#include "app/timeline/details/details_device.h"

#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <algorithm>

namespace app {

namespace {

using engine::GpuContext;
using engine::GpuFacts;

// The CUDA context of the device's work; nullptr if no work was recorded.
const engine::GpuPlace* placeOf(const KernelView& kernels, engine::DeviceId device)
{
    const profiler::GpuActivity& activity = kernels.activity();
    const auto streams = activity.streams(device);
    return streams.empty() ? nullptr : &activity.placeOf(activity.on(streams.front()).front());
}

std::int64_t numberOf(const GpuFacts& gpu, std::string_view name)
{
    const auto found = std::ranges::find_if(
        gpu.numbers, [name](const auto& number) { return number.first == name; });
    return found == gpu.numbers.end() ? 0 : found->second;
}

// The peak of the memory that the driver allocated for the context of the device. A double, because
// the bytes of a damaged file may overflow integers.
double mostGiven(const engine::GpuTrace& trace, const engine::GpuPlace& place)
{
    std::vector<const engine::GpuAllocation*> events;
    for (const engine::GpuAllocation& one : trace.allocations)
        if (one.place.device == place.device && one.place.context == place.context)
            events.push_back(&one);
    std::ranges::stable_sort(events, {}, &engine::GpuAllocation::time);
    double given = 0, most = 0;
    for (const engine::GpuAllocation* one : events) {
        const auto bytes = static_cast<double>(one->bytes);
        given += one->isFree ? -bytes : bytes;
        most = std::max(most, given);
    }
    return most;
}

void addPartition(const engine::GpuTrace& trace, const engine::GpuPlace& place, const GpuFacts* gpu,
                  DetailsSection& section)
{
    const auto context = std::ranges::find(trace.contexts, place.context, &GpuContext::context);
    if (context == trace.contexts.end() || context->multiprocessors == 0)
        return;
    const std::int64_t all = gpu != nullptr ? numberOf(*gpu, "smCount") : 0;
    const QString count = all > 0 ? tr("%1 of %2").arg(context->multiprocessors).arg(all)
                                  : QString::number(context->multiprocessors);
    section.add(context->isPartition ? tr("SM partition") : tr("Multiprocessors"), count,
                context->isPartition);
}

void addSamples(const engine::GpuTrace& trace, const engine::GpuPlace& place,
                DetailsSection& section)
{
    std::vector<std::uint32_t> clocks;
    std::uint64_t throttle = 0;
    for (const engine::GpuSample& sample : trace.samples) {
        const bool isIdle
            = (sample.throttle & static_cast<std::uint64_t>(engine::Throttle::Idle)) != 0;
        if (sample.device != place.device || isIdle || sample.smClock == 0)
            continue;
        clocks.push_back(sample.smClock);
        throttle |= sample.throttle;
    }
    if (clocks.empty())
        return;
    const auto [least, most] = std::ranges::minmax(clocks);
    section.add(tr("SM clock"), tr("%1 – %2 MHz").arg(least).arg(most));
    const std::string slow = engine::throttleText(throttle);
    section.add(tr("Throttled by"), slow.empty() ? tr("nothing") : QString::fromStdString(slow));
}

} // namespace

QString driverDifference(const engine::GpuMemory& memory)
{
    const QString sign = memory.difference() < 0 ? QStringLiteral("\u2212") : QString();
    return sign + percent(memory.differenceShare());
}

namespace {

// The memory that the driver reports minus the sum over all owners; emphasized if it exceeds
// kMemoryTolerance.
DetailsRow differenceRow(const engine::GpuMemory& memory)
{
    return {tr("Difference"), driverDifference(memory),
            memory.differenceShare() > engine::kMemoryTolerance};
}

} // namespace

std::optional<DetailsSection> gpuMemorySection(const engine::RunInfo& info)
{
    if (info.gpuMemory.empty())
        return std::nullopt;
    const engine::GpuMemory all = engine::sumOf(info.gpuMemory);
    const Scale bytes = byteScale(all.used);
    const auto text = [&](std::int64_t amount) { return bytes.text(static_cast<double>(amount)); };
    DetailsSection section;
    section.title = info.gpuMemory.size() == 1 ? tr("Memory of the GPU")
                                               : tr("Memory of %1 GPUs").arg(info.gpuMemory.size());
    section.note = bytes.unit();
    for (int i = 0; i < engine::kGpuMemoryOwners; ++i)
        if (const auto owner = static_cast<engine::GpuMemoryOwner>(i); all[owner] != 0)
            section.add(capitalized(fromUtf8(engine::gpuMemoryOwnerName(owner))), text(all[owner]));
    if (all.reserved != 0)
        section.add(tr("(Reserved for communicators)"), text(all.reserved));
    section.add(tr("Sum"), text(all.known()));
    section.add(tr("Reported by the driver"), text(all.used), true);
    section.rows.push_back(differenceRow(all));
    if (info.gpuMemory.size() > 1)
        for (const engine::GpuMemory& gpu : info.gpuMemory)
            section.add(tr("GPU %1: driver, difference").arg(gpu.gpu),
                        text(gpu.used) + QStringLiteral(", ") + differenceRow(gpu).value);
    return section;
}

std::optional<DetailsSection> gpuSection(const RunView& view, engine::DeviceId device,
                                         const KernelView* kernels)
{
    const auto& gpus = view.run().info.machine.gpus;
    const engine::GpuPlace* place = kernels != nullptr ? placeOf(*kernels, device) : nullptr;
    // The GPU that ran the kernels or, if the kernels are unknown, the GPU with the number of the
    // device. Falls back to the first GPU if the file does not list that GPU.
    const int ordinal = place != nullptr ? static_cast<int>(place->device) : device.value;
    const auto own = std::ranges::find(gpus, ordinal, &GpuFacts::device);
    const GpuFacts* gpu = own != gpus.end() ? &*own : gpus.empty() ? nullptr : &gpus.front();
    DetailsSection section;
    section.title = tr("GPU");
    if (gpu != nullptr && !gpu->name.empty())
        section.add(tr("Name"), QString::fromStdString(gpu->name));
    if (place != nullptr) {
        const engine::GpuTrace& trace = kernels->activity().trace();
        addPartition(trace, *place, gpu, section);
        addSamples(trace, *place, section);
        if (const double given = mostGiven(trace, *place); given > 0)
            section.add(
                tr("Memory reported by the driver, peak"),
                byteScale(static_cast<std::int64_t>(std::min(given, 1e18))).withUnit(given));
    }
    return section.rows.empty() ? std::nullopt : std::optional(std::move(section));
}

std::vector<DetailsRow> machineRows(const engine::RunInfo& info)
{
    std::vector<DetailsRow> rows;
    const engine::GpuClocks& clocks = info.machine.clocks;
    if (clocks.samples > 0) {
        rows.push_back(
            {tr("SM clock"),
             tr("%1 – %2 MHz, median %3").arg(clocks.least).arg(clocks.most).arg(clocks.median)});
        const std::string slow = engine::throttleText(clocks.throttle);
        rows.push_back(
            {tr("Throttled by"), slow.empty() ? tr("nothing") : QString::fromStdString(slow)});
    } else if (!clocks.reason.empty()) {
        rows.push_back({tr("Clocks"), QString::fromStdString(clocks.reason)});
    }
    for (const auto& [name, value] : info.machine.settings)
        if (name == "nvidia_driver" || name == "tf32")
            rows.push_back(
                {name == "tf32" ? tr("tf32") : tr("NVIDIA driver"), QString::fromStdString(value)});
    return rows;
}

namespace {

DetailsSection timeSection(const RunView& view, const Selection& selection,
                           const profiler::RunMetrics& metrics,
                           const profiler::DeviceMetrics& device, const DetailsClock& clock)
{
    const auto window
        = view.timeline().iterations[static_cast<std::size_t>(selection.iteration)].window;
    const auto begin = static_cast<double>(window.begin), end = static_cast<double>(window.end);
    const double duration = static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
    DetailsSection section;
    section.title = tr("Time by category");
    section.note = clock.scale.unit();
    section.bars.push_back(
        {{}, {}, shareParts(view.shares(selection.device, begin, end), end - begin)});
    section.rows = {
        {tr("Compute"), clock.length(device.compute)},
        {tr("Exposed communication"),
         metrics.exposedIsKnown ? clock.length(device.exposedCommunication) : tr("unknown")},
    };
    if (!whyUnknown(view.run().info).empty()) {
        section.add(tr("Idle"), clock.length(device.bubble));
        section.add(tr("Bubble of the iteration"), tr("unknown"), true);
        return section;
    }
    section.add(tr("Bubble: fill, wait, drain"),
                clock.length(device.fill) + QStringLiteral(" + ") + clock.length(device.wait)
                    + QStringLiteral(" + ") + clock.length(device.drain));
    section.add(tr("Bubble of the iteration"),
                percent(static_cast<double>(device.bubble) / duration), true);
    return section;
}

void addArena(const engine::ArenaUse& use, DetailsSection& section)
{
    const Scale bytes = byteScale(use.arena);
    const auto text
        = [&](std::int64_t amount) { return bytes.withUnit(static_cast<double>(amount)); };
    section.add(tr("Arena, planned"), text(use.arena));
    section.add(tr("Arena, live at the peak"), text(use.live));
    section.add(tr("Arena, written"),
                use.touched ? text(*use.touched) : tr("known after the first iteration"));
}

DetailsSection memorySection(const RunView& view, const profiler::DeviceMetrics& device,
                             const DetailsClock& clock)
{
    DetailsSection section;
    section.title = tr("Memory");
    if (device.peakBytes) {
        const Scale bytes = byteScale(*device.peakBytes);
        section.note = bytes.unit();
        section.add(tr("Peak, at %1 %2").arg(clock.at(device.timeOfPeak), clock.scale.unit()),
                    bytes.text(static_cast<double>(*device.peakBytes)), true);
        for (const engine::MemoryCategory category : device.bytesAtPeak.enumerators()) {
            const auto amount = device.bytesAtPeak[category];
            const auto name = engine::memoryCategoryName(category);
            if (amount > 0)
                section.add(tr("... %1").arg(fromUtf8(name)),
                            bytes.text(static_cast<double>(amount)));
        }
    }
    if (const auto* use = engine::arenaOf(view.run().info, device.device); use != nullptr)
        addArena(*use, section);
    if (view.knowsMemory()) {
        section.add(tr("Largest stash"), number(device.peakStash, 1) + QString::fromUtf8(" Mₐ"));
        section.add(tr("Weights"), number(device.weights, 1) + QString::fromUtf8(" Mθ"));
    }
    if (!view.hasMemory())
        section.add(tr("Bytes"), tr("not recorded"));
    return section;
}

} // namespace

Details deviceDetails(const RunView& view, const Selection& selection, const KernelView* kernels)
{
    const auto* metrics = view.metrics(selection.iteration);
    if (!metrics || selection.device.value >= view.devices())
        return {};
    const auto& device = metrics->devices[selection.device];
    const DetailsClock clock = detailsClock(view, selection.iteration);
    Details details;
    details.title = tr("Device %1").arg(selection.device.value);
    details.left = deviceText(view.run(), selection.device);
    if (!hasTrace(view.run(), selection.device))
        return details;
    const double duration = static_cast<double>(std::max<std::int64_t>(1, metrics->duration));
    details.value = number(100 * static_cast<double>(device.compute) / duration, 1);
    details.unit = tr("% busy");
    details.right = tr("of %1").arg(clock.lengthWithUnit(metrics->duration));
    details.sections.push_back(timeSection(view, selection, *metrics, device, clock));
    details.sections.push_back(memorySection(view, device, clock));
    if (auto gpu = gpuSection(view, selection.device, kernels))
        details.sections.push_back(std::move(*gpu));
    DetailsSection messages;
    messages.title = tr("Messages");
    messages.rows = {{tr("Sent, received"),
                      profiler::lacksMessages(view.run())
                          ? tr("unknown")
                          : tr("%1, %2").arg(device.messagesSent).arg(device.messagesReceived)},
                     {tr("Local copies"), QString::number(device.localCopies)}};
    details.sections.push_back(std::move(messages));
    return details;
}

} // namespace app
