#include "app/documents/run_document.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/note_marks.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <algorithm>
#include <ranges>

namespace app {
namespace {

using engine::DeviceId;

double bubbleShare(const std::vector<DetailsBar::Part>& parts)
{
    return parts.back().share;
}

std::vector<DeviceId> tracedDevices(const RunView& view)
{
    std::vector<DeviceId> traced;
    for (const DeviceId device : engine::Ids<DeviceId>(view.devices()))
        if (hasTrace(view.run(), device))
            traced.push_back(device);
    return traced;
}

DetailsSection shares(const RunView& view, engine::Window window)
{
    DetailsSection section(tr("Shares"), tr("bubble"));
    const auto begin = static_cast<double>(window.begin), end = static_cast<double>(window.end);
    constexpr int kShown = 16; // more would move the counts out of view
    const std::vector<DeviceId> devices = tracedDevices(view);
    for (const DeviceId device : devices | std::views::take(kShown)) {
        DetailsBar bar;
        bar.name = tr("Device %1").arg(device.value);
        bar.parts = shareParts(view.shares(device, begin, end), end - begin);
        bar.value = percent(bubbleShare(bar.parts));
        section.bars.push_back(std::move(bar));
    }
    if (std::ssize(devices) > kShown)
        section.add(tr("Further devices"), QString::number(std::ssize(devices) - kShown));
    return section;
}

double meanBubble(const RunView& view, engine::Window window)
{
    const auto begin = static_cast<double>(window.begin), end = static_cast<double>(window.end);
    const std::vector<DeviceId> devices = tracedDevices(view);
    double sum = 0;
    for (const DeviceId device : devices)
        sum += bubbleShare(shareParts(view.shares(device, begin, end), end - begin));
    return sum / static_cast<double>(std::max<std::size_t>(1, devices.size()));
}

// The selected NVTX range of the host; nullptr if none is selected.
const HostRange* marked(const Selection& selection, const KernelView* kernels)
{
    const bool hasDevice = kernels != nullptr && selection.device.isValid();
    return hasDevice ? kernels->ranges().at(selection.device, selection.window) : nullptr;
}

DetailsSection markedSection(const RunView& view, const HostRange& range)
{
    DetailsSection section(tr("Range on the host"));
    section.add(tr("Text"), QString::fromStdString(range.text));
    section.add(tr("Source"),
                range.domain.empty() ? tr("range of the op")
                                     : QString::fromStdString(range.domain));
    section.add(tr("Launched op"), opName(view.run().info, view.op(range.of.op)));
    return section;
}

// "The transition from iteration 1 to 2: 50.5 % bubble, compared with 28.6 % of a whole iteration."
QString rangeSentence(const RunView& view, const Selection& selection)
{
    const engine::Window window = selection.window;
    const int first = view.iterationAt(window.begin);
    const int last = view.iterationAt(window.end - 1);
    const auto& iterations = view.timeline().iterations;
    const engine::Window compared
        = iterations[static_cast<std::size_t>(std::clamp(first, 0, last))].window;
    const QString bubble = tr("<b>%1 bubble</b>").arg(percent(meanBubble(view, window)));
    const QString whole = percent(meanBubble(view, compared));
    if (first == last)
        return tr("%1, compared with %2 in the whole iteration.").arg(bubble, whole);
    const QString from = iterationTitle(view.timeline(), first),
                  to = iterationName(view.timeline(), last);
    const bool isOneKind = iterations[static_cast<std::size_t>(first)].kind
        == iterations[static_cast<std::size_t>(last)].kind;
    const QString until = isOneKind ? to : iterationTitle(view.timeline(), last);
    return last == first + 1
        ? tr("The transition from %1 to %2: %3, compared with %4 of a whole iteration.")
              .arg(from, until, bubble, whole)
        : tr("From %1 to %2: %3, compared with %4 of the first one.")
              .arg(from, until, bubble, whole);
}

DetailsSection causes(const profiler::RangeMetrics& range, const DetailsClock& clock)
{
    DetailsSection section(tr("Bubble by cause"), tr("mean, %1").arg(clock.scale.unit()));
    const auto add = [&](const QString& name, auto ticks) {
        double sum = 0;
        for (const profiler::RangeDevice& device : range.devices)
            sum += static_cast<double>(ticks(device));
        if (sum > 0)
            section.add(name, clock.scale.text(sum / std::max(1, range.recorded)));
    };
    using Device = profiler::RangeDevice;
    add(tr("fill: no input yet"), [](const Device& one) { return one.times.fill; });
    add(tr("wait for another device"), [](const Device& one) { return one.times.wait; });
    add(tr("drain: no work left"), [](const Device& one) { return one.times.drain; });
    add(tr("between iterations"), [](const Device& one) { return one.between; });
    if (section.rows.empty())
        section.add(tr("No bubble"), {});
    return section;
}

DetailsSection counts(const RunView& view, const profiler::RangeMetrics& range)
{
    std::int64_t whole = 0, cut = 0, messages = 0;
    const profiler::RangeDevice* largest = nullptr;
    for (const profiler::RangeDevice& device : range.devices) {
        whole += device.opsWhole;
        cut += device.opsCut;
        messages += device.times.messagesSent;
        if (device.times.peakBytes
            && (largest == nullptr || device.times.peakBytes > largest->times.peakBytes))
            largest = &device;
    }
    DetailsSection section(tr("Counts"));
    section.add(tr("Ops: whole, cut off"), number(whole) + QStringLiteral(", ") + number(cut));
    section.add(tr("Messages"), number(messages));
    if (largest != nullptr)
        section.add(tr("Largest memory"),
                    tr("%1, device %2")
                        .arg(bytesText(*largest->times.peakBytes))
                        .arg(largest->times.device.value));
    if (!view.knowsMemory())
        section.add(tr("Memory"), tr("not recorded"));
    return section;
}

// Links to the notes in the range, numbered as in the strip of notes.
DetailsSection notesIn(const RunView& view, engine::Window window,
                       std::span<const engine::Note> notes, const DetailsClock& clock)
{
    DetailsSection section;
    for (std::size_t k = 0; k < notes.size(); ++k) {
        const engine::Note& note = notes[k];
        if (!note.window.intersects(window) && !window.contains(note.window.begin))
            continue;
        DetailsLink link;
        link.name = note.text.empty() ? tr("bookmark") : fromUtf8(note.text);
        link.isCut = true;
        link.prefix = QString::number(k + 1);
        link.time = clock.at(note.window.begin);
        link.target = selectionOf(view, note);
        section.links.push_back(std::move(link));
    }
    section.title = tr("Notes");
    section.note = number(section.links.size());
    return section;
}

} // namespace

Details rangeDetails(const RunView& view, const Selection& selection, const DetailsContext& context)
{
    const auto& window = selection.window;
    const DetailsClock clock = detailsClock(view, selection.iteration, window.duration());
    Details details;
    const HostRange* host = marked(selection, context.kernels);
    details.title = host != nullptr ? tr("NVTX range") : tr("Range");
    sayLength(details, view, clock, window.duration());
    details.left = clock.range(window);
    details.right = countOf(view.devices(), "device");
    details.sentence = rangeSentence(view, selection);
    if (host != nullptr)
        details.add(markedSection(view, *host));
    details.add(shares(view, window));
    if (context.range != nullptr && context.range->range == window) {
        details.add(causes(*context.range, clock));
        details.add(counts(view, *context.range));
    }
    details.add(notesIn(view, window, context.notes, clock));
    return details;
}

} // namespace app
