#include "app/mapping/mapping_text.h"

#include "app/ui/text.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <set>

namespace app {
namespace {

QString mappingPhrase(const char* source)
{
    return QCoreApplication::translate("Mapping", source);
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

QString whyText(const MappedPrediction& mapped)
{
    double messages = 0, sums = 0;
    for (const profiler::LinkLoad& link : mapped.loads.links)
        if (link.from != link.to) {
            messages += link.messages + link.copies;
            sums += link.allReduces;
        }
    if (messages == 0 && sums == 0)
        return mappingPhrase("nothing crosses nodes.");
    if (sums == 0)
        return mappingPhrase("all-reduces stay in their nodes, %1 of messages cross nodes.")
            .arg(loadText(messages));
    if (messages == 0)
        return mappingPhrase("messages stay in their nodes, %1 of all-reduces cross nodes.")
            .arg(loadText(sums));
    return mappingPhrase("%1 of messages and %2 of all-reduces cross nodes.")
        .arg(loadText(messages), loadText(sums));
}

// The mapping as it is called within a sentence: "replicas together", or the name of the file.
QString nameInSentence(const QString& name)
{
    return name == QStringLiteral("replicas-together") ? mappingPhrase("replicas together")
                                                       : QFileInfo(name).fileName();
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

QString mappingRule(const QString& name)
{
    if (name == QStringLiteral("contiguous"))
        return mappingPhrase("copy after copy, devices in sequence");
    if (name == QStringLiteral("replicas-together"))
        return mappingPhrase("the holders of a stage share a node");
    if (name == QStringLiteral("pair-adjacent"))
        return mappingPhrase("devices d and D−1−d are neighbours");
    return mappingPhrase("as in the file");
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
        ? mappingPhrase("in one node")
        : mappingPhrase("on %1, %2 per node")
              .arg(countOf(static_cast<std::int64_t>(study.nodes.size()), "node"),
                   countOf(study.shape.slots, "slot"));
    const QString what = study.nodes.size() < 2 ? mappingPhrase("Nothing crosses nodes.")
        : sums == 0
        ? mappingPhrase("%1 and no all-reduces cross nodes.").arg(countOf(messages, "message"))
        : mappingPhrase("%1 and the all-reduces of %2 cross nodes.")
              .arg(countOf(messages, "message"), countOf(sums, "stage"));
    return QStringLiteral("%1 %2. %3").arg(countOf(devices, "device"), where, what);
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
        return mappingPhrase("free");
    QString text
        = (devices.size() == 1 ? mappingPhrase("device %1, ") : mappingPhrase("devices %1, "))
              .arg(rangesText(devices))
        + (copies.size() == 1 ? mappingPhrase("copy %1") : mappingPhrase("copies %1"))
              .arg(rangesText(copies));
    if (!stages.empty())
        text += mappingPhrase("; all-reduce of stages %1").arg(rangesText(stages));
    return text;
}

QString linkTitle(const profiler::LinkLoad& link)
{
    return link.from == link.to ? mappingPhrase("In node %1").arg(link.from)
                                : mappingPhrase("Node %1 → node %2").arg(link.from).arg(link.to);
}

QString linkSpeed(const engine::HardwareSpec& hardware, bool crosses)
{
    const double speed = (crosses ? hardware.network : hardware.node).bandwidth;
    const QString each = !crosses  ? mappingPhrase("port")
        : hardware.nicsPerNode > 0 ? mappingPhrase("NIC")
                                   : mappingPhrase("GPU");
    return mappingPhrase("%1 per %2").arg(scaleIn(Unit::GBPerSecond, 0).withUnit(speed), each);
}

QString linkSentence(const MappingStudy& study, const profiler::LinkLoad& link)
{
    const engine::HardwareSpec& hardware = study.on->hardware;
    const bool crosses = link.from != link.to;
    const auto iteration = static_cast<double>(study.shown().iteration);
    const double share = static_cast<double>(link.busy) / std::max(1.0, iteration);
    return mappingPhrase("%1 at most; busy %2 of %3 %4 (%5).")
        .arg(linkSpeed(hardware, crosses), milliseconds(static_cast<double>(link.busy)),
             milliseconds(iteration), scaleIn(Unit::Millisecond).unit(), percent(share));
}

QString flowTitle(const profiler::LinkFlow& flow, int replicas)
{
    using engine::OpKind;
    const int stage = flow.stage.value;
    if (flow.kind == OpKind::AllReduce)
        return mappingPhrase("All-reduce, stage %1").arg(stage);
    const QString direction = replicas < 2 ? QString()
        : flow.replica == 0                ? mappingPhrase(", down")
                                           : mappingPhrase(", up");
    if (flow.kind == OpKind::SendActivation)
        return mappingPhrase("Forward %1 → %2").arg(stage).arg(stage + 1) + direction;
    if (flow.kind == OpKind::SendGradient)
        return mappingPhrase("Backward %1 → %2").arg(stage).arg(stage - 1) + direction;
    return (flow.kind == OpKind::Evict ? mappingPhrase("Evict, stage %1")
                                       : mappingPhrase("Load, stage %1"))
               .arg(stage)
        + direction;
}

QString flowDetail(const profiler::LinkFlow& flow)
{
    const Scale scale = scaleIn(Unit::MB);
    const double each = flow.transfers > 0 ? flow.bytes / flow.transfers : 0;
    if (flow.kind == engine::OpKind::AllReduce)
        return mappingPhrase("%1 in all").arg(scale.withUnit(flow.bytes));
    return mappingPhrase("Device %1 → %2; %3 of %4")
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
        return {true, mappingPhrase("The mapping makes no difference here:"), whyText(shown)};
    if (more(shown, *best) < kSame)
        return {true,
                mappingPhrase("%1 is the fastest, %2 less than %3:")
                    .arg(mappingTitle(shown.mapping),
                         percent(more(*worst, shown) / (1 + more(*worst, shown))),
                         nameInSentence(worst->mapping)),
                whyText(shown)};
    return {false,
            mappingPhrase("%1 takes %2 less than %3:")
                .arg(mappingTitle(best->mapping),
                     percent(more(shown, *best) / (1 + more(shown, *best))),
                     nameInSentence(shown.mapping)),
            whyText(*best)};
}

QString stagesText(const StageSizes& sizes)
{
    return sizes.first == sizes.last ? QString::number(sizes.first)
                                     : QStringLiteral("%1–%2").arg(sizes.first).arg(sizes.last);
}

QString stagesTitle(const StageSizes& sizes, int stages)
{
    const bool isOne = sizes.first == sizes.last;
    QString text = stagesText(sizes);
    text += mappingPhrase(", %1").arg(countOf(sizes.layers, "layer"));
    if (!isOne)
        return text + mappingPhrase(" each");
    return text
        + (sizes.first == 0               ? mappingPhrase(", embedding")
               : sizes.last == stages - 1 ? mappingPhrase(", output layer")
                                          : QString());
}

QString fitText(const MemoryFit& fit, const MemoryFit& now)
{
    const Scale bytes = scaleIn(Unit::GiB);
    const double left = fit.capacity - fit.most();
    const QString numbers = mappingPhrase("device %1, %2 of %3")
                                .arg(fit.fullest())
                                .arg(bytes.text(fit.most()), bytes.withUnit(fit.capacity));
    if (&fit == &now)
        return fit.fits()
            ? mappingPhrase("Fits. Fullest: %1, %2 free.").arg(numbers, bytes.text(left))
            : mappingPhrase("Does not fit. %1, over by %2.")
                  .arg(capitalized(numbers), bytes.withUnit(-left));
    return fit.fits()
        ? mappingPhrase("b = %1 fits, too. Fullest: %2.").arg(fit.microBatchSize).arg(numbers)
        : mappingPhrase("b = %1 does not fit: device %2 is over by %3.")
              .arg(fit.microBatchSize)
              .arg(fit.fullest())
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
        ways.append(fit.recomputesAll && !facts.now.recomputesAll
                        ? mappingPhrase("recompute everything (%1)").arg(bytes.withUnit(fit.most()))
                        : mappingPhrase("b = %1 (%2)")
                              .arg(fit.microBatchSize)
                              .arg(bytes.withUnit(fit.most())));
    if (ways.isEmpty())
        return facts.now.fits()
            ? QString()
            : mappingPhrase("Smaller micro-batches and recomputation do not make it "
                            "fit: use more devices or more tensor parallelism.");
    return mappingPhrase("To make it fit: %1.").arg(ways.join(mappingPhrase(" or ")));
}

QString largestLoadText(const profiler::LinkLoad& link)
{
    const QString kind = link.allReduces > link.messages + link.copies
        ? mappingPhrase("all-reduces")
        : link.copies > link.messages ? mappingPhrase("stashes")
                                      : mappingPhrase("messages");
    return QStringLiteral("%1, %2").arg(kind, linkTitle(link).toLower());
}

QString mappingsCsv(const MappingStudy& study)
{
    QString all
        = mappingPhrase("mapping,iteration ms,exposed communication ms,largest link load GB,on\n");
    for (const MappedPrediction& each : study.all) {
        if (!each.problem.isEmpty())
            continue;
        const profiler::LinkLoad* most = each.loads.largest();
        all += QStringLiteral("%1,%2,%3,%4,%5\n")
                   .arg(quotedCell(each.mapping),
                        QString::number(static_cast<double>(each.iteration) / 1e6, 'f', 3),
                        QString::number(each.loads.exposed.sum() / 1e6, 'f', 3),
                        QString::number(most != nullptr ? most->bytes() / 1e9 : 0, 'f', 3),
                        quotedCell(most != nullptr ? largestLoadText(*most) : QString()));
    }
    return all;
}

} // namespace app
