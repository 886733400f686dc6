#include "app/timeline/details/details_kernel.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"
#include "engine/experiment/experiment.h"
#include "engine/model/transformer_shape.h"
#include "engine/schedule/notation.h"
#include "engine/timeline/nvtx_range.h"

#include <algorithm>
#include <cmath>

namespace app {

std::optional<engine::ModelSpec> modelOf(const engine::RunInfo& info)
{
    if (info.experiment.empty() || info.flopsPerIteration <= 0)
        return std::nullopt;
    const auto experiment = engine::experimentFromToml(info.experiment);
    return experiment ? std::optional(experiment->model) : std::nullopt;
}

std::optional<std::pair<int, int>> layersOf(const engine::ModelSpec& model,
                                            const engine::Shape& shape, engine::StageId stage)
{
    const int first = engine::firstLayer(model, shape.stages, stage.value);
    const int next = engine::firstLayer(model, shape.stages, stage.value + 1);
    return first < next ? std::optional(std::pair(first, next - 1)) : std::nullopt;
}

double modelFlopsOf(const engine::ModelSpec& model, const engine::Shape& shape,
                    const engine::Op& op)
{
    using enum engine::OpKind;
    const engine::TransformerShape sizes(model);
    const auto layers = layersOf(model, shape, op.stage);
    const double blocks = layers ? layers->second - layers->first + 1 : 0;
    const double tokens
        = static_cast<double>(model.microBatchSize) * model.sequence / std::max(1, shape.slices);
    const bool isLast = op.stage.value + 1 == shape.stages;
    const double matrices
        = tokens * (blocks * engine::blockFlops(sizes) + (isLast ? engine::headFlops(sizes) : 0));
    const double attention = tokens * blocks * 4.0 * model.width * model.sequence;
    switch (op.kind) {
    case Forward:
        return matrices + attention;
    case Backward:
        return 2 * (matrices + attention);
    case BackwardInput: // includes the gradients of the attention scores
        return matrices + 2 * attention;
    case BackwardWeight:
        return matrices;
    default:
        return 0;
    }
}

namespace {

using engine::OpKind;
using engine::Span;

// The ops of one kind and stage on one device in an iteration.
struct AlikeOps
{
    std::int64_t time = 0;
    int count = 0;
    bool isJoint = false; // another op has exactly the window of the selected op
};

AlikeOps alike(const RunView& view, const Selection& selection)
{
    const engine::Op& wanted = view.op(selection.op);
    const auto& iteration = view.iteration(selection.iteration);
    AlikeOps sum;
    for (const Span& span :
         view.spansAround(selection.device, engine::Track::Kind::Compute, iteration.window)) {
        if (static_cast<int>(span.iteration) != selection.iteration)
            continue;
        sum.isJoint = sum.isJoint || (span.op != selection.op && span.window() == selection.window);
        const engine::Op& op = view.op(span.op);
        if (op.kind == wanted.kind && op.stage == wanted.stage) {
            sum.time += span.window().duration();
            ++sum.count;
        }
    }
    return sum;
}

QString opRateText(double perSecond)
{
    return perSecond >= 1e12 ? tr("%1 TFLOP/s").arg(number(perSecond / 1e12, 0))
                             : tr("%1 GFLOP/s").arg(number(perSecond / 1e9, 1));
}

QString opFlopsText(double flops)
{
    return flops >= 1e11 ? tr("%1 TFLOP").arg(number(flops / 1e12, 3))
                         : tr("%1 GFLOP").arg(number(flops / 1e9, 3));
}

// The op that frees the stash of a forward: its B, or its W if the backward is split.
std::optional<Span> freeing(const RunView& view, const Selection& selection)
{
    const engine::Op& forward = view.op(selection.op);
    const auto& iteration = view.iteration(selection.iteration);
    std::optional<Span> last;
    for (const Span& span :
         view.spansAround(selection.device, engine::Track::Kind::Compute, iteration.window)) {
        const engine::Op& op = view.op(span.op);
        const bool isIts = op.stage == forward.stage && op.microBatch == forward.microBatch
            && op.slice == forward.slice && op.replica == forward.replica
            && static_cast<int>(span.iteration) == selection.iteration;
        if (isIts && engine::isBackward(op.kind) && span.begin >= selection.window.begin)
            last = !last || span.end > last->end ? span : *last;
    }
    return last;
}

// Bytes that the op allocated for its stash; 0 if they are unknown.
std::int64_t stashBytes(const RunView& view, const Selection& selection)
{
    const auto& events = view.timeline().memory;
    std::int64_t bytes = 0;
    for (auto event
         = std::ranges::lower_bound(events, selection.window.begin, {}, &engine::MemoryEvent::time);
         event != events.end() && event->time <= selection.window.end; ++event)
        if (event->op == selection.op && event->category == engine::MemoryCategory::Stash
            && event->bytes > 0)
            bytes += event->bytes;
    return bytes;
}

} // namespace

DetailsSection computeSection(const RunView& view, const Selection& selection)
{
    const engine::RunInfo& info = view.run().info;
    const engine::Shape& shape = view.run().schedule.shape;
    const engine::Op& op = view.op(selection.op);
    const auto model = modelOf(info);
    const double flops = model ? modelFlopsOf(*model, shape, op) : 0;
    if (flops <= 0 || selection.window.duration() <= 0 || info.inUnits())
        return {};
    DetailsSection section(tr("Compute"));
    if (const auto layers = layersOf(*model, shape, op.stage))
        section.note = layers->first == layers->second
            ? tr("layer %1").arg(layers->first)
            : tr("layers %1\u2013%2").arg(layers->first).arg(layers->second);
    section.add(tr("Model FLOPs"), opFlopsText(flops));
    const AlikeOps others = alike(view, selection);
    if (others.isJoint) {
        section.add(tr("Rate"), tr("unknown: measured together with another op"));
        return section;
    }
    const auto rate = [flops](std::int64_t time, int count) {
        return flops * count / (static_cast<double>(time) * 1e-9);
    };
    const double own = rate(selection.window.duration(), 1), all = rate(others.time, others.count);
    const QString name = tr("All %1 of stage %2")
                             .arg(fromUtf8(engine::kindShortName(op.kind)))
                             .arg(op.stage.value);
    if (info.peakFlops <= 0) {
        section.add(tr("Rate"), opRateText(own));
        section.add(name, opRateText(all));
        section.add(tr("MFU of the op"), tr("unknown: the peak of the device was not measured"));
        return section;
    }
    section.add(tr("Rate"), tr("%1 of %2").arg(opRateText(own), opRateText(info.peakFlops)));
    section.add(tr("MFU of the op"), percent(own / info.peakFlops), true);
    section.add(name, percent(all / info.peakFlops));
    return section;
}

DetailsSection memoryAndTrace(const RunView& view, const Selection& selection,
                              const DetailsClock& clock, const KernelView* kernels)
{
    const engine::RunInfo& info = view.run().info;
    const engine::Op& op = view.op(selection.op);
    DetailsSection section(tr("Memory and trace"));
    const auto freed
        = op.kind == OpKind::Forward ? freeing(view, selection) : std::optional<Span>();
    if (freed) {
        const std::int64_t bytes = stashBytes(view, selection);
        const QString kept = clock.lengthWithUnit(freed->end - selection.window.begin);
        section.add(tr("Stash kept for %1").arg(opName(info, view.op(freed->op))),
                    bytes > 0 ? tr("%1, %2").arg(bytesText(bytes), kept) : kept);
        section.add(tr("Stash kept until"), clock.atWithUnit(freed->end));
    }
    if (view.hasMemory()) {
        const double total
            = view.memory(selection.device).at(static_cast<double>(selection.window.end)).total;
        section.add(tr("Device memory at the end"), bytesText(total));
    }
    if (kernels != nullptr && !kernels->isEmpty()) {
        section.add(
            tr("NVTX range"),
            QString::fromStdString(engine::rangeText(op, view.run().schedule.shape,
                                                     engine::nvtxGrammarNamed(info.nvtxGrammar))));
        const engine::OpOfIteration of{selection.op,
                                       static_cast<std::uint32_t>(selection.iteration)};
        section.add(tr("Kernels, dropped"),
                    tr("%1, %2")
                        .arg(kernels->activity().of(of).size())
                        .arg(kernels->activity().trace().health.dropped));
    }
    if (!info.timing.empty())
        section.add(tr("Timed by"), QString::fromStdString(info.timing));
    return section;
}

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

// What the op waited for, as rich text.
QString waitSentence(const RunView& view, const profiler::OpExplanation& explanation,
                     const DetailsClock& clock)
{
    if (explanation.waited <= 0)
        return {};
    const QString waited = clock.lengthWithUnit(explanation.waited);
    if (explanation.needs.empty())
        return tr("Waited %1.").arg(waited);
    const auto& need = explanation.needs.front();
    const engine::Op& op = view.op(need.op);
    if (engine::isTransfer(op.kind))
        return tr("Waited %1 for transfer %2.").arg(waited, routeText(op, need.device));
    return tr("Waited %1 for <b>%2</b>.").arg(waited, opName(view.run().info, op));
}

DetailsSection linkSection(const RunView& view, const QString& title,
                           std::vector<profiler::CauseLink> causes, int iteration,
                           const DetailsClock& clock)
{
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto& a, const auto& b) { return a.window.begin < b.window.begin; });
    DetailsSection section(title, clock.scale.unit());
    for (const auto& cause : causes)
        section.links.push_back(linkTo(view, cause, iteration, clock));
    return section;
}

