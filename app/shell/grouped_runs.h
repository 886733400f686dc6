#pragma once

#include "app/documents/runs_model.h"

#include <QAbstractListModel>
#include <QStringList>
#include <QTimer>

#include <vector>

namespace app {

// The runs of the dock in groups that can be compared: runs of one shape, mode and unit. Each group
// has a header with a tick for all its runs. Runs without data yet come first. Up to four runs have
// no headers. A filter hides the runs that lack one of its words. Added and changed runs are
// arranged together, in the next turn of the event loop.
class GroupedRuns : public QAbstractListModel
{
    Q_OBJECT

public:
    // Rows also have the roles of RunsModel. HeaderRole is a bool: whether the row is the header of
    // a group. The RunsModel::ValueRole of a header is the number of its runs.
    enum Role : int { HeaderRole = Qt::UserRole + 100 };

    explicit GroupedRuns(RunsModel& runs, QObject* parent = nullptr);

    void setFilter(const QString& filter);
    bool isFiltered() const { return !m_words.isEmpty(); }
    int runOf(const QModelIndex& index) const; // row in RunsModel; -1: a header, or none
    QModelIndex indexOf(int run) const;        // invalid: hidden
    // Returns the runs in the group of `index`, as rows in RunsModel. Hidden runs are left out.
    std::vector<int> groupOf(const QModelIndex& index) const;
    static constexpr int kHeadersFrom = 5; // runs

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row
    {
        int run = -1;  // -1: a header
        QString group; // "" for runs without a group

        friend bool operator==(const Row&, const Row&) = default;
    };
    std::vector<Row> arranged() const;
    void rebuild();
    void runsChanged(const QModelIndex& from, const QModelIndex& to);
    bool matches(int run) const;
    QString groupTitle(int run) const;
    QVariant groupData(const Row& header, int role) const;
    Qt::CheckState checkOf(const QString& group) const;

    RunsModel& m_runs;
    QStringList m_words; // words of the filter
    std::vector<Row> m_rows;
    QTimer m_soon; // arranges the runs in the next turn of the event loop
};

} // namespace app
