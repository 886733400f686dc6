#pragma once

#include "app/models/theme.h"
#include "app/timeline/view/run_view.h"

#include <QTimer>
#include <QWidget>

#include <memory>

namespace app {

// The predicted schedule: a ruler in units, one row a device, drawn by the painters of the
// timeline. Many devices: the first sixteen, and a line that says so.
class SchedulePreview : public QWidget
{
    Q_OBJECT

public:
    explicit SchedulePreview(const ThemeController& theme, QWidget* parent = nullptr);

    void show(RunViewPointer view);       // null: nothing to show
    void setNothing(const QString& text); // said where there is no schedule
    void setRoom(int height);             // for the rows; the ruler comes on top
    // The last picture stays until the next one comes, veiled where that takes long.
    void setWaiting();
    void setStale(); // the same, and none is coming
    bool hasPicture() const { return m_view != nullptr; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Geometry;
    Geometry geometry() const;
    void paintNothing(QPainter& painter) const;
    void paintRuler(QPainter& painter, const Geometry& g) const;
    void paintNames(QPainter& painter, const Geometry& g) const;

    const ThemeController& m_theme;
    RunViewPointer m_view;
    QTimer m_veil; // set going by setWaiting()
    QString m_nothing;
    int m_room;
    bool m_isWaiting = false, m_isStale = false;
};

} // namespace app
