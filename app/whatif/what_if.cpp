#include "app/whatif/what_if.h"

#include "app/ui/text.h"
#include "engine/base/cancel.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/experiment/run_nodes.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/predicted_info.h"
#include "profiler/analysis/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace app {

using profiler::ComparedRun;
using profiler::RunEdit;

namespace {

QString timeText(std::int64_t ns)
{
    return timeScale(ns).withUnit(ns);
}

} // namespace

QString whyNoWhatIf(const engine::Run* run)
{
    if (run == nullptr || !hasIterations(run))
        return fromUtf8("The run has no iteration yet");
    if (run->info.mode == engine::Mode::Simulate)
        return fromUtf8("The run is simulated, so it has no measured times");
    if (!knowsStages(run->info))
        return fromUtf8("The traces do not name stages, so the times of the stages are unknown");
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
    return scheme == kOwnOrder ? fromUtf8("Own order") : schemeTitle(scheme);
}

namespace {

WhatIfChanges noChanges(const engine::Run& run)
{
    WhatIfChanges none;
    none.microBatches = run.schedule.shape.microBatches;
    return none;
}

} // namespace

WhatIfEdits::WhatIfEdits(const engine::Run& run, QObject* parent)
    : QObject(parent)
    , m_steps{noChanges(run)}
{ }

void WhatIfEdits::take(WhatIfChanges next, const QString& control)
{
    if (next == changes())
        return;
    if (control.isEmpty() || control != m_control || !canUndo())
        ++m_step;
    m_steps.resize(m_step);
    m_steps.push_back(std::move(next));
    m_control = control;
    Q_EMIT changed();
}

void WhatIfEdits::go(std::size_t step)
{
    m_step = step;
    endStep();
    Q_EMIT changed();
}

std::int64_t WhatIfRow::mostBytes() const
{
    return deviceBytes.empty() ? 0 : *std::ranges::max_element(deviceBytes);
}

engine::Result<profiler::Prediction> predictScheme(const profiler::WhatIfPredictor& changed,
                                                   const QString& scheme,
                                                   const WhatIfChanges& changes, int resamples,
                                                   const std::function<bool()>& isCancelled)
{
    const engine::Shape& shape = changed.run().schedule.shape;
    const bool isOwn = scheme == kOwnOrder;
    if (isOwn && changes.microBatches != shape.microBatches)
        return engine::invalid(fromUtf8("The run's own order has N = %1; set N to this number")
                                   .arg(shape.microBatches)
                                   .toStdString());
    profiler::WhatIf asked{{}, changes.linkSpeed, resamples, 1, isCancelled};
    if (!isOwn) {
        engine::ScheduleRequest request;
        request.scheme = scheme.toStdString();
        request.devices = shape.devices;
        request.microBatches = changes.microBatches;
        asked.schedule = TRY(engine::buildSchedule(request));
    }
    auto prediction = TRY(isOwn ? changed.predictOwn(changes.linkSpeed) : changed.predict(asked));
    if (!isOwn)
        prediction.run.info.label = schemeLabel(scheme).toStdString();
    prediction.run.info.outcome = engine::Outcome::Finished;
    return prediction;
}

