#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <cmath>

namespace app {
namespace {

using Kind = profiler::Bubble::Kind;

QString kindText(Kind kind)
{
    return kind == Kind::Fill ? tr("fill") : kind == Kind::Drain ? tr("drain") : tr("wait");
}

QString sentence(const RunView& view, const profiler::Bubble& bubble, const DetailsClock& clock)
{
    if (bubble.untilNextWindow)
        return tr("The device is idle until the next window.");
    if (bubble.chain.empty())
        return tr("Nothing was ready to compute.");
    if (bubble.kind == Kind::Drain)
        return tr("The device has finished. The iteration ends with <b>%1</b> on device %2, at %3 "
                  "%4.")
            .arg(describeOp(view.run().info, view.op(bubble.chain.front().op)))
            .arg(bubble.chain.front().device.value)
            .arg(clock.at(bubble.chain.front().window.end), clock.scale.unit());
    const auto& producer = bubble.chain.front();
    QString cause = tr("Waits for <b>%1</b> (device %2), which ends at %3 %4.")
                        .arg(describeOp(view.run().info, view.op(producer.op)))
                        .arg(producer.device.value)
                        .arg(clock.at(producer.window.end), clock.scale.unit());
    if (bubble.kind != Kind::Fill)
        return cause;
    return tr("The pipeline fills. ") + cause;
}

DetailsLink stepLink(const RunView& view, const profiler::CauseStep& step, int iteration,
                     const DetailsClock& clock)
{
    DetailsLink link = linkTo(view, step.first, iteration, clock);
    if (step.ops > 1)
        link.rest = tr("to %1 %2, %3 ops")
                        .arg(opName(view.run().info, view.op(step.last.op)), link.rest)
                        .arg(step.ops);
    link.time = step.idle > 0
        ? tr("%1 after %2").arg(clock.length(step.busy), clock.length(step.idle))
        : clock.length(step.busy);
    return link;
}

// The chain of causes of a bubble, beginning with the first cause. Omits the middle of a long
// chain.
DetailsSection chainSection(const RunView& view, const profiler::Bubble& bubble, int iteration,
                            const DetailsClock& clock)
{
    constexpr std::size_t kMost = 16;
    auto steps = view.causes(iteration, bubble);
    std::int64_t busy = 0;
    for (const auto& step : steps)
        busy += step.busy;
    const QString nothing = clock.length(0); // transfers with this text are omitted
    const std::size_t all = steps.size();
    std::erase_if(steps, [&](const profiler::CauseStep& step) {
        return !engine::isCompute(view.op(step.first.op).kind)
            && clock.length(step.busy + step.idle) == nothing;
    });
    const std::size_t omitted = all - steps.size();
    const std::size_t left = steps.size() > kMost ? steps.size() - kMost : 0;
    std::int64_t leftTime = 0;
    for (std::size_t k = 1; k <= left; ++k)
        leftTime += steps[k].idle + steps[k].busy;
    DetailsSection section(bubble.kind == Kind::Drain ? tr("Work until the end")
                                                      : tr("Chain of causes"),
                           tr("%1 each").arg(clock.scale.unit()));
    section.isChain = true;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (k > 0 && k <= left)
            continue;
        section.links.push_back(stepLink(view, steps[k], iteration, clock));
        if (k == 0 && left > 0)
            section.links.back().rest
                += tr(", then %1 steps in %2").arg(left).arg(clock.length(leftTime));
    }
    if (!steps.empty()) {
        const std::int64_t whole = steps.back().last.window.end - steps.front().first.window.begin;
        section.add(tr("Compute and transfers of the chain"), clock.length(busy));
        section.add(tr("Start to end of the chain"), clock.length(whole));
        if (omitted > 0)
            section.add(tr("Transfers under %1 %2, not listed")
                            .arg(clock.scale.text(clock.scale.perUnit()
                                                  * std::pow(10.0, -clock.scale.decimals())),
                                 clock.scale.unit()),
                        QString::number(omitted));
    }
    return section;
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
    section.add(tr("Start, end"), clock.range(bubble.window));
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
    const auto& iteration = view.iteration(selection.iteration);
    Details details;
    details.swatch.look = Swatch::Look::Bubble;
    details.title = tr("Bubble");
    sayLength(details, view, clock, selection.window.duration());
    details.left = tr("Device %1, compute lane").arg(selection.device.value);
    const auto duration
        = static_cast<double>(std::max<std::int64_t>(1, iteration.window.duration()));
    details.right = tr("%1 of iteration")
                        .arg(percent(static_cast<double>(selection.window.duration()) / duration));
    const auto* bubble = view.bubble(selection);
    if (!bubble)
        return details;
    details.sentence = sentence(view, *bubble, clock);
    if (bubble->kind != Kind::Drain && !bubble->chain.empty()) {
        DetailsSection cause(tr("Cause"), clock.scale.unit());
        cause.isChain = true;
        for (const auto& link : bubble->chain)
            cause.links.push_back(linkTo(view, link, selection.iteration, clock));
        details.add(std::move(cause));
    }
    if (!bubble->chain.empty())
        details.add(chainSection(view, *bubble, selection.iteration, clock));
    details.add(facts(view, *bubble, selection.iteration, clock));
    addStrip(details, view, selection, clock);
    return details;
}

} // namespace app
