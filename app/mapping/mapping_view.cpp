#include "app/mapping/mapping_view.h"

#include "app/plan/schedule_preview.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/base/cancel.h"
#include "engine/base/try.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QFileInfo>
#include <QPolygonF>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <set>

namespace app {
namespace {

using engine::Result;

// The prediction needs loads.
MappedPrediction mappedOf(const Prediction& prediction, const PredictionRequest& request)
{
    return {fromUtf8(request.schedule.mapping), {}, prediction.metrics.duration, *prediction.loads};
}

// Predicts with the mapping of `request`. If that fails, the problem of the result is the reason.
MappedPrediction otherMapping(const PreparedSchedule& prepared, const PredictionRequest& request)
{
    if (const auto prediction = predict(prepared, request, Loads::Yes))
        return mappedOf(*prediction, request);
    else
        return {fromUtf8(request.schedule.mapping), fromUtf8(prediction.error().message), 0, {}};
}

QString stagesOn(const engine::Schedule& schedule, int replica, int device)
{
    QStringList stages;
    const auto& deviceOf = schedule.deviceOf[static_cast<std::size_t>(replica)];
    for (const engine::StageId stage : deviceOf.ids())
        if (deviceOf[stage].value == device)
            stages.append(QString::number(stage.value));
    return stages.join(QLatin1Char(' '));
}

QString rangesText(const std::set<int>& numbers)
{
    QStringList parts;
    for (auto at = numbers.begin(); at != numbers.end();) {
        auto end = at;
        int last = *at;
        while (++end != numbers.end() && *end == last + 1)
            last = *end;
        if (last <= *at + 1)
            for (int value = *at; value <= last; ++value)
                parts.append(QString::number(value));
        else
            parts.append(QStringLiteral("%1–%2").arg(*at).arg(last));
        at = end;
    }
    constexpr qsizetype kMost = 8;
    if (parts.size() > kMost)
        return parts.mid(0, kMost - 1).join(QStringLiteral(", ")) + QStringLiteral(" …");
    return parts.join(QStringLiteral(", "));
}

QString nodeSummary(const NodeContents& node, const profiler::LinkLoads& loads)
{
    std::set<int> devices, copies, stages;
    for (const NodeSlot& slot : node.places)
        if (slot.device >= 0) {
            devices.insert(slot.device);
            copies.insert(slot.copy);
        }
    for (const profiler::AllReduceLoad& load : loads.allReduces)
        if (load.nodes == std::vector<int>{node.node})
            for (const engine::StageId stage : load.stages)
                stages.insert(stage.value);
    if (devices.empty())
        return QStringLiteral("free");
    QString text
        = (devices.size() == 1 ? QStringLiteral("device %1, ") : QStringLiteral("devices %1, "))
              .arg(rangesText(devices))
        + (copies.size() == 1 ? QStringLiteral("copy %1") : QStringLiteral("copies %1"))
              .arg(rangesText(copies));
    if (!stages.empty())
        text += QStringLiteral("; all-reduce of stages %1").arg(rangesText(stages));
    return text;
}

std::vector<NodeContents> nodesOf(const engine::Schedule& schedule, const engine::Mapping& mapping,
                                  const profiler::LinkLoads& loads)
{
    const int devices = schedule.shape.devices, copies = schedule.shape.dataParallel;
    const int perNode = mapping.isOneNode() ? devices * copies : mapping.shape().slots;
    std::vector<NodeContents> nodes(static_cast<std::size_t>(mapping.nodes()));
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        nodes[node].node = static_cast<int>(node);
        for (int i = 0; i < perNode; ++i)
            nodes[node].places.push_back({static_cast<int>(node) * perNode + i, -1, 0, {}});
    }
    std::vector<QStringList> stages;
    for (int d = 0; d < devices; ++d) {
        stages.emplace_back();
        for (std::size_t r = 0; r < schedule.deviceOf.size(); ++r)
            stages.back().append(stagesOn(schedule, static_cast<int>(r), d));
    }
    for (int w = 0; w < copies; ++w)
        for (int d = 0; d < devices; ++d) {
            const int slot
                = mapping.isOneNode() ? w * devices + d : mapping.slot(engine::DeviceId{d}, w);
            NodeSlot& place = nodes[static_cast<std::size_t>(slot / perNode)]
                                  .places[static_cast<std::size_t>(slot % perNode)];
            place = {slot, d, w, stages[static_cast<std::size_t>(d)]};
        }
    for (NodeContents& node : nodes)
        node.summary = nodeSummary(node, loads);
    return nodes;
}

bool fits(const std::optional<MemoryFit>& fit)
{
    return fit && !fit->devices.isEmpty() && fit->fits();
}

// Finds by bisection the largest micro-batch size in [least, most] that fits; nullopt if none fits.
std::optional<MemoryFit> largest(int least, int most,
                                 const std::function<std::optional<MemoryFit>(int)>& trial)
{
    std::optional<MemoryFit> best;
    while (least <= most) {
        const int middle = least + (most - least) / 2;
        auto fit = trial(middle);
        if (fits(fit)) {
            best = std::move(fit);
            least = middle + 1;
        } else {
            most = middle - 1;
        }
    }
    return best;
}

} // namespace

bool hasNodes(const PredictionRequest& request)
{
    return request.source.kind == CostSource::Kind::Hardware;
}

Result<MappingStudy> studyMappings(const PredictionRequest& request)
{
    if (!hasNodes(request))
        return engine::fail(engine::Error::Code::Unsupported,
                            "the costs are not from hardware; choose hardware as their source");
    const auto prepared = TRY(prepare(request));
    if (!prepared.violations.empty())
        return engine::invalid(prepared.violations.front().message);
    auto costs = TRY(profiler::costsOf(request));
    MappingStudy study;
    study.on = std::make_shared<const engine::ModelOnHardware>(*std::move(costs.model));
    study.prediction
        = std::make_shared<const Prediction>(TRY(predict(prepared, request, Loads::Yes)));
    const MappedPrediction shown = mappedOf(*study.prediction, request);
    study.shape = engine::nodeShape(study.on->hardware, study.on->setup.tensorParallel);
    const auto mapping = engine::Mapping::of(study.prediction->run->schedule,
                                             request.schedule.mapping, study.shape);
    study.nodes = nodesOf(study.prediction->run->schedule, *mapping, shown.loads);
    for (const std::string_view name : engine::kMappingNames) {
        engine::throwIfCancelled();
        PredictionRequest other = request;
        other.schedule.mapping = name;
        const bool isShown = name == request.schedule.mapping;
        if (isShown)
            study.chosen = study.all.size();
        study.all.push_back(isShown ? shown : otherMapping(prepared, other));
    }
    if (shown.mapping.endsWith(QStringLiteral(".toml"))) {
        study.chosen = study.all.size();
        study.all.push_back(shown);
    }
    return study;
}

std::vector<StageSizes> stageSizes(const engine::ModelOnHardware& on, int stages,
                                   engine::Rebuilt rebuilt)
{
    const auto bytes = engine::stageBytes(on, stages, rebuilt);
    std::vector<StageSizes> all;
    for (int stage = 0; stage < stages; ++stage) {
        StageSizes one{stage, stage, engine::layersOf(on.model, on.setup, stages, stage),
                       0,     0,     bytes[engine::StageId{stage}]};
        const double b = on.setup.microBatchSize;
        one.parameters
            = on.setup.tensorParallel * engine::stageParameters(on.model, on.setup, stages, stage);
        one.forwardFlops
            = one.layers * (engine::layerFlops(on.model, b) + engine::attentionFlops(on.model, b));
        if (stage == 0)
            one.forwardFlops += engine::embeddingFlops(on.model, b);
        if (stage == stages - 1)
            one.forwardFlops += engine::headFlops(on.model, b);
        const bool isSame = !all.empty() && all.back().layers == one.layers
            && all.back().parameters == one.parameters
            && all.back().forwardFlops == one.forwardFlops
            && all.back().bytes.stash == one.bytes.stash;
        if (isSame)
            all.back().last = stage;
        else
            all.push_back(one);
    }
    return all;
}