namespace {

// Takes the numbers of a prediction, but not its run, which can be large.
WhatIfRow whatIfRow(const QString& scheme, engine::Result<profiler::Prediction>& prediction,
                    bool hasInterval)
{
    WhatIfRow row;
    row.scheme = scheme;
    row.isKnown = prediction.has_value();
    if (!row.isKnown) {
        row.reason = QString::fromStdString(prediction.error().message);
        return row;
    }
    row.hasInterval = hasInterval && scheme != kOwnOrder;
    row.thumbnail = std::make_shared<const Thumbnail>(makeThumbnail(prediction->run));
    engine::Run run = std::exchange(prediction->run, {});
    static_cast<profiler::Prediction&>(row) = *prediction;
    prediction->run = std::move(run);
    row.least -= row.replayError;
    row.most += row.replayError;
    return row;
}

// Adds the iteration times with one assumption changed. Leaves out changes without effect.
void addAlternatives(const profiler::WhatIfPredictor& measured, WhatIfDetails& details)
{
    const auto add = [&](const char* name, auto change) {
        WhatIfChanges other = details.changes;
        change(other);
        const auto changed = withChanges(measured, other);
        if (other == details.changes || !changed)
            return;
        if (const auto again = predictScheme(*changed, details.row.scheme, other))
            details.alternatives.emplace_back(fromUtf8(name), again->iteration);
    };
    const WhatIfChanges& now = details.changes;
    const std::size_t edits
        = now.editedCells() + now.slowdowns.size() + (now.messageDelay > 0 ? 1 : 0);
    add(edits == 1 ? "Without the edit" : "Without the edits", [](WhatIfChanges& other) {
        other.times.clear();
        other.weightShare.reset();
        other.slowdowns.clear();
        other.messageDelay = 0;
    });
    add("With the measured layers per stage", [](WhatIfChanges& other) {
        other.moves.clear();
        other.layers = 0;
    });
    add("With stragglers removed", [](WhatIfChanges& other) { other.removesStragglers = true; });
    add("With links half as fast", [](WhatIfChanges& other) { other.linkSpeed /= 2; });
}

} // namespace

WhatIfDetails whatIfDetails(const profiler::WhatIfPredictor& measured, const engine::Run& run,
                            const WhatIfChanges& changes, const QString& scheme, WhatIfDepth depth)
{
    WhatIfDetails details;
    details.changes = changes;
    details.isPreview = depth == WhatIfDepth::Preview;
    const auto predictor = withChanges(measured, changes);
    auto prediction = predictor ? predictScheme(*predictor, scheme, changes)
                                : tl::unexpected(predictor.error());
    details.row = whatIfRow(scheme, prediction, false);
    if (!prediction)
        return details;
    profiler::describeRecorded(run, {}, prediction->run.schedule.shape, prediction->run.info);
    details.run = std::make_shared<const engine::Run>(std::move(prediction->run));
    if (details.isPreview)
        return details;
    if (auto compared = profiler::compare({&run, details.run.get()}))
        details.comparison = *std::move(compared);
    addAlternatives(measured, details);
    if (scheme != kOwnOrder) {
        details.correction = measured.correction();
        details.assumptions = predictor->times().assumptions;
    }
    if (details.run->schedule.shape.stages != run.schedule.shape.stages)
        details.assumptions.emplace_back("Time is spread evenly over each measured stage.");
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
    const auto work = profiler::deviceWork(run, times);
    const auto longest = std::ranges::max_element(work);
    const double others = (std::accumulate(work.begin(), work.end(), 0.0) - *longest)
        / std::max<double>(1, static_cast<double>(work.size()) - 1);
    if (work.size() < 2 || others <= 0 || *longest / others - 1 < kSame)
        return {};
    return {static_cast<int>(longest - work.begin()), *longest / others - 1};
}

QString selectionText(const RunEdit& edit)
{
    if (edit.op)
        return fromUtf8(engine::toString(*edit.op));
    if (edit.links)
        return *edit.links == engine::LinkTier::InNode ? fromUtf8("All links within nodes")
                                                       : fromUtf8("All links between nodes");
    if (edit.peer)
        return fromUtf8("Link %1–%2").arg(edit.device->value).arg(edit.peer->value);
    const QString kind = edit.kind ? fromUtf8(engine::kindShortName(*edit.kind)) : QString();
    if (!edit.device)
        return fromUtf8("%1 on all devices").arg(kind);
    return (edit.kind ? fromUtf8("%1 on device %2").arg(kind) : fromUtf8("Device %1"))
        .arg(edit.device->value);
}

