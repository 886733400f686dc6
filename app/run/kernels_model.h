#pragma once

#include "app/documents/run_document.h"
#include "app/ui/table_model.h"
#include "profiler/analysis/kernel_table.h"

#include <memory>

namespace app {

// Table of the kernels of a run by kind of op, with their counts, times and shares.
class KernelsModel : public TableModel<profiler::KernelRow>
{
    Q_OBJECT

public:
    enum class Column : int { Kernel, Kind, Op, Count, Total, Mean, Shortest, Longest, Share };

    explicit KernelsModel(QObject* parent = nullptr);

    // `activity` belongs to the run; ownership is shared.
    void show(const engine::Run& run, std::shared_ptr<const profiler::GpuActivity> activity,
              const profiler::KernelFilter& filter);
    const std::vector<profiler::OpKindWork>& ops() const { return m_ops; }
    QString csv() const; // header and rows as shown, but with times in ns and full names

private:
    const profiler::KernelName& nameOf(const profiler::KernelRow& row) const
    {
        return m_activity->names()[row.name];
    }
    Columns columns() const;

    std::shared_ptr<const profiler::GpuActivity> m_activity;
    std::vector<profiler::OpKindWork> m_ops;
};

} // namespace app
