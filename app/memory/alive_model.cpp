#include "app/memory/alive_model.h"

#include "app/ui/text.h"

namespace app {

using engine::DeviceId;

namespace {

std::vector<AliveRow> rowsOf(const MemoryReport& report, DeviceId device, std::int64_t time)
{
    std::vector<AliveRow> rows;
    std::int64_t sum = 0;
    for (const auto& one : profiler::aliveAt(*report.run, device, time)) {
        QString category = memoryKindName(one.kind);
        if (one.owner)
            category = AliveModel::tr("stash of device %1").arg(one.owner->value);
        rows.push_back({AliveRow::Kind::Tensor,
                        category,
                        one.op,
                        one.op ? std::optional(one.since) : std::nullopt,
                        one.bytes,
                        {}});
        sum += one.bytes;
    }
    rows.push_back({AliveRow::Kind::Sum, AliveModel::tr("Alive"), {}, {}, sum, {}});
    for (const auto& one : profiler::evictedAt(*report.run, device, time))
        rows.push_back({AliveRow::Kind::Evicted,
                        AliveModel::tr("evicted to device %1").arg(one.partner.value), one.op,
                        one.left, one.bytes, one.back});
    if (const auto& partner = report.partners[device];
        partner && !report.steps[partner->device].empty())
        rows.push_back({AliveRow::Kind::Partner,
                        AliveModel::tr("device %1 at this time").arg(partner->device.value),
                        {},
                        {},
                        profiler::stepAt(report.steps[partner->device], time).total(),
                        {}});
    return rows;
}

} // namespace

void AliveModel::show(const MemoryReport& report, DeviceId device, std::int64_t time)
{
    using Row = AliveRow;
    const engine::Run& run = *report.run;
    const auto index = std::make_shared<const engine::OpIndex>(run.schedule);
    const RunPointer shared = report.run;
    const auto opOf = [shared, index](const Row& row) -> const engine::Op* {
        return row.op ? &engine::opAt(shared->schedule, *index, *row.op) : nullptr;
    };
    std::vector<Row> rows = rowsOf(report, device, time);
    const Scale bytes = report.bytes, clock = report.time;
    const auto origin = report.window.begin;
    const auto at = [clock, origin](std::optional<std::int64_t> when) {
        return when ? clock.text(static_cast<double>(*when - origin)) : QString();
    };
    std::int64_t largest = 1;
    for (const Row& row : rows)
        if (row.kind == Row::Kind::Tensor)
            largest = std::max(largest, row.bytes);
    const bool hasEvicted
        = std::ranges::any_of(rows, [](const Row& row) { return row.kind == Row::Kind::Evicted; });
    Columns columns{{tr("Category"), [](const Row& row) { return row.category; }, Qt::AlignLeft},
                    TableColumn<Row>(
                        tr("Op"),
                        [opOf, shared](const Row& row) {
                            const engine::Op* op = opOf(row);
                            return op != nullptr ? opName(shared->info, *op) : QString();
                        },
                        Qt::AlignLeft)
                        .with(kCodeRole, kAlways),
                    {tr("Micro-batch"),
                     [opOf](const Row& row) {
                         const engine::Op* op = opOf(row);
                         return op != nullptr && op->microBatch.isValid()
                             ? QString::number(op->microBatch.value)
                             : QString();
                     }},
                    {tr("Stage"),
                     [opOf](const Row& row) {
                         const engine::Op* op = opOf(row);
                         return op != nullptr && op->stage.isValid()
                             ? QString::number(op->stage.value)
                             : QString();
                     }},
                    {{tr("Since, %1"), clock}, [at](const Row& row) { return at(row.since); }},
                    TableColumn<Row>({QStringLiteral("%1"), bytes}, [bytes](const Row& row) {
                        return bytes.text(static_cast<double>(row.bytes));
                    }).with(kShareRole, [largest](const Row& row) {
                        return row.kind == Row::Kind::Tensor ? QVariant(
                                   static_cast<double>(row.bytes) / static_cast<double>(largest))
                                                             : QVariant();
                    })};
    if (hasEvicted)
        columns.push_back({{tr("Back, %1"), clock}, [at](const Row& row) { return at(row.back); }});
    for (auto& column : columns)
        column.with(kStrongRole, [](const Row& row) { return row.kind == Row::Kind::Sum; })
            .with(kHintRole, [](const Row& row) {
                return row.kind == Row::Kind::Evicted || row.kind == Row::Kind::Partner;
            });
    reset(std::move(columns), std::move(rows));
}

} // namespace app