std::vector<WhatIfEdit> editsOf(const WhatIfChanges& changes, const engine::Run& run)
{
    using C = WhatIfChanges;
    const WhatIfChanges none = noChanges(run);
    std::vector<WhatIfEdit> edits;
    const auto add = [&](const QString& title, auto remove) {
        edits.push_back({title, changes});
        remove(edits.back().without);
    };
    const auto compare = [&](auto member, const QString& title) {
        if (changes.*member != none.*member)
            add(title, [&](C& other) { other.*member = none.*member; });
    };
    const auto byFactor
        = [](double factor) { return fromUtf8(" × %1").arg(QString::number(factor, 'g', 4)); };
    for (const auto& [cell, time] : changes.times)
        add(fromUtf8("Stage %1: %2 takes %3")
                .arg(cell.stage)
                .arg(fromUtf8(engine::kindName(cell.kind)), timeText(time)),
            [&cell = cell](C& other) { other.times.erase(cell); });
    compare(&C::weightShare,
            fromUtf8("W is %1 of B").arg(percent(changes.weightShare.value_or(0))));
    for (const RunEdit& edit : changes.slowdowns)
        add(selectionText(edit) + byFactor(edit.factor), [&](C& other) {
            std::erase_if(other.slowdowns, [&](const auto& one) { return one.selectsAs(edit); });
        });
    compare(&C::messageDelay,
            fromUtf8("Every message delayed by %1").arg(timeText(changes.messageDelay)));
    compare(&C::linkSpeed, fromUtf8("Speed of the links") + byFactor(changes.linkSpeed));
    compare(&C::removesStragglers, fromUtf8("Stragglers removed"));
    if (!changes.moves.empty())
        add(fromUtf8("Changed layers per stage"), [](C& other) {
            other.moves.clear();
            other.layers = 0;
        });
    compare(&C::microBatches, fromUtf8("N = %1 micro-batches").arg(changes.microBatches));
    compare(&C::tensorParallel, fromUtf8("Tensor parallelism") + byFactor(changes.tensorParallel));
    return edits;
}

double slowdown(const WhatIfChanges& changes, const RunEdit& edit)
{
    const auto same = std::ranges::find_if(changes.slowdowns,
                                           [&](const RunEdit& one) { return one.selectsAs(edit); });
    return same == changes.slowdowns.end() ? 1 : same->factor;
}

void setSlowdown(WhatIfChanges& changes, RunEdit edit)
{
    edit.factor = std::clamp(edit.factor, RunEdit::kLeastFactor, RunEdit::kMostFactor);
    auto same = std::ranges::find_if(changes.slowdowns,
                                     [&](const RunEdit& one) { return one.selectsAs(edit); });
    if (same == changes.slowdowns.end())
        same = changes.slowdowns.insert(same, edit);
    *same = edit;
    if (std::abs(edit.factor - 1) < 1e-6)
        changes.slowdowns.erase(same);
}

std::vector<RunEdit> linksOf(const engine::Run& run)
{
    const engine::Schedule& schedule = run.schedule;
    const std::vector<int> nodes = engine::nodesOfDevices(run);
    std::vector<RunEdit> links;
    for (const auto tier : {engine::LinkTier::InNode, engine::LinkTier::AcrossNodes}) {
        RunEdit all;
        all.links = tier;
        if (checkEdit(all, schedule, nodes))
            links.push_back(all);
    }
    std::set<std::pair<engine::DeviceId, engine::DeviceId>> pairs;
    for (const engine::DeviceId device : schedule.program.ids())
        for (const engine::Op& op : schedule.program[device])
            if (engine::isTransfer(op.kind))
                pairs.insert(std::minmax(device, engine::otherDevice(schedule, op)));
    for (const auto& [device, peer] : pairs) {
        RunEdit& link = links.emplace_back();
        link.device = device;
        link.peer = peer;
    }
    return links;
}

