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

// Quotes a word for a shell unless it has only the characters of a plain name.
QString shellWord(QString word)
{
    const auto isPlain
        = [](QChar c) { return c.isLetterOrNumber() || QStringLiteral("-_./=:").contains(c); };
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
                                                      const WhatIfChanges& changes)
{
    profiler::WhatIfPredictor predictor = measured;
    predictor.times().nodes = engine::nodesOfDevices(measured.run());
    TRY(profiler::apply(changes, measured.run(), predictor.times()));
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
    QStringList words{QStringLiteral("bscope whatif"), shellWord(file)};
    const bool isOwn = scheme == kOwnOrder;
    if (isOwn)
        words << QStringLiteral("--own-order");
    else if (!scheme.isEmpty())
        words << QStringLiteral("--scheme") << scheme;
    for (const std::string& word : profiler::arguments(changes, measured.microBatches, isOwn))
        words << shellWord(fromUtf8(word));
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
    if (!changes.moves.empty())
        add(editWord("Changed layers per stage"), [](WhatIfChanges& other) {
            other.moves.clear();
            other.layers = 0;
        });
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
