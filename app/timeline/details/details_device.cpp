#include "app/timeline/details/details_gpu.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

namespace app {
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
