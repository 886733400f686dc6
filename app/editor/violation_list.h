#pragma once

#include "app/editor/schedule_check.h"
#include "app/ui/theme.h"

#include <QWidget>

class QLabel;
class QListWidget;

namespace app {

class EmptyState;

// The list beside the grid: violations, deadlocked ops, then missing ops. A click selects an op;
// Enter or a double click on a missing op restores it.
class ViolationList : public QWidget
{
    Q_OBJECT

public:
    explicit ViolationList(const ThemeController& theme, QWidget* parent = nullptr);

    // `chosen` is an index into `absent`; -1: the last one.
    void show(const engine::Schedule& schedule, const ScheduleCheck& check,
              const std::vector<AbsentOp>& absent, int chosen);
    const std::vector<AbsentOp>& absent() const { return m_absent; }
    int chosenAbsent() const; // the chosen missing op as an index into absent(); -1: none
    // Places of the violations, in the order of the list.
    std::vector<OpPlace> places() const { return m_places; }

Q_SIGNALS:
    void placeChosen(const app::OpPlace& place);
    // The user restores the missing op at index `absent` of absent().
    void restoreRequested(int absent);

private:
    void addLine(const QString& text, OpPlace place);
    void showViolations(const engine::Schedule& schedule, const ScheduleCheck& check);

    QLabel *m_title, *m_absentTitle;
    QListWidget *m_violations, *m_absentList;
    QWidget* m_nothingRoom;
    EmptyState* m_nothing;
    std::vector<OpPlace> m_places;
    std::vector<AbsentOp> m_absent;
};

} // namespace app
