#pragma once

#include "app/editor/schedule_check.h"
#include "app/ui/theme.h"

#include <QWidget>

class QAction;

namespace app {

class Page;
class ScheduleGrid;
class ViolationList;

// Edits a schedule: the grid, the list of violations next to it, and the editing actions.
class ScheduleEditor : public QWidget
{
    Q_OBJECT

public:
    ScheduleEditor(const ThemeController& theme, Page& page); // adds the actions to the page
    ~ScheduleEditor() override;

    void setSchedule(std::unique_ptr<EditedSchedule> schedule);
    EditedSchedule* schedule() const { return m_edited.get(); } // null: no schedule is open
    bool isModified() const;
    OpPlace selected() const;
    QList<QAction*> editActions() const { return m_actions; }

    void check(const QString& name, const PredictionRequest& request);
    const ScheduleCheck& result() const { return *m_check; }

Q_SIGNALS:
    void changed(); // the ops have changed; the receiver calls check()
    void modifiedChanged();
    void selectionChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeActions(Page& page);
    void updateActions();
    void select(OpPlace place);
    void restore(int absent);
    void nextViolation();
    void revert();
    std::vector<AbsentOp> absentOps() const;

    std::unique_ptr<EditedSchedule> m_edited;
    std::shared_ptr<const ScheduleCheck> m_check;
    ScheduleGrid* m_grid;
    ViolationList* m_list;
    QAction *m_undo, *m_redo, *m_revert, *m_earlier, *m_later, *m_delete, *m_restore, *m_next;
    QList<QAction*> m_actions;
};

} // namespace app
