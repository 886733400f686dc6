#pragma once

#include "app/models/run_document.h"
#include "profiler/analysis/kernel_table.h"

#include <QAbstractTableModel>

#include <memory>

namespace app {

// The kernels of a run by kind of op: how often, how long, which share. Sorted by the total until a
// header is clicked.
class KernelsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Column : int { Kernel, Kind, Op, Count, Total, Mean, Shortest, Longest, Share };
    static constexpr int kColumns = 9;

    explicit KernelsModel(QObject* parent = nullptr);

    // `activity` is the run's; it is kept alive as long as it is shown.
    void show(const engine::Run& run, std::shared_ptr<const profiler::GpuActivity> activity,
              const profiler::KernelFilter& filter);
    const profiler::KernelTable& table() const { return m_table; } // rows as they are sorted
    QString csv() const; // header, then the rows in their order; nanoseconds, full names

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    const profiler::KernelName& nameOf(const profiler::KernelRow& row) const
    {
        return m_activity->names()[row.name];
    }
    QString text(const profiler::KernelRow& row, Column column) const;
    void arrange();

    std::shared_ptr<const profiler::GpuActivity> m_activity;
    profiler::KernelTable m_table;
    Column m_sortedBy = Column::Total;
    Qt::SortOrder m_order = Qt::DescendingOrder;
};

} // namespace app