ModelFacts modelFacts(const PredictionRequest& request, const MappingStudy& study)
{
    const engine::Schedule& schedule = study.prediction->run->schedule;
    const engine::TrainingSetup& setup = study.on->setup;
    ModelFacts facts;
    facts.stages = stageSizes(*study.on, schedule.shape.stages,
                              engine::rebuiltBy(schedule, study.on->setup));
    facts.now = {setup.microBatchSize, setup.recomputesAll,
                 predictedPeaks(study.prediction->run.get(), study.prediction->metrics),
                 study.on->memory()};
    if (facts.now.devices.isEmpty() || !facts.now.memory.isKnown())
        return facts;
    std::optional<PreparedSchedule> prepared;
    const auto trial = [&](int microBatchSize, bool recomputesAll) -> std::optional<MemoryFit> {
        engine::throwIfCancelled();
        PredictionRequest other = request;
        other.source.setup.microBatchSize = microBatchSize;
        other.source.setup.recomputesAll = recomputesAll;
        if (!prepared) {
            auto made = prepare(other);
            if (!made)
                return {};
            prepared = *std::move(made);
        }
        const auto prediction = predict(*prepared, other);
        if (!prediction)
            return {};
        return MemoryFit{microBatchSize, recomputesAll,
                         predictedPeaks(prediction->run.get(), prediction->metrics),
                         facts.now.memory};
    };
    const int b = setup.microBatchSize;
    const bool fitsNow = facts.now.fits();
    if (fitsNow)
        facts.twice = trial(2 * b, setup.recomputesAll);
    if (fits(facts.twice))
        return facts;
    const int wished = fitsNow ? 2 * b : b;
    if (auto smaller = largest(fitsNow ? b + 1 : 1, wished - 1,
                               [&](int size) { return trial(size, setup.recomputesAll); }))
        facts.remedies.push_back(*std::move(smaller));
    if (!setup.recomputesAll)
        if (auto recomputed = trial(wished, true); fits(recomputed))
            facts.remedies.push_back(*std::move(recomputed));
    return facts;
}

namespace {

QString whyText(const MappedPrediction& mapped)
{
    double messages = 0, sums = 0;
    for (const profiler::LinkLoad& link : mapped.loads.links)
        if (link.from != link.to) {
            messages += link.messages + link.copies;
            sums += link.allReduces;
        }
    if (messages == 0 && sums == 0)
        return QStringLiteral("nothing crosses nodes.");
    if (sums == 0)
        return QStringLiteral("all-reduces stay in their nodes, %1 of messages cross nodes.")
            .arg(loadText(messages));
    if (messages == 0)
        return QStringLiteral("messages stay in their nodes, %1 of all-reduces cross nodes.")
            .arg(loadText(sums));
    return QStringLiteral("%1 of messages and %2 of all-reduces cross nodes.")
        .arg(loadText(messages), loadText(sums));
}

// The mapping as it is called within a sentence: "replicas together", or the name of the file.
QString nameInSentence(const QString& name)
{
    return name == QStringLiteral("replicas-together") ? QStringLiteral("replicas together")
                                                       : QFileInfo(name).fileName();
}

QString mappingRule(const QString& name)
{
    if (name == QStringLiteral("contiguous"))
        return QStringLiteral("copy after copy, devices in sequence");
    if (name == QStringLiteral("replicas-together"))
        return QStringLiteral("the holders of a stage share a node");
    if (name == QStringLiteral("pair-adjacent"))
        return QStringLiteral("devices d and D−1−d are neighbours");
    return QStringLiteral("as in the file");
}

QString linkSpeed(const engine::HardwareSpec& hardware, bool crosses)
{
    const double speed = (crosses ? hardware.network : hardware.node).bandwidth;
    const QString each = !crosses  ? QStringLiteral("port")
        : hardware.nicsPerNode > 0 ? QStringLiteral("NIC")
                                   : QStringLiteral("GPU");
    return QStringLiteral("%1 per %2").arg(scaleIn(Unit::GBPerSecond, 0).withUnit(speed), each);
}

QString flowTitle(const profiler::LinkFlow& flow, int replicas)
{
    using engine::OpKind;
    const int stage = flow.stage.value;
    if (flow.kind == OpKind::AllReduce)
        return QStringLiteral("All-reduce, stage %1").arg(stage);
    const QString direction = replicas < 2 ? QString()
        : flow.replica == 0                ? QStringLiteral(", down")
                                           : QStringLiteral(", up");
    if (flow.kind == OpKind::SendActivation)
        return QStringLiteral("Forward %1 → %2").arg(stage).arg(stage + 1) + direction;
    if (flow.kind == OpKind::SendGradient)
        return QStringLiteral("Backward %1 → %2").arg(stage).arg(stage - 1) + direction;
    return (flow.kind == OpKind::Evict ? QStringLiteral("Evict, stage %1")
                                       : QStringLiteral("Load, stage %1"))
               .arg(stage)
        + direction;
}

QString flowDetail(const profiler::LinkFlow& flow)
{
    const Scale scale = scaleIn(Unit::MB);
    const double each = flow.transfers > 0 ? flow.bytes / flow.transfers : 0;
    if (flow.kind == engine::OpKind::AllReduce)
        return QStringLiteral("%1 in all").arg(scale.withUnit(flow.bytes));
    return QStringLiteral("Device %1 → %2; %3 of %4")
        .arg(flow.from.value)
        .arg(flow.to.value)
        .arg(countOf(flow.transfers, engine::isCopy(flow.kind) ? "transfer" : "message"),
             scale.withUnit(each));
}

QString stageList(const std::vector<engine::StageId>& stages)
{
    std::set<int> numbers;
    for (const engine::StageId stage : stages)
        numbers.insert(stage.value);
    return rangesText(numbers);
}

QString stagesText(const StageSizes& sizes)
{
    return sizes.first == sizes.last ? QString::number(sizes.first)
                                     : QStringLiteral("%1–%2").arg(sizes.first).arg(sizes.last);
}

} // namespace

QString gigabytes(double bytes)
{
    const double gb = bytes / scaleIn(Unit::GB).perUnit();
    return number(gb, gb == 0 || gb >= 100 ? 0 : gb >= 0.095 ? 1 : 3);
}

QString loadText(double bytes)
{
    return gigabytes(bytes) + QLatin1Char(' ') + scaleIn(Unit::GB).unit();
}

QString milliseconds(double nanoseconds)
{
    const Scale scale = scaleIn(Unit::Millisecond);
    return scale.finer(nanoseconds < 100 * scale.perUnit() ? 0 : -1).text(nanoseconds);
}

QString mappingTitle(const QString& name)
{
    return name.endsWith(QStringLiteral(".toml")) ? nameInSentence(name)
                                                  : capitalized(nameInSentence(name));
}

