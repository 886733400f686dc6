#include "app/models/text.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/translate.h"

namespace app {
namespace {

using engine::DeviceId;

struct Counts
{
    std::int64_t whole = 0, cut = 0, messages = 0;
};

Counts countsIn(const RunView& view, engine::Window window)
{
    Counts counts;
    for (const auto& track : view.timeline().tracks) {
        for (const auto& span : view.spansAround(track.device, track.kind, window)) {
            if (!span.window().intersects(window))
                continue;
            const bool isWhole = span.begin >= window.begin && span.end <= window.end;
            if (track.kind == engine::Track::Kind::Compute)
                ++(isWhole ? counts.whole : counts.cut);
            else if (track.kind == engine::Track::Kind::Send)
                ++counts.messages;
        }
    }
    return counts;
}

double bubbleShare(const std::vector<DetailsBar::Part>& parts)
{
    return parts.back().share;
}

DetailsSection shares(const RunView& view, engine::Window window)
{
    DetailsSection section;
    section.title = tr("Shares");
    section.note = tr("bubble");
    const auto begin = static_cast<double>(window.begin), end = static_cast<double>(window.end);
    constexpr int kShown = 16; // more would move the counts out of view
    for (int d = 0; d < std::min(view.devices(), kShown); ++d) {
        DetailsBar bar;
        bar.name = tr("Device %1").arg(d);
        bar.parts = shareParts(view.shares(DeviceId{d}, begin, end), end - begin);
        bar.value = percent(bubbleShare(bar.parts));
        section.bars.push_back(std::move(bar));
    }
    if (view.devices() > kShown)
        section.add(tr("Further devices"), QString::number(view.devices() - kShown));
    return section;
}

double meanBubble(const RunView& view, engine::Window window)
{
    const auto begin = static_cast<double>(window.begin), end = static_cast<double>(window.end);
    double sum = 0;
    for (int d = 0; d < view.devices(); ++d)
        sum += bubbleShare(shareParts(view.shares(DeviceId{d}, begin, end), end - begin));
    return sum / std::max(1, view.devices());
}

// The selected NVTX range of the host; nullptr if none is selected.
const HostRange* marked(const Selection& selection, const KernelView* kernels)
{
    const bool hasDevice = kernels != nullptr && selection.device.isValid();
    return hasDevice ? kernels->ranges().at(selection.device, selection.window) : nullptr;
}

DetailsSection markedSection(const RunView& view, const HostRange& range)
{
    DetailsSection section;
    section.title = tr("Range on the host");
    section.add(tr("Text"), QString::fromStdString(range.text));
    section.add(tr("By"),
                range.domain.empty() ? tr("range of the op")
                                     : QString::fromStdString(range.domain));
    section.add(tr("Launched op"), opName(view.run().info, view.op(range.of.op)));
    return section;
}

} // namespace

Details rangeDetails(const RunView& view, const Selection& selection, const KernelView* kernels)
{
    const auto& window = selection.window;
    const DetailsClock clock = detailsClock(view, selection.iteration, selection.window.duration());
    const auto& iteration
        = view.timeline().iterations[static_cast<std::size_t>(selection.iteration)];
    Details details;
    const HostRange* host = marked(selection, kernels);
    details.title = host != nullptr ? tr("NVTX range") : tr("Range");
    sayLength(details, view, clock, window.duration());
    details.left
        = rangeText(window, clock.origin, clock.scale) + QLatin1Char(' ') + clock.scale.unit;
    details.right = countOf(view.devices(), "device");
    details.sentence
        = tr("<b>%1 bubble</b>, compared with %2 of the whole iteration.")
              .arg(percent(meanBubble(view, window)), percent(meanBubble(view, iteration.window)));
    if (host != nullptr)
        details.sections.push_back(markedSection(view, *host));
    details.sections.push_back(shares(view, window));
    const Counts counts = countsIn(view, window);
    DetailsSection facts;
    facts.title = tr("Counts");
    facts.add(tr("Ops within, cut off"),
              number(static_cast<double>(counts.whole), 0) + QStringLiteral(", ")
                  + number(static_cast<double>(counts.cut), 0));
    facts.add(tr("Messages"), number(static_cast<double>(counts.messages), 0));
    details.sections.push_back(std::move(facts));
    return details;
}

} // namespace app
