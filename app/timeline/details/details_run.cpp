#include "app/documents/run_document.h"
#include "app/timeline/details/details_device.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/category_boxes.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/analysis/ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {

namespace {

using profiler::DeviceMetrics;
using profiler::RunMetrics;

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

DetailsLink boxLink(const RunView& view, const Selection& box, const DetailsClock& clock)
{
    DetailsLink link;
    link.target = box;
    link.time = clock.length(box.window.duration());
    const QString device = tr("Device %1").arg(box.device.value);
    if (box.kind == Selection::Kind::Op) {
        link.swatch = swatchOf(view, box.op);
        link.name = opName(view.run().info, view.op(box.op));
        link.rest = tr("on device %1").arg(box.device.value);
        return link;
    }
    link.name = device;
    const auto* bubble
        = view.bubble(box.iteration, box.device, static_cast<double>(box.window.begin));
    link.swatch.look = bubble != nullptr ? Swatch::Look::Bubble : Swatch::Look::Exposed;
    link.rest = bubble != nullptr ? causeText(view, *bubble) : tr("exposed");
    return link;
}

// The longest boxes of the selected category; of all bubbles if nothing is selected.
DetailsSection longest(const RunView& view, const Selection& selection, const RunMetrics& metrics,
                       const DetailsClock& clock)
{
    constexpr std::size_t kMost = 6;
    const bool isSelected = selection.kind == Selection::Kind::Category;
    const auto category = isSelected ? selection.category : profiler::TimeCategory::Bubble;
    const CategoryBoxes boxes(view, selection.iteration, category);
    DetailsSection section;
    section.title = tr("Longest bubbles");
    section.note = clock.scale.unit();
    if (isSelected) {
        const double mean = profiler::timeByCategory(metrics)[category];
        section.title
            = tr("%1, selected").arg(capitalized(fromUtf8(profiler::timeCategoryName(category))));
        section.note = tr("%1 per device, %2")
                           .arg(clock.scale.withUnit(mean),
                                percent(mean / static_cast<double>(metrics.duration)));
    }
    for (const Selection& box : boxes.longest(kMost))
        section.links.push_back(boxLink(view, box, clock));
    const auto more = std::ssize(boxes.all()) - std::ssize(section.links);
    if (more > 0)
        section.add(tr("%1 more, shorter").arg(number(static_cast<double>(more), 0)), {});
    return section;
}

QString flopsText(double perSecond)
{
    return perSecond >= 1e13 ? tr("%1 TFLOP/s").arg(number(perSecond / 1e12, 0))
                             : tr("%1 GFLOP/s").arg(number(perSecond / 1e9, 0));
}

// Adds the first and the last value over all iterations, including warm-up, which also trains.
void addCourse(const engine::Run& run, const QString& name,
               std::optional<double> engine::Iteration::*value, DetailsSection& section)
{
    constexpr int kDecimals = 3;
    std::vector<double> known;
    for (const engine::Iteration& iteration : run.timeline.iterations)
        if (iteration.kind != engine::Iteration::Kind::Replay && iteration.*value)
            known.push_back(*(iteration.*value));
    if (known.empty())
        return;
    const QString last = number(known.back(), kDecimals);
    section.add(name,
                known.size() == 1
                    ? last
                    : number(known.front(), kDecimals) + QString::fromUtf8(" → ") + last,
                false);
}

std::vector<int> measuredIterations(const engine::Run& run)
{
    std::vector<int> measured;
    for (int k = 0; k < static_cast<int>(run.timeline.iterations.size()); ++k)
        if (run.timeline.iterations[static_cast<std::size_t>(k)].kind
            == engine::Iteration::Kind::Measured)
            measured.push_back(k);
    return measured;
}

std::int64_t durationOf(const engine::Run& run, int iteration)
{
    return run.timeline.iterations[static_cast<std::size_t>(iteration)].window.duration();
}

// If the reported iteration is shown, adds its 95 % interval and how much shorter the iteration of
// typical ops is.
void addRange(const engine::Run& run, int iteration, DetailsSection& section)
{
    const std::int64_t shown = durationOf(run, iteration);
    const Scale scale = timeScale(run.info, shown);
    if (iteration != engine::reportedIteration(run.timeline))
        return;
    if (const auto interval = profiler::iterationInterval(run, iteration))
        section.add(tr("95 % interval"),
                    tr("%1 to %2")
                        .arg(scale.text(static_cast<double>(interval->least)),
                             scale.withUnit(static_cast<double>(interval->most))));
    const auto& last = run.timeline.iterations.back();
    if (last.kind == engine::Iteration::Kind::Replay && measuredIterations(run).size() > 1) {
        const auto typical = static_cast<double>(last.window.duration());
        const double change = typical / static_cast<double>(shown) - 1;
        section.add(tr("Typical ops"),
                    (change > 0 ? tr("%1, %2 longer") : tr("%1, %2 shorter"))
                        .arg(scale.withUnit(typical), percent(std::fabs(change))));
    }
}

// Adds the range of the measured iterations to the head. A simulated run repeats itself, so it has
// none.
void addMeasured(const engine::Run& run, int iteration, Details& details)
{
    const std::vector<int> measured = measuredIterations(run);
    const Scale scale = timeScale(run.info, durationOf(run, iteration));
    if (run.info.mode == engine::Mode::Simulate || measured.empty())
        return;
    if (measured.size() == 1) {
        details.right = tr("only one iteration, no range");
        return;
    }
    const auto duration = [&run](int k) { return static_cast<double>(durationOf(run, k)); };
    const auto [least, most] = std::ranges::minmax(measured, {}, duration);
    details.right
        = tr("measured %1 to %2").arg(scale.text(duration(least)), scale.text(duration(most)));
    const double from = duration(least) / scale.perUnit(), to = duration(most) / scale.perUnit();
    const auto place = [&](double value) { return to > from ? (value - from) / (to - from) : 0.5; };
    const profiler::Ticks ticks = profiler::ticks(from, to, (to - from) / 4);
    for (const double tick : ticks.major)
        details.dots.ticks.emplace_back(place(tick), number(tick, ticks.decimals));
    details.dots.unit = scale.unit();
    for (const int k : measured)
        details.dots.dots.push_back(
            {place(duration(k) / scale.perUnit()),
             tr("iteration %1, %2")
                 .arg(QString::number(run.timeline.iterations[static_cast<std::size_t>(k)].number),
                      scale.withUnit(duration(k))),
             {.iteration = k},
             k == iteration});
}

DetailsSection facts(const RunView& view, const RunMetrics& metrics)
{
    const auto& info = view.run().info;
    DetailsSection section;
    section.title = tr("Run");
    const auto add = [&section](const QString& name, const std::string& value) {
        if (!value.empty())
            section.add(name, QString::fromStdString(value));
    };
    if (whyUnknown(info).empty())
        section.add(tr("Mean bubble"), percent(metrics.bubbleRatio));
    if (view.knowsMemory()) {
        const auto size = [](const DeviceMetrics& one) {
            return one.peakBytes ? static_cast<double>(*one.peakBytes) : one.peakStash;
        };
        const DeviceMetrics& fullest = *metrics.fullest(size);
        const QString amount = fullest.peakBytes
            ? byteScale(*fullest.peakBytes).withUnit(static_cast<double>(*fullest.peakBytes))
            : number(fullest.peakStash, 1) + QString::fromUtf8(" Mₐ");
        section.add(fullest.peakBytes ? tr("Largest memory") : tr("Largest stash"),
                    tr("device %1, %2").arg(QString::number(fullest.device.value), amount));
    }
    addRange(view.run(), metrics.iteration, section);
    addCourse(view.run(), tr("Loss, nats per token"), &engine::Iteration::loss, section);
    addCourse(view.run(), tr("Gradient norm"), &engine::Iteration::gradientNorm, section);
    if (metrics.tokensPerSecond)
        section.add(tr("Throughput"), tr("%1 tokens/s").arg(number(*metrics.tokensPerSecond, 0)));
    if (metrics.mfu) // without a peakSource, the peak is from a data sheet
        section.add(info.peakSource.empty() ? tr("MFU") : tr("MFU, of measured peak"),
                    percent(*metrics.mfu));
    if (metrics.hfu) // includes recomputed work
        section.add(tr("HFU"), percent(*metrics.hfu));
    if (info.peakFlops > 0)
        section.add(tr("Peak of a device"), flopsText(info.peakFlops));
    if (!info.peakSource.empty()) // no-break spaces keep matrix sizes on one line
        section.add(tr("Peak source"),
                    fromUtf8(info.peakSource)
                        .replace(QLatin1String(" x "), QStringLiteral("\u00A0\u00D7\u00A0")));
    section.add(tr("Messages, local copies"),
                profiler::lacksMessages(view.run())
                    ? tr("unknown")
                    : tr("%1, %2").arg(metrics.messages).arg(metrics.localCopies));
    if (const int copies = view.run().schedule.shape.dataParallel; copies > 1)
        section.add(tr("Copies W"), tr("%1, the first is shown").arg(copies));
    add(tr("Model"), info.model);
    add(tr("Precision"), info.precision);
    add(tr("Link"), info.link);
    add(tr("Timed by"), info.timing);
    if (info.mode == engine::Mode::Simulate) // shows the options with which a prediction was edited
        add(tr("Command"), info.command);
    add(tr("Hardware"), info.deviceName);
    for (const DetailsRow& row : machineRows(info))
        section.rows.push_back(row);
    return section;
}

// Which iteration of how many the details describe.
QString whichIteration(const engine::Run& run, int iteration)
{
    using enum engine::Iteration::Kind;
    const engine::Iteration& one = run.timeline.iterations[static_cast<std::size_t>(iteration)];
    const auto measured = std::ssize(measuredIterations(run));
    if (one.kind == Replay)
        return tr("Typical ops: every op takes its median time");
    if (one.kind == Warmup)
        return tr("Warm-up iteration %1").arg(one.number);
    const QString all = countOf(measured, "iteration");
    if (measured == 1)
        return all;
    if (iteration != engine::reportedIteration(run.timeline))
        return tr("%1, number %2 is shown").arg(all).arg(one.number);
    return run.info.outcome == engine::Outcome::Running ? tr("%1, the median so far").arg(all)
        : measured == 2                                 ? tr("%1, the shorter is shown").arg(all)
                                                        : tr("%1, the median is shown").arg(all);
}

} // namespace

