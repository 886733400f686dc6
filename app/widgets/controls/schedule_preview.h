#pragma once

#include "app/models/theme.h"
#include "app/timeline/view/run_view.h"

#include <QTimer>
#include <QWidget>

#include <memory>

namespace app {

// The predicted schedule: a ruler in units and a row per device, drawn by the painters of the
// timeline. At most sixteen devices are drawn, and the number of the others.
class SchedulePreview : public QWidget
{
    Q_OBJECT

public:
    explicit SchedulePreview(const ThemeController& theme, QWidget* parent = nullptr);

    void show(RunViewPointer view);       // nullptr: no schedule
    void setNothing(const QString& text); // reason that is shown without a schedule
    void setRoom(int height);             // height of the rows, without the ruler
    // Keeps the last picture until the next one arrives, and fades it after a delay.
    void setWaiting();
    void setStale(); // fades it; no new one is pending
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
    QTimer m_veil; // started by setWaiting()
    QString m_nothing;
    int m_room;
    bool m_isWaiting = false, m_isStale = false;
};

} // namespace app