namespace {

using Bytes = engine::IdVector<engine::DeviceId, std::int64_t>;
constexpr double kAlmostFull = 0.98; // share of the usable memory

// Returns ", with 3.1 GiB more on the fullest device"; "" if the difference is less than 1 %. The
// prediction and the run may have different fullest devices.
QString memoryPart(const WhatIfRow& row, const Bytes& measured)
{
    if (row.deviceBytes.size() != measured.size() || measured.empty())
        return {};
    const std::int64_t before = *std::ranges::max_element(measured);
    const std::int64_t change = row.mostBytes() - before, amount = std::abs(change);
    if (static_cast<double>(amount) < 0.01 * static_cast<double>(before))
        return {};
    return fromUtf8(", with %1 %2 on the fullest device")
        .arg(bytesText(amount), change > 0 ? fromUtf8("more") : fromUtf8("less"));
}

} // namespace

WhatIfVerdict verdictOf(const WhatIfRow& row, const WhatIfNumbers& numbers)
{
    using Kind = WhatIfVerdict::Kind;
    const Scale scale = timeScale(numbers.measured);
    const auto time = [&](std::int64_t ns) { return scale.text(ns); };
    WhatIfVerdict verdict;
    const std::int64_t baseline = numbers.atPace();
    verdict.kind = row.most < baseline ? Kind::Shorter
        : row.least > baseline         ? Kind::Longer
                                       : Kind::Unclear;
    if (!numbers.memory.holds(static_cast<double>(row.mostBytes()) / kAlmostFull))
        verdict.kind = Kind::AlmostFull;
    const bool isOwn = row.scheme == kOwnOrder;
    if (isOwn && row.iteration == numbers.measured) {
        verdict.bold = fromUtf8("The run's own order takes %1 %2, as recorded.")
                           .arg(time(row.iteration), scale.unit());
        verdict.rest = fromUtf8("Drag the end of an op, or slow a device or a link.");
        return verdict;
    }
    const bool isAlike = numbers.batches == numbers.measuredBatches;
    const auto batches = [&](int count) {
        return isAlike   ? QString()
            : count == 1 ? fromUtf8(" for 1 micro-batch")
                         : fromUtf8(" for %1 micro-batches").arg(count);
    };
    verdict.bold = fromUtf8("%1 would take %2 %3%4 instead of %5 %3%6")
                       .arg(schemeLabel(row.scheme), time(row.iteration), scale.unit(),
                            batches(numbers.batches), time(numbers.measured),
                            batches(numbers.measuredBatches));
    const double change = static_cast<double>(row.iteration - baseline)
        / static_cast<double>(std::max<std::int64_t>(1, baseline));
    QString inside = signedPercent(change);
    if (!isAlike)
        inside += fromUtf8(" per micro-batch");
    if (row.hasInterval)
        inside += fromUtf8(", 95 % interval %1 to %2").arg(time(row.least), time(row.most));
    if (verdict.kind == Kind::Unclear && row.hasInterval)
        inside += fromUtf8(": no clear difference");
    verdict.rest = fromUtf8("(%1)%2.").arg(
        inside, isOwn ? QString() : memoryPart(row, numbers.measuredBytes));
    return verdict;
}

Bytes peaksOf(const ComparedRun& run)
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

DetailsSection differenceSection(const profiler::Comparison& comparison, const Scale& time)
{
    const ComparedRun &measured = comparison.runs[0], &predicted = comparison.runs[1];
    DetailsSection section;
    section.title = fromUtf8("Difference by cause");
    section.note = fromUtf8("%1, mean of devices").arg(time.unit());
    const auto before = timeParts(measured), after = timeParts(predicted);
    const auto add = [&](const char* name, double difference) {
        section.add(fromUtf8(name), time.difference(difference));
    };
    add("Bubble",
        predicted.metrics.mean(&profiler::DeviceMetrics::bubble)
            - measured.metrics.mean(&profiler::DeviceMetrics::bubble));
    add("Exposed communication", after.communication - before.communication);
    add("Compute", after.compute - before.compute);
    add("Optimizer", after.optimizer - before.optimizer);
    section.add(fromUtf8("Number of messages"),
                signedNumber(predicted.metrics.messages - measured.metrics.messages, 0));
    return section;
}

