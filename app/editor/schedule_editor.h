#pragma once

#include "app/editor/schedule_check.h"
#include "app/timeline/paint/box_painter.h"
#include "app/ui/theme.h"

#include <QAbstractScrollArea>
#include <QRect>
#include <QWidget>

#include <memory>
#include <optional>
#include <span>

class QPainter;
class QLabel;
class QListWidget;
class QAction;

namespace app {

class EmptyState;
class Page;

// The dimensions of the grid in pixels.
// Width and height of a cell, height of a box.
constexpr int kGridCell = 48, kGridRow = 36, kGridBox = 28;
// Width of the device names at the left, height of the ruler at the top.
constexpr int kGridHead = 84, kGridRuler = 22;

// Paints the visible part of the grid. `scroll` is the distance in pixels by which the grid is
// scrolled.
class GridPainter
{
public:
    GridPainter(QPainter& painter, const EditedSchedule& schedule, const ScheduleCheck* check,
                const Theme& theme);

    void paint(const QSize& size, const QPoint& scroll);
    void paintSelection(const QRect& cell, bool hasFocus);
    // The boxes of a deadlocked op and of the op that it waits for, in viewport coordinates.
    struct WaitBoxes
    {
        QRect awaited, waiting;
    };
    // Draws an arrow from each awaited op to its waiting op.
    void paintWaits(std::span<const WaitBoxes> waits, const QSize& size);
    void paintDrop(int x, int top); // where a dragged op would be dropped

private:
    void paintRow(int device, const QSize& size, const QPoint& scroll);
    void paintOp(OpPlace place, const QRect& box);
    void paintRuler(const QSize& size, const QPoint& scroll);
    void paintHead(const QSize& size, const QPoint& scroll);

    QPainter& m_painter;
    const EditedSchedule& m_schedule;
    const ScheduleCheck* m_check;
    const Theme& m_theme;
    TimeAxis m_axis;
    BoxColours m_colours;
    BoxPainter m_boxes;
};

// A schedule as a grid: a row per device and a cell per op, in issue order. Arrow keys move the
// selection, and the mouse drags an op within its device. Violations are framed; ops that never run
// are dimmed. Only visible cells are drawn.
class ScheduleGrid : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit ScheduleGrid(const ThemeController& theme, QWidget* parent = nullptr);
    ~ScheduleGrid() override;

    void setSchedule(const EditedSchedule* schedule); // not owned; null: empty
    void setCheck(std::shared_ptr<const ScheduleCheck> check);
    OpPlace selected() const { return m_selected; }
    void select(OpPlace place);      // scrolls to the op; an invalid place clears the selection
    QRect cell(OpPlace place) const; // the cell of the op, in viewport coordinates

Q_SIGNALS:
    void selectionChanged();
    // The op was dropped in front of the op at index `before`.
    void moveRequested(const app::OpPlace& from, int before);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    // Limit on the arrows drawn between deadlocked ops.
    static constexpr std::size_t kMostArrows = 64;
    struct Drag
    {
        QPoint from;       // where the button was pressed
        bool isOn = false; // whether the pointer moved by at least the drag distance
        int before = -1;   // index in front of which the op would be dropped; -1: on another device
    };
    int devices() const;
    int opsOf(int device) const;
    OpPlace placeAt(const QPoint& position) const;
    void updateScrollBars();
    void dragTo(const QPoint& position);
    void endDrag();
    void walk(int devices, int ops);
    QString describe(OpPlace place) const;
    QString waitText(OpPlace place) const; // describes what a deadlocked op waits for

    const ThemeController& m_theme;
    const EditedSchedule* m_schedule = nullptr;
    std::shared_ptr<const ScheduleCheck> m_check;
    OpPlace m_selected;
    std::optional<Drag> m_drag;
};

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
