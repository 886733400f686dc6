#pragma once

#include "app/compare/compare_numbers.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "profiler/analysis/compare.h"

#include <optional>

namespace app {

// A table with one row per compared run, which stores the index of its run.
class RunTable : public TableModel<std::size_t>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    int rowOf(int run) const; // row in the current sort order; -1: not shown
};

// Table of the compared runs. Each value is shown with its difference from the baseline.
// Differences above 1 % of the baseline's value are coloured.
class CompareModel : public RunTable
{
    Q_OBJECT

public:
    using RunTable::RunTable;

    // `titles` has one title per run.
    void show(profiler::Comparison comparison, QStringList titles);
    void clear() { show({}, {}); }
    const profiler::Comparison& comparison() const { return m_comparison; }
    // The columns that the view hides if not all columns fit. It hides the settings first, from the
    // last to the first, then MFU, then messages.
    const std::vector<int>& dispensable() const { return m_dispensable; }

private:
    struct Quantity
    {
        std::function<std::optional<double>(const profiler::ComparedRun&)> value;
        std::optional<Scale> scale = {}; // nullopt: times, whose unit depends on the runs
        bool isMoreBetter = false;
    };

    Columns columns(); // also sets m_dispensable
    void addSettings(Columns& columns);
    TableColumn<std::size_t> column(const ColumnTitle& title, const Quantity& quantity) const;
    Scale scaleOf(std::size_t run, const Quantity& quantity) const;

    profiler::Comparison m_comparison;
    QStringList m_titles;
    std::vector<int> m_dispensable;
};

// Table with the time of each kind of op in each compared run. The time is the mean over the
// devices and is shown with its difference from the baseline. Backward includes I and W, so that
// schemes with and without split backward are comparable. The tooltip shows the number of ops and
// their median duration.
class OperationModel : public RunTable
{
    Q_OBJECT

public:
    using RunTable::RunTable;

    // `titles` has one title per run; nullptr clears the table.
    void show(CompareNumbersPointer numbers, const QStringList& titles);

private:
    using Kinds = std::vector<engine::OpKind>;
    TableColumn<std::size_t> column(const QString& title, const Kinds& kinds) const;
    double timeOf(std::size_t run, const Kinds& kinds) const; // in units of the table
    QString toolTip(std::size_t run, const Kinds& kinds) const;

    CompareNumbersPointer m_numbers;
};

// Table of the bubble of every device in the compared runs, in per cent of the iteration. For a run
// with more than 16 devices it shows the least, the mean and the largest bubble.
class DeviceModel : public RunTable
{
    Q_OBJECT

public:
    using RunTable::RunTable;

    void show(CompareNumbersPointer numbers, const QStringList& titles);

private:
    Columns deviceColumns(int devices) const;
    Columns summaryColumns() const;

    CompareNumbersPointer m_numbers;
};

} // namespace app