QString crossingText(const MappingStudy& study)
{
    int messages = 0;
    std::set<int> crossing;
    for (const profiler::LinkLoad& link : study.shown().loads.links)
        if (link.from != link.to)
            messages += link.count(profiler::LinkLoad::Of::Messages);
    int sums = 0;
    for (const profiler::AllReduceLoad& load : study.shown().loads.allReduces)
        sums += load.nodes.size() > 1 ? static_cast<int>(load.stages.size()) : 0;
    const engine::Shape& shape = study.prediction->run->schedule.shape;
    const int devices = shape.devices * shape.dataParallel;
    const QString where = study.shape.slots == 0
        ? QStringLiteral("in one node")
        : QStringLiteral("on %1, %2 per node")
              .arg(countOf(static_cast<std::int64_t>(study.nodes.size()), "node"),
                   countOf(study.shape.slots, "slot"));
    const QString what = study.nodes.size() < 2 ? QStringLiteral("Nothing crosses nodes.")
        : sums == 0
        ? QStringLiteral("%1 and no all-reduces cross nodes.").arg(countOf(messages, "message"))
        : QStringLiteral("%1 and the all-reduces of %2 cross nodes.")
              .arg(countOf(messages, "message"), countOf(sums, "stage"));
    return QStringLiteral("%1 %2. %3").arg(countOf(devices, "device"), where, what);
}

QString linkTitle(const profiler::LinkLoad& link)
{
    return link.from == link.to ? QStringLiteral("In node %1").arg(link.from)
                                : QStringLiteral("Node %1 → node %2").arg(link.from).arg(link.to);
}

QString linkSentence(const MappingStudy& study, const profiler::LinkLoad& link)
{
    const engine::HardwareSpec& hardware = study.on->hardware;
    const bool crosses = link.from != link.to;
    const auto iteration = static_cast<double>(study.shown().iteration);
    const double share = static_cast<double>(link.busy) / std::max(1.0, iteration);
    return QStringLiteral("%1 at most; busy %2 of %3 %4 (%5).")
        .arg(linkSpeed(hardware, crosses), milliseconds(static_cast<double>(link.busy)),
             milliseconds(iteration), scaleIn(Unit::Millisecond).unit(), percent(share));
}

MappingVerdict mappingVerdict(const MappingStudy& study)
{
    const MappedPrediction& shown = study.shown();
    const MappedPrediction* best = &shown;
    const MappedPrediction* worst = &shown;
    for (const MappedPrediction& each : study.all) {
        if (!each.problem.isEmpty())
            continue;
        best = each.iteration < best->iteration ? &each : best;
        worst = each.iteration > worst->iteration ? &each : worst;
    }
    constexpr double kSame = 0.001; // of the iteration
    const auto more = [](const MappedPrediction& slow, const MappedPrediction& fast) {
        return static_cast<double>(slow.iteration - fast.iteration)
            / static_cast<double>(std::max<std::int64_t>(1, fast.iteration));
    };
    if (more(*worst, *best) < kSame)
        return {true, QStringLiteral("The mapping makes no difference here:"), whyText(shown)};
    if (more(shown, *best) < kSame)
        return {true,
                QStringLiteral("%1 is the fastest, %2 less than %3:")
                    .arg(mappingTitle(shown.mapping),
                         percent(more(*worst, shown) / (1 + more(*worst, shown))),
                         nameInSentence(worst->mapping)),
                whyText(shown)};
    return {false,
            QStringLiteral("%1 takes %2 less than %3:")
                .arg(mappingTitle(best->mapping),
                     percent(more(shown, *best) / (1 + more(shown, *best))),
                     nameInSentence(shown.mapping)),
            whyText(*best)};
}

QString stagesTitle(const StageSizes& sizes, int stages)
{
    const bool isOne = sizes.first == sizes.last;
    QString text = stagesText(sizes);
    text += QStringLiteral(", %1").arg(countOf(sizes.layers, "layer"));
    if (!isOne)
        return text + QStringLiteral(" each");
    return text
        + (sizes.first == 0               ? QStringLiteral(", embedding")
               : sizes.last == stages - 1 ? QStringLiteral(", output layer")
                                          : QString());
}

QString fitText(const MemoryFit& fit, const MemoryFit& now)
{
    const Scale bytes = scaleIn(Unit::GiB);
    const auto left = static_cast<double>(fit.memory.left(fit.most()));
    const QString numbers = QStringLiteral("device %1, %2")
                                .arg(fit.devices.fullest().value)
                                .arg(bytes.withUnit(fit.most()));
    const QString memory = fromUtf8(fit.memory.text());
    if (&fit == &now)
        return fit.fits() ? QStringLiteral("Fits. Fullest: %1, %2 free (%3).")
                                .arg(numbers, bytes.text(left), memory)
                          : QStringLiteral("Does not fit. %1, over by %2 (%3).")
                                .arg(capitalized(numbers), bytes.withUnit(-left), memory);
    return fit.fits()
        ? QStringLiteral("b = %1 fits, too. Fullest: %2.").arg(fit.microBatchSize).arg(numbers)
        : QStringLiteral("b = %1 does not fit: device %2 is over by %3.")
              .arg(fit.microBatchSize)
              .arg(fit.devices.fullest().value)
              .arg(bytes.withUnit(-left));
}

QString remedyText(const ModelFacts& facts)
{
    const bool fitsAll = facts.now.fits() && (!facts.twice || facts.twice->fits());
    if (fitsAll)
        return {};
    QStringList ways;
    const Scale bytes = scaleIn(Unit::GiB);
    for (const MemoryFit& fit : facts.remedies)
        ways.append(
            fit.recomputesAll && !facts.now.recomputesAll
                ? QStringLiteral("recompute everything (%1)").arg(bytes.withUnit(fit.most()))
                : QStringLiteral("b = %1 (%2)")
                      .arg(fit.microBatchSize)
                      .arg(bytes.withUnit(fit.most())));
    if (ways.isEmpty())
        return facts.now.fits()
            ? QString()
            : QStringLiteral("Smaller micro-batches and recomputation do not make it "
                             "fit: use more devices or more tensor parallelism.");
    return QStringLiteral("To make it fit: %1.").arg(ways.join(QStringLiteral(" or ")));
}

QString largestLoadText(const profiler::LinkLoad& link)
{
    const QString kind = link.allReduces > link.messages + link.copies
        ? QStringLiteral("all-reduces")
        : link.copies > link.messages ? QStringLiteral("stashes")
                                      : QStringLiteral("messages");
    return QStringLiteral("%1, %2").arg(kind, linkTitle(link).toLower());
}

namespace {

// A column of milliseconds: what a member or a function of the row returns, in ns.
template<class Row, class Time>
TableColumn<Row> timeColumn(const char* title, Time time)
{
    return {labelled(fromUtf8(title), Unit::Millisecond), [time](const Row& row) {
                return milliseconds(static_cast<double>(std::invoke(time, row)));
            }};
}

} // namespace

