#pragma once

#include "app/ui/table_model.h"
#include "profiler/analysis/run_measures.h"

namespace app {

struct GpuMemoryRow
{
    const profiler::Measure<engine::GpuMemory>* measure = nullptr; // nullptr: a note
    QString title;
};

// Fills a table with the GPU memory at the end of a run. The columns are all GPUs together, then
// each GPU. The rows are the measures that `bscope analyze` has as columns, because a run has few
// GPUs and many owners of memory. The table is empty without GPUs.
void showGpuMemory(TableModel<GpuMemoryRow>& model, const std::vector<engine::GpuMemory>& gpus);

} // namespace app
