#pragma once

#include "app/estimator/bpipe_text.h"
#include "app/ui/controls.h"

namespace app {

// The speed-up against the gain in stage MFU: a line per step between micro-batch sizes, a dot for
// the gain of this set-up, and the published cases.
class SpeedUpChart : public ThemedWidget
{
    Q_OBJECT

public:
    explicit SpeedUpChart(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const std::vector<BpipeStep>& steps, int size); // the step to `size` is marked
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void scale();
    QPointF place(double gain, double speedUp) const;
    double gainAt(double x) const; // the inverse of place().x()
    void paintGround(QPainter& painter) const;
    void paintMeaning(QPainter& painter) const;
    void paintLines(QPainter& painter);
    void paintDots(QPainter& painter);
    void paintPublished(QPainter& painter);
    bool isFree(const QRectF& box) const; // whether no mark or label overlaps `box`
    void paintLabel(QPainter& painter, const QPointF& at, const QString& text);

    std::vector<BpipeStep> m_steps;
    int m_size = 0;
    double m_left = 0, m_right = 1, m_bottom = 0, m_top = 1; // ends of the axes
    QRectF m_plot;
    std::vector<QRectF> m_taken; // all marks, and the labels painted so far
};

} // namespace app
