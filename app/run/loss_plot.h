#pragma once

#include "app/documents/loss_series.h"
#include "app/ui/controls.h"

namespace app {

// The loss by iteration: dots for micro-batches, a line for the mean, another background for
// warm-up, and dashed lines for the two entropies of the training text.
class LossPlot : public ThemedWidget
{
    Q_OBJECT

public:
    explicit LossPlot(const ThemeController& theme, QWidget* parent = nullptr);

    void show(LossSeries series);
    QSize sizeHint() const override { return {560, 134}; }
    QSize minimumSizeHint() const override { return {240, 110}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double xOf(double iteration) const; // the centre of iteration i is at i + 0.5
    double yOf(double loss) const;
    void paintGround(QPainter& painter) const;
    void paintReference(QPainter& painter, double loss, const QString& name, bool below) const;
    void paintDots(QPainter& painter) const;
    void paintMean(QPainter& painter) const;
    void paintIterationNames(QPainter& painter) const;

    LossSeries m_series;
    double m_top = 1; // largest value of the loss axis
    QRectF m_plot;
};

} // namespace app
