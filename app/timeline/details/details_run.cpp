#include "app/documents/run_document.h"
#include "app/timeline/details/details_device.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/category_boxes.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/translate.h"
#include "app/ui/definition_text.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/analysis/ticks.h"
#include "profiler/report/sheet.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {

namespace {

using profiler::RunMetrics;

// The longest boxes of the selected category; of all bubbles if nothing is selected.
DetailsSection longest(const RunView& view, const Selection& selection, const RunMetrics& metrics,
                       const DetailsClock& clock)
{
    constexpr std::size_t kMost = 6;
    const bool isSelected = selection.kind == Selection::Kind::Category;
    const auto category = isSelected ? selection.category : profiler::TimeCategory::Bubble;
    const CategoryBoxes boxes(view, selection.iteration, category);
    DetailsSection section(tr("Longest bubbles"), clock.scale.unit());
    if (isSelected) {
        const double mean = profiler::timeByCategory(metrics)[category];
        section.title
            = tr("%1, selected").arg(capitalized(fromUtf8(profiler::timeCategoryName(category))));
        section.note = tr("%1 per device, %2")
                           .arg(clock.scale.withUnit(mean),
                                percent(mean / static_cast<double>(metrics.duration)));
    }
    for (const Selection& box : boxes.longest(kMost))
        section.links.push_back(linkTo(view, nullptr, box, clock.scale));
    const auto more = std::ssize(boxes.all()) - std::ssize(section.links);
    if (more > 0)
        section.add(tr("%1 more, shorter").arg(number(more)), {});
    return section;
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
        section.add(
            tr("95 % interval"),
            tr("%1 to %2").arg(scale.text(interval->least), scale.withUnit(interval->most)));
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

// The measures of the summary, then what is known of the set-up.
DetailsSection facts(const RunView& view, const RunMetrics& metrics)
{
    const engine::RunInfo& info = view.run().info;
    DetailsSection section(tr("Run"));
    if (whyIterationUnknown(view.run()).empty())
        addRange(view.run(), metrics.iteration, section);
    for (const profiler::Fact& fact :
         profiler::facts(profiler::runMeasures(), {view.run(), metrics},
                         profiler::kSummary | profiler::kSimulated)) {
        if (fact.of.key == "iteration") // in the head
            continue;
        const QString note = fromUtf8(fact.value.note), value = measureText(fact.value, fact.of);
        section.add(fromUtf8(fact.of.title),
                    note.isEmpty() || !fact.value.isKnown() ? value
                                                            : value + QStringLiteral(", ") + note);
    }
    if (const int copies = view.run().schedule.shape.dataParallel; copies > 1)
        section.add(tr("Copies W"), tr("%1, the first is shown").arg(copies));
    // The command has the options with which a prediction was edited.
    const bool isSimulated = info.mode == engine::Mode::Simulate;
    for (const auto& [name, value] :
         {std::pair(tr("Model"), info.model), std::pair(tr("Precision"), info.precision),
          std::pair(tr("Link"), info.link), std::pair(tr("Timed by"), info.timing),
          std::pair(tr("Command"), isSimulated ? info.command : std::string()),
          std::pair(tr("Hardware"), info.deviceName)})
        if (!value.empty())
            section.add(name, fromUtf8(value));
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
    const std::string why = whyIterationUnknown(run);
    details.value = why.empty() ? clock.length(metrics->duration) : tr("unknown");
    details.unit = why.empty() ? clock.scale.unit() : QString();
    details.file = file;
    details.left = tr("not saved");
    details.right = shapeText(run);
    details.tag = modeText(run.info);
    details.note = why.empty() ? whichIteration(run, iteration) : fromUtf8(why);
    if (why.empty())
        addMeasured(run, iteration, details);
    QStringList sentences;
    for (const std::string& warning : profiler::importWarnings(run))
        sentences << fromUtf8(warning).toHtmlEscaped();
    details.sentence = sentences.join(QStringLiteral("<br>"));
    if (selection.kind == Selection::Kind::Category || whyUnknown(run.info).empty())
        if (DetailsSection boxes = longest(view, selection, *metrics, clock); !boxes.links.empty())
            details.add(std::move(boxes));
    details.add(gpuMemorySection(run.info));
    details.add(facts(view, *metrics));
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
                    tr("%1 of %2").arg(number(progress.opsDone), number(progress.ops)));
    else
        section.add(tr("Ops of an iteration"), number(engine::opCount(run.schedule)));
    if (progress.rows > 0)
        section.add(tr("Rows written"), number(progress.rows));
    return section;
}

// Compares the measured iterations with the prediction.
DetailsSection predictionSection(const RunView& view, const engine::Run* predicted)
{
    using enum engine::Iteration::Kind;
    const auto& timeline = view.timeline();
    if (predicted == nullptr || timeline.iterations.empty())
        return {};
    const std::int64_t expected = predicted->timeline.iterations.front().window.duration();
    const Scale scale = timeScale(view.run().info, expected);
    DetailsSection section(tr("Compared with the prediction"), tr("predicted from measured ops"));
    if (const MeanOfIterations mean = meanOf(timeline, Measured); mean.last >= mean.first)
        section.add(mean.first == mean.last
                        ? tr("Iteration %1").arg(mean.first)
                        : tr("Iteration, mean of %1\u2013%2").arg(mean.first).arg(mean.last),
                    scale.withUnit(mean.ticks));
    section.add(tr("Predicted"), scale.withUnit(expected));
    const engine::Iteration& last = timeline.iterations.back();
    section.add(tr("Newest iteration, %1")
                    .arg(timeChange(static_cast<double>(last.window.duration() - expected), scale)),
                scale.withUnit(last.window.duration()));
    section.add({},
                tr("Outlined ops are planned; ops that have run are pale. Measured times "
                   "appear when the iteration is complete."));
    return section;
}

// A table with the live, touched, arena and planned bytes of the first 16 devices; see
// RunningMemory.
DetailsSection liveMemory(const RunView& view)
{
    constexpr int kShown = 16;
    const Scale bytes = byteScale(static_cast<std::int64_t>(view.runningMemoryScale()));
    const auto text = [&bytes](auto amount) { return bytes.text(amount); };
    DetailsSection section(tr("Memory, %1").arg(bytes.unit()));
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
    details.add(progressSection(run, progress));
    return details;
}

Details runningDetails(const RunView& view, const DetailsContext& context)
{
    Details details = runningDetails(view.run(), *context.progress);
    details.add(predictionSection(view, context.predicted));
    details.add(liveMemory(view));
    return details;
}

} // namespace app