std::vector<TableColumn<MappedPrediction>> mappingColumns(const MappingStudy& study)
{
    using Row = MappedPrediction;
    using Column = TableColumn<Row>;
    double longest = 1;
    for (const Row& each : study.all)
        longest = std::max(longest, each.loads.exposed.sum());
    const auto exposed = [](double profiler::ExposedTime::*part) {
        return [part](const Row& row) { return row.loads.exposed.*part; };
    };
    const auto slower = [iteration = study.shown().iteration](const Row& row) {
        const auto more = static_cast<double>(row.iteration - iteration);
        return more > 0 ? QVariant(QLatin1Char('+') + milliseconds(more)) : QVariant();
    };
    const auto sum = [](const Row& row) { return row.loads.exposed.sum(); };
    std::vector<Column> columns{
        timeColumn<Row>("Iteration, %1", &Row::iteration)
            .with(kDifferenceRole, slower)
            .with(kVerdictRole,
                  [slower](const Row& row) {
                      return slower(row).isValid() ? QVariant(static_cast<int>(Verdict::Worse))
                                                   : QVariant();
                  }),
        timeColumn<Row>("Exposed, %1", sum)
            .with(kShareRole, [=](const Row& row) { return sum(row) / longest; }),
        timeColumn<Row>("Messages, %1", exposed(&profiler::ExposedTime::messages)).flag(kHintRole),
        timeColumn<Row>("Stashes, %1", exposed(&profiler::ExposedTime::copies)).flag(kHintRole),
        timeColumn<Row>("All-reduces, %1", exposed(&profiler::ExposedTime::allReduces))
            .flag(kHintRole),
        Column(labelled(QStringLiteral("Largest load, %1"), Unit::GB), [](const Row& row) {
            const profiler::LinkLoad* most = row.loads.largest();
            return gigabytes(most != nullptr ? most->bytes() : 0);
        })};
    for (Column& column : columns)
        column.onlyIf([](const Row& row) { return row.problem.isEmpty(); });
    columns.insert(
        columns.begin(),
        Column(
            QStringLiteral("Mapping"), [](const Row& row) { return mappingTitle(row.mapping); },
            Qt::AlignLeft)
            .with(kStrongRole,
                  [shown = study.shown().mapping](const Row& row) { return row.mapping == shown; })
            .tip([](const Row& row) {
                return row.problem.isEmpty() ? capitalized(mappingRule(row.mapping)) : row.problem;
            }));
    columns.push_back(Column(
                          QStringLiteral("On"),
                          [](const Row& row) {
                              const profiler::LinkLoad* most = row.loads.largest();
                              return !row.problem.isEmpty() ? row.problem
                                  : most != nullptr         ? largestLoadText(*most)
                                                            : QString();
                          },
                          Qt::AlignLeft)
                          .tip(&Row::problem));
    return columns;
}

std::vector<TableColumn<profiler::LinkFlow>> flowColumns(int replicas)
{
    using Row = profiler::LinkFlow;
    return {TableColumn<Row>(
                QStringLiteral("Traffic"),
                [replicas](const Row& flow) { return flowTitle(flow, replicas); }, Qt::AlignLeft)
                .tip(flowDetail),
            {scaleIn(Unit::GB).unit(), [](const Row& flow) { return gigabytes(flow.bytes); }},
            timeColumn<Row>("Each, %1", &Row::time).tip("Duration of each transfer"),
            timeColumn<Row>("Exposed, %1", &Row::exposed)
                .tip("Time per iteration that a copy of the pipeline waits for these transfers")};
}

std::vector<TableColumn<profiler::AllReduceLoad>> allReduceColumns()
{
    using Load = profiler::AllReduceLoad;
    const auto isTimed = [](const Load& load) { return load.time != 0; };
    return {{QStringLiteral("Stages"), [](const Load& load) { return stageList(load.stages); },
             Qt::AlignLeft},
            TableColumn<Load>(
                QStringLiteral("Node"),
                [](const Load& load) {
                    return load.nodes.size() == 1
                        ? QString::number(load.nodes.front())
                        : QStringLiteral("%1–%2").arg(load.nodes.front()).arg(load.nodes.back());
                })
                .tip([](const Load& load) { return countOf(load.ranks, "member"); }),
            TableColumn<Load>(scaleIn(Unit::GB).unit(),
                              [](const Load& load) { return gigabytes(load.bytes); })
                .tip("Sent by every member per iteration"),
            timeColumn<Load>("%1", &Load::time).onlyIf(isTimed).tip([=](const Load& load) {
                return isTimed(load)
                    ? QString()
                    : QStringLiteral("Contained in the all-reduce of the tied embeddings");
            }),
            timeColumn<Load>("Exposed, %1", &Load::exposed).onlyIf(isTimed)};
}

std::vector<TableColumn<StageSizes>> stageColumns(int stages)
{
    using Size = StageSizes;
    using Column = TableColumn<Size>;
    const Scale bytes = scaleIn(Unit::GiB, 2);
    return {Column(
                QStringLiteral("Stages"), [](const Size& size) { return stagesText(size); },
                Qt::AlignLeft)
                .tip([stages](const Size& size) { return stagesTitle(size, stages); }),
            Column(QStringLiteral("Parameters, B"),
                   [](const Size& size) { return number(size.parameters / 1e9, 3); })
                .tip("Parameters of one stage, in billions"),
            Column(QStringLiteral("F, TFLOP"),
                   [](const Size& size) { return number(size.forwardFlops / 1e12, 2); })
                .tip("Forward of one stage and one micro-batch"),
            Column({QStringLiteral("State, %1"), bytes},
                   [bytes](const Size& size) {
                       return bytes.text(size.bytes.weights + size.bytes.gradients
                                         + size.bytes.optimizer);
                   })
                .tip("Weights, gradients and optimizer state of one stage on one GPU"),
            Column({QStringLiteral("Stash, %1"), bytes}, [bytes](const Size& size) {
                return bytes.text(size.bytes.stash);
            }).tip("Activations of one micro-batch in one stage on one GPU")};
}

namespace {

using Anchor = SceneSheet::Anchor;

// An arrow from one node to another.
struct LinkArrow
{
    QPolygonF path; // at right angles
    QRectF label;   // empty: no space beside the line
    Anchor anchor = Anchor::Middle;
};

constexpr int kStageText = 11;
constexpr double kNodeTitle = 30, kSlotCaption = 15, kSlotRow = 20;
// Slots that are drawn per node. If the hardware defines no nodes, all devices are in one node,
// which may have more.
constexpr std::size_t kMostSlots = 64;
constexpr double kMargin = 1, kColumnGap = 112, kRowGap = 50, kInset = 12, kBetween = 13;
constexpr double kStageEnd = 5, kNameGap = 5;

double stageInset(qsizetype row)
{
    return row > 0 ? 7 : 5;
}

QString directionName(qsizetype row)
{
    return row == 0 ? QStringLiteral("down") : QStringLiteral("up");
}

// Colour and width of a link by its load, in four classes. The upper bound of the highest class is
// the largest load between two nodes in all compared mappings, so that pictures of two mappings can
// be compared. Each other bound is a third of the next one.
class LoadScale
{
public:
    explicit LoadScale(const MappingStudy& study)
    {
        for (const bool crossing : {true, false})
            for (std::size_t i = 0; i < study.all.size() && (crossing || !m_crosses); ++i)
                for (const profiler::LinkLoad& link : study.all[i].loads.links)
                    if ((link.from != link.to) == crossing) {
                        m_most = std::max(m_most, link.bytes());
                        m_crosses = m_crosses || (crossing && m_most > 0);
                    }
    }

    int classOf(double bytes) const
    {
        int index = kClasses - 1;
        for (double bound = m_most / 3; index > 0 && bytes <= bound * 1.0001; bound /= 3)
            --index;
        return index;
    }

    static profiler::Colour colour(int index, const Theme& theme)
    {
        constexpr double kTowardsSurface[] = {0.65, 0.45, 0.15}, kInDark[] = {0.35, 0.2, 0},
                         kTowardsInk = 0.45;
        const auto& palette = theme.palette;
        return index == kClasses - 1
            ? profiler::mix(palette.communication, palette.ink, kTowardsInk)
            : profiler::mix(palette.communication, palette.surface,
                            (theme.isDark() ? kInDark : kTowardsSurface)[index]);
    }

    static double width(int index) // of the line, in pixels
    {
        constexpr double kWidths[] = {2, 3.5, 5.5, 8};
        return kWidths[index];
    }

private:
    static constexpr int kClasses = 4;
    double m_most = 0;
    bool m_crosses = false; // whether a load crosses nodes
};

// The kinds of load that a picture shows.
struct ShownLoads
{
    bool messages = true; // includes copies of stashes
    bool allReduces = true;

