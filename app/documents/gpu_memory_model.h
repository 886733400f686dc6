#pragma once

#include "app/ui/table_model.h"
#include "profiler/analysis/run_measures.h"

namespace app {

struct GpuMemoryRow
{
    const profiler::Measure<engine::GpuMemory>* measure = nullptr; // nullptr: a note
    QString title;
};

// Table of the GPU memory at the end of a run. The columns are all GPUs together, then each GPU.
// The rows are the measures that `bscope analyze` has as columns, because a run has few GPUs and
// many owners of memory. The table is empty without GPUs.
class GpuMemoryModel : public TableModel<GpuMemoryRow>
{
public:
    using TableModel::TableModel;

    void show(const std::vector<engine::GpuMemory>& gpus);
};

// Returns the driver's value minus the sum, relative to the driver's value: "0.4 %".
QString driverDifference(const engine::GpuMemory& memory);

} // namespace app
