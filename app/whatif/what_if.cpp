#include "app/whatif/what_if.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/experiment/run_nodes.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/predicted_info.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

namespace app {
namespace {

// Returns the number of layers before each stage, then the total.
std::vector<int> bordersOf(const LayerSplit& split)
{
    std::vector<int> borders{0};
    for (const int layers : split)
        borders.push_back(borders.back() + layers);
    return borders;
}

std::vector<int> evenBorders(const LayerSplit& split)
{
    return bordersOf(evenSplit(split));
}

} // namespace

LayerSplit evenSplit(int layers, int stages)
{
    engine::TransformerSpec model;
    model.layers = layers;
    LayerSplit split;
    for (int stage = 0; stage < stages; ++stage)
        split.push_back(engine::layersOf(model, stages, stage));
    return split;
}

LayerSplit evenSplit(const LayerSplit& split)
{
    return evenSplit(std::accumulate(split.begin(), split.end(), 0),
                     static_cast<int>(split.size()));
}

std::vector<profiler::LayerMove> layerMoves(const LayerSplit& split)
{
    const std::vector<int> now = bordersOf(split), before = evenBorders(split);
    std::vector<profiler::LayerMove> moves;
    for (std::size_t from = 0; from < split.size(); ++from)
        for (std::size_t to = 0; to < split.size(); ++to) {
            const int common
                = std::min(now[to + 1], before[from + 1]) - std::max(now[to], before[from]);
            if (from != to && common > 0)
                moves.push_back({engine::StageId{static_cast<int>(from)},
                                 engine::StageId{static_cast<int>(to)}, common});
        }
    return moves;
}

LayerSplit withMoves(LayerSplit even, const std::vector<profiler::LayerMove>& moves)
{
    for (const profiler::LayerMove& move : moves) {
        even[static_cast<std::size_t>(move.from.value)] -= move.count;
        even[static_cast<std::size_t>(move.to.value)] += move.count;
    }
    return even;
}

std::pair<int, int> borderRange(const LayerSplit& split, int border)
{
    const std::vector<int> now = bordersOf(split), before = evenBorders(split);
    const auto at = static_cast<std::size_t>(border);
    return {std::max(now[at], before[at]) + 1, std::min(now[at + 2], before[at + 2]) - 1};
}

LayerSplit withBorder(LayerSplit split, int border, int before)
{
    const auto [least, most] = borderRange(split, border);
    const auto at = static_cast<std::size_t>(border);
    const int begin = std::accumulate(split.begin(), split.begin() + border, 0);
    const int both = split[at] + split[at + 1];
    split[at] = std::clamp(before, least, most) - begin;
    split[at + 1] = both - split[at];
    return split;
}

namespace {

QString sentence(const char* source)
{
    return QCoreApplication::translate("WhatIf", source);
}

double workOf(const profiler::StageTimes& stage)
{
    double work = 0;
    for (const auto* samples : {&stage.forward, &stage.backward, &stage.input, &stage.weight})
        work += static_cast<double>(samples->median());
    return work;
}

} // namespace

QString whyNoWhatIf(const engine::Run* run)
{
    if (run == nullptr || !hasIterations(run))
        return sentence("The run has no iteration yet");
    if (run->info.mode == engine::Mode::Simulate)
        return sentence("The run is simulated, so it has no measured times");
    if (!knowsStages(run->info))
        return sentence("The traces do not name stages, so the times of the stages are unknown");
    return {};
}

std::vector<QString> whatIfSchemes()
{
    std::vector<QString> names{kOwnOrder};
    for (const engine::Scheme& scheme : engine::schemes())
        if (!scheme.asynchronous)
            names.push_back(fromUtf8(scheme.name));
    return names;
}

QString schemeLabel(const QString& scheme)
{
    return scheme == kOwnOrder ? sentence("Own order") : schemeTitle(scheme);
}

engine::Result<profiler::Prediction> predictScheme(const profiler::WhatIfPredictor& changed,
                                                   const QString& scheme,
                                                   const WhatIfChanges& changes, int resamples,
                                                   const std::function<bool()>& isCancelled)
{
    const engine::Shape& shape = changed.run().schedule.shape;
    if (scheme == kOwnOrder) {
        if (changes.microBatches != shape.microBatches)
            return engine::fail(engine::Error::Code::InvalidArgument,
                                sentence("The run's own order has N = %1; set N to this number")
                                    .arg(shape.microBatches)
                                    .toStdString());
        return changed.predictOwn(changes.linkSpeed).map([](profiler::Prediction prediction) {
            prediction.run.info.outcome = engine::Outcome::Finished;
            return prediction;
        });
    }
    engine::ScheduleRequest request;
    request.scheme = scheme.toStdString();
    request.devices = shape.devices;
    request.microBatches = changes.microBatches;
    auto schedule = TRY(engine::buildSchedule(request));
    return changed.predict({std::move(schedule), changes.linkSpeed, resamples, 1, isCancelled})
        .map([&](profiler::Prediction prediction) {
            prediction.run.info.label = schemeLabel(scheme).toStdString();
            prediction.run.info.outcome = engine::Outcome::Finished;
            return prediction;
        });
}

WhatIfRow whatIfRow(const QString& scheme, const engine::Result<profiler::Prediction>& prediction,
                    bool hasInterval)
{
    WhatIfRow row;
    row.scheme = scheme;
    if (!prediction) {
        row.reason = QString::fromStdString(prediction.error().message);
        return row;
    }
    row.isKnown = true;
    row.hasInterval = hasInterval && scheme != kOwnOrder;
    row.iteration = prediction->iteration;
    row.least = prediction->least;
    row.most = prediction->most;
    row.bubbleRatio = prediction->bubbleRatio;
    row.peakStash = prediction->peakStash;
    row.deviceBytes = prediction->deviceBytes;
    row.thumbnail = std::make_shared<const Thumbnail>(makeThumbnail(prediction->run));
    return row;
}

WhatIfDetails whatIfDetails(const profiler::WhatIfPredictor& measured, const engine::Run& run,
                            const WhatIfChanges& changes, const QString& scheme)
{
    WhatIfDetails details;
    details.scheme = scheme;
    const auto predictor = withChanges(measured, changes);
    auto prediction = predictor ? predictScheme(*predictor, scheme, changes)
                                : tl::unexpected(predictor.error());
    if (!prediction) {
        details.reason = QString::fromStdString(prediction.error().message);
        return details;
    }
    profiler::describeRecorded(run, {}, prediction->run.schedule.shape, prediction->run.info);
    auto compared = profiler::compare({&run, &prediction->run});
    if (compared)
        details.comparison = *std::move(compared);
    const auto with = [&](auto change) -> std::optional<std::int64_t> {
        WhatIfChanges other = changes;
        change(other);
        const auto changed = withChanges(measured, other);
        if (other == changes || !changed)
            return std::nullopt;
        const auto again = predictScheme(*changed, scheme, other);
        return again ? std::optional(again->iteration) : std::nullopt;
    };
    details.withoutEdits = with([](WhatIfChanges& other) {
        other.times.clear();
        other.weightShare.reset();
        other.slowdowns.clear();
        other.messageDelay = 0;
    });
    details.withMeasuredLayers = with([](WhatIfChanges& other) {
        other.moves.clear();
        other.layers = 0;
    });
    details.withoutStragglers = with([](WhatIfChanges& other) { other.removesStragglers = true; });
    details.withHalfLinks = with([](WhatIfChanges& other) { other.linkSpeed /= 2; });
    details.measuredStages = run.schedule.shape.stages;
    if (scheme != kOwnOrder) {
        details.correction = measured.correction();
        details.assumptions = predictor->times().assumptions;
    }
    details.run = std::make_shared<const engine::Run>(std::move(prediction->run));
    return details;
}

QString whatIfCommand(const QString& file, const QString& scheme, const WhatIfChanges& changes,
                      const engine::Shape& measured)
{
    const bool isOwn = scheme == kOwnOrder;
    std::vector<std::string> words{file.toStdString()};
    if (isOwn)
        words.emplace_back("--own-order");
    else if (!scheme.isEmpty())
        words.insert(words.end(), {"--scheme", scheme.toStdString()});
    std::ranges::copy(profiler::arguments(changes, measured.microBatches, isOwn),
                      std::back_inserter(words));
    return fromUtf8(engine::commandText("whatif", words));
}

SlowestDevice slowestDevice(const engine::Run& run, const profiler::MeasuredTimes& times)
{
    constexpr double kSame = 0.01;
    const int devices = run.schedule.shape.devices;
    engine::IdVector<engine::DeviceId, double> work(static_cast<std::size_t>(devices), 0);
    for (const engine::StageId stage : times.stages.ids())
        work[run.schedule.device(0, stage)] += workOf(times.stages[stage]);
    const auto longest = std::ranges::max_element(work);
    const double others
        = (std::accumulate(work.begin(), work.end(), 0.0) - *longest) / std::max(1, devices - 1);
    if (devices < 2 || others <= 0 || *longest / others - 1 < kSame)
        return {};
    return {static_cast<int>(longest - work.begin()), *longest / others - 1};
}

namespace {

QString byFactor(double factor)
{
    return QStringLiteral(" × %1").arg(QString::number(factor, 'g', 4));
}

} // namespace

QString selectionText(const profiler::RunEdit& edit)
{
    if (edit.op)
        return fromUtf8(engine::toString(*edit.op));
    if (edit.links)
        return *edit.links == engine::LinkTier::InNode ? sentence("All links within nodes")
                                                       : sentence("All links between nodes");
    if (edit.peer)
        return sentence("Link %1–%2").arg(edit.device->value).arg(edit.peer->value);
    const QString kind = edit.kind ? fromUtf8(engine::kindShortName(*edit.kind)) : QString();
    if (!edit.device)
        return sentence("%1 on all devices").arg(kind);
    return (edit.kind ? sentence("%1 on device %2").arg(kind) : sentence("Device %1"))
        .arg(edit.device->value);
}

std::vector<WhatIfEdit> editsOf(const WhatIfChanges& changes, const engine::Run& run)
{
    std::vector<WhatIfEdit> edits;
    const auto add = [&](const QString& text, auto remove) {
        edits.push_back({text, changes});
        remove(edits.back().without);
    };
    for (const auto& [cell, time] : changes.times)
        add(sentence("Stage %1: %2 takes %3")
                .arg(cell.stage)
                .arg(fromUtf8(engine::kindName(cell.kind)),
                     timeScale(time).withUnit(static_cast<double>(time))),
            [cell = cell](WhatIfChanges& other) { other.times.erase(cell); });
    if (changes.weightShare)
        add(sentence("W is %1 of B").arg(percent(*changes.weightShare)),
            [](WhatIfChanges& other) { other.weightShare.reset(); });
    for (const profiler::RunEdit& edit : changes.slowdowns)
        add(selectionText(edit) + byFactor(edit.factor), [&](WhatIfChanges& other) {
            std::erase_if(other.slowdowns, [&](const auto& one) { return one.selectsAs(edit); });
        });
    if (changes.messageDelay > 0)
        add(sentence("Every message delayed by %1")
                .arg(timeScale(changes.messageDelay)
                         .withUnit(static_cast<double>(changes.messageDelay))),
            [](WhatIfChanges& other) { other.messageDelay = 0; });
    if (changes.linkSpeed != 1)
        add(sentence("Speed of the links") + byFactor(changes.linkSpeed),
            [](WhatIfChanges& other) { other.linkSpeed = 1; });
    if (changes.removesStragglers)
        add(sentence("Stragglers removed"),
            [](WhatIfChanges& other) { other.removesStragglers = false; });
    if (!changes.moves.empty())
        add(sentence("Changed layers per stage"), [](WhatIfChanges& other) {
            other.moves.clear();
            other.layers = 0;
        });
    if (const int measured = run.schedule.shape.microBatches; changes.microBatches != measured)
        add(sentence("N = %1 micro-batches").arg(changes.microBatches),
            [measured](WhatIfChanges& other) { other.microBatches = measured; });
    if (changes.tensorParallel != 1)
        add(sentence("Tensor parallelism") + byFactor(changes.tensorParallel),
            [](WhatIfChanges& other) { other.tensorParallel = 1; });
    return edits;
}

double slowdown(const WhatIfChanges& changes, const profiler::RunEdit& edit)
{
    const auto same = std::ranges::find_if(
        changes.slowdowns, [&](const profiler::RunEdit& one) { return one.selectsAs(edit); });
    return same == changes.slowdowns.end() ? 1 : same->factor;
}

void setSlowdown(WhatIfChanges& changes, profiler::RunEdit edit)
{
    edit.factor
        = std::clamp(edit.factor, profiler::RunEdit::kLeastFactor, profiler::RunEdit::kMostFactor);
    const auto same = std::ranges::find_if(
        changes.slowdowns, [&](const profiler::RunEdit& one) { return one.selectsAs(edit); });
    if (std::abs(edit.factor - 1) < 1e-6) {
        if (same != changes.slowdowns.end())
            changes.slowdowns.erase(same);
    } else if (same != changes.slowdowns.end()) {
        *same = edit;
    } else {
        changes.slowdowns.push_back(edit);
    }
}

std::vector<profiler::RunEdit> linksOf(const engine::Run& run)
{
    const engine::Schedule& schedule = run.schedule;
    const std::vector<int> nodes = engine::nodesOfDevices(run);
    std::set<std::pair<engine::DeviceId, engine::DeviceId>> pairs;
    for (const engine::DeviceId device : schedule.program.ids())
        for (const engine::Op& op : schedule.program[device])
            if (engine::isTransfer(op.kind))
                pairs.insert(std::minmax(device, engine::otherDevice(schedule, op)));
    std::vector<profiler::RunEdit> links;
    for (const auto tier : {engine::LinkTier::InNode, engine::LinkTier::AcrossNodes}) {
        profiler::RunEdit all;
        all.links = tier;
        if (checkEdit(all, run.schedule, nodes))
            links.push_back(all);
    }
    for (const auto& [device, peer] : pairs) {
        profiler::RunEdit link;
        link.device = device;
        link.peer = peer;
        links.push_back(link);
    }
    return links;
}

namespace {

using Bytes = engine::IdVector<engine::DeviceId, std::int64_t>;
constexpr double kAlmostFull = 0.98; // share of the memory limit

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
    return (change > 0 ? sentence(", with %1 more on the fullest device")
                       : sentence(", with %1 less on the fullest device"))
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
        verdict.bold = sentence("The run's own order takes %1 %2, as recorded.")
                           .arg(time(row.iteration), scale.unit());
        verdict.rest = sentence("Drag the end of an op, or slow a device or a link.");
        return verdict;
    }
    const bool isAlike = numbers.batches == numbers.measuredBatches;
    const auto batches = [&](int count) {
        return isAlike   ? QString()
            : count == 1 ? sentence(" for 1 micro-batch")
                         : sentence(" for %1 micro-batches").arg(count);
    };
    verdict.bold = sentence("%1 would take %2 %3%4 instead of %5 %3%6")
                       .arg(schemeLabel(row.scheme), time(row.iteration), scale.unit(),
                            batches(numbers.batches), time(numbers.measured),
                            batches(numbers.measuredBatches));
    const double change = static_cast<double>(row.iteration - baseline)
        / static_cast<double>(std::max<std::int64_t>(1, baseline));
    QString inside = signedPercent(change);
    if (!isAlike)
        inside += sentence(" per micro-batch");
    if (row.hasInterval)
        inside += sentence(", 95 % interval %1 to %2").arg(time(row.least), time(row.most));
    if (verdict.kind == Kind::Unclear && row.hasInterval)
        inside += sentence(": no clear difference");
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
        = titled(sentence("Difference by cause"), sentence("%1, mean of devices").arg(time.unit()));
    const auto add = [&](const char* name, double profiler::ComparedRun::*value) {
        section.add(sentence(name), time.difference(predicted.*value - measured.*value));
    };
    add("Bubble", &profiler::ComparedRun::meanBubble);
    add("Exposed communication", &profiler::ComparedRun::meanExposed);
    section.add(sentence("Compute"),
                time.difference(predicted.meanCompute - predicted.meanOptimizer
                                - measured.meanCompute + measured.meanOptimizer));
    add("Optimizer", &profiler::ComparedRun::meanOptimizer);
    const int messages = predicted.metrics.messages - measured.metrics.messages;
    section.add(sentence("Number of messages"), signedNumber(messages, 0));
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
        section.pairs.push_back({sentence("Device %1").arg(device++), scale.text(after),
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
        = titled(sentence("Peak memory"),
                 limit > 0 ? sentence("%1, limit %2").arg(scale.unit(), scale.text(asDouble(limit)))
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
    DetailsSection section = titled(sentence("Peak stash"), QStringLiteral("Mₐ"));
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
    DetailsSection section = titled(sentence("Assumptions"));
    const auto add = [&](const QString& name, const std::optional<std::int64_t>& iteration) {
        if (iteration)
            section.add(name, time.withUnit(static_cast<double>(*iteration)));
    };
    const std::size_t edits
        = changes.editedCells() + changes.slowdowns.size() + (changes.messageDelay > 0 ? 1 : 0);
    add(edits == 1 ? sentence("Without the edit") : sentence("Without the edits"),
        prediction.withoutEdits);
    add(sentence("With the measured layers per stage"), prediction.withMeasuredLayers);
    add(sentence("With stragglers removed"), prediction.withoutStragglers);
    add(sentence("With links half as fast"), prediction.withHalfLinks);
    if (prediction.correction)
        section.add(sentence("Correction factor"), number(*prediction.correction, 3));
    return section;
}

DetailsSection assumedSection(const WhatIfDetails& prediction)
{
    DetailsSection section = titled(sentence("Not measured, assumed"));
    const auto add = [&](const QString& text) { section.rows.push_back({{}, text}); };
    for (const std::string& assumption : prediction.assumptions)
        add(QString::fromStdString(assumption));
    if (prediction.run->schedule.shape.stages != prediction.measuredStages)
        add(sentence("Time is spread evenly over each measured stage."));
    add(sentence("Ops do not slow one another down more than in the run."));
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
        details.left += sentence(", v %1").arg(run.schedule.shape.chunks());
    details.left += sentence(", simulated");
    if (row != nullptr && row->hasInterval)
        details.right = sentence("%1 to %2")
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
            = sentence("%1, measured").arg(QString::fromStdString(runs[0].label));
        details.sections.back().pairLegend[1]
            = sentence("%1, predicted").arg(QString::fromStdString(runs[1].label));
    }
    details.sections.push_back(basisSection(prediction, changes, time));
    details.sections.push_back(assumedSection(prediction));
    return details;
}

} // namespace app
