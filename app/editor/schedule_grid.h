#pragma once

#include "app/editor/schedule_check.h"
#include "app/ui/theme.h"

#include <QAbstractScrollArea>

#include <memory>
#include <optional>

namespace app {

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

} // namespace app
