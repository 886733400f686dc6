#include "app/whatif/what_if_text.h"

#include "app/ui/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstdlib>

namespace app {
namespace {

using Bytes = engine::IdVector<engine::DeviceId, std::int64_t>;
constexpr double kAlmostFull = 0.98; // share of the memory limit

QString part(const char* source)
{
    return QCoreApplication::translate("WhatIf", source);
}

// Returns ", with 3.1 GiB more on the fullest device"; "" if the difference is less than 1 %. The
// prediction and the run may have different fullest devices.
QString memoryPart(const Bytes& predicted, const Bytes& measured)
{
    if (predicted.size() != measured.size() || measured.empty())
        return {};
    const std::int64_t before = *std::ranges::max_element(measured);
    const std::int64_t change = *std::ranges::max_element(predicted) - before;
    const auto amount = static_cast<double>(std::abs(change));
    if (amount < 0.01 * static_cast<double>(before))
        return {};
    return (change > 0 ? part(", with %1 more on the fullest device")
                       : part(", with %1 less on the fullest device"))
        .arg(byteScale(std::abs(change)).withUnit(amount));
}

} // namespace

std::int64_t atPace(const WhatIfNumbers& numbers)
{
    return numbers.measured * numbers.batches / std::max(1, numbers.measuredBatches);
}

WhatIfVerdict verdictOf(const WhatIfRow& row, const WhatIfNumbers& numbers)
{
    using Kind = WhatIfVerdict::Kind;
    const Scale scale = timeScale(numbers.measured);
    const auto time = [&](std::int64_t ns) { return scale.text(static_cast<double>(ns)); };
    WhatIfVerdict verdict;
    const std::int64_t baseline = atPace(numbers);
    verdict.kind = row.most < baseline ? Kind::Shorter
        : row.least > baseline         ? Kind::Longer
                                       : Kind::Unclear;
    const std::int64_t most
        = row.deviceBytes.empty() ? 0 : *std::ranges::max_element(row.deviceBytes);
    if (numbers.memoryLimit > 0
        && static_cast<double>(most) > kAlmostFull * static_cast<double>(numbers.memoryLimit))
        verdict.kind = Kind::AlmostFull;
    const bool isOwn = row.scheme == kOwnOrder;
    if (isOwn && row.iteration == numbers.measured) {
        verdict.bold = part("The run's own order takes %1 %2, as recorded.")
                           .arg(time(row.iteration), scale.unit());
        verdict.rest = part("Drag the end of an op, or slow a device or a link.");
        return verdict;
    }
    const bool isAlike = numbers.batches == numbers.measuredBatches;
    const auto batches = [&](int count) {
        return isAlike   ? QString()
            : count == 1 ? part(" for 1 micro-batch")
                         : part(" for %1 micro-batches").arg(count);
    };
    verdict.bold = part("%1 would take %2 %3%4 instead of %5 %3%6")
                       .arg(schemeLabel(row.scheme), time(row.iteration), scale.unit(),
                            batches(numbers.batches), time(numbers.measured),
                            batches(numbers.measuredBatches));
    const double change = static_cast<double>(row.iteration - baseline)
        / static_cast<double>(std::max<std::int64_t>(1, baseline));
    QString inside = signedPercent(change);
    if (!isAlike)
        inside += part(" per micro-batch");
    if (row.hasInterval)
        inside += part(", 95 % interval %1 to %2").arg(time(row.least), time(row.most));
    if (verdict.kind == Kind::Unclear && row.hasInterval)
        inside += part(": no clear difference");
    verdict.rest = QStringLiteral("(%1)%2.").arg(
        inside, isOwn ? QString() : memoryPart(row.deviceBytes, numbers.measuredBytes));
    return verdict;
}

Bytes peaksOf(const profiler::ComparedRun& run)
{
    Bytes peaks;
    for (const profiler::DeviceMetrics& device : run.metrics.devices) {
        if (!device.peakBytes)
            return {};
        peaks.push_back(*device.peakBytes);
    }
    return peaks;
}

namespace {

DetailsSection titled(const QString& title, const QString& note = {})
{
    DetailsSection section;
    section.title = title;
    section.note = note;
    return section;
}

DetailsSection differenceSection(const profiler::Comparison& comparison, const Scale& time)
{
    const profiler::ComparedRun &measured = comparison.runs[0], &predicted = comparison.runs[1];
    DetailsSection section
        = titled(part("Difference by cause"), part("%1, mean of devices").arg(time.unit()));
    const auto add = [&](const char* name, double profiler::ComparedRun::*value) {
        section.add(part(name), time.difference(predicted.*value - measured.*value));
    };
    add("Bubble", &profiler::ComparedRun::meanBubble);
    add("Exposed communication", &profiler::ComparedRun::meanExposed);
    section.add(part("Compute"),
                time.difference(predicted.meanCompute - predicted.meanOptimizer
                                - measured.meanCompute + measured.meanOptimizer));
    add("Optimizer", &profiler::ComparedRun::meanOptimizer);
    const int messages = predicted.metrics.messages - measured.metrics.messages;
    section.add(part("Number of messages"), signedNumber(messages, 0));
    return section;
}

// Adds the pairs of all devices. `before` < 0: unknown.
void addPairs(DetailsSection& section, const Scale& scale,
              const std::vector<std::pair<double, double>>& amounts, double limit)
{
    double most = limit;
    for (const auto& [before, after] : amounts)
        most = std::max({most, before, after});
    section.pairLimit = limit / std::max(most, 1e-9);
    int device = 0;
    for (const auto& [before, after] : amounts)
        section.pairs.push_back({part("Device %1").arg(device++), scale.text(after),
                                 before < 0 ? QString() : scale.difference(after - before),
                                 before / std::max(most, 1e-9), after / std::max(most, 1e-9)});
}

DetailsSection memorySection(const WhatIfRow& row, const profiler::ComparedRun& measured,
                             std::int64_t limit)
{
    const auto before = peaksOf(measured);
    const Scale scale = byteScale(*std::ranges::max_element(row.deviceBytes));
    const auto asDouble = [](std::int64_t bytes) { return static_cast<double>(bytes); };
    DetailsSection section
        = titled(part("Peak memory"),
                 limit > 0 ? part("%1, limit %2").arg(scale.unit(), scale.text(asDouble(limit)))
                           : scale.unit());
    std::vector<std::pair<double, double>> amounts;
    for (const engine::DeviceId device : row.deviceBytes.ids())
        amounts.emplace_back(before.has(device) ? asDouble(before[device]) : -1,
                             asDouble(row.deviceBytes[device]));
    addPairs(section, scale, amounts, asDouble(limit));
    return section;
}

DetailsSection stashSection(const profiler::Comparison& comparison)
{
    const auto& before = comparison.runs[0].metrics.devices;
    DetailsSection section = titled(part("Peak stash"), QStringLiteral("Mₐ"));
    std::vector<std::pair<double, double>> amounts;
    for (const profiler::DeviceMetrics& device : comparison.runs[1].metrics.devices)
        amounts.emplace_back(before.has(device.device) ? before[device.device].peakStash : -1,
                             device.peakStash);
    addPairs(section, Scale{1, 1, {}}, amounts, 0);
    return section;
}

DetailsSection basisSection(const WhatIfDetails& prediction, const WhatIfChanges& changes,
                            const Scale& time)
{
    DetailsSection section = titled(part("Assumptions"));
    const auto add = [&](const QString& name, const std::optional<std::int64_t>& iteration) {
        if (iteration)
            section.add(name, time.withUnit(static_cast<double>(*iteration)));
    };
    const std::size_t edits
        = changes.editedCells() + changes.slowdowns.size() + (changes.messageDelay > 0 ? 1 : 0);
    add(edits == 1 ? part("Without the edit") : part("Without the edits"), prediction.withoutEdits);
    add(part("With the measured layers per stage"), prediction.withMeasuredLayers);
    add(part("With stragglers removed"), prediction.withoutStragglers);
    add(part("With links half as fast"), prediction.withHalfLinks);
    if (prediction.correction)
        section.add(part("Correction factor"), number(*prediction.correction, 3));
    return section;
}

DetailsSection assumedSection(const WhatIfDetails& prediction)
{
    DetailsSection section = titled(part("Not measured, assumed"));
    const auto add = [&](const QString& text) { section.rows.push_back({{}, text}); };
    for (const std::string& assumption : prediction.assumptions)
        add(QString::fromStdString(assumption));
    if (prediction.run->schedule.shape.stages != prediction.measuredStages)
        add(part("Time is spread evenly over each measured stage."));
    add(part("Ops do not slow one another down more than in the run."));
    return section;
}

} // namespace

Details describeWhatIf(const WhatIfDetails& prediction, const WhatIfRow* row,
                       const WhatIfChanges& changes, std::int64_t memoryLimit)
{
    Details details;
    details.title = schemeLabel(prediction.scheme);
    if (prediction.run == nullptr) {
        details.sentence = prediction.reason.toHtmlEscaped();
        return details;
    }
    const engine::Run& run = *prediction.run;
    const auto duration = run.timeline.iterations.front().window.duration();
    const Scale time = timeScale(run.info, duration);
    details.value = time.text(static_cast<double>(duration));
    details.unit = time.unit();
    details.left = shapeText(run);
    if (run.schedule.shape.chunks() > 1)
        details.left += part(", v %1").arg(run.schedule.shape.chunks());
    details.left += part(", simulated");
    if (row != nullptr && row->hasInterval)
        details.right = part("%1 to %2")
                            .arg(time.text(static_cast<double>(row->least)),
                                 time.text(static_cast<double>(row->most)));
    if (prediction.comparison.runs.size() == 2) {
        details.sentence
            = capitalized(QString::fromStdString(profiler::summarize(prediction.comparison, 1)))
                  .toHtmlEscaped()
            + QLatin1Char('.');
        details.sections.push_back(differenceSection(prediction.comparison, time));
        const auto& runs = prediction.comparison.runs;
        const bool hasBytes = row != nullptr && !row->deviceBytes.empty();
        details.sections.push_back(hasBytes ? memorySection(*row, runs[0], memoryLimit)
                                            : stashSection(prediction.comparison));
        details.sections.back().pairLegend[0]
            = part("%1, measured").arg(QString::fromStdString(runs[0].label));
        details.sections.back().pairLegend[1]
            = part("%1, predicted").arg(QString::fromStdString(runs[1].label));
    }
    details.sections.push_back(basisSection(prediction, changes, time));
    details.sections.push_back(assumedSection(prediction));
    return details;
}

} // namespace app
