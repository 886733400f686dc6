#include "app/documents/gpu_memory_model.h"

#include "app/ui/text.h"

namespace app {

using engine::GpuMemory;
using engine::GpuMemoryOwner;

QString driverDifference(const GpuMemory& memory)
{
    const QString sign = memory.difference() < 0 ? QStringLiteral("\u2212") : QString();
    return sign + percent(memory.differenceShare());
}

std::int64_t GpuMemoryRow::bytesOf(const GpuMemory& memory) const
{
    switch (kind) {
    case GpuMemoryRow::Kind::Owner:
        return memory[owner];
    case GpuMemoryRow::Kind::Reserved:
        return memory.reserved;
    case GpuMemoryRow::Kind::Known:
        return memory.known();
    default:
        return memory.used;
    }
}

GpuMemoryModel::GpuMemoryModel(QObject* parent)
    : TableModel(parent)
{ }

void GpuMemoryModel::show(const std::vector<GpuMemory>& gpus)
{
    if (gpus.empty()) {
        reset({}, {});
        return;
    }
    const GpuMemory all = gpus.size() > 1 ? engine::sumOf(gpus) : gpus.front();
    m_bytes = byteScale(std::max(all.used, all.known()));
    std::vector<GpuMemoryRow> rows = rowsOf(all);
    if (const std::string note = engine::memoryNote(gpus); !note.empty())
        rows.push_back({GpuMemoryRow::Kind::Note, QString::fromStdString(note)});
    using Column = TableColumn<GpuMemoryRow>;
    Columns columns
        = {Column(
               {tr("At the end, %1"), m_bytes}, [](const GpuMemoryRow& row) { return row.name; },
               Qt::AlignLeft)
               .with(kSpanRole,
                     [](const GpuMemoryRow& row) { return row.kind == GpuMemoryRow::Kind::Note; }),
           memoryColumn(all), shareColumn(all)};
    if (gpus.size() > 1)
        for (const GpuMemory& gpu : gpus)
            columns.push_back(memoryColumn(gpu));
    for (Column& column : columns)
        column
            .with(Qt::ToolTipRole,
                  [](const GpuMemoryRow& row) {
                      return row.kind == GpuMemoryRow::Kind::Note ? QVariant(row.name) : QVariant();
                  })
            .with(kStrongRole,
                  [](const GpuMemoryRow& row) {
                      return row.kind == GpuMemoryRow::Kind::Known
                          || row.kind == GpuMemoryRow::Kind::Used;
                  })
            .with(kHintRole, [](const GpuMemoryRow& row) {
                return row.kind == GpuMemoryRow::Kind::Reserved
                    || row.kind == GpuMemoryRow::Kind::Note;
            });
    reset(std::move(columns), std::move(rows));
}

// Omits owners that have no memory on any GPU.
std::vector<GpuMemoryRow> GpuMemoryModel::rowsOf(const GpuMemory& all) const
{
    std::vector<GpuMemoryRow> rows;
    for (int i = 0; i < engine::kGpuMemoryOwners; ++i)
        if (const auto owner = static_cast<GpuMemoryOwner>(i); all[owner] != 0)
            rows.push_back({GpuMemoryRow::Kind::Owner,
                            capitalized(fromUtf8(engine::gpuMemoryOwnerName(owner))), owner});
    if (all.reserved != 0)
        rows.push_back({GpuMemoryRow::Kind::Reserved, tr("(Reserved for communicators)")});
    rows.push_back({GpuMemoryRow::Kind::Known, tr("Sum")});
    rows.push_back({GpuMemoryRow::Kind::Used, tr("Reported by the driver")});
    rows.push_back({GpuMemoryRow::Kind::Difference, tr("Difference")});
    return rows;
}

// Emphasizes a difference above kMemoryTolerance.
TableColumn<GpuMemoryRow> GpuMemoryModel::memoryColumn(const GpuMemory& memory) const
{
    const auto text = [this, memory](const GpuMemoryRow& row) {
        if (row.kind == GpuMemoryRow::Kind::Note)
            return QString();
        return row.kind == GpuMemoryRow::Kind::Difference
            ? driverDifference(memory)
            : m_bytes.text(static_cast<double>(row.bytesOf(memory)));
    };
    return TableColumn<GpuMemoryRow>(memory.gpu < 0 ? tr("All GPUs") : tr("GPU %1").arg(memory.gpu),
                                     text)
        .with(kStrongRole, [memory](const GpuMemoryRow& row) {
            return row.kind == GpuMemoryRow::Kind::Difference
                ? QVariant(memory.differenceShare() > engine::kMemoryTolerance)
                : QVariant();
        });
}

TableColumn<GpuMemoryRow> GpuMemoryModel::shareColumn(const GpuMemory& all) const
{
    const auto share = [all](const GpuMemoryRow& row) {
        return all.used > 0 ? static_cast<double>(row.bytesOf(all)) / static_cast<double>(all.used)
                            : 0;
    };
    const auto text = [share](const GpuMemoryRow& row) {
        return row.kind == GpuMemoryRow::Kind::Owner || row.kind == GpuMemoryRow::Kind::Known
            ? number(100 * share(row), 1)
            : QString();
    };
    return TableColumn<GpuMemoryRow>(tr("Share, %"), text)
        .with(kShareRole, [share](const GpuMemoryRow& row) {
            return row.kind == GpuMemoryRow::Kind::Owner ? QVariant(share(row)) : QVariant();
        });
}

} // namespace app