    double of(const profiler::LinkLoad& load) const
    {
        return (messages ? load.messages + load.copies : 0) + (allReduces ? load.allReduces : 0);
    }
};

// Sorted by nodes.
std::vector<NodePair> shownLinks(const MappingStudy& study, const ShownLoads& shown)
{
    std::vector<NodePair> links;
    for (const profiler::LinkLoad& link : study.shown().loads.links)
        if (shown.of(link) > 0)
            links.emplace_back(link.from, link.to);
    return links;
}

// Draws the nodes of a machine as frames, the devices in them with the stages that they hold, and
// the links between nodes as arrows by load. Mark i is shownLinks()[i]; the links within a node
// are marked at its frame. Nodes are in two columns, in serpentine order, so that consecutive nodes
// are neighbours.
class NodePicture
{
public:
    NodePicture(const MappingStudy& study, const Theme& theme, double width)
        : m_study(study)
        , m_theme(theme)
        , m_scale(study)
        , m_slots(std::min(study.nodes.front().places.size(), kMostSlots))
        , m_columns(study.nodes.size() == 1 ? 1 : 2)
    {
        constexpr double kLeast = 62; // width of a box
        const double wide = (width - 2 * kMargin - kColumnGap * (m_columns - 1)) / m_columns;
        const int slots = static_cast<int>(m_slots);
        const int wished = slots <= 4 ? slots : slots <= 8 ? 4 : 8;
        m_across = std::clamp(
            wished, 1,
            std::max(1, static_cast<int>((wide - 2 * kInset + kBetween) / (kLeast + kBetween))));
        m_box = {(wide - 2 * kInset - kBetween * (m_across - 1)) / m_across,
                 kSlotCaption + kSlotRow * study.prediction->run->schedule.shape.replicas};
        const double high
            = kNodeTitle + std::ceil(1.0 * slots / m_across) * (m_box.height() + kBetween);
        for (int node = 0; node < static_cast<int>(study.nodes.size()); ++node)
            m_frames.emplace_back(kMargin + column(node) * (wide + kColumnGap),
                                  kMargin + row(node) * (high + kRowGap), wide, high);
        m_areDirectionsNamed = std::ranges::all_of(study.nodes, [&](const NodeContents& node) {
            return std::ranges::all_of(node.places, [&](const NodeSlot& slot) {
                return slot.device < 0 || fitsDirections(slot.stages, m_box.width());
            });
        });
    }

    profiler::MarkedScene draw(const ShownLoads& shown, double width)
    {
        for (const NodeContents& node : m_study.nodes)
            drawNode(node);
        profiler::MarkedScene drawn;
        int lane = 0;
        for (const auto& [from, to] : shownLinks(m_study, shown)) {
            QRectF mark = frame(from);
            if (from != to) {
                constexpr double kReach = 7;
                const LinkArrow arrow = route(from, to, lane);
                drawArrow(arrow, shown.of(*m_study.shown().loads.find(from, to)));
                mark = arrow.path.boundingRect().adjusted(-kReach, -kReach, kReach, kReach);
            }
            drawn.marks.push_back({drawn.marks.size(), SceneSheet::rect(mark), 0});
        }
        m_sheet.group.id = "nodes";
        drawn.scene.width = width;
        drawn.scene.height = m_frames.back().bottom() + kMargin;
        drawn.scene.groups.push_back(std::move(m_sheet.group));
        return drawn;
    }

private:
    const QRectF& frame(int node) const { return m_frames[static_cast<std::size_t>(node)]; }
    int row(int node) const { return node / m_columns; }
    int column(int node) const
    {
        const int i = node % m_columns;
        return row(node) % 2 == 0 ? i : m_columns - 1 - i;
    }

    // Neighbours have a straight arrow. Others have one through the gap between the columns, in one
    // of twelve lanes.
    LinkArrow route(int from, int to, int& lane) const
    {
        constexpr double kLane = 7,
                         kApart = 9; // kApart: distance from the middle between two nodes
        constexpr int kLanes = 12;
        const QRectF &a = frame(from), &b = frame(to);
        const bool toRight = a.center().x() < b.center().x(),
                   down = a.center().y() < b.center().y();
        if (row(from) == row(to)) {
            const double y = a.center().y() + (toRight ? -kApart : kApart);
            const QPointF begin(toRight ? a.right() + 3 : a.left() - 3, y),
                end(toRight ? b.left() - 2 : b.right() + 2, y);
            return {{begin, end},
                    {std::min(begin.x(), end.x()), toRight ? y - 23 : y + 7,
                     std::abs(end.x() - begin.x()), 16}};
        }
        if (std::abs(row(from) - row(to)) == 1 && column(from) == column(to)) {
            const double x = a.center().x() + (down ? -kApart : kApart);
            const QPointF begin(x, down ? a.bottom() + 3 : a.top() - 3),
                end(x, down ? b.top() - 2 : b.bottom() + 2);
            return {{begin, end},
                    {down ? x - 108 : x + 8, (begin.y() + end.y()) / 2 - 8, 100, 16},
                    down ? Anchor::End : Anchor::Start};
        }
        const double x = std::min(m_frames[0].right(), m_frames[1].right()) + kColumnGap / 2
            + (lane % 2 == 0 ? 1 : -1) * kLane * (0.5 + (lane / 2) % (kLanes / 2));
        const auto port = [&](const QRectF& of, bool isUpper) {
            return QPointF(of.center().x() < x ? of.right() + 3 : of.left() - 3,
                           of.top() + ((isUpper ? 0.06 : 0.72) + 0.03 * (lane % 8)) * of.height());
        };
        const QPointF begin = port(a, !down), end = port(b, down);
        ++lane;
        return {{begin, {x, begin.y()}, {x, end.y()}, end}, {}};
    }

    void drawNode(const NodeContents& node)
    {
        const Chrome& c = m_theme.chrome;
        const QRectF around = frame(node.node).adjusted(0.5, 0.5, -0.5, -0.5);
        m_sheet.box(around, c.surface, c.lineStrong);
        const QRectF line(around.left() + 12, around.top() + 6, around.width() - 24, 18);
        const double after
            = m_sheet.elided(line, QStringLiteral("Node %1").arg(node.node), {12, c.text, true})
            + 12;
        m_sheet.elided(line.adjusted(after, 0, 0, 0),
                       fittingSummary(node.summary, line.width() - after), {11, c.text2});
        for (std::size_t i = 0; i < m_slots; ++i) {
            const int at = static_cast<int>(i);
            drawSlot(node.places[i],
                     {QPointF(frame(node.node).left() + kInset
                                  + at % m_across * (m_box.width() + kBetween),
                              frame(node.node).top() + kNodeTitle
                                  + at / m_across * (m_box.height() + kBetween)),
                      m_box});
        }
        if (node.places.size() > m_slots)
            m_sheet.elided(
                line, QStringLiteral("the first %1 of %2").arg(m_slots).arg(node.places.size()),
                {11, c.text2, false, Anchor::End});
    }

    void drawSlot(const NodeSlot& slot, const QRectF& box)
    {
        const Chrome& c = m_theme.chrome;
        const bool isFree = slot.device < 0;
        m_sheet.elided({box.left(), box.top(), box.width(), kSlotCaption},
                       isFree ? QStringLiteral("free")
                           : m_study.prediction->run->schedule.shape.dataParallel > 1
                           ? QStringLiteral("device %1, w%2").arg(slot.device).arg(slot.copy)
                           : QStringLiteral("device %1").arg(slot.device),
                       {11, c.text2});
        const QRectF rows = box.adjusted(0, kSlotCaption, 0, 0);
        if (isFree)
            return m_sheet.box(rows, c.surface, c.lineStrong);
        for (qsizetype r = 0; r < slot.stages.size(); ++r) {
            const QRectF row(rows.left(), rows.top() + kSlotRow * static_cast<double>(r),
                             rows.width(), kSlotRow - 1);
            m_sheet.box(row, r == 0 ? c.pressed : c.lineStrong, {}, r > 0 ? 5 : 0);
            const QRectF inside = row.adjusted(stageInset(r), 0, -kStageEnd, 0);
            if (m_areDirectionsNamed)
                m_sheet.elided(inside, directionName(r), {kStageText, c.text2});
            m_sheet.elided(inside, slot.stages.at(r), {kStageText, c.text, true, Anchor::End});
        }
    }

