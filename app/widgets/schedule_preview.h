#pragma once

#include "app/models/theme.h"
#include "engine/timeline/run.h"

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
    ~SchedulePreview() override;

    void show(std::shared_ptr<const engine::Run> run); // null: nothing to show
    void setNothing(const QString& text);              // said where there is no schedule
    void setRoom(int height);                          // for the rows; the ruler comes on top
    void setWaiting(); // the last picture stays, veiled, until the next one comes
    void setStale();   // the same, and none is coming
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

    struct View;
    const ThemeController& m_theme;
    std::unique_ptr<View> m_view;
    QString m_nothing;
    int m_room;
    bool m_isWaiting = false, m_isStale = false;
};

} // namespace app
