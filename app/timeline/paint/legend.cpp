#include "app/timeline/paint/legend.h"

#include "app/timeline/paint/kernel_painter.h"
#include "app/timeline/view/words.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

namespace app {
namespace {

using engine::OpKind;
using Emphasis = BoxColours::Emphasis;

constexpr double kSwatch = 12, kTextGap = 6, kEntryGap = 22;

// What occurs in any of the runs, and whether exposed communication covers a pixel.
struct Shown : Occurrence
{
    bool isExposed = false;
    int microBatches = 0, stages = 0;
};

Shown merged(const std::vector<LegendRun>& runs)
{
    Shown all;
    for (const LegendRun& run : runs) {
        const auto& one = run.view->occurs();
        const engine::Shape& shape = run.view->run().schedule.shape;
        all.microBatches = std::max(all.microBatches, shape.microBatches);
        all.stages = std::max(all.stages, shape.stages);
        for (int kind = 0; kind < engine::kOpKinds; ++kind)
            all.kinds[kind] = all.kinds[kind] || one.kinds[kind];
        all.chunks = std::max(all.chunks, one.chunks);
        all.isUp = all.isUp || one.isUp;
        all.isExposed = all.isExposed
            || static_cast<double>(one.longestExposed) >= std::max(1.0, run.ticksPerPixel);
    }
    return all;
}

LegendEntry opEntry(const BoxColours& colours, OpKind kind, int chunks, const QString& text)
{
    LegendEntry entry;
    for (int chunk = 0; chunk < std::min(3, chunks); ++chunk)
        entry.fills.push_back(colours.look(kind, chunk, Emphasis::Normal).fill);
    entry.edge = colours.look(kind, 0, Emphasis::Normal).edge;
    entry.text = text;
    return entry;
}

// One hue per micro-batch, stage or direction; forward lighter.
void addHues(Legend& legend, const Shown& all, const BoxColours& colours)
{
    const ColourBy by = colours.colourBy();
    const int groups = by == ColourBy::MicroBatch ? all.microBatches
        : by == ColourBy::Stage                   ? all.stages
                                                  : 1 + static_cast<int>(all.isUp);
    const auto entry = [&](int group, const QString& text) {
        legend.left.push_back({LegendEntry::Look::Fills,
                               {colours.hue(group, true, Emphasis::Normal).fill,
                                colours.hue(group, false, Emphasis::Normal).fill},
                               {},
                               text});
    };
    const QString first = by == ColourBy::MicroBatch ? tr("micro-batch 0: forward, backward")
        : by == ColourBy::Stage                      ? tr("stage 0: forward, backward")
                                                     : tr("down: forward, backward");
    for (int group = 0; group < std::min(groups, BoxColours::kHues); ++group) {
        const bool isRepeated = group + BoxColours::kHues < groups;
        const QString number = by == ColourBy::Direction ? tr("up") : QString::number(group);
        entry(group,
              group == 0       ? first
                  : isRepeated ? number + QStringLiteral(", %1 …").arg(group + BoxColours::kHues)
                               : number);
    }
}

void addCompute(Legend& legend, const Shown& all, const BoxColours& colours)
{
    if (colours.colourBy() != ColourBy::Operation) {
        addHues(legend, all, colours);
        return;
    }
    const QString chunked = all.chunks == 2 ? tr("forward, chunk 0 and 1")
        : all.chunks > 2                    ? tr("forward, chunk 0, 1, 2 ...")
                                            : tr("forward");
    if (all.has(OpKind::Forward))
        legend.left.push_back(opEntry(colours, OpKind::Forward, all.chunks, chunked));
    if (all.has(OpKind::Backward))
        legend.left.push_back(opEntry(colours, OpKind::Backward, all.chunks, tr("backward")));
    if (all.has(OpKind::BackwardInput))
        legend.left.push_back(
            opEntry(colours, OpKind::BackwardInput, all.chunks, tr("input gradient I")));
    if (all.has(OpKind::BackwardWeight))
        legend.left.push_back(
            opEntry(colours, OpKind::BackwardWeight, all.chunks, tr("weight gradient W")));
    if (all.isUp)
        legend.left.push_back(
            {LegendEntry::Look::Up, {colours.theme().chrome.text2}, {}, tr("direction up")});
}

void addRest(Legend& legend, const Shown& all, const BoxColours& colours, LegendDetail detail)
{
    const bool sends = all.has(OpKind::SendActivation), reduces = all.has(OpKind::AllReduce);
    if (detail == LegendDetail::WithMemory && (sends || reduces)) {
        const QString text = sends && reduces ? tr("P2P, all-reduce")
            : sends                           ? tr("P2P")
                                              : tr("all-reduce");
        legend.left.push_back(opEntry(colours, OpKind::SendActivation, 1, text));
    }
    if (all.isExposed)
        legend.left.push_back(
            {LegendEntry::Look::Fills,
             {colours.exposed(Emphasis::Normal).fill},
             {},
             detail == LegendDetail::WithMemory ? tr("exposed") : tr("exposed communication")});
    if (all.has(OpKind::OptimizerStep))
        legend.left.push_back(opEntry(colours, OpKind::OptimizerStep, 1, tr("optimizer")));
    legend.left.push_back({LegendEntry::Look::Bubble, {}, {}, tr("bubble")});
}

double widthOf(const LegendEntry& entry, const QFontMetricsF& metrics)
{
    const auto fills = static_cast<double>(std::max<std::size_t>(1, entry.fills.size()));
    return fills * kSwatch + kTextGap + metrics.horizontalAdvance(entry.text);
}

double paintEntry(QPainter& painter, const LegendEntry& entry, const BoxColours& colours,
                  QPointF at)
{
    const QRectF swatch(at.x(), at.y() - kSwatch / 2, kSwatch, kSwatch);
    double right = swatch.right();
    if (entry.look == LegendEntry::Look::Bubble) {
        colours.bubble().fill(painter, swatch, swatch.left());
    } else if (entry.look == LegendEntry::Look::Wait) {
        paintKernelWait(painter, colours, swatch, swatch.left(), 1);
    } else if (entry.look == LegendEntry::Look::Up) {
        const QPointF outline[] = {{swatch.left() + 5, swatch.top()},
                                   swatch.topRight(),
                                   swatch.bottomRight(),
                                   swatch.bottomLeft(),
                                   {swatch.left(), swatch.top() + 5}};
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.fills.front());
        painter.drawPolygon(outline, 5);
        painter.setRenderHint(QPainter::Antialiasing, false);
    } else {
        for (std::size_t k = 0; k < entry.fills.size(); ++k) {
            const QRectF one = swatch.translated(static_cast<double>(k) * kSwatch, 0);
            painter.fillRect(one.adjusted(0, 0, -1, 0), entry.fills[k]);
            right = one.right();
        }
        if (entry.edge.isValid()) {
            painter.setPen(entry.edge);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(swatch.adjusted(0.5, 0.5, -1.5, -0.5));
        }
    }
    const QFontMetricsF metrics(painter.font());
    painter.setPen(colours.theme().chrome.text2);
    painter.drawText(QPointF(right + kTextGap, at.y() + metrics.capHeight() / 2), entry.text);
    return at.x() + widthOf(entry, metrics) + kEntryGap;
}

} // namespace