    void drawArrow(const LinkArrow& arrow, double bytes)
    {
        const int load = m_scale.classOf(bytes);
        const profiler::Colour colour = LoadScale::colour(load, m_theme);
        const double thick = LoadScale::width(load), head = std::max(8.0, 1.6 * thick);
        QPolygonF path = arrow.path;
        const QPointF tip = path.back(), way = tip - path[path.size() - 2];
        const QPointF along = way / std::max(1.0, std::hypot(way.x(), way.y()));
        path.back() = tip - along * head * 0.8;
        for (qsizetype i = 1; i < path.size(); ++i)
            m_sheet.line(path[i - 1], path[i], thick, colour);
        const QPointF across(-along.y(), along.x()), base = tip - along * head;
        const QPointF left = base + across * head * 0.6, right = base - across * head * 0.6;
        m_sheet.group.shapes.emplace_back(profiler::Polygon{
            {{tip.x(), tip.y()}, {left.x(), left.y()}, {right.x(), right.y()}}, colour, {}});
        if (!arrow.label.isNull())
            m_sheet.elided(arrow.label, loadText(bytes),
                           {11, m_theme.chrome.text2, false, arrow.anchor});
    }

    const MappingStudy& m_study;
    const Theme& m_theme;
    LoadScale m_scale;
    std::size_t m_slots;              // of every node
    int m_columns, m_across = 1;      // of nodes; of slots in a node
    QSizeF m_box;                     // of a device in its slot
    std::vector<QRectF> m_frames;     // by node
    bool m_areDirectionsNamed = true; // all boxes have space for "down" and "up"
    SceneSheet m_sheet;
};

} // namespace

bool fitsDirections(const QStringList& stages, double width)
{
    const QFontMetricsF name(uiFont(kStageText)), bold(uiFont(kStageText, QFont::Medium));
    for (qsizetype r = 0; r < stages.size(); ++r)
        if (name.horizontalAdvance(directionName(r)) + kNameGap
                + bold.horizontalAdvance(stages.at(r))
            > width - stageInset(r) - kStageEnd)
            return false;
    return stages.size() > 1;
}

QString fittingSummary(const QString& summary, double width)
{
    const QFontMetricsF metrics(uiFont(kStageText));
    return metrics.elidedText(metrics.horizontalAdvance(summary) <= width
                                  ? summary
                                  : summary.section(QLatin1Char(';'), 0, 0),
                              Qt::ElideRight, width);
}

namespace {

constexpr int kDebounce = 60; // ms
constexpr int kDock = 352, kNarrow = 860;
constexpr int kFile = 3;          // segment of the picker
constexpr int kMostPictured = 16; // nodes
constexpr int kRow = 23, kMostRows = 8, kBarsHeight = 176;

// The highest table of the panels: eight rows and a half.
constexpr int kTallest = 28 + kMostRows * kRow + kRow / 2;

int segmentOf(const QString& mapping)
{
    for (std::size_t i = 0; i < engine::kMappingNames.size(); ++i)
        if (mapping == fromUtf8(engine::kMappingNames[i]))
            return static_cast<int>(i);
    return kFile;
}

// The traffic of the selected link, and the all-reduces of the schedule.
class LinkPanel : public QWidget
{
public:
    explicit LinkPanel(const ThemeController& theme)
        : m_theme(theme)
    {
        auto* head = spaced(new QHBoxLayout, {12, 10, 12, 0}, 8, {m_title, kStretch, m_load});
        m_sentence->setContentsMargins(12, 2, 12, 6);
        spaced(new QVBoxLayout(m_sumPart), {}, 0,
               {makeLine(Qt::Horizontal),
                makeBar(36, 8, {makeLabel(tr("All-reduces"), "dock"), kStretch, m_members}),
                makeLine(Qt::Horizontal), m_sums});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeBar(40, 8,
                        {makeLabel(tr("Selected link"), "dock"), kStretch,
                         makeLabel(tr("Esc clears"), "hint")}),
                makeLine(Qt::Horizontal), head, m_sentence, m_flows, m_sumPart});
    }

    void showStudy(const MappingStudy& study)
    {
        const auto& sums = study.shown().loads.allReduces;
        m_sums->show(allReduceColumns(), sums);
        m_sums->fit(kTallest);
        m_sumPart->setVisible(!sums.empty());
        m_members->setText(
            sums.empty() ? QString() : tr("of %1 each").arg(countOf(sums.front().ranks, "member")));
    }

    void showLink(const MappingStudy& study, const std::optional<NodePair>& nodes)
    {
        const profiler::LinkLoad* link
            = nodes ? study.shown().loads.find(nodes->first, nodes->second) : nullptr;
        m_title->setText(link == nullptr ? tr("None") : linkTitle(*link));
        m_load->setText(link == nullptr ? QString() : loadText(link->bytes()));
        m_sentence->setText(link == nullptr
                                ? tr("Click a link in the picture, or press the arrow keys there.")
                                : linkSentence(study, *link));
        m_flows->show(flowColumns(study.prediction->run->schedule.shape.replicas),
                      link == nullptr ? std::vector<profiler::LinkFlow>() : link->flows);
        m_flows->fit(kTallest);
    }

private:
    const ThemeController& m_theme;
    RowTable<profiler::LinkFlow>* m_flows = new RowTable<profiler::LinkFlow>(
        m_theme, kRow, "linkFlows", tr("Traffic of the link"), 0);
    RowTable<profiler::AllReduceLoad>* m_sums
        = new RowTable<profiler::AllReduceLoad>(m_theme, kRow, "allReduces", tr("All-reduces"), 0);
    QLabel *m_title = named(makeLabel({}, "section"), "linkTitle"),
           *m_load = named(makeLabel({}, "section"), "linkLoad"),
           *m_sentence = makeWrapped("hint", "linkSentence"), *m_members = makeLabel({}, "hint");
    QWidget* m_sumPart = new QWidget;
};

// The memory of the model on the devices: sizes of the stages, bytes per device, and whether they
// fit.
class ModelPanel : public QWidget
{
public:
    explicit ModelPanel(const ThemeController& theme)
        : m_theme(theme)
    {
        m_bars->setFixedHeight(kBarsHeight);
        auto* fit = spaced(new QHBoxLayout, {}, 8, {{m_icon, 0, Qt::AlignTop}, {m_fit, 1}});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeLine(Qt::Horizontal),
                makeBar(36, 8,
                        {makeLabel(tr("Model"), "dock"), new Tag(m_theme, tr("simulated")),
                         kStretch, m_model}),
                makeLine(Qt::Horizontal), m_stages, m_bars,
                spaced(new QVBoxLayout, {12, 8, 12, 12}, 4, {fit, m_twice, m_remedy})});
    }

    void show(const MappingStudy& study, const ModelFacts& facts)
    {
        m_stages->show(stageColumns(study.prediction->run->schedule.shape.stages), facts.stages);
        m_stages->fit();
        showModel(study.on->model);
        DeviceColumns peaks = facts.now.devices;
        if (peaks.isEmpty()) {
            m_bars->clear(tr("The memory of this schedule is not simulated."));
            for (QWidget* part : std::initializer_list<QWidget*>{m_icon, m_fit, m_twice, m_remedy})
                part->hide();
            return;
        }
        if (facts.twice) {
            peaks.outlines = facts.twice->devices.totals();
            peaks.axis += tr("; dashed: micro-batch size %1").arg(facts.twice->microBatchSize);
        }
        m_bars->show(std::move(peaks));
        m_icon->show();
        m_icon->setIcon(facts.now.fits() ? Icon::Check : Icon::Error,
                        facts.now.fits() ? &Chrome::ok : &Chrome::error);
        setHint(m_fit, fitText(facts.now, facts.now));
        setHint(m_twice, facts.twice ? fitText(*facts.twice, facts.now) : QString());
        setHint(m_remedy, remedyText(facts));
    }

