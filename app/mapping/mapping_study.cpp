#include "app/mapping/mapping_study.h"

#include "app/ui/text.h"
#include "engine/base/try.h"

#include <QFileInfo>

#include <algorithm>
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
    for (const NodeSlot& slot : node.slots)
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
            nodes[node].slots.push_back({static_cast<int>(node) * perNode + i, -1, 0, {}});
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
                                  .slots[static_cast<std::size_t>(slot % perNode)];
            place = {slot, d, w, stages[static_cast<std::size_t>(d)]};
        }
    for (NodeContents& node : nodes)
        node.summary = nodeSummary(node, loads);
    return nodes;
}

tl::unexpected<engine::Error> studyCancelled()
{
    return engine::fail(engine::Error::Code::Cancelled, "cancelled");
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

Result<MappingStudy> studyMappings(const PredictionRequest& request,
                                   const std::function<bool()>& isCancelled)
{
    if (!hasNodes(request))
        return engine::fail(engine::Error::Code::Unsupported,
                            "the costs are not from hardware; choose hardware as their source");
    const auto isDropped = [&] { return isCancelled && isCancelled(); };
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
        if (isDropped())
            return studyCancelled();
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

Result<ModelFacts> modelFacts(const PredictionRequest& request, const MappingStudy& study,
                              const std::function<bool()>& isCancelled)
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
        if (isCancelled && isCancelled())
            return {};
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
    if (isCancelled && isCancelled())
        return engine::fail(engine::Error::Code::Cancelled, "cancelled");
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
    using Flow = profiler::LinkFlow;
    return {TableColumn<Flow>(
                QStringLiteral("Traffic"),
                [replicas](const Flow& flow) { return flowTitle(flow, replicas); }, Qt::AlignLeft)
                .tip(flowDetail),
            {scaleIn(Unit::GB).unit(), [](const Flow& flow) { return gigabytes(flow.bytes); }},
            timeColumn<Flow>("Each, %1", &Flow::time).tip("Duration of each transfer"),
            timeColumn<Flow>("Exposed, %1", &Flow::exposed)
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

} // namespace app
