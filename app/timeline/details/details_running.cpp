#include "app/documents/run_document.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <algorithm>

namespace app {
namespace {

// The mean duration of the iterations of a kind; 0: none.
struct MeanOfIterations
{
    double ticks = 0;
    int first = 0, last = -1; // numbers of the iterations
};

MeanOfIterations meanOf(const engine::Timeline& timeline, engine::Iteration::Kind kind)
{
    MeanOfIterations mean;
    int count = 0;
    for (const engine::Iteration& one : timeline.iterations) {
        if (one.kind != kind)
            continue;
        mean.first = count == 0 ? one.number : mean.first;
        mean.last = one.number;
        mean.ticks += static_cast<double>(one.window.duration());
        ++count;
    }
    mean.ticks /= std::max(1, count);
    return mean;
}

QString timeChange(double ticks, const Scale& scale)
{
    if (std::abs(ticks) < 0.05 * scale.perUnit())
        return tr("on time");
    return (ticks > 0 ? tr("%1 behind") : tr("%1 ahead")).arg(scale.withUnit(std::abs(ticks)));
}

// The iteration in progress: "iteration 3".
QString nextName(const RunProgress& progress)
{
    return progress.done < progress.warmup
        ? tr("warm-up %1").arg(progress.done)
        : tr("iteration %1").arg(progress.done - progress.warmup);
}

DetailsSection progressSection(const engine::Run& run, const RunProgress& progress)
{
    DetailsSection section;
    section.add(tr("Complete iterations"), tr("%1 of %2").arg(progress.done).arg(progress.planned),
                true);
    if (progress.warmup > 0)
        section.add(tr("of which warm-up"),
                    QString::number(std::min(progress.done, progress.warmup)));
    if (progress.ops > 0)
        section.add(tr("Ops of %1").arg(nextName(progress)),
                    tr("%1 of %2")
                        .arg(number(static_cast<double>(progress.opsDone), 0),
                             number(static_cast<double>(progress.ops), 0)));
    else
        section.add(tr("Ops of an iteration"),
                    number(static_cast<double>(engine::opCount(run.schedule)), 0));
    if (progress.rows > 0)
        section.add(tr("Rows written"), number(static_cast<double>(progress.rows), 0));
    return section;
}

// Compares the measured iterations with the prediction.
std::optional<DetailsSection> predictionSection(const RunView& view, const engine::Run* predicted)
{
    using enum engine::Iteration::Kind;
    const auto& timeline = view.timeline();
    if (predicted == nullptr || timeline.iterations.empty())
        return std::nullopt;
    const std::int64_t expected = predicted->timeline.iterations.front().window.duration();
    const Scale scale = timeScale(view.run().info, expected);
    DetailsSection section;
    section.title = tr("Compared with the prediction");
    section.note = tr("predicted from measured ops");
    if (const MeanOfIterations mean = meanOf(timeline, Measured); mean.last >= mean.first)
        section.add(mean.first == mean.last
                        ? tr("Iteration %1").arg(mean.first)
                        : tr("Iteration, mean of %1\u2013%2").arg(mean.first).arg(mean.last),
                    scale.withUnit(mean.ticks));
    section.add(tr("Predicted"), scale.withUnit(static_cast<double>(expected)));
    const engine::Iteration& last = timeline.iterations.back();
    section.add(tr("Newest iteration, %1")
                    .arg(timeChange(static_cast<double>(last.window.duration() - expected), scale)),
                scale.withUnit(static_cast<double>(last.window.duration())));
    section.add({},
                tr("Outlined ops are planned; ops that have run are pale. Measured times "
                   "appear when the iteration is complete."));
    return section;
}

// A table with the live, touched, arena and planned bytes of the first 16 devices; see
// RunningMemory.
std::optional<DetailsSection> liveMemory(const RunView& view)
{
    constexpr int kShown = 16;
    const Scale bytes = byteScale(static_cast<std::int64_t>(view.runningMemoryScale()));
    const auto text = [&bytes](auto amount) { return bytes.text(static_cast<double>(amount)); };
    DetailsSection section;
    section.title = tr("Memory, %1").arg(bytes.unit());
    section.table.columns = {tr("live"), tr("touched"), tr("arena"), tr("plan")};
    for (int d = 0; d < std::min(view.devices(), kShown); ++d)
        if (const auto memory = view.runningMemory(engine::DeviceId{d}))
            section.table.rows.push_back(
                {tr("device %1").arg(d),
                 {{text(memory->live.total), true},
                  {memory->touched ? text(*memory->touched) : QStringLiteral("–"), false,
                   memory->isOverArena()},
                  {text(memory->arena)},
                  {text(memory->plan), false, memory->isOverPlan}}});
    if (section.table.rows.empty())
        return std::nullopt;
    return section;
}

} // namespace

Details runningDetails(const engine::Run& run, const RunProgress& progress)
{
    Details details;
    details.title = tr("Running");
    if (progress.secondsLeft >= 0) {
        details.value = number(progress.secondsLeft, progress.secondsLeft < 10 ? 1 : 0);
        details.unit = tr("s left");
    }
    details.left
        = QString::fromStdString(run.info.label) + QStringLiteral(", ") + modeText(run.info);
    details.right = tr("%1 s so far").arg(number(progress.secondsSoFar, 1));
    details.sections.push_back(progressSection(run, progress));
    return details;
}

Details runningDetails(const RunView& view, const DetailsContext& context)
{
    Details details = runningDetails(view.run(), *context.progress);
    if (auto section = predictionSection(view, context.predicted))
        details.sections.push_back(std::move(*section));
    if (auto section = liveMemory(view))
        details.sections.push_back(std::move(*section));
    return details;
}

} // namespace app