private:
    void showModel(const engine::TransformerSpec& model)
    {
        const bool isTied = engine::isTied(model);
        m_model->setText(
            (isTied ? tr("%1, %2 B parameters, tied") : tr("%1, %2 B parameters"))
                .arg(fromUtf8(model.name), number(engine::parameterCount(model) / 1e9, 1)));
        m_model->setToolTip(isTied ? tr("Counts the tied embeddings once; the first and the last "
                                        "stage both store them")
                                   : QString());
    }

    const ThemeController& m_theme;
    RowTable<StageSizes>* m_stages
        = new RowTable<StageSizes>(m_theme, kRow, "stageSizes", tr("Sizes of the stages"), 0);
    DeviceView* m_bars = new DeviceView(m_theme, "deviceBytes");
    QLabel *m_model = named(makeLabel({}, "hint"), "modelName"),
           *m_fit = makeWrapped("dock", "memoryFit"),
           *m_twice = makeWrapped("small", "memoryTwice"),
           *m_remedy = makeWrapped("hint", "memoryRemedy");
    IconLabel* m_icon = new IconLabel(m_theme, Icon::Check, &Chrome::ok);
};

class View : public MappingView
{
public:
    explicit View(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("mappingView"));
        m_mapping->setName(tr("Mapping"));
        m_dockScroll->setFixedWidth(kDock);
        m_stack->addWidget(makeScroll(makeCentre()));
        m_stack->addWidget(makeColumn({24, 24, 24, 24}, 0, {m_empty, kStretch}));
        auto* left = spaced(new QVBoxLayout, {}, 0,
                            {makeToolbar(), makeLine(Qt::Horizontal), {m_stack, 1}});
        spaced(new QHBoxLayout(this), {}, 0, {{left, 1}, m_side});
        connectAll();
    }

    void setPlan(const RunPlan& plan, const QString& problem) override
    {
        m_plan = plan;
        m_problem = problem;
        m_isAsked = m_isAnswered = false;
        m_studies.drop();
        Q_EMIT csvChanged();
        showMapping();
        if (isVisible())
            m_debounce.start();
    }

    const MappingStudy* study() const override { return m_found ? &m_found->study : nullptr; }
    const std::vector<NodePair>& links() const override { return m_links; }
    QString csv() const override
    {
        return m_found && m_isAnswered ? csvOf(m_compared->rows()) : QString();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        QWidget::showEvent(event);
        if (!m_isAsked)
            ask();
    }

    // Moves the panels below the picture in a narrow window.
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        const bool isNarrow = event->size().width() < kNarrow;
        const bool isBelow = m_dock->parentWidget() != nullptr && m_centre->indexOf(m_dock) >= 0;
        if (isNarrow == isBelow)
            return;
        if (isNarrow)
            m_centre->addWidget(m_dockScroll->takeWidget());
        else {
            m_centre->removeWidget(m_dock);
            m_dockScroll->setWidget(m_dock);
        }
        m_dock->show();
        showSide();
    }

