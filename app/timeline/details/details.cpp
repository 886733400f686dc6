#include "app/timeline/details/details.h"

#include "app/timeline/details/details_kernel.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/run_measures.h"

#include <QTextDocumentFragment>

#include <cmath>

namespace app {
namespace {

bool isKnown(const RunView& view, const Selection& selection)
{
    const auto iterations = static_cast<int>(view.timeline().iterations.size());
    if (selection.iteration < 0 || selection.iteration >= iterations)
        return false;
    const bool isOp = selection.kind == Selection::Kind::Op;
    return !isOp || view.spanOf(selection.op, selection.iteration).has_value();
}

// Returns why a device is idle, in a few words: "wait: B of micro-batch 0".
QString causeText(const RunView& view, const profiler::Bubble& bubble)
{
    using enum profiler::Bubble::Kind;
    if (bubble.kind == Drain)
        return tr("drain: no work left");
    const QString kind = fromUtf8(profiler::bubbleKindName(bubble.kind));
    if (!bubble.next)
        return kind;
    const engine::Op& next = view.op(*bubble.next);
    return tr("%1: %2").arg(
        kind,
        next.microBatch.isValid()
            ? tr("%1 of micro-batch %2")
                  .arg(fromUtf8(engine::kindShortName(next.kind)), microBatchText(next))
            : opTitle(next.kind));
}

} // namespace

Details detailsOf(const RunView& view, const Selection& selection, const DetailsContext& context)
{
    const KernelView* kernels = context.kernels;
    if (selection.kind == Selection::Kind::None && context.hits != nullptr)
        return hitsDetails(view, context);
    if (selection.kind == Selection::Kind::None && context.progress != nullptr && !view.isEmpty())
        return runningDetails(view, context);
    if (selection.kind == Selection::Kind::None)
        return runDetails(view, {.iteration = engine::reportedIteration(view.timeline())},
                          context.file);
    if (selection.kind == Selection::Kind::Kernel)
        return kernels != nullptr && !view.isEmpty() ? kernelDetails(view, *kernels, selection)
                                                     : Details();
    if (!isKnown(view, selection))
        return {};
    switch (selection.kind) {
    case Selection::Kind::Op:
        return opDetails(view, selection, context);
    case Selection::Kind::Bubble:
        return bubbleDetails(view, selection);
    case Selection::Kind::Range:
        return rangeDetails(view, selection, context);
    case Selection::Kind::Device:
        return deviceDetails(view, selection, kernels);
    case Selection::Kind::Category:
        return runDetails(view, selection, context.file);
    case Selection::Kind::None:
    case Selection::Kind::Kernel:
        break;
    }
    return {};
}

QString plainText(const Details& details)
{
    QStringList lines{details.title + QLatin1Char('\t') + details.value + QLatin1Char(' ')
                      + details.unit};
    const auto add = [&lines](const QStringList& cells) {
        const QString line = cells.join(QLatin1Char('\t')).trimmed();
        if (!line.isEmpty())
            lines << line;
    };
    const auto addTable = [&add, &lines](const DetailsTable& table) {
        if (!table.rows.empty())
            lines << QLatin1Char('\t') + table.columns.join(QLatin1Char('\t'));
        for (const DetailsTable::Row& row : table.rows) {
            QStringList cells{row.name};
            for (const DetailsTable::Cell& cell : row.cells)
                cells << cell.text;
            add(cells);
        }
    };
    add({details.file.isEmpty() ? details.left : details.file, details.right});
    add({details.tag, details.note});
    QTextDocumentFragment sentence = QTextDocumentFragment::fromHtml(details.sentence);
    add({sentence.toPlainText()});
    for (const DetailsSection& section : details.sections) {
        add({section.title, section.note});
        for (const DetailsBar& bar : section.bars)
            add({bar.name, bar.value});
        for (const DetailsLink& link : section.links)
            add({QStringList{link.prefix, link.name, link.rest}.join(QLatin1Char(' ')).trimmed(),
                 link.time});
        addTable(section.table);
        for (const DetailsRow& row : section.rows)
            add({row.name, row.value});
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

DetailsClock detailsClock(const RunView& view, int iteration)
{
    const auto& window = view.iteration(iteration).window;
    return {timeScale(view.run().info, window.duration()), static_cast<double>(window.begin)};
}

DetailsClock detailsClock(const RunView& view, int iteration, std::int64_t length)
{
    // Adds digits until the length is at least this many steps of the last digit.
    constexpr double kSteps = 30;
    constexpr int kMostMore = 3;
    DetailsClock clock = detailsClock(view, iteration);
    if (view.run().info.inUnits() || length <= 0) // units are exact without more digits
        return clock;
    double step = clock.scale.perUnit() * std::pow(10.0, -clock.scale.decimals());
    int more = 0;
    for (; more < kMostMore && step * kSteps > static_cast<double>(length); ++more)
        step /= 10;
    clock.scale = clock.scale.finer(more);
    return clock;
}

void sayLength(Details& details, const RunView& view, const DetailsClock& clock, std::int64_t ticks)
{
    constexpr double kLeastShown = 0.1;
    const bool isTiny = static_cast<double>(ticks) < kLeastShown * clock.scale.perUnit();
    const Scale scale = isTiny ? timeScale(view.run().info, ticks) : clock.scale;
    details.value = scale.text(ticks);
    details.unit = scale.unit();
}

Swatch swatchOf(const RunView& view, std::uint32_t op)
{
    const auto& one = view.op(op);
    return {Swatch::Look::Op, one.kind, view.chunk(one), one.replica > 0};
}

QString describeOp(const engine::RunInfo& info, const engine::Op& op)
{
    const auto letter = engine::kindShortName(op.kind);
    QString kind = engine::isCompute(op.kind)
        ? QString::fromUtf8(letter.data(), static_cast<qsizetype>(letter.size()))
        : opTitle(op.kind);
    if (!engine::knowsStages(info))
        return kind;
    if (!op.microBatch.isValid() || !engine::knowsMicroBatches(info))
        return tr("%1 of stage %2").arg(kind).arg(op.stage.value);
    return tr("%1 of micro-batch %2 on stage %3").arg(kind, microBatchText(op)).arg(op.stage.value);
}

QString routeText(const engine::Op& op, engine::DeviceId device)
{
    const bool isOut
        = op.kind == engine::OpKind::SendActivation || op.kind == engine::OpKind::SendGradient;
    const int here = device.value, there = op.peer;
    return tr("device %1 to %2").arg(isOut ? here : there).arg(isOut ? there : here);
}

DetailsLink linkTo(const RunView& view, const profiler::CauseLink& cause, int iteration,
                   const DetailsClock& clock)
{
    const auto& op = view.op(cause.op);
    DetailsLink link;
    link.swatch = swatchOf(view, cause.op);
    link.time = rangeText(cause.window, clock.origin, clock.scale);
    if (const auto target = selectOp(view, cause.op, iteration))
        link.target = *target;
    if (engine::isTransfer(op.kind)) {
        link.name = tr("transfer");
        link.rest = routeText(op, cause.device);
    } else {
        link.name = opName(view.run().info, op);
        link.rest = tr("on device %1").arg(cause.device.value);
    }
    return link;
}

DetailsLink linkTo(const RunView& view, const KernelView* kernels, const Selection& target,
                   const Scale& time)
{
    DetailsLink link;
    link.target = target;
    link.time = time.text(target.window.duration());
    link.rest = tr("on device %1").arg(target.device.value);
    if (target.kind == Selection::Kind::Op) {
        link.swatch = swatchOf(view, target.op);
        link.name = opName(view.run().info, view.op(target.op));
    } else if (target.kind == Selection::Kind::Kernel) {
        link.swatch.look = Swatch::Look::Kernel;
        link.swatch.kernel = kernels ? kernels->kindOf(target.work) : profiler::KernelKind::Other;
        link.name = kernels ? kernels->label(target.work) : tr("kernel");
        link.isCut = true;
    } else {
        const auto* bubble = view.bubble(target);
        link.swatch.look = bubble ? Swatch::Look::Bubble : Swatch::Look::Exposed;
        link.name = tr("Device %1").arg(target.device.value);
        link.rest = bubble ? causeText(view, *bubble) : tr("exposed");
    }
    return link;
}

void addStrip(Details& details, const RunView& view, const Selection& selection,
              const DetailsClock& clock)
{
    const auto flow = flowOf(view, selection);
    if (!flow || view.path(*flow).empty())
        return;
    const auto& path = view.path(*flow);
    StageStrip strip;
    strip.stages = view.run().schedule.shape.stages;
    strip.window = path.front().window;
    for (const auto& link : path) {
        strip.boxes.push_back({swatchOf(view, link.op), view.op(link.op).stage.value, link.window,
                               selection.kind == Selection::Kind::Op && link.op == selection.op});
        strip.window.end = std::max(strip.window.end, link.window.end);
    }
    const auto* bubble
        = selection.kind == Selection::Kind::Bubble ? view.bubble(selection) : nullptr;
    if (bubble && bubble->next)
        strip.boxes.push_back(
            {{Swatch::Look::Bubble}, view.op(*bubble->next).stage.value, bubble->window, true});
    strip.from = clock.atWithUnit(strip.window.begin);
    strip.to = clock.atWithUnit(strip.window.end);
    DetailsSection section(tr("Micro-batch %1, stage over time").arg(flow->microBatch.value),
                           directionText(view.op(path.front().op)));
    section.strip = std::move(strip);
    details.add(std::move(section));
}

std::vector<DetailsBar::Part> shareParts(const Busy& busy, double duration)
{
    using enum engine::OpKind;
    const auto share = [&](Share kind) {
        return duration > 0 ? busy[static_cast<std::size_t>(kind)] / duration : 0;
    };
    std::vector<DetailsBar::Part> parts{
        {{Swatch::Look::Op, Forward}, share(Share::Forward)},
        {{Swatch::Look::Op, Backward}, share(Share::Backward)},
        {{Swatch::Look::Op, BackwardWeight}, share(Share::Weight)},
        {{Swatch::Look::Op, Recompute}, share(Share::Recompute)},
        {{Swatch::Look::Op, OptimizerStep}, share(Share::Optimizer)},
        {{Swatch::Look::Exposed}, share(Share::Communication)},
    };
    double rest = 1;
    for (const auto& part : parts)
        rest -= part.share;
    parts.push_back({{Swatch::Look::Bubble}, std::max(0.0, rest)});
    return parts;
}

} // namespace app
