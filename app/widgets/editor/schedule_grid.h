#pragma once

#include "app/models/plan/schedule_check.h"
#include "app/models/theme.h"

#include <QAbstractScrollArea>

#include <memory>
#include <optional>

namespace app {

// A schedule as a grid: a row a device, a cell an op, in issue order. Arrows walk, the mouse drags
// an op within its device; what the validator objects to is framed, what never runs is dimmed.
// Draws what is in sight only.
class ScheduleGrid : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit ScheduleGrid(const ThemeController& theme, QWidget* parent = nullptr);
    ~ScheduleGrid() override;

    void setSchedule(const EditedSchedule* schedule); // not owned; null: nothing
    void setCheck(std::shared_ptr<const ScheduleCheck> check);
    OpPlace selected() const { return m_selected; }
    void select(OpPlace place);      // and scrolls to it; invalid: nothing is selected
    QRect cell(OpPlace place) const; // in the viewport

Q_SIGNALS:
    void selectionChanged();
    void moveRequested(const app::OpPlace& from, int before); // dropped in front of `before`

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    static constexpr std::size_t kMostArrows = 64; // of who waits for whom
    struct Drag
    {
        QPoint from;       // where the button went down
        bool isOn = false; // it moved far enough
        int before = -1;   // where it would land; -1: on another device, nowhere
    };
    int devices() const;
    int opsOf(int device) const;
    OpPlace placeAt(const QPoint& position) const;
    void updateScrollBars();
    void dragTo(const QPoint& position);
    void endDrag();
    void walk(int devices, int ops);
    QString describe(OpPlace place) const;
    QString waitText(OpPlace place) const; // of an op at which its device waits for ever

    const ThemeController& m_theme;
    const EditedSchedule* m_schedule = nullptr;
    std::shared_ptr<const ScheduleCheck> m_check;
    OpPlace m_selected;
    std::optional<Drag> m_drag;
};

} // namespace app
