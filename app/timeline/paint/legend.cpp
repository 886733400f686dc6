#include "app/timeline/paint/legend.h"

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

using engine::OpKind;
using profiler::LegendEntry;
using Emphasis = BoxColours::Emphasis;

constexpr double kSwatch = 12, kTextGap = 6, kEntryGap = 22;

int groupsOf(const RunView& view, ColourBy by)
{
    const engine::Shape& shape = view.run().schedule.shape;
    return by == ColourBy::MicroBatch ? shape.allMicroBatches()
        : by == ColourBy::Stage       ? shape.stages
        : by == ColourBy::Chunk       ? view.occurs().chunks
                                      : 1 + static_cast<int>(view.occurs().isUp);
}

// What occurs in any of the runs: kinds of op, chunks, directions, and exposed communication if it
// covers at least a pixel.
profiler::LegendContent contentOf(const std::vector<LegendRun>& runs, LegendDetail detail,
                                  ColourBy by)
{
    profiler::LegendContent all;
    all.by = by;
    all.hasBubble = true;
    const bool isOfTime = detail == LegendDetail::TimeOnly || detail == LegendDetail::Coverage;
    for (const LegendRun& run : runs) {
        const Occurrence& one = run.view->occurs();
        for (int k = 0; k < engine::kOpKinds; ++k) {
            const auto kind = static_cast<OpKind>(k);
            const bool isTransfer = kind == OpKind::SendActivation || kind == OpKind::AllReduce;
            const bool isMove = kind == OpKind::Evict || kind == OpKind::Load;
            if (!one.has(kind)
                || !(engine::isCompute(kind) || kind == OpKind::OptimizerStep
                     || (isTransfer && detail == LegendDetail::WithMemory)
                     || (isMove && !isOfTime)))
                continue;
            const bool hasChunks = engine::isCompute(kind) && detail != LegendDetail::Coverage;
            for (int chunk = 0; chunk < (hasChunks ? one.chunks : 1); ++chunk)
                all.chunks[kind].insert(chunk);
        }
        all.isUp = all.isUp
            || (one.isUp && detail != LegendDetail::Coverage && by == ColourBy::Operation);
        all.groups = std::max(all.groups, groupsOf(*run.view, by));
        all.hasExposed = all.hasExposed
            || static_cast<double>(one.longestExposed) >= std::max(1.0, run.ticksPerPixel);
    }
    const RunView& first = *runs.front().view;
    const std::int64_t longest = first.occurs().longestOp;
    all.longest = durationText(first.run().info, longest).toStdString();
    return all;
}

void add(std::vector<LegendEntry>& entries, LegendEntry::Look look, const QString& text,
         std::vector<profiler::Colour> fills = {})
{
    entries.push_back({look, std::move(fills), text.toStdString(), {}});
}

double widthOf(const LegendEntry& entry, const QFontMetricsF& metrics)
{
    const auto fills = static_cast<double>(std::max<std::size_t>(1, entry.fills.size()));
    return fills * kSwatch + kTextGap + metrics.horizontalAdvance(fromUtf8(entry.text));
}

