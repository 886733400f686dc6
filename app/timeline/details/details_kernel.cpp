#include "app/timeline/details/details_kernel.h"

#include "app/timeline/details/details_device.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/details/tool_tip.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <algorithm>

namespace app {
namespace {

using profiler::GpuActivity;
using profiler::GpuWork;

QString extent(const std::array<std::int32_t, 3>& size)
{
    QString text = QString::number(size[0]);
    const int dimensions = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
    for (int k = 1; k < dimensions; ++k)
        text += QString::fromUtf8(" × ") + QString::number(size[static_cast<std::size_t>(k)]);
    return text;
}

// Allows line breaks after these characters, because names of kernels have no blanks.
QString breakable(const std::string& name)
{
    QString text;
    for (const QChar c : QString::fromStdString(name)) {
        text += c;
        if (QStringLiteral("_:,<(").contains(c))
            text += QChar(0x200B);
    }
    return text;
}

QString microseconds(std::int64_t nanoseconds)
{
    return scaleIn(Unit::Microsecond).withUnit(nanoseconds);
}

QString bandwidth(std::uint64_t bytes, std::int64_t nanoseconds)
{
    return scaleIn(Unit::GBPerSecond)
        .withUnit(1e9 * static_cast<double>(bytes) / static_cast<double>(nanoseconds));
}

QString bytesOf(std::int64_t bytes)
{
    return dataScale(bytes).withUnit(bytes);
}

// Shared memory is at most about 228 KiB per multiprocessor, so MiB are not needed.
QString sharedText(std::int64_t bytes)
{
    if (bytes == 0)
        return tr("none");
    const auto size = static_cast<double>(bytes);
    return bytes % 1024 == 0 ? scaleIn(Unit::KiB, 0).withUnit(size)
                             : tr("%1 bytes").arg(number(size, 0));
}

DetailsSection launchSection(const engine::GpuKernel& kernel)
{
    DetailsSection section(tr("Launch"));
    const auto& block = kernel.block;
    // A double, because the numbers of a damaged file may overflow integers.
    const double threads = 1.0 * block[0] * block[1] * block[2];
    section.rows = {{tr("Grid, blocks"), extent(kernel.grid)},
                    {tr("Block, threads"),
                     threads == block[0]
                         ? extent(block)
                         : tr("%1 = %2").arg(extent(block), QString::number(threads, 'f', 0))},
                    {tr("Registers per thread"), QString::number(kernel.registers)},
                    {tr("Shared memory per block"),
                     sharedText(std::int64_t{kernel.staticShared} + kernel.dynamicShared)}};
    if (kernel.staticShared > 0 && kernel.dynamicShared > 0)
        section.add(
            tr("... static, dynamic"),
            tr("%1, %2").arg(sharedText(kernel.staticShared), sharedText(kernel.dynamicShared)));
    if (kernel.localPerThread > 0)
        section.add(tr("Local memory per thread"), bytesOf(kernel.localPerThread));
    if (kernel.graphNode != 0)
        section.add(tr("Launched by"), tr("a CUDA graph"));
    return section;
}

DetailsSection bytesSection(std::uint64_t bytes, std::int64_t nanoseconds)
{
    DetailsSection section(tr("Data"));
    section.rows = {{tr("Bytes"), bytesOf(static_cast<std::int64_t>(bytes))},
                    {tr("Bandwidth"), bandwidth(bytes, nanoseconds), true}};
    return section;
}

// The time from the API call to the start of the kernel. Not available for an emulated run: its
// timeline moves calls and kernels separately, so their distance has no meaning.
std::optional<DetailsRow> latencyRow(const RunView& view, const GpuActivity& activity,
                                     const GpuWork& work)
{
    const engine::GpuCall* call = activity.callOf(work);
    if (call == nullptr)
        return std::nullopt;
    const QString name = tr("Launch latency");
    if (view.run().info.mode != engine::Mode::Live)
        return DetailsRow{name, tr("not available in emulation")};
    return DetailsRow{name, microseconds(work.window.begin - call->window.begin)};
}

std::uint32_t workAt(const GpuActivity& activity, const GpuWork& work)
{
    return static_cast<std::uint32_t>(&work - activity.work().data());
}

// The fraction of the op's time in which the kernel runs. A kernel that waits may begin before its
// op; the time before the op does not count.
double shareOfOp(const GpuWork& work, engine::Window op)
{
    const auto within = std::max<std::int64_t>(
        0, std::min(work.window.end, op.end) - std::max(work.window.begin, op.begin));
    return static_cast<double>(within)
        / static_cast<double>(std::max<std::int64_t>(1, op.duration()));
}

DetailsSection placeSection(const RunView& view, const KernelView& kernels, const GpuWork& work,
                            const DetailsClock& clock)
{
    const GpuActivity& activity = kernels.activity();
    DetailsSection section(tr("Time and place"));
    const auto& place = activity.placeOf(work);
    section.add(tr("Start, end"), clock.range(work.window));
    if (const auto row = latencyRow(view, activity, work))
        section.rows.push_back(*row);
    if (const auto wait = kernels.waitOf(workAt(activity, work))) {
        section.add(tr("Wait for other ranks"), microseconds(wait->duration()));
        section.add(tr("Transfers"), microseconds(work.window.end - wait->end), true);
    }
    section.add(tr("Stream, context"), tr("%1, %2").arg(place.stream).arg(place.context));
    if (place.correlation != 0)
        section.add(tr("Correlation"), QString::number(place.correlation));
    return section;
}

// Names the iteration `source`, in which the kernels of an op were recorded: "iteration 2". If the
// Replay is shown, adds the factor by which the kernels are scaled: "iteration 2, scaled
// by 0.98".
QString recordedInText(const RunView& view, engine::OpOfIteration op, std::uint32_t source)
{
    const QString words = iterationTitle(view.timeline(), static_cast<int>(source));
    const auto here = view.spanOf(op.op, static_cast<int>(op.iteration));
    const auto there = view.spanOf(op.op, static_cast<int>(source));
    if (!here || !there || there->end == there->begin)
        return words;
    const double scale = static_cast<double>(here->end - here->begin)
        / static_cast<double>(there->end - there->begin);
    return words + tr(", scaled by %1").arg(number(scale, 2));
}

DetailsSection opSection(const RunView& view, const KernelView& kernels, const GpuWork& work,
                         const DetailsClock& clock)
{
    const auto span = work.of.isKnown()
        ? view.spanOf(work.of.op, static_cast<int>(work.of.iteration))
        : std::nullopt;
    if (!span)
        return {};
    DetailsSection section(tr("Op"), clock.scale.unit());
    section.links.push_back(linkTo(view, {work.of.op, view.deviceOf(work.of.op), span->window()},
                                   static_cast<int>(work.of.iteration), clock));
    section.add(tr("Share of the op"), percent(shareOfOp(work, span->window())), true);
    const auto all = kernels.activity().of(work.of);
    const auto own = std::ranges::find(all, workAt(kernels.activity(), work));
    section.add(tr("Position in the op"),
                tr("%1 of %2").arg(own - all.begin() + 1).arg(all.size()));
    const auto source = kernels.activity().takenFrom(work.of);
    if (source != work.of.iteration)
        section.add(tr("Recorded in"), recordedInText(view, work.of, source));
    return section;
}

// Adds links to the first kernels; the table lists all.
void addKernelLinks(const RunView& view, const KernelView& kernels, engine::OpOfIteration op,
                    engine::Window span, DetailsSection& section)
{
    constexpr std::size_t kShown = 24;
    const GpuActivity& activity = kernels.activity();
    const auto all = activity.of(op);
    const Scale scale = timeScale(view.run().info, 1);
    for (const std::uint32_t at : all.first(std::min(all.size(), kShown))) {
        DetailsLink link = linkTo(view, &kernels, kernels.select(at), scale);
        link.rest.clear();
        link.time += QStringLiteral("   ") + percent(shareOfOp(activity.work()[at], span));
        section.links.push_back(std::move(link));
    }
    if (all.size() > kShown)
        section.add(tr("More kernels"), tr("%1, in the Kernels table").arg(all.size() - kShown));
}

} // namespace

Details kernelDetails(const RunView& view, const KernelView& kernels, const Selection& selection)
{
    const GpuActivity& activity = kernels.activity();
    if (selection.work >= activity.work().size())
        return {};
    const GpuWork& work = activity.work()[selection.work];
    const profiler::KernelName& name = activity.nameOf(work);
    const int iteration = view.iterationAt(work.window.begin);
    const DetailsClock clock = detailsClock(view, iteration, work.window.duration());
    Details details;
    details.swatch.look = Swatch::Look::Kernel;
    details.swatch.kernel = name.kind;
    details.title = breakable(name.label);
    const Scale scale = timeScale(view.run().info, work.window.duration());
    details.value = scale.text(work.window.duration());
    details.unit = scale.unit();
    details.left = fromUtf8(profiler::kernelKindName(name.kind));
    details.right = tr("device %1").arg(selection.device.value);
    if (const auto wait = kernels.waitOf(selection.work); wait && wait->duration() > 0)
        details.sentence
            = tr("<b>Waits %1</b> for other ranks, then transfers for %2.")
                  .arg(microseconds(wait->duration()), microseconds(work.window.end - wait->end));
    details.add(opSection(view, kernels, work, clock));
    if (work.source == GpuWork::Source::Kernel)
        details.add(launchSection(activity.trace().kernels[work.row]));
    else
        details.add(bytesSection(activity.bytesOf(work), work.window.duration()));
    details.add(placeSection(view, kernels, work, clock));
    if (name.full != name.label) {
        DetailsSection full(tr("Full name"));
        full.add({}, breakable(name.full));
        details.add(std::move(full));
    }
    return details;
}

DetailsSection kernelSection(const RunView& view, const KernelView& kernels,
                             const Selection& selection)
{
    const engine::OpOfIteration op{selection.op, static_cast<std::uint32_t>(selection.iteration)};
    const auto work = profiler::opWork(kernels.activity(), op, selection.window);
    if (!work)
        return {};
    DetailsSection section(tr("Kernels"),
                           tr("%1, %2, share")
                               .arg(countOf(static_cast<std::int64_t>(work->works), "launch"),
                                    scaleIn(Unit::Microsecond).unit()));
    DetailsBar bar;
    const auto time = static_cast<double>(std::max<std::int64_t>(1, work->time));
    for (const profiler::KernelKind kind : work->byKind.enumerators()) {
        const auto sum = work->byKind[kind];
        DetailsBar::Part part;
        part.swatch.look = Swatch::Look::Kernel;
        part.swatch.kernel = kind;
        part.share = std::min(1.0, static_cast<double>(sum) / time);
        if (sum > 0)
            bar.parts.push_back(part);
    }
    section.bars.push_back(std::move(bar));
    section.add(tr("Gaps between kernels"), percent(work->gapShare()), true);
    section.add(tr("Longest gap"), microseconds(work->longestGap));
    if (work->isLaunchBound())
        section.add(tr("Launch-bound"), tr("short kernels wait for their launches"));
    const auto source = kernels.activity().takenFrom(op);
    if (source != op.iteration)
        section.add(tr("Recorded in"), recordedInText(view, op, source));
    addKernelLinks(view, kernels, op, selection.window, section);
    return section;
}

QString kernelToolTip(const RunView& view, const KernelView& kernels, const Selection& selection)
{
    const GpuActivity& activity = kernels.activity();
    const GpuWork& work = activity.work()[selection.work];
    const profiler::KernelName& name = activity.nameOf(work);
    QStringList lines{fromUtf8(profiler::kernelKindName(name.kind))};
    if (work.source == GpuWork::Source::Kernel) {
        const auto& kernel = activity.trace().kernels[work.row];
        lines[0] += tr(", grid %1, block %2").arg(extent(kernel.grid), extent(kernel.block));
    } else {
        const auto bytes = activity.bytesOf(work);
        lines[0] += tr(", %1, %2")
                        .arg(bytesOf(static_cast<std::int64_t>(bytes)),
                             bandwidth(bytes, work.window.duration()));
    }
    if (const auto wait = kernels.waitOf(selection.work))
        lines << tr("waits %1 for other ranks, transfers %2")
                     .arg(microseconds(wait->duration()),
                          microseconds(work.window.end - wait->end));
    if (work.of.isKnown())
        lines << tr("of <code>%1</code>").arg(opName(view.run().info, view.op(work.of.op)));
    if (name.full != name.label)
        lines << QString::fromStdString(name.full).toHtmlEscaped();
    const Scale scale = timeScale(view.run().info, work.window.duration());
    return toolTipPage(QString::fromStdString(name.label).toHtmlEscaped(),
                       scale.withUnit(work.window.duration()), lines);
}

std::optional<KernelStep> kernelStep(int key, Qt::KeyboardModifiers modifiers, bool isOnKernel)
{
    if (!isOnKernel && !(modifiers & Qt::ShiftModifier))
        return std::nullopt;
    switch (key) {
    case Qt::Key_Comma:
        return KernelStep::Previous;
    case Qt::Key_Period:
        return KernelStep::Next;
    case Qt::Key_Up:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return KernelStep::Out;
    case Qt::Key_Down:
        return KernelStep::Into;
    default:
        return std::nullopt;
    }
}

std::optional<Selection> walkedKernel(const RunView& view, const KernelView& kernels,
                                      const Selection& from, KernelStep step)
{
    const GpuActivity& activity = kernels.activity();
    if (step == KernelStep::Into) {
        const auto all = activity.of({from.op, static_cast<std::uint32_t>(from.iteration)});
        return from.kind != Selection::Kind::Op || all.empty()
            ? std::nullopt
            : std::optional(kernels.select(all.front()));
    }
    if (from.kind != Selection::Kind::Kernel)
        return std::nullopt;
    if (step == KernelStep::Out)
        return selectOp(view, from.op, from.iteration);
    const auto to = kernels.neighbour(from.work, step == KernelStep::Next ? 1 : -1);
    return to ? std::optional(kernels.select(*to)) : std::nullopt;
}

} // namespace app