// The peak of each device, before and after: memory if it is known, otherwise the stash. An amount
// below 0 is unknown.
DetailsSection peakSection(const WhatIfRow* row, const profiler::Comparison& comparison,
                           const engine::MemoryCapacity& memory)
{
    const ComparedRun &measured = comparison.runs[0], &predicted = comparison.runs[1];
    const bool hasBytes = row != nullptr && !row->deviceBytes.empty();
    const auto limit = hasBytes ? static_cast<double>(memory.usable()) : 0;
    const Scale scale = hasBytes ? byteScale(row->mostBytes()) : Scale{1, 1, fromUtf8("Mₐ")};
    std::vector<double> before, after;
    if (hasBytes) {
        std::ranges::copy(peaksOf(measured), std::back_inserter(before));
        std::ranges::copy(row->deviceBytes, std::back_inserter(after));
    } else {
        const auto stash = &profiler::DeviceMetrics::peakStash;
        std::ranges::transform(measured.metrics.devices, std::back_inserter(before), stash);
        std::ranges::transform(predicted.metrics.devices, std::back_inserter(after), stash);
    }
    before.resize(after.size(), -1);
    const double most = std::max(
        {limit, 1e-9, *std::ranges::max_element(before), *std::ranges::max_element(after)});
    DetailsSection section;
    section.title = hasBytes ? fromUtf8("Peak memory") : fromUtf8("Peak stash");
    section.note
        = limit > 0 ? fromUtf8("%1, limit %2").arg(scale.unit(), scale.text(limit)) : scale.unit();
    section.pairLimit = limit / most;
    section.pairLegend[0] = fromUtf8("%1, measured").arg(QString::fromStdString(measured.label));
    section.pairLegend[1] = fromUtf8("%1, predicted").arg(QString::fromStdString(predicted.label));
    for (std::size_t device = 0; device < after.size(); ++device)
        section.pairs.push_back(
            {fromUtf8("Device %1").arg(device), scale.text(after[device]),
             before[device] < 0 ? QString() : scale.difference(after[device] - before[device]),
             before[device] / most, after[device] / most});
    return section;
}

} // namespace

Details describeWhatIf(const WhatIfDetails& prediction, const WhatIfRow* row,
                       const engine::MemoryCapacity& memory)
{
    Details details;
    details.title = schemeLabel(prediction.row.scheme);
    if (prediction.run == nullptr) {
        details.sentence = prediction.row.reason.toHtmlEscaped();
        return details;
    }
    const engine::Run& run = *prediction.run;
    const auto duration = run.timeline.iterations.front().window.duration();
    const Scale time = timeScale(run.info, duration);
    details.value = time.text(duration);
    details.unit = time.unit();
    details.left = shapeText(run);
    if (run.schedule.shape.chunks() > 1)
        details.left += fromUtf8(", v %1").arg(run.schedule.shape.chunks());
    details.left += fromUtf8(", simulated");
    if (row != nullptr && row->hasInterval)
        details.right = fromUtf8("%1 to %2").arg(time.text(row->least), time.text(row->most));
    if (const profiler::Comparison& comparison = prediction.comparison;
        comparison.runs.size() == 2) {
        details.sections.push_back(differenceSection(comparison, time));
        details.sections.push_back(peakSection(row, comparison, memory));
    }
    DetailsSection& basis = details.sections.emplace_back();
    basis.title = fromUtf8("Assumptions");
    for (const auto& [name, iteration] : prediction.alternatives)
        basis.add(name, time.withUnit(iteration));
    if (prediction.correction)
        basis.add(fromUtf8("Correction factor"), number(*prediction.correction, 3));
    DetailsSection& assumed = details.sections.emplace_back();
    assumed.title = fromUtf8("Not measured, assumed");
    for (const std::string& assumption : prediction.assumptions)
        assumed.add({}, QString::fromStdString(assumption));
    assumed.add({}, fromUtf8("Ops do not slow one another down more than in the run."));
    return details;
}

namespace {

constexpr int kResamples = 100;
enum Priority { Intervals, Medians, OfChosen };

} // namespace

