#pragma once

#include "app/documents/run_library.h"
#include "app/documents/runs_model.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <QAbstractListModel>
#include <QListView>
#include <QStringList>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;

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

// Draws a row of the runs dock, 40 px high: check mark, name, value, subtitle and mode, and 3 px of
// progress while the run is running.
class RunsDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    RunsDelegate(const ThemeController& theme, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    static QRect checkBox(const QRect& row);

protected:
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

private:
    void paintCheck(QPainter& painter, const QRect& row, const QModelIndex& index) const;
    void paintTexts(QPainter& painter, const QRect& row, const QModelIndex& index,
                    bool isSelected) const;

    const ThemeController& m_theme;
};

// The open runs of the window, in groups that can be compared. A check mark selects a run or a
// group for comparison; a run in progress shows its progress.
class RunsDock : public QWidget
{
    Q_OBJECT

public:
    RunsDock(const ThemeController& theme, RunsModel& runs, QWidget* parent = nullptr);

    void setCurrent(const RunDocument* document); // run of the current page; nullptr: none
    QSize sizeHint() const override { return {216, 400}; }

Q_SIGNALS:
    // A row was clicked, but not its check mark.
    void activated(const std::shared_ptr<app::RunDocument>& run);
    void compareRequested(const std::vector<std::shared_ptr<app::RunDocument>>& runs);
    void addRequested(); // the plus button was pressed
    // The user removed the run from the list. Its file is kept.
    void removeRequested(const app::RunDocument& document);
    // Moves the run by `by` positions; < 0: towards the front of the queue.
    void moveInQueueRequested(const app::RunDocument& document, int by);

private:
    void refresh();
    QWidget* makeFilter();
    int moveInQueue(int row, int step);
    void showMenu(const QPoint& position);
    void addTickActions(QMenu& menu, const std::vector<const RunDocument*>& clicked);

    RunsModel& m_runs;
    GroupedRuns* m_groups;
    QLineEdit* m_filter = nullptr;
    QWidget* m_filterRow = nullptr;
    QListView* m_list;
    QPushButton* m_compare;
    QLabel* m_queue;
    const RunDocument* m_current = nullptr; // only compared by address, never dereferenced
};

// Connects the list of runs to its page. Every page uses the same connections.
inline void linkDock(const RunsDock& dock, RunLibrary& library, Page& page)
{
    QObject::connect(&dock, &RunsDock::activated, &page,
                     [&page](const std::shared_ptr<RunDocument>& run) {
                         Q_EMIT page.pageRequested({"run", {}, {run}});
                     });
    QObject::connect(&dock, &RunsDock::compareRequested, &page,
                     [&page](const std::vector<std::shared_ptr<RunDocument>>& runs) {
                         Q_EMIT page.pageRequested({"compare", {}, runs});
                     });
    QObject::connect(&dock, &RunsDock::removeRequested, &page,
                     [&library](const RunDocument& document) { library.close(document); });
    QObject::connect(
        &dock, &RunsDock::moveInQueueRequested, &page,
        [&library](const RunDocument& document, int by) { library.moveInQueue(document, by); });
    QObject::connect(&dock, &RunsDock::addRequested, &page,
                     [&page] { Q_EMIT page.pageRequested({"setup"}); });
}

} // namespace app