private:
    struct Found
    {
        MappingStudy study;
        ModelFacts facts;
    };

    static engine::Result<Found> find(const PredictionRequest& request)
    {
        auto study = TRY(studyMappings(request));
        auto facts = modelFacts(request, study);
        return Found{std::move(study), std::move(facts)};
    }

    QWidget* makeToolbar()
    {
        for (QCheckBox* box : {m_messages, m_allReduces}) {
            box->setChecked(true);
            box->setToolTip(tr("Show the load of %1").arg(box->text()));
        }
        return makeBar(44, 12, {makeLabel(tr("Mapping"), "dock"), m_mapping, m_file, kStretch});
    }

    QWidget* makeCentre()
    {
        auto* centre = makeSurface("plain");
        auto* loads = spaced(new QHBoxLayout, {}, 14, {m_messages, m_allReduces, kStretch});
        auto* head = spaced(new QVBoxLayout, {14, 10, 14, 8}, 6, {m_crossing, loads});
        auto* picture = spaced(new QVBoxLayout, {14, 0, 14, 8}, 8, {m_picture});
        auto* verdict = spaced(new QVBoxLayout, {14, 10, 14, 10}, 0, {m_verdict});
        m_centre = spaced(
            new QVBoxLayout(centre), {}, 0,
            {head, picture, makeLine(Qt::Horizontal),
             makeBar(36, 8,
                     {makeLabel(tr("Mappings compared"), "dock"), new Tag(m_theme, tr("simulated")),
                      kStretch, makeLabel(tr("exposed: mean of the devices"), "hint")}),
             makeLine(Qt::Horizontal), verdict, m_compared, kStretch});
        return centre;
    }

    void connectAll()
    {
        connect(m_mapping, &SegmentControl::currentChanged, this, [this](int segment) {
            if (m_isShowing)
                return;
            if (segment == kFile)
                chooseFile();
            else
                offerMapping(fromUtf8(engine::kMappingNames[static_cast<std::size_t>(segment)]));
        });
        connect(m_mapping, &SegmentControl::chosenAgain, this, [this](int segment) {
            if (segment == kFile)
                chooseFile();
        });
        connect(m_compared, &QAbstractItemView::clicked, this, &View::offerRow);
        connect(m_compared, &QAbstractItemView::activated, this, &View::offerRow);
        for (QCheckBox* box : {m_messages, m_allReduces})
            connect(box, &QCheckBox::toggled, this, &View::drawPicture);
        m_picture->setListed();
        connect(m_picture, &SceneView::resized, this, &View::drawPicture);
        connect(&m_theme, &ThemeController::changed, this, &View::drawPicture);
        connect(m_picture, &SceneView::pointChosen, this,
                [this](std::size_t link) { m_selected = m_links[link]; });
        connect(m_picture, &SceneView::cleared, this, [this] {
            m_selected.reset();
            m_isCleared = true;
        });
        connect(m_picture, &SceneView::highlightChanged, this, [this] {
            if (m_found)
                m_link->showLink(m_found->study, highlighted());
        });
        connect(m_empty, &EmptyState::activated, this, [this] {
            RunPlan plan = m_plan;
            plan.source.kind = CostSource::Kind::Hardware;
            Q_EMIT planOffered(plan);
        });
    }

    void ask()
    {
        m_isAsked = true;
        const PredictionRequest request = m_plan.request();
        if (m_problem.isEmpty() && hasNodes(request))
            return m_studies.ask(request);
        m_studies.drop();
        if (!m_problem.isEmpty())
            showEmpty(tr("No schedule with these numbers"), m_problem, false);
        else
            showEmpty(tr("The costs have no nodes"),
                      tr("Loads of links need the bytes of a model and the nodes of hardware: set "
                         "Costs to hardware, then choose a transformer and GPUs."),
                      true);
    }

    void showAnswer(engine::Result<Found> answer)
    {
        if (!answer)
            return showEmpty(tr("Not predicted"), capitalized(fromUtf8(answer.error().message)),
                             false);
        m_found = std::make_shared<const Found>(*std::move(answer));
        showFound();
        m_isAnswered = true;
        Q_EMIT csvChanged();
    }

    void showFound()
    {
        const MappingStudy& study = m_found->study;
        m_stack->setCurrentIndex(0);
        showSide();
        const bool isPictured = study.nodes.size() <= kMostPictured;
        m_mapping->setEnabled(true);
        for (QWidget* widget :
             std::initializer_list<QWidget*>{m_messages, m_allReduces, m_picture}) {
            widget->setEnabled(true);
            widget->setVisible(isPictured);
        }
        m_crossing->setText(
            crossingText(study)
            + (isPictured ? QString()
                          : tr(" Machines of up to %1 nodes are drawn.").arg(kMostPictured)));
        m_link->showStudy(study);
        const profiler::LinkLoads& loads = study.shown().loads;
        if (m_selected && loads.find(m_selected->first, m_selected->second) == nullptr)
            m_selected.reset();
        if (const profiler::LinkLoad* most = loads.largest(); !m_selected && !m_isCleared && most)
            m_selected = NodePair(most->from, most->to);
        drawPicture();
        const MappingVerdict verdict = mappingVerdict(study);
        m_verdict->show(verdict.isBest ? Band::Kind::Ok : Band::Kind::Warning, verdict.bold,
                        verdict.rest);
        m_compared->show(mappingColumns(study), study.all);
        m_compared->fit();
        m_compared->selectRow(static_cast<int>(study.chosen));
        m_model->show(study, m_found->facts);
    }

    // Keeps the selected link if it is in the picture.
    void drawPicture()
    {
        if (!m_found)
            return;
        const ShownLoads shown{m_messages->isChecked(), m_allReduces->isChecked()};
        const bool isPictured = m_found->study.nodes.size() <= kMostPictured;
        m_links = shownLinks(m_found->study, shown);
        if (isPictured && m_picture->width() > 0) {
            auto scene = std::make_shared<const profiler::MarkedScene>(
                NodePicture(m_found->study, m_theme.theme(), m_picture->width())
                    .draw(shown, m_picture->width()));
            m_picture->setFixedHeight(
                std::max(1, static_cast<int>(std::ceil(scene->scene.height))));
            m_picture->show(std::move(scene));
        }
        const auto selected = std::ranges::find(m_links, m_selected.value_or(NodePair(-1, -1)));
        if (selected == m_links.end())
            m_picture->select({});
        else
            m_picture->select(static_cast<std::size_t>(selected - m_links.begin()));
    }

    // The link under the mouse, or else the selected one.
    std::optional<NodePair> highlighted() const
    {
        const auto link = m_picture->highlighted();
        return link && *link < m_links.size() ? std::optional(m_links[*link]) : std::nullopt;
    }

    QString describeLink(std::size_t link) const
    {
        const auto& [from, to] = m_links.at(link);
        const profiler::LinkLoad* load = m_found->study.shown().loads.find(from, to);
        const QString text = tr("%1, %2").arg(linkTitle(*load), loadText(load->bytes()));
        return from == to
            ? tr("%1: %2").arg(text, m_found->study.nodes[static_cast<std::size_t>(from)].summary)
            : text;
    }

    void showEmpty(const QString& fact, const QString& advice, bool offersHardware)
    {
        m_found.reset();
        m_empty->setTexts(fact, advice);
        m_empty->button()->setVisible(offersHardware);
        m_stack->setCurrentIndex(1);
        showSide();
        // A mapping that cannot be predicted can be replaced.
        m_mapping->setEnabled(m_problem.isEmpty() && hasNodes(m_plan.request()));
        for (QCheckBox* box : {m_messages, m_allReduces})
            box->setEnabled(false);
        m_isAnswered = true;
        Q_EMIT csvChanged();
    }

    void offerMapping(const QString& mapping)
    {
        RunPlan plan = m_plan;
        plan.experiment.schedule.mapping = mapping.toStdString();
        Q_EMIT planOffered(plan);
    }

    void offerRow(const QModelIndex& row)
    {
        if (const MappedPrediction& mapped = m_compared->at(row.row()); mapped.problem.isEmpty())
            offerMapping(mapped.mapping);
    }

    void chooseFile()
    {
        showMapping(); // the picker keeps the current mapping until a file is chosen
        askForFile(this, tr("Mapping of the devices"), tr("Mappings (*.toml)"),
                   [this](const QString& file) { offerMapping(file); });
    }

    void showMapping()
    {
        const QString mapping = QString::fromStdString(m_plan.experiment.schedule.mapping);
        m_isShowing = true;
        m_mapping->setCurrent(segmentOf(mapping));
        m_isShowing = false;
        const bool isFile = segmentOf(mapping) == kFile;
        m_file->setText(isFile ? mappingTitle(mapping) : QString());
        m_file->setToolTip(isFile ? toolTipText(mapping) : QString());
    }

    void showSide()
    {
        m_side->setVisible(m_stack->currentIndex() == 0 && m_centre->indexOf(m_dock) < 0);
    }

    const ThemeController& m_theme;
    RunPlan m_plan;
    QString m_problem;
    // Whether a study of the current plan was requested, and whether its answer has come. Until
    // then m_found is that of an earlier plan.
    bool m_isAsked = false, m_isAnswered = false;
    Latest<PredictionRequest, engine::Result<Found>> m_studies{
        this, &View::find, [this](engine::Result<Found> answer) { showAnswer(std::move(answer)); }};
    Later m_debounce{kDebounce, [this] { ask(); }};
    std::shared_ptr<const Found> m_found; // null: no answer
    bool m_isShowing = false;             // showMapping() is setting the picker
    SegmentControl* m_mapping = named(new SegmentControl(m_theme,
                                                         {tr("contiguous"), tr("replicas together"),
                                                          tr("pair-adjacent"), tr("from file…")}),
                                      "mapping");
    QLabel *m_file = named(makeLabel({}, "hint"), "mappingFile"),
           *m_crossing = makeWrapped("secondary", "mappingCrossing");
    QCheckBox *m_messages = named(new QCheckBox(tr("messages")), "showMessages"),
              *m_allReduces = named(new QCheckBox(tr("all-reduces")), "showAllReduces");
    SceneView* m_picture
        = named(new SceneView(m_theme, [this](std::size_t link) { return describeLink(link); }),
                "nodePicture", tr("Devices on nodes"));
    std::vector<NodePair> m_links; // of the marks in the picture
    std::optional<NodePair> m_selected;
    bool m_isCleared = false; // the user cleared the selection
    Band* m_verdict = named(new Band(m_theme, Band::Shape::Verdict), "mappingVerdict");
    RowTable<MappedPrediction>* m_compared
        = new RowTable<MappedPrediction>(m_theme, 28, "mappings", tr("Mappings compared"), 7);
    LinkPanel* m_link = new LinkPanel(m_theme);
    ModelPanel* m_model = new ModelPanel(m_theme);
    EmptyState* m_empty = named(
        new EmptyState(m_theme, {Icon::Chip, {}, {}, tr("Use costs of hardware")}), "mappingEmpty");
    QStackedWidget* m_stack = new QStackedWidget;
    // m_dock: the panels. m_side: the column in which a wide window shows them.
    QWidget* m_dock = makeColumn({}, 0, {m_link, m_model, kStretch});
    QScrollArea* m_dockScroll = makeScroll(m_dock);
    QWidget* m_side = makeRow({}, 0, {makeLine(Qt::Vertical), m_dockScroll});
    QVBoxLayout* m_centre;
};

} // namespace

MappingView* MappingView::make(const ThemeController& theme)
{
    return new View(theme);
}

} // namespace app
