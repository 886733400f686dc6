#include "app/whatif/what_if.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/run_nodes.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/predicted_info.h"
#include "profiler/whatif/edit_times.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
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

std::vector<LayerMove> layerMoves(const LayerSplit& split)
{
    const std::vector<int> now = bordersOf(split), before = evenBorders(split);
    std::vector<LayerMove> moves;
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

QString plainNumber(double value)
{
    return QString::number(value, 'g', 6);
}

// Quotes a word for a shell unless it has only the characters of a plain name.
QString shellWord(QString word)
{
    const auto isPlain
        = [](QChar c) { return c.isLetterOrNumber() || QStringLiteral("-_./=").contains(c); };
    if (!word.isEmpty() && std::all_of(word.begin(), word.end(), isPlain))
        return word;
    return QLatin1Char('\'') + word.replace(QLatin1Char('\''), QStringLiteral("'\\''"))
        + QLatin1Char('\'');
}

double workOf(const profiler::StageTimes& stage)
{
    double work = 0;
    for (const auto* samples : {&stage.forward, &stage.backward, &stage.input, &stage.weight})
        work += static_cast<double>(samples->median());
    return work;
}

WhatIfSettings settingsOf(const WhatIfChanges& changes, const engine::Run& run)
{
    return {run.schedule.shape.devices, changes.microBatches, changes.linkSpeed};
}

std::optional<std::int64_t> iterationWith(const profiler::WhatIfPredictor& measured,
                                          const engine::Run& run, const WhatIfChanges& changes,
                                          const QString& scheme)
{
    const auto predictor = withChanges(measured, run, changes);
    if (!predictor)
        return std::nullopt;
    const auto prediction = predictScheme(*predictor, scheme, settingsOf(changes, run));
    return prediction ? std::optional(prediction->iteration) : std::nullopt;
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

int modelLayers(const engine::Run& run)
{
    const auto experiment = engine::experimentFromToml(run.info.experiment);
    return run.info.experiment.empty() || !experiment ? 0 : experiment->model.layers;
}

engine::Result<profiler::WhatIfPredictor> withChanges(const profiler::WhatIfPredictor& measured,
                                                      const engine::Run& run,
                                                      const WhatIfChanges& changes)
{
    profiler::WhatIfPredictor predictor = measured;
    predictor.times().nodes = engine::nodesOfDevices(run);
    for (const auto& [cell, time] : changes.times)
        TRY(setMedian(predictor.times(), engine::StageId{cell.stage}, cell.kind, time));
    if (changes.weightShare)
        TRY(setWeightShare(predictor.times(), *changes.weightShare));
    const LayerSplit measuredLayers = evenSplit(changes.layers);
    for (const LayerMove& move : layerMoves(changes.layers))
        TRY(moveLayers(predictor.times(), move.from, move.to, move.count,
                       measuredLayers[static_cast<std::size_t>(move.from.value)]));
    setTensorParallel(predictor.times(), changes.tensorParallel);
    if (changes.removesStragglers)
        removeStragglers(run, predictor.times());
    for (const profiler::RunEdit& edit : changes.slowdowns)
        TRY(checkEdit(edit, run.schedule, predictor.times().nodes));
    predictor.times().slowdowns = changes.slowdowns;
    predictor.times().messageDelay = changes.messageDelay;
    return predictor;
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

engine::Result<profiler::Prediction> predictScheme(const profiler::WhatIfPredictor& predictor,
                                                   const QString& scheme,
                                                   const WhatIfSettings& settings)
{
    if (scheme == kOwnOrder) {
        if (settings.microBatches != predictor.run().schedule.shape.microBatches)
            return engine::fail(engine::Error::Code::InvalidArgument,
                                sentence("The run's own order has N = %1; set N to this number")
                                    .arg(predictor.run().schedule.shape.microBatches)
                                    .toStdString());
        return predictor.predictOwn(settings.linkSpeed).map([](profiler::Prediction prediction) {
            prediction.run.info.outcome = engine::Outcome::Finished;
            return prediction;
        });
    }
    engine::ScheduleRequest request;
    request.scheme = scheme.toStdString();
    request.devices = settings.devices;
    request.microBatches = settings.microBatches;
    auto schedule = TRY(engine::buildSchedule(request));
    profiler::WhatIf whatIf{std::move(schedule), settings.linkSpeed};
    whatIf.resamples = settings.resamples;
    whatIf.isCancelled = settings.isCancelled;
    return predictor.predict(whatIf).map([&](profiler::Prediction prediction) {
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
    const auto predictor = withChanges(measured, run, changes);
    auto prediction = predictor ? predictScheme(*predictor, scheme, settingsOf(changes, run))
                                : tl::unexpected(predictor.error());
    if (!prediction) {
        details.reason = QString::fromStdString(prediction.error().message);
        return details;
    }
    profiler::describeRecorded(run, {}, prediction->run.schedule.shape, prediction->run.info);
    auto compared = profiler::compare({&run, &prediction->run});
    if (compared)
        details.comparison = *std::move(compared);
    const auto with = [&](auto change) {
        WhatIfChanges other = changes;
        change(other);
        return other == changes ? std::nullopt : iterationWith(measured, run, other, scheme);
    };
    details.withoutEdits = with([](WhatIfChanges& other) {
        other.times.clear();
        other.weightShare.reset();
        other.slowdowns.clear();
        other.messageDelay = 0;
    });
    details.withMeasuredLayers = with([](WhatIfChanges& other) { other.layers.clear(); });
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
    QStringList words{QStringLiteral("bscope whatif"), shellWord(file)};
    const bool isOwn = scheme == kOwnOrder;
    if (isOwn)
        words << QStringLiteral("--own-order");
    else if (!scheme.isEmpty())
        words << QStringLiteral("--scheme") << scheme;
    if (changes.microBatches != measured.microBatches)
        words << QStringLiteral("--micro-batches") << QString::number(changes.microBatches);
    if (changes.linkSpeed != 1)
        words << QStringLiteral("--link-speed") << plainNumber(changes.linkSpeed);
    for (const auto& [cell, time] : changes.times)
        words << QStringLiteral("--op-time")
              << QStringLiteral("%1%2=%3")
                     .arg(cell.stage)
                     .arg(fromUtf8(engine::kindName(cell.kind)),
                          plainNumber(static_cast<double>(time) / 1e6));
    if (changes.weightShare)
        words << QStringLiteral("--weight-share") << plainNumber(*changes.weightShare);
    if (!changes.layers.empty())
        words << QStringLiteral("--layers")
              << QString::number(std::accumulate(changes.layers.begin(), changes.layers.end(), 0));
    for (const LayerMove& move : layerMoves(changes.layers))
        words << QStringLiteral("--move-layers")
              << QStringLiteral("%1:%2=%3").arg(move.from.value).arg(move.to.value).arg(move.count);
    if (changes.tensorParallel != 1)
        words << QStringLiteral("--tensor-parallel") << plainNumber(changes.tensorParallel);
    if (changes.removesStragglers)
        words << QStringLiteral("--no-stragglers");
    for (const profiler::RunEdit& edit : changes.slowdowns)
        if (isOwn || !edit.op)
            words << QStringLiteral("--slow") << fromUtf8(profiler::toString(edit));
    if (changes.messageDelay > 0)
        words << QStringLiteral("--link-delay")
              << plainNumber(static_cast<double>(changes.messageDelay) / 1e3);
    return words.join(QLatin1Char(' '));
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

QString editWord(const char* source)
{
    return QCoreApplication::translate("WhatIf", source);
}

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
        return *edit.links == engine::LinkTier::InNode ? editWord("All links within nodes")
                                                       : editWord("All links between nodes");
    if (edit.peer)
        return editWord("Link %1–%2").arg(edit.device->value).arg(edit.peer->value);
    const QString kind = edit.kind ? fromUtf8(engine::kindShortName(*edit.kind)) : QString();
    if (!edit.device)
        return editWord("%1 on all devices").arg(kind);
    return (edit.kind ? editWord("%1 on device %2").arg(kind) : editWord("Device %1"))
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
        add(editWord("Stage %1: %2 takes %3")
                .arg(cell.stage)
                .arg(fromUtf8(engine::kindName(cell.kind)),
                     timeScale(time).withUnit(static_cast<double>(time))),
            [cell = cell](WhatIfChanges& other) { other.times.erase(cell); });
    if (changes.weightShare)
        add(editWord("W is %1 of B").arg(percent(*changes.weightShare)),
            [](WhatIfChanges& other) { other.weightShare.reset(); });
    for (const profiler::RunEdit& edit : changes.slowdowns)
        add(selectionText(edit) + byFactor(edit.factor), [&](WhatIfChanges& other) {
            std::erase_if(other.slowdowns, [&](const auto& one) { return one.selectsAs(edit); });
        });
    if (changes.messageDelay > 0)
        add(editWord("Every message delayed by %1")
                .arg(timeScale(changes.messageDelay)
                         .withUnit(static_cast<double>(changes.messageDelay))),
            [](WhatIfChanges& other) { other.messageDelay = 0; });
    if (changes.linkSpeed != 1)
        add(editWord("Speed of the links") + byFactor(changes.linkSpeed),
            [](WhatIfChanges& other) { other.linkSpeed = 1; });
    if (changes.removesStragglers)
        add(editWord("Stragglers removed"),
            [](WhatIfChanges& other) { other.removesStragglers = false; });
    if (!changes.layers.empty())
        add(editWord("Changed layers per stage"),
            [](WhatIfChanges& other) { other.layers.clear(); });
    if (const int measured = run.schedule.shape.microBatches; changes.microBatches != measured)
        add(editWord("N = %1 micro-batches").arg(changes.microBatches),
            [measured](WhatIfChanges& other) { other.microBatches = measured; });
    if (changes.tensorParallel != 1)
        add(editWord("Tensor parallelism") + byFactor(changes.tensorParallel),
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

} // namespace app
