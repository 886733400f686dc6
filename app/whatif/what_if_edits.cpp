#include "app/whatif/what_if_edits.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/experiment/run_nodes.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <set>

namespace app {
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
