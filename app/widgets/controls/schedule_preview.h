#pragma once

#include "app/timeline/plan/plan_view.h"
#include "app/timeline/view/run_view.h"
#include "app/widgets/controls/controls.h"

#include <QTimer>

#include <memory>
#include <vector>

namespace app {

class BoxColours;

// Draws the predicted schedule with the painters of the timeline: a ruler in cost units and a row
// per device. Draws at most sixteen devices, then the number of the others.
class SchedulePreview : public ThemedWidget
{
    Q_OBJECT

public:
    explicit SchedulePreview(const ThemeController& theme, QWidget* parent = nullptr);

    void show(RunViewPointer view); // nullptr: no schedule
    // Shows a schedule that has not run yet: outlines its ops. setDone() fills the ops that have
    // run since.
    void showOutlines(RunViewPointer view);
    void setDone(std::vector<int> devices);   // [device] number of complete ops; empty: unknown
    void setPlaceholder(const QString& text); // the reason to show while there is no schedule
    void setRowsHeight(int height);           // height of the rows, without the ruler
    // Keeps the last picture until the next show(). Fades it if that takes long.
    void setWaiting();
    void setStale(); // fades the picture at once, because no new picture will replace it
    bool hasPicture() const { return m_view != nullptr; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Geometry;
    Geometry geometry() const;
    void paintOutlines(QPainter& painter, const Geometry& g, const BoxColours& colours) const;
    void paintNothing(QPainter& painter) const;
    void paintRuler(QPainter& painter, const Geometry& g) const;
    void paintNames(QPainter& painter, const Geometry& g) const;

    RunViewPointer m_view;
    PlanPointer m_plan;      // the outlined ops; nullptr: the ops are filled
    std::vector<int> m_done; // [device]
    QTimer m_fadeTimer;      // started by setWaiting()
    QString m_nothing;
    int m_rowsHeight;
    bool m_isWaiting = false, m_isStale = false;
};

} // namespace app
