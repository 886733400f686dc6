#pragma once

#include "profiler/store/query.h"

#include <QAbstractTableModel>

#include <memory>

namespace app {

// The rows of a query, as SQLite returned them. NULL is shown as "NULL" in the colour of hints.
// Long texts are cut; copied cells have the full values.
class QueryModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void show(std::shared_ptr<const profiler::QueryResult> result); // nullptr: no rows
    const profiler::QueryResult* result() const { return m_result.get(); }
    QString csv() const; // header and rows; NULL is an empty cell

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool isOfNumbers(int column) const;

    std::shared_ptr<const profiler::QueryResult> m_result;
};

} // namespace app