std::optional<DetailsRow> lossRow(const RunView& view, const Selection& selection)
{
    const auto& op = view.op(selection.op);
    const auto& iteration = view.iteration(selection.iteration);
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
    const std::int64_t begin = view.iteration(selection.iteration).window.begin;
    const std::int64_t late = selection.window.begin - begin - span->begin;
    section.add(
        tr("Predicted start"),
        late == 0 ? clock.scale.text(span->begin)
                  : (late > 0 ? tr("%1, %2 late") : tr("%1, %2 early"))
                        .arg(clock.scale.text(span->begin), clock.lengthWithUnit(std::abs(late))));
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
    if (explanation)
        details.sentence = waitSentence(view, *explanation, clock);
    DetailsSection facts;
    facts.add(tr("Start, end"), clock.range(selection.window));
    addPrediction(view, selection, context.predicted, clock, facts);
    if (explanation && engine::isCompute(op.kind))
        addWait(view, selection, explanation->waited, clock, facts);
    for (const auto& row : {spread(view, selection.op, clock), lossRow(view, selection)}) {
        if (row)
            facts.rows.push_back(*row);
    }
    details.add(facts);
    if (!explanation)
        return details;
    details.add(linkSection(view, tr("Needs"), explanation->needs, selection.iteration, clock));
    details.add(
        linkSection(view, tr("Needed by"), explanation->neededBy, selection.iteration, clock));
    details.add(computeSection(view, selection));
    if (kernels != nullptr)
        details.add(kernelSection(view, *kernels, selection));
    addStrip(details, view, selection, clock);
    if (engine::isCompute(op.kind))
        details.add(memoryAndTrace(view, selection, clock, kernels));
    return details;
}

} // namespace app
