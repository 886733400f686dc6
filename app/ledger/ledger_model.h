#pragma once

#include "app/documents/ledger_run.h"
#include "app/ui/table_model.h"

namespace app {

// Table of the listed runs of the ledger. A setting has a column only if it varies among these runs
// or if all settings are requested.
class LedgerModel : public TableModel<LedgerRun>
{
    Q_OBJECT

public:
    enum class Settings : std::uint8_t { Varying, All };

    explicit LedgerModel(QObject* parent = nullptr);

    // Shows these runs. The sort order is kept if the columns stay the same.
    void show(std::vector<LedgerRun> runs, Settings settings, const QDateTime& now);
    int equalSettings() const { return m_equal; } // number of settings without a column
    QString titleOf(int column) const { return headerData(column, Qt::Horizontal).toString(); }
    // Returns the columns that may be hidden if the window is too narrow. The first ones are hidden
    // first: settings from the last to the first, then iteration times, then tags.
    std::vector<int> dispensable() const;
    int rowOf(const QString& file) const; // -1: not shown

private:
    Columns columns(const QDateTime& now) const;

    QStringList m_settings; // titles of the settings that have a column
    bool m_hasTags = false; // whether there is a column of tags
    int m_equal = 0;
};

} // namespace app
