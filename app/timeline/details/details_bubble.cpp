#include "app/models/text.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/translate.h"

namespace app {
namespace {

using Kind = profiler::Bubble::Kind;

QString kindText(Kind kind)
{
    return kind == Kind::Fill ? tr("fill") : kind == Kind::Drain ? tr("drain") : tr("wait");
}

QString sentence(const RunView& view, const profiler::Bubble& bubble, const DetailsClock& clock)
{
    if (bubble.kind == Kind::Drain)
        return tr("The device has finished; the iteration ends with the <b>last device</b>.");
    if (bubble.chain.empty())
        return tr("Nothing was ready to compute.");
    const auto& producer = bubble.chain.front();
    QString cause = tr("Waits for <b>%1</b> (device %2), which ends at %3 %4.")
                        .arg(describeOp(view.run().info, view.op(producer.op)))
                        .arg(producer.device.value)
                        .arg(clock.at(producer.window.end), clock.scale.unit);
    if (bubble.kind != Kind::Fill)
        return cause;
    return tr("The pipeline fills. ") + cause;
}

std::int64_t transferAfter(const RunView& view, const profiler::Bubble& bubble)
{
    for (const auto window : view.exposed(bubble.device)) {
        if (window.begin == bubble.window.end)
            return window.duration();
        if (window.begin > bubble.window.end)
            break;
    }
    return 0;
}

DetailsSection facts(const RunView& view, const profiler::Bubble& bubble, int iteration,
                     const DetailsClock& clock)
{
    DetailsSection section;
    section.add(tr("Kind"), kindText(bubble.kind));
    section.add(tr("Start, end"),
                rangeText(bubble.window, clock.origin, clock.scale) + QLatin1Char(' ')
                    + clock.scale.unit);
    if (const auto exposed = transferAfter(view, bubble))
        section.add(tr("Following transfer"), tr("%1 exposed").arg(clock.lengthWithUnit(exposed)));
    const auto* metrics = view.metrics(iteration);
    if (metrics) {
        const auto& device = metrics->devices[bubble.device];
        const double all = static_cast<double>(std::max<std::int64_t>(1, device.bubble));
        section.add(tr("Share of the device's bubble"),
                    percent(static_cast<double>(bubble.window.duration()) / all));
    }
    return section;
}

} // namespace

Details bubbleDetails(const RunView& view, const Selection& selection)
{
    const DetailsClock clock = detailsClock(view, selection.iteration, selection.window.duration());
    const auto& iteration
        = view.timeline().iterations[static_cast<std::size_t>(selection.iteration)];
    Details details;
    details.swatch.look = Swatch::Look::Bubble;
    details.title = tr("Bubble");
    sayLength(details, view, clock, selection.window.duration());
    details.left = tr("Device %1, compute lane").arg(selection.device.value);
    const auto duration
        = static_cast<double>(std::max<std::int64_t>(1, iteration.window.duration()));
    details.right = tr("%1 of iteration")
                        .arg(percent(static_cast<double>(selection.window.duration()) / duration));
    const auto* bubble = view.bubble(selection.iteration, selection.device,
                                     static_cast<double>(selection.window.begin));
    if (!bubble)
        return details;
    details.sentence = sentence(view, *bubble, clock);
    if (!bubble->chain.empty()) {
        DetailsSection cause;
        cause.title = tr("Cause");
        cause.note = clock.scale.unit;
        cause.isChain = true;
        for (const auto& link : bubble->chain)
            cause.links.push_back(linkTo(view, link, selection.iteration, clock));
        details.sections.push_back(std::move(cause));
    }
    details.sections.push_back(facts(view, *bubble, selection.iteration, clock));
    addStrip(details, view, selection, clock);
    return details;
}

} // namespace app
