#include "app/documents/run_document.h"
#include "app/timeline/details/details_gpu.h"
#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/run_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {
namespace {

using profiler::DeviceMetrics;
using profiler::RunMetrics;

DetailsSection timeSection(const RunView& view, const RunMetrics& metrics,
                           const DetailsClock& clock)
{
    const auto window
        = view.timeline().iterations[static_cast<std::size_t>(metrics.iteration)].window;
    const auto begin = static_cast<double>(window.begin), end = static_cast<double>(window.end);
    Busy sum{};
    double fill = 0, wait = 0, drain = 0, compute = 0, exposed = 0;
    const auto isTraced
        = [&view](const DeviceMetrics& device) { return hasTrace(view.run(), device.device); };
    const auto count = static_cast<double>(
        std::max<std::ptrdiff_t>(1, std::ranges::count_if(metrics.devices, isTraced)));
    for (const auto& device : metrics.devices) {
        if (!isTraced(device))
            continue;
        const Busy one = view.shares(device.device, begin, end);
        for (std::size_t k = 0; k < kShares; ++k)
            sum[k] += one[k] / count;
        fill += static_cast<double>(device.fill) / count;
        wait += static_cast<double>(device.wait) / count;
        drain += static_cast<double>(device.drain) / count;
        compute += static_cast<double>(device.compute) / count;
        exposed += static_cast<double>(device.exposedCommunication) / count;
    }
    const auto text = [&](double ticks) { return clock.scale.text(ticks); };
    DetailsSection section;
    section.title = tr("Time by category");
    section.note = tr("mean of devices, %1").arg(clock.scale.unit());
    if (view.timeline().kernels.empty()) // else the bar would be of host ranges
        section.bars.push_back({{}, {}, shareParts(sum, end - begin)});
    section.rows
        = {{tr("Compute"), text(compute)},
           {tr("Exposed communication"), metrics.exposedIsKnown ? text(exposed) : tr("unknown")},
           whyUnknown(view.run().info).empty()
               ? DetailsRow{tr("Bubble: fill, wait, drain"),
                            text(fill) + QStringLiteral(" + ") + text(wait) + QStringLiteral(" + ")
                                + text(drain)}
               : DetailsRow{tr("Idle"), text(fill + wait + drain)}};
    return section;
}

DetailsRow extreme(const QString& name, const DeviceMetrics& device, const QString& value)
{
    return {name, tr("device %1, %2").arg(QString::number(device.device.value), value)};
}

DetailsSection extremes(const RunView& view, const RunMetrics& metrics)
{
    const double duration = static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
    // Returns `otherwise` for a device without a trace. Its recorded bubble of 0 must not make it
    // the device with the smallest bubble.
    const auto bubbleOf = [&view](const DeviceMetrics& one, std::int64_t otherwise) {
        return hasTrace(view.run(), one.device) ? one.bubble : otherwise;
    };
    const auto least = std::ranges::min_element(metrics.devices, {}, [&](const auto& one) {
        return bubbleOf(one, std::numeric_limits<std::int64_t>::max());
    });
    const auto most = std::ranges::max_element(metrics.devices, {},
                                               [&](const auto& one) { return bubbleOf(one, -1); });
    const auto bubble = [&](const DeviceMetrics& one) {
        return percent(static_cast<double>(one.bubble) / duration);
    };
    const auto largest = std::ranges::max_element(metrics.devices, {}, [](const auto& one) {
        return one.peakBytes ? static_cast<double>(*one.peakBytes) : one.peakStash;
    });
    const QString memory = largest->peakBytes
        ? byteScale(*largest->peakBytes).withUnit(static_cast<double>(*largest->peakBytes))
        : number(largest->peakStash, 1) + QString::fromUtf8(" Mₐ");
    DetailsSection section;
    section.title = tr("Extremes");
    if (whyUnknown(view.run().info).empty())
        section.rows = {
            extreme(tr("Smallest bubble"), *least, bubble(*least)),
            extreme(tr("Largest bubble"), *most, bubble(*most)),
        };
    if (view.knowsMemory())
        section.rows.push_back(extreme(
            largest->peakBytes ? tr("Largest memory") : tr("Largest stash"), *largest, memory));
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

// If the reported iteration is shown, adds its 95 % interval, the range of the measured iterations
// and how much shorter the iteration of typical ops is.
void addRange(const engine::Run& run, int iteration, DetailsSection& section)
{
    std::vector<std::int64_t> measured;
    for (const engine::Iteration& one : run.timeline.iterations)
        if (one.kind == engine::Iteration::Kind::Measured)
            measured.push_back(one.window.duration());
    if (measured.size() < 2 || iteration != engine::reportedIteration(run.timeline))
        return;
    const auto [least, greatest] = std::ranges::minmax(measured);
    const Scale scale = timeScale(run.info, greatest);
    const auto fromTo = [&scale](std::int64_t from, std::int64_t to) {
        return tr("%1 to %2")
            .arg(scale.text(static_cast<double>(from)), scale.withUnit(static_cast<double>(to)));
    };
    if (const auto interval = profiler::iterationInterval(run, iteration))
        section.add(tr("95 % interval"), fromTo(interval->least, interval->most));
    section.add(tr("%1 measured iterations").arg(measured.size()), fromTo(least, greatest));
    const auto& last = run.timeline.iterations.back();
    if (last.kind == engine::Iteration::Kind::Replay) {
        const auto typical = static_cast<double>(last.window.duration());
        const auto& shown = run.timeline.iterations[static_cast<std::size_t>(iteration)];
        const double change = typical / static_cast<double>(shown.window.duration()) - 1;
        section.add(tr("Typical ops"),
                    (change > 0 ? tr("%1, %2 longer") : tr("%1, %2 shorter"))
                        .arg(scale.withUnit(typical), percent(std::fabs(change))));
    }
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

} // namespace

namespace {

// The name of the shown iteration, and whether it is the reported one.
QString whichIteration(const engine::Run& run, int iteration)
{
    using enum engine::Iteration::Kind;
    const auto& iterations = run.timeline.iterations;
    const engine::Iteration& one = iterations[static_cast<std::size_t>(iteration)];
    const auto measured = std::ranges::count(iterations, Measured, &engine::Iteration::kind);
    const bool isReported = iteration == engine::reportedIteration(run.timeline);
    if (one.kind == Replay)
        return tr("Typical ops: every op takes its median time");
    if (one.kind == Warmup)
        return tr("Warm-up iteration %1").arg(one.number);
    if (!isReported || measured == 1)
        return measured == 1 && isReported ? tr("Only measured iteration")
                                           : tr("Iteration %1").arg(one.number);
    return run.info.outcome == engine::Outcome::Running
        ? tr("Iteration %1, the median so far").arg(one.number)
        : measured == 2 ? tr("Reported iteration: %1, the shorter of 2").arg(one.number)
                        : tr("Reported iteration: %1, the median").arg(one.number);
}

} // namespace

Details runDetails(const RunView& view, int iteration)
{
    const RunMetrics* metrics = view.metrics(iteration);
    if (!metrics || metrics->devices.empty())
        return {};
    const auto& run = view.run();
    const DetailsClock clock = detailsClock(view, iteration);
    Details details;
    details.title = QString::fromStdString(run.info.label);
    details.value = clock.length(metrics->duration);
    details.unit = clock.scale.unit();
    details.left = whichIteration(run, iteration) + QStringLiteral(", ") + modeText(run.info);
    details.right = shapeText(run);
    QStringList sentences;
    if (whyUnknown(run.info).empty())
        sentences << tr("<b>%1 bubble</b>, mean of the devices. Click a box, a bubble or a device "
                        "for its details; drag to measure.")
                         .arg(percent(metrics->bubbleRatio));
    for (const std::string& warning : profiler::importWarnings(run))
        sentences << fromUtf8(warning).toHtmlEscaped();
    details.sentence = sentences.join(QStringLiteral("<br>"));
    details.sections.push_back(timeSection(view, *metrics, clock));
    if (DetailsSection section = extremes(view, *metrics); !section.rows.empty())
        details.sections.push_back(std::move(section));
    if (auto memory = gpuMemorySection(run.info))
        details.sections.push_back(std::move(*memory));
    details.sections.push_back(facts(view, *metrics));
    return details;
}

} // namespace app
