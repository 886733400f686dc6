#include "app/timeline/details/details_device.h"

#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/translate.h"
#include "app/ui/definition_text.h"
#include "app/ui/text.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/report/sheet.h"

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

DetailsSection gpuMemorySection(const engine::RunInfo& info)
{
    if (info.gpuMemory.empty())
        return {};
    const engine::GpuMemory all = engine::sumOf(info.gpuMemory);
    DetailsSection section(info.gpuMemory.size() == 1
                               ? tr("Memory of the GPU")
                               : tr("Memory of %1 GPUs").arg(info.gpuMemory.size()));
    for (const profiler::Fact& fact :
         profiler::facts(profiler::gpuMemoryMeasures(), all, profiler::kColumn)) {
        const bool isDifference = fact.of.unit == profiler::Unit::Share;
        const bool isIfAny = (fact.of.shown & profiler::kIfAny) != 0;
        if (fact.of.key != "gpu" && (!isIfAny || fact.value.number() != 0))
            section.add(capitalized(fromUtf8(fact.of.title)), measureText(fact.value, fact.of),
                        fact.of.key == "used"
                            || (isDifference && all.differenceShare() > engine::kMemoryTolerance));
    }
    for (const engine::GpuMemory& gpu : info.gpuMemory)
        if (info.gpuMemory.size() > 1)
            section.add(tr("GPU %1: driver, difference").arg(gpu.gpu),
                        bytesText(gpu.used) + QStringLiteral(", ")
                            + percent(static_cast<double>(gpu.difference())
                                      / static_cast<double>(std::max<std::int64_t>(1, gpu.used))));
    return section;
}

DetailsSection gpuSection(const RunView& view, engine::DeviceId device, const KernelView* kernels)
{
    const auto& gpus = view.run().info.machine.gpus;
    const engine::GpuPlace* place = kernels != nullptr ? placeOf(*kernels, device) : nullptr;
    // The GPU that ran the kernels or, if the kernels are unknown, the GPU with the number of the
    // device. Falls back to the first GPU if the file does not list that GPU.
    const int ordinal = place != nullptr ? static_cast<int>(place->device) : device.value;
    const auto own = std::ranges::find(gpus, ordinal, &GpuFacts::device);
    const GpuFacts* gpu = own != gpus.end() ? &*own : gpus.empty() ? nullptr : &gpus.front();
    DetailsSection section(tr("GPU"));
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
    return section;
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

// The bar of the device's time.
DetailsSection timeSection(const RunView& view, const Selection& selection)
{
    const auto window = view.iteration(selection.iteration).window;
    const auto begin = static_cast<double>(window.begin), end = static_cast<double>(window.end);
    DetailsSection section(tr("Time by category"));
    section.bars.push_back(
        {{}, {}, shareParts(view.shares(selection.device, begin, end), end - begin)});
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
    if (view.knowsMemory()) {
        const MemorySeries& series = view.memory(selection.device);
        const double peak = series.peak();
        const std::int64_t time = series.timeOfPeak(view.iteration(selection.iteration).window);
        details.sentence = tr("The largest %1 is <b>%2</b>; in this iteration, it is at %3.")
                               .arg(view.hasMemory() ? tr("memory") : tr("stash"),
                                    view.hasMemory() ? bytesText(peak)
                                                     : number(peak, 1) + QString::fromUtf8(" Mₐ"),
                                    clock.atWithUnit(time));
    }
    DetailsSection times = timeSection(view, selection), memory(tr("Memory")),
                   messages(tr("Messages"));
    for (const profiler::Fact& fact :
         profiler::facts(profiler::deviceMeasures(), {view.run(), *metrics, device},
                         profiler::kColumn | profiler::kMemory)) {
        using enum profiler::Unit;
        const profiler::MeasureInfo& of = fact.of;
        const bool isIfAny = of.unit == Bytes || (of.shown & profiler::kIfAny) != 0;
        if (of.key == "device" || (isIfAny && fact.value.number() == 0))
            continue;
        DetailsSection& section = of.unit == Time || of.unit == Share ? times
            : of.unit == None && !isIfAny                             ? messages
                                                                      : memory;
        section.add(fromUtf8(of.title), measureText(fact.value, of),
                    of.unit == Share || of.key == "peak_bytes");
    }
    if (!view.hasMemory())
        memory.add(tr("Bytes"), tr("not recorded"));
    if (!profiler::lacksMessages(view.run()))
        messages.add(tr("Messages received"), number(device.messagesReceived));
    details.add(std::move(times));
    details.add(std::move(memory));
    details.add(gpuSection(view, selection.device, kernels));
    details.add(std::move(messages));
    return details;
}

} // namespace app
