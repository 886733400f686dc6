#pragma once

#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "engine/timeline/gpu_facts.h"

namespace app {

struct GpuMemoryRow
{
    enum class Kind { Owner, Reserved, Known, Used, Difference, Note };

    Kind kind = Kind::Owner;
    QString name;
    engine::GpuMemoryOwner owner = engine::GpuMemoryOwner::Weights; // only for Kind::Owner

    std::int64_t bytesOf(const engine::GpuMemory& memory) const;
};

// Table of the GPU memory at the end of a run. The rows are the owners that have memory, then their
// sum, the value that the driver reports, and the difference. The columns are all GPUs together,
// then each GPU. The table is empty without GPUs.
class GpuMemoryModel : public TableModel<GpuMemoryRow>
{
    Q_OBJECT

public:
    explicit GpuMemoryModel(QObject* parent = nullptr);

    void show(const std::vector<engine::GpuMemory>& gpus);

private:
    std::vector<GpuMemoryRow> rowsOf(const engine::GpuMemory& all) const;
    TableColumn<GpuMemoryRow> memoryColumn(const engine::GpuMemory& memory) const;
    TableColumn<GpuMemoryRow> shareColumn(const engine::GpuMemory& all) const;

    Scale m_bytes;
};

// Returns the driver's value minus the sum, relative to the driver's value: "0.4 %".
QString driverDifference(const engine::GpuMemory& memory);

} // namespace app