double paintEntry(QPainter& painter, const LegendEntry& entry, const BoxColours& colours,
                  QPointF at)
{
    const QRectF swatch(at.x(), at.y() - kSwatch / 2, kSwatch, kSwatch);
    double right = swatch.right();
    if (entry.look == LegendEntry::Look::Bubble) {
        paintBubble(painter, colours, swatch, swatch.left());
    } else if (entry.look == LegendEntry::Look::Wait) {
        paintKernelWait(painter, colours, swatch, swatch.left(), 1);
    } else if (entry.look == LegendEntry::Look::Guest) {
        Hatch::ofGuests(toQt(colours.theme().palette.forward), colours.surface(),
                        painter.device()->devicePixelRatioF())
            .fill(painter, swatch, swatch.left());
    } else if (entry.look == LegendEntry::Look::Path) {
        painter.setPen(
            QPen(colours.theme().chrome.text, 2, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        const double middle = std::round(swatch.center().x());
        painter.drawPolyline(QPolygonF({{swatch.left(), swatch.bottom() - 2},
                                        {middle, swatch.bottom() - 2},
                                        {middle, swatch.top() + 2},
                                        {swatch.right(), swatch.top() + 2}}));
    } else if (entry.look == LegendEntry::Look::Up) {
        fillCutBox(painter, swatch, 5, colours.theme().chrome.text2);
    } else if (entry.look == LegendEntry::Look::Interval) {
        const double middle = std::floor(swatch.center().y());
        painter.fillRect(QRectF(swatch.left(), middle, swatch.width(), 1), toQt(entry.fills[0]));
        for (const double x : {swatch.left(), swatch.center().x() - 1, swatch.right() - 1})
            painter.fillRect(QRectF(std::floor(x), middle - 4, 1, 9), toQt(entry.fills[0]));
    } else {
        for (std::size_t k = 0; k < entry.fills.size(); ++k) {
            const QRectF one = swatch.translated(static_cast<double>(k) * kSwatch, 0);
            painter.fillRect(one.adjusted(0, 0, -1, 0), toQt(entry.fills[k]));
            if (k < entry.hatches.size() && entry.hatches[k].density > 0)
                colours.look(OpKind::Recompute, static_cast<int>(k), Emphasis::Normal)
                    .hatch.fill(painter, one.adjusted(0, 0, -1, 0), one.left());
            right = one.right();
        }
        if (entry.edge) {
            painter.setPen(toQt(*entry.edge));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(swatch.adjusted(0.5, 0.5, -1.5, -0.5));
        }
    }
    const QFontMetricsF metrics(painter.font());
    painter.setPen(colours.theme().chrome.text2);
    painter.drawText(QPointF(right + kTextGap, at.y() + metrics.capHeight() / 2),
                     fromUtf8(entry.text));
    return at.x() + widthOf(entry, metrics) + kEntryGap;
}

// Adds one entry for the categories that occur in any of the runs.
void addMemory(Legend& legend, const std::vector<LegendRun>& runs,
               const std::vector<std::pair<engine::MemoryCategory, QString>>& categories,
               const profiler::Palette& palette)
{
    std::vector<profiler::Colour> fills;
    QStringList names;
    for (const auto& [category, name] : categories) {
        if (std::ranges::none_of(runs, [category = category](const LegendRun& run) {
                return run.view->occurs().memory[category];
            }))
            continue;
        fills.push_back(palette.*profiler::memoryFill(category));
        names << name;
    }
    if (!names.isEmpty())
        add(legend.right, LegendEntry::Look::Fills, names.join(QStringLiteral(", ")),
            std::move(fills));
}

} // namespace

Legend legendOf(const std::vector<LegendRun>& runs, const BoxColours& colours, LegendDetail detail)
{
    const auto& palette = colours.theme().palette;
    Legend legend;
    legend.left = profiler::legendEntries(contentOf(runs, detail, colours.colourBy()), palette);
    if (std::ranges::none_of(
            runs, [](const LegendRun& run) { return whyUnknown(run.view->run().info).empty(); }))
        for (LegendEntry& entry : legend.left)
            if (entry.look == LegendEntry::Look::Bubble)
                entry.text = entry.shortText = tr("idle").toStdString();
    if (detail == LegendDetail::TimeOnly || detail == LegendDetail::Coverage)
        return legend;
    const auto hasMemory = [](const LegendRun& run) { return run.view->hasMemory(); };
    if (std::any_of(runs.begin(), runs.end(), hasMemory)) {
        using enum engine::MemoryCategory;
        addMemory(legend, runs,
                  {{Stash, tr("stash")}, {Buffers, tr("buffers")}, {Unknown, tr("unknown memory")}},
                  palette);
        const bool hasGuests = std::ranges::any_of(runs, [](const LegendRun& run) {
            return run.view->occurs().has(OpKind::Evict) && !run.view->occurs().usesHost;
        });
        if (hasGuests)
            add(legend.right, LegendEntry::Look::Guest, tr("guest stash"));
        addMemory(
            legend, runs,
            {{Optimizer, tr("optimizer")}, {Gradients, tr("gradients")}, {Weights, tr("weights")}},
            palette);
    } else if (std::ranges::any_of(runs,
                                   [](const LegendRun& run) { return run.view->knowsMemory(); })) {
        add(legend.right, LegendEntry::Look::Fills, tr("stash"), {palette.stash});
    }
    return legend;
}

void addPath(Legend& legend, const BoxColours& colours)
{
    const auto off
        = [&colours](OpKind kind) { return fromQt(colours.look(kind, 0, Emphasis::OffPath).fill); };
    add(legend.left, LegendEntry::Look::Path, tr("critical path"));
    add(legend.left, LegendEntry::Look::Fills, tr("off the path"),
        {off(OpKind::Forward), off(OpKind::Backward)});
}

void addKernels(Legend& legend, const KernelView& kernels, const BoxColours& colours)
{
    std::vector<profiler::Colour> fills;
    QStringList names;
    for (int k = 0; k < profiler::kKernelKinds; ++k) {
        const auto kind = static_cast<profiler::KernelKind>(k);
        if (!kernels.occurs(kind))
            continue;
        fills.push_back(fromQt(colours.kernel(kind).fill));
        names << fromUtf8(profiler::kernelKindName(kind));
    }
    legend.right.clear();
    add(legend.right, LegendEntry::Look::Fills,
        tr("kernels: %1").arg(names.join(QStringLiteral(", "))), std::move(fills));
    if (kernels.hasWaits())
        add(legend.right, LegendEntry::Look::Wait, tr("NCCL waits"));
}

void addPlan(Legend& legend, const BoxColours& colours)
{
    add(legend.left, LegendEntry::Look::Fills, tr("planned"), {fromQt(colours.surface())});
    legend.left.back().edge = fromQt(colours.theme().chrome.lineStrong);
}

namespace {

constexpr double kLegendLeft = 24, kLegendRight = 12;

QFont legendFont()
{
    return uiFont(11);
}

// The entries of a legend that fit into a width, and the texts of the others. The left ones have
// priority, then the first of the right ones: the stash is usually the largest part of the memory.
struct FittingLegend
{
    FittingLegend(const Legend& legend, double width)
    {
        const QFontMetricsF metrics(legendFont());
        std::vector<double> widths;
        for (const LegendEntry& entry : legend.left)
            widths.push_back(widthOf(entry, metrics));
        for (const auto place : profiler::legendPositions(widths, kEntryGap, width))
            if (place.line > 0)
                hidden << fromUtf8(legend.left[left.size() + hidden.size()].text);
            else
                left.push_back(place.x);
        const double end = left.empty() ? 0 : left.back() + widths[left.size() - 1];
        hasNote = !legend.note.isEmpty() && hidden.isEmpty()
            && end + metrics.horizontalAdvance(legend.note) <= width;
        for (const LegendEntry& entry : legend.right) {
            const double more = widthOf(entry, metrics) + kEntryGap;
            if (hasNote)
                break;
            if (!hidden.isEmpty() || end + rightWidth + more > width) {
                hidden << fromUtf8(entry.text);
                continue;
            }
            rightWidth += more;
            right.push_back(&entry);
        }
    }

    std::vector<double> left; // x of the first entries of Legend::left
    std::vector<const LegendEntry*> right;
    double rightWidth = 0;
    bool hasNote = false;
    QStringList hidden;
};

double moreWidth()
{
    return QFontMetricsF(legendFont()).horizontalAdvance(tr("%1 more").arg(10)) + kEntryGap;
}

// Leaves room for the number of the entries that do not fit.
FittingLegend fitting(const Legend& legend, double width)
{
    const double room = width - kLegendLeft - kLegendRight;
    FittingLegend all(legend, room);
    return all.hidden.isEmpty() ? all : FittingLegend(legend, room - moreWidth());
}

} // namespace

QStringList paintLegend(QPainter& painter, const Legend& legend, const BoxColours& colours,
                        const QRectF& area)
{
    const FittingLegend fit = fitting(legend, area.width());
    painter.setFont(legendFont());
    const double middle = std::round(area.center().y());
    for (std::size_t e = 0; e < fit.left.size(); ++e)
        paintEntry(painter, legend.left[e], colours,
                   {area.left() + kLegendLeft + fit.left[e], middle});
    const QString last = fit.hasNote ? legend.note
        : fit.hidden.isEmpty()       ? QString()
                                     : tr("%1 more").arg(fit.hidden.size());
    painter.setPen(colours.theme().chrome.text2);
    painter.drawText(area.adjusted(0, 0, -kLegendRight, 0), Qt::AlignRight | Qt::AlignVCenter,
                     last);
    double x = area.right() - kLegendRight - fit.rightWidth
        + (fit.hidden.isEmpty() ? kEntryGap : kEntryGap - moreWidth());
    for (const LegendEntry* entry : fit.right)
        x = paintEntry(painter, *entry, colours, {x, middle});
    return fit.hidden;
}

} // namespace app
