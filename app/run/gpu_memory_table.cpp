#include "app/run/gpu_memory_table.h"

#include "app/timeline/details/details_gpu.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

namespace app {
namespace {

using engine::GpuMemory;
using Row = GpuMemoryRow;

bool isNote(const Row& row)
{
    return row.measure == nullptr;
}

// Of an owner, which has no row if it has no memory.
bool isOwned(const Row& row)
{
    return !isNote(row) && (row.measure->shown & profiler::kIfAny) != 0;
}

bool isSize(const Row& row)
{
    return !isNote(row) && row.measure->unit == profiler::Unit::Bytes;
}

double sizeOf(const Row& row, const GpuMemory& memory)
{
    return (*row.measure)(memory).number().value_or(0);
}

// Emphasizes a difference above kMemoryTolerance.
TableColumn<Row> memoryColumn(const GpuMemory& memory, const Scale& bytes)
{
    return TableColumn<Row>(
               memory.gpu < 0 ? QCoreApplication::translate("GpuMemory", "All GPUs")
                              : QCoreApplication::translate("GpuMemory", "GPU %1").arg(memory.gpu),
               [=](const Row& row) {
                   return isSize(row) ? bytes.text(sizeOf(row, memory))
                       : isNote(row)  ? QString()
                                      : driverDifference(memory);
               })
        .with(kStrongRole, [memory](const Row& row) {
            return isSize(row) ? QVariant()
                               : QVariant(memory.differenceShare() > engine::kMemoryTolerance);
        });
}

TableColumn<Row> shareColumn(const GpuMemory& all)
{
    const auto share = [all](const Row& row) {
        return all.used > 0 ? sizeOf(row, all) / static_cast<double>(all.used) : 0;
    };
    return TableColumn<Row>(QCoreApplication::translate("GpuMemory", "Share, %"),
                            [share](const Row& row) {
                                return isSize(row) ? number(100 * share(row), 1) : QString();
                            })
        .with(kShareRole,
              [share](const Row& row) { return isOwned(row) ? QVariant(share(row)) : QVariant(); });
}

} // namespace

void showGpuMemory(TableModel<GpuMemoryRow>& model, const std::vector<GpuMemory>& gpus)
{
    if (gpus.empty())
        return model.reset({}, {});
    const GpuMemory all = gpus.size() > 1 ? engine::sumOf(gpus) : gpus.front();
    const Scale bytes = byteScale(std::max(all.used, all.known()));
    std::vector<Row> rows;
    for (const auto& measure : profiler::gpuMemoryMeasures()) {
        const Row row{&measure, capitalized(fromUtf8(measure.title))};
        const bool isColumn = (measure.shown & profiler::kColumn) != 0;
        if (isColumn && measure.unit != profiler::Unit::None
            && (!isOwned(row) || sizeOf(row, all) != 0))
            rows.push_back(row);
    }
    if (const std::string note = engine::memoryNote(gpus); !note.empty())
        rows.push_back({nullptr, fromUtf8(note)});
    std::vector<TableColumn<Row>> columns{
        TableColumn<Row>({QCoreApplication::translate("GpuMemory", "At the end, %1"), bytes},
                         &Row::title, Qt::AlignLeft)
            .with(kSpanRole, isNote),
        memoryColumn(all, bytes), shareColumn(all)};
    if (gpus.size() > 1)
        for (const GpuMemory& gpu : gpus)
            columns.push_back(memoryColumn(gpu, bytes));
    for (TableColumn<Row>& column : columns)
        column
            .with(Qt::ToolTipRole,
                  [](const Row& row) { return isNote(row) ? QVariant(row.title) : QVariant(); })
            .with(kStrongRole, [](const Row& row) { return isSize(row) && !isOwned(row); })
            .with(kHintRole, isNote);
    model.reset(std::move(columns), std::move(rows));
}

} // namespace app
