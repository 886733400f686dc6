#include "app/timeline/details/details_kernel.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

QString place(const RunView& view, const engine::Op& op)
{
    if (!engine::knowsStages(view.run().info))
        return tr("Stage unknown");
    const QString stage = tr("Stage %1, direction %2").arg(op.stage.value).arg(directionText(op));
    return view.run().schedule.shape.chunks() > 1 ? stage + tr(", chunk %1").arg(view.chunk(op))
                                                  : stage;
}

// The shortest and the longest duration of the op over the first 1000 measured iterations.
std::optional<DetailsRow> spread(const RunView& view, std::uint32_t op, const DetailsClock& clock)
{
    const auto& iterations = view.timeline().iterations;
    std::int64_t shortest = 0, longest = 0;
    int count = 0;
    for (int k = 0; k < static_cast<int>(iterations.size()) && count < 1000; ++k) {
        const bool counts
            = iterations[static_cast<std::size_t>(k)].kind == engine::Iteration::Kind::Measured;
        const auto span = counts ? view.spanOf(op, k) : std::nullopt;
        if (!span)
            continue;
        const std::int64_t time = span->end - span->begin;
        shortest = count == 0 ? time : std::min(shortest, time);
        longest = std::max(longest, time);
        ++count;
    }
    if (count < 2)
        return std::nullopt;
    return DetailsRow{tr("Min – max of %1 iterations").arg(count),
                      clock.length(shortest) + QString::fromUtf8(" – ")
                          + clock.lengthWithUnit(longest)};
}

DetailsSection linkSection(const RunView& view, const QString& title,
                           std::vector<profiler::CauseLink> causes, int iteration,
                           const DetailsClock& clock)
{
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto& a, const auto& b) { return a.window.begin < b.window.begin; });
    DetailsSection section;
    section.title = title;
    section.note = clock.scale.unit();
    for (const auto& cause : causes)
        section.links.push_back(linkTo(view, cause, iteration, clock));
    return section;
}

std::optional<DetailsRow> lossRow(const RunView& view, const Selection& selection)
{
    const auto& op = view.op(selection.op);
    const auto& iteration
        = view.timeline().iterations[static_cast<std::size_t>(selection.iteration)];
    const auto microBatch = static_cast<std::size_t>(op.microBatch.value);
    if (!op.microBatch.isValid() || microBatch >= iteration.microBatchLoss.size()
        || op.stage.value + 1 != view.run().schedule.shape.stages)
        return std::nullopt;
    return DetailsRow{tr("Loss of the micro-batch"),
                      number(iteration.microBatchLoss[microBatch], 3)};
}

// Adds the predicted duration and start of the op, unless the run is itself a prediction.
void addPrediction(const RunView& view, const Selection& selection, const engine::Run* predicted,
                   const DetailsClock& clock, DetailsSection& section)
{
    if (predicted == nullptr || view.run().info.mode == engine::Mode::Simulate)
        return;
    const auto* track = predicted->timeline.track(selection.device, selection.lane);
    if (track == nullptr)
        return;
    const auto span = std::ranges::find(track->spans, selection.op, &engine::Span::op);
    if (span == track->spans.end())
        return;
    const auto expected = static_cast<double>(span->window().duration());
    const double change
        = expected > 0 ? static_cast<double>(selection.window.duration()) / expected - 1 : 0;
    const QString length = clock.lengthWithUnit(span->window().duration());
    const bool isEqual = std::abs(change) < 0.0005;
    section.add(tr("Predicted"),
                isEqual ? tr("%1, as measured").arg(length)
                        : (change > 0 ? tr("%1, %2 over") : tr("%1, %2 under"))
                              .arg(length, percent(std::abs(change))));
    const std::int64_t begin
        = view.timeline().iterations[static_cast<std::size_t>(selection.iteration)].window.begin;
    const std::int64_t late = selection.window.begin - begin - span->begin;
    section.add(tr("Predicted start"),
                late == 0 ? clock.scale.text(static_cast<double>(span->begin))
                          : (late > 0 ? tr("%1, %2 late") : tr("%1, %2 early"))
                                .arg(clock.scale.text(static_cast<double>(span->begin)),
                                     clock.lengthWithUnit(std::abs(late))));
}

// Adds how long the device waited before the op, divided into bubble and exposed communication.
void addWait(const RunView& view, const Selection& selection, std::int64_t waited,
             const DetailsClock& clock, DetailsSection& section)
{
    section.add(tr("Wait before the start"), clock.lengthWithUnit(waited));
    const engine::Window gap{selection.window.begin - waited, selection.window.begin};
    std::int64_t transfers = 0;
    const auto exposed = view.exposed(selection.device);
    for (auto window = std::ranges::upper_bound(exposed, gap.begin, {}, &engine::Window::end);
         window != exposed.end() && window->begin < gap.end; ++window)
        transfers += std::min(window->end, gap.end) - std::max(window->begin, gap.begin);
    if (transfers > 0)
        section.add(tr("... bubble, transfer"),
                    clock.length(waited - transfers) + QStringLiteral(" + ")
                        + clock.lengthWithUnit(transfers));
}

} // namespace

Details opDetails(const RunView& view, const Selection& selection, const DetailsContext& context)
{
    const KernelView* kernels = context.kernels;
    const auto& op = view.op(selection.op);
    const DetailsClock clock = detailsClock(view, selection.iteration, selection.window.duration());
    const auto explanation = view.explain(selection.iteration, selection.op);
    Details details;
    details.swatch = swatchOf(view, selection.op);
    details.title = opName(view.run().info, op) + QLatin1Char(' ') + opTitle(op.kind);
    details.isCode = true;
    sayLength(details, view, clock, selection.window.duration());
    details.left = place(view, op);
    details.right = tr("device %1").arg(selection.device.value);
    DetailsSection facts;
    facts.add(tr("Start, end"),
              rangeText(selection.window, clock.origin, clock.scale) + QLatin1Char(' ')
                  + clock.scale.unit());
    addPrediction(view, selection, context.predicted, clock, facts);
    if (explanation && engine::isCompute(op.kind))
        addWait(view, selection, explanation->waited, clock, facts);
    for (const auto& row : {spread(view, selection.op, clock), lossRow(view, selection)}) {
        if (row)
            facts.rows.push_back(*row);
    }
    details.sections.push_back(facts);
    if (!explanation)
        return details;
    if (!explanation->needs.empty())
        details.sections.push_back(
            linkSection(view, tr("Needs"), explanation->needs, selection.iteration, clock));
    if (!explanation->neededBy.empty())
        details.sections.push_back(
            linkSection(view, tr("Needed by"), explanation->neededBy, selection.iteration, clock));
    if (auto section = computeSection(view, selection))
        details.sections.push_back(std::move(*section));
    if (kernels != nullptr) {
        if (auto section = kernelSection(view, *kernels, selection))
            details.sections.push_back(std::move(*section));
    }
    addStrip(details, view, selection, clock);
    if (!engine::isCompute(op.kind))
        return details;
    if (auto section = memoryAndTrace(view, selection, clock, kernels); !section.rows.empty())
        details.sections.push_back(std::move(section));
    return details;
}

} // namespace app
