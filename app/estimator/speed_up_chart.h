#pragma once

#include "app/estimator/bpipe_text.h"
#include "app/ui/controls.h"

namespace app {

// The speed-up against the gain in stage MFU: a line per step between micro-batch sizes, a dot for
// the gain of this set-up, and the marks of the published cases.
class SpeedUpChart : public ThemedWidget
{
    Q_OBJECT

public:
    explicit SpeedUpChart(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const std::vector<BpipeStep>& steps, int size); // the step to `size` is marked
    QSize sizeHint() const override { return {600, 248}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void scale();
    QPointF place(double gain, double speedUp) const;
    void paintGround(QPainter& painter) const;
    void paintLines(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;

    std::vector<BpipeStep> m_steps;
    int m_size = 0;
    double m_left = 0, m_right = 1, m_bottom = 0, m_top = 1; // ends of the axes
    QRectF m_plot;
};

} // namespace app