WhatIfPredictions::Explained WhatIfPredictions::explained(const Chosen& chosen)
{
    engine::throwIfCancelled();
    Explained made;
    made.details
        = whatIfDetails(*chosen.measured, *chosen.run, chosen.changes, chosen.scheme, chosen.depth);
    if (made.details.run == nullptr)
        return made;
    auto view = std::make_shared<const RunView>(made.details.run);
    view->metrics(engine::reportedIteration(view->timeline())); // for the first paint
    made.view = std::move(view);
    return made;
}

WhatIfPredictions::WhatIfPredictions(RunPointer run, QObject* parent)
    : QObject(parent)
    , m_run(std::move(run))
    , m_isDropped(std::make_shared<std::atomic<bool>>(false))
    , m_background(this, sideThreads())
    , m_explaining(
          this, explained,
          [this](const Explained& one) { Q_EMIT schemeExplained(one.details, one.view); },
          decltype(m_explaining)::Older::Dropped, sideThreads(), OfChosen)
    , m_previewing(
          this, explained,
          [this](const Explained& one) {
              if (one.view != nullptr)
                  Q_EMIT schemeExplained(one.details, one.view);
          },
          decltype(m_previewing)::Older::Delivered, sideThreads(), OfChosen)
{
    using Made = engine::Result<profiler::WhatIfPredictor>;
    m_background.run([measured = m_run] { return profiler::WhatIfPredictor::create(*measured); },
                     [this](Made made) {
                         if (!made) {
                             Q_EMIT failed(QString::fromStdString(made.error().message));
                             return;
                         }
                         m_measured
                             = std::make_shared<const profiler::WhatIfPredictor>(*std::move(made));
                         Q_EMIT measured(m_measured);
                     });
}

WhatIfPredictions::~WhatIfPredictions()
{
    *m_isDropped = true;
}

void WhatIfPredictions::ask(const WhatIfChanges& changes, const QString& scheme)
{
    *m_isDropped = true;
    m_isDropped = std::make_shared<std::atomic<bool>>(false);
    m_changes = changes;
    m_intervals = 0;
    Q_EMIT progressed(0, static_cast<int>(whatIfSchemes().size()));
    m_background.run(
        [run = m_run, measured = m_measured, changes] {
            return std::make_shared<const Changed::element_type>(withChanges(*measured, changes));
        },
        [this, isDropped = m_isDropped](const Changed& changed) {
            if (*isDropped)
                return;
            for (const int resamples : {0, kResamples})
                for (const QString& one : whatIfSchemes())
                    predict(one, changed, resamples);
        },
        OfChosen);
    if (!scheme.isEmpty())
        explain(scheme);
}

void WhatIfPredictions::predict(const QString& scheme, const Changed& changed, int resamples)
{
    const bool hasInterval = resamples > 0;
    m_background.run(
        // Keeps the run, which `changed` refers to, after the page is closed.
        [=, run = m_run, isDropped = m_isDropped,
         changes = m_changes]() -> std::optional<WhatIfRow> {
            if (*isDropped)
                return std::nullopt;
            auto prediction = changed->and_then([&](const profiler::WhatIfPredictor& predictor) {
                return predictScheme(predictor, scheme, changes, resamples,
                                     [isDropped] { return isDropped->load(); });
            });
            return whatIfRow(scheme, prediction, hasInterval);
        },
        [this, hasInterval, isDropped = m_isDropped](const std::optional<WhatIfRow>& row) {
            if (*isDropped || !row)
                return;
            Q_EMIT predicted(*row);
            if (hasInterval)
                Q_EMIT progressed(++m_intervals, static_cast<int>(whatIfSchemes().size()));
        },
        hasInterval ? Intervals : Medians);
}

void WhatIfPredictions::explain(const QString& scheme)
{
    m_explaining.ask({m_measured, m_run, m_changes, scheme, WhatIfDepth::Full});
}

void WhatIfPredictions::preview(const WhatIfChanges& changes, const QString& scheme)
{
    m_previewing.ask({m_measured, m_run, changes, scheme, WhatIfDepth::Preview});
}

} // namespace app
