#pragma once

#include "app/models/numbers.h"
#include "app/models/tables/table_roles.h"
#include "profiler/analysis/compare.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace app {

// Runs of a comparison as rows, each value with its difference to the baseline. A difference is
// coloured only where it is over 1 % of the baseline's value; its sign carries the meaning.
class CompareModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Column : int {
        Run,
        Mode,
        Iteration,
        Compute,
        Exposed,
        Bubble,
        Peak,
        Stash,
        Messages,
        Tokens,
        Mfu,
    };

    explicit CompareModel(QObject* parent = nullptr);

    void show(profiler::Comparison comparison, QStringList titles); // a title per run
    void clear();
    const profiler::Comparison& comparison() const { return m_comparison; }
    Column columnAt(int column) const { return m_columns[static_cast<std::size_t>(column)]; }
    QString titleAt(int row) const { return m_titles.value(row); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    // Number, in ticks, bytes or itself; none where the run does not have it.
    std::optional<double> value(std::size_t run, Column column) const;
    Scale scaleOf(std::size_t run, Column column) const;
    QString text(std::size_t run, Column column) const;
    std::optional<double> difference(std::size_t run, Column column) const;
    Verdict verdict(std::size_t run, Column column) const;
    void chooseColumns();

    profiler::Comparison m_comparison;
    QStringList m_titles;
    std::vector<Column> m_columns;
    Scale m_bytes;
};

} // namespace app