Details runDetails(const RunView& view, const Selection& selection, const QString& file)
{
    const int iteration = selection.iteration;
    const RunMetrics* metrics = view.metrics(iteration);
    if (!metrics || metrics->devices.empty())
        return {};
    const auto& run = view.run();
    const DetailsClock clock = detailsClock(view, iteration);
    Details details;
    details.title = QString::fromStdString(run.info.label);
    details.value = clock.length(metrics->duration);
    details.unit = clock.scale.unit();
    details.file = file;
    details.left = tr("not saved");
    details.right = shapeText(run);
    details.tag = modeText(run.info);
    details.note = whichIteration(run, iteration);
    addMeasured(run, iteration, details);
    QStringList sentences;
    for (const std::string& warning : profiler::importWarnings(run))
        sentences << fromUtf8(warning).toHtmlEscaped();
    details.sentence = sentences.join(QStringLiteral("<br>"));
    if (selection.kind == Selection::Kind::Category || whyUnknown(run.info).empty())
        if (DetailsSection boxes = longest(view, selection, *metrics, clock); !boxes.links.empty())
            details.sections.push_back(std::move(boxes));
    if (auto memory = gpuMemorySection(run.info))
        details.sections.push_back(std::move(*memory));
    details.sections.push_back(facts(view, *metrics));
    return details;
}

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
