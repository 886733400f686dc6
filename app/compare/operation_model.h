#pragma once

#include "app/compare/compare_numbers.h"
#include "app/ui/table_model.h"

namespace app {

// Table with the time of each kind of op in each compared run. The time is the mean over the
// devices and is shown with its difference from the baseline. Backward includes I and W, so that
// schemes with and without split backward are comparable. The tooltip shows the number of ops and
// their median duration. Each row stores the index of its run.
class OperationModel : public TableModel<std::size_t>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    // `titles` has one title per run; nullptr clears the table.
    void show(CompareNumbersPointer numbers, const QStringList& titles);
    int rowOf(int run) const; // row in the current sort order; -1 if the run is not shown

private:
    using Kinds = std::vector<engine::OpKind>;
    TableColumn<std::size_t> column(const QString& title, const Kinds& kinds) const;
    double timeOf(std::size_t run, const Kinds& kinds) const; // in units of the table
    QString toolTip(std::size_t run, const Kinds& kinds) const;

    CompareNumbersPointer m_numbers;
};

// Table of the bubble of every device in the compared runs, in per cent of the iteration. For a run
// with more than 16 devices it shows the least, the mean and the largest bubble. Each row stores
// the index of its run.
class DeviceModel : public TableModel<std::size_t>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    void show(CompareNumbersPointer numbers, const QStringList& titles);
    int rowOf(int run) const; // row in the current sort order; -1 if the run is not shown

private:
    Columns deviceColumns(int devices) const;
    Columns summaryColumns() const;

    CompareNumbersPointer m_numbers;
};

} // namespace app
