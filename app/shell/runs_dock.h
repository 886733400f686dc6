#pragma once

#include "app/documents/runs_model.h"
#include "app/ui/theme.h"

#include <QListView>
#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;

namespace app {

class GroupedRuns;

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
    void updateCompareButton();
    void updateFilter();
    void updateQueue();
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

} // namespace app