Legend legendOf(const std::vector<LegendRun>& runs, const BoxColours& colours, LegendDetail detail)
{
    Legend legend;
    const Shown all = merged(runs);
    addCompute(legend, all, colours);
    addRest(legend, all, colours, detail);
    if (detail == LegendDetail::TimeOnly)
        return legend;
    const auto& palette = colours.theme().palette;
    const auto hasMemory = [](const LegendRun& run) { return run.view->hasMemory(); };
    if (std::any_of(runs.begin(), runs.end(), hasMemory)) {
        legend.right.push_back({LegendEntry::Look::Fills,
                                {toQt(palette.stash), toQt(palette.buffers)},
                                {},
                                tr("stash, buffers")});
        legend.right.push_back(
            {LegendEntry::Look::Fills,
             {toQt(palette.optimizerState), toQt(palette.gradients), toQt(palette.weights)},
             {},
             tr("optimizer, gradients, weights")});
    } else {
        legend.right.push_back({LegendEntry::Look::Fills, {toQt(palette.stash)}, {}, tr("stash")});
    }
    return legend;
}

void addKernels(Legend& legend, const KernelView& kernels, const BoxColours& colours)
{
    LegendEntry entry;
    QStringList words;
    for (int k = 0; k < profiler::kKernelKinds; ++k) {
        const auto kind = static_cast<profiler::KernelKind>(k);
        if (!kernels.occurs(kind))
            continue;
        const auto word = profiler::kernelKindName(kind);
        entry.fills.push_back(colours.kernel(kind).fill);
        words << QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
    }
    entry.text = tr("kernels: %1").arg(words.join(QStringLiteral(", ")));
    legend.right = {entry};
    if (kernels.hasWaits())
        legend.right.push_back({LegendEntry::Look::Wait, {}, {}, tr("NCCL waits")});
}

void paintLegend(QPainter& painter, const Legend& legend, const BoxColours& colours,
                 const QRectF& area)
{
    painter.setFont(uiFont(11));
    const QFontMetricsF metrics(painter.font());
    const double middle = std::round(area.center().y());
    double x = area.left() + 24;
    for (const auto& entry : legend.left) {
        if (x + widthOf(entry, metrics) > area.right())
            return;
        x = paintEntry(painter, entry, colours, {x, middle});
    }
    if (!legend.note.isEmpty() && x + metrics.horizontalAdvance(legend.note) + 12 <= area.right()) {
        painter.setPen(colours.theme().chrome.text2);
        painter.drawText(area.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter,
                         legend.note);
        return;
    }
    // Shows the last entries that fit; memory is labelled in its column, kernels have their names.
    double needs = 12 - kEntryGap;
    auto first = legend.right.end();
    for (; first != legend.right.begin(); --first) {
        const double more = widthOf(*(first - 1), metrics) + kEntryGap;
        if (x + needs + more > area.right())
            break;
        needs += more;
    }
    x = area.right() - needs;
    for (auto entry = first; entry != legend.right.end(); ++entry)
        x = paintEntry(painter, *entry, colours, {x, middle});
}

} // namespace app
