#pragma once

#include "app/models/ledger/ledger_run.h"
#include "app/models/tables/table_model.h"

namespace app {

// The listed runs of the ledger. Has columns only for settings that vary among them, unless all
// settings are requested.
class LedgerModel : public TableModel<LedgerRun>
{
    Q_OBJECT

public:
    enum class Settings : std::uint8_t { Varying, All };

    explicit LedgerModel(QObject* parent = nullptr);

    // Keeps the sort order if the columns stay the same.
    void show(std::vector<LedgerRun> runs, Settings settings, const QDateTime& now);
    int equalSettings() const { return m_equal; } // number of settings without a column
    QString titleOf(int column) const { return headerData(column, Qt::Horizontal).toString(); }
    // The columns that may be left out where not all fit: settings (last first), iteration times
    // and tags.
    std::vector<int> dispensable() const;
    int rowOf(const QString& file) const; // -1: not shown

private:
    Columns columns(const QDateTime& now) const;

    QStringList m_settings; // titles of the settings that have a column
    bool m_hasTags = false; // whether there is a column of tags
    int m_equal = 0;
};

} // namespace app
