#pragma once

#include "app/run/device_columns.h"
#include "app/ui/controls.h"

#include <vector>

namespace app {

// Draws DeviceColumns with their legend, axis, limit and mean. A click or the left and right arrow
// keys choose a device; the tooltip has its numbers. If there are more devices than pixels, each
// pixel shows the highest column.
class DeviceChart : public ThemedWidget
{
    Q_OBJECT

public:
    DeviceChart(const char* name, const ThemeController& theme, QWidget* parent = nullptr);

    void show(DeviceColumns columns);
    using QWidget::show;
    void mark(engine::DeviceId device); // frames its column, without a signal; invalid: none
    engine::DeviceId marked() const { return m_marked; }
    const DeviceColumns& columns() const { return m_columns; }
    QRectF columnOf(engine::DeviceId device) const { return columnIn(plot(), device); }
    engine::DeviceId deviceAt(double x) const { return deviceIn(plot(), x); } // invalid: none
    QString toolTipAt(QPoint at) const override;
    QSize sizeHint() const override { return {480, 183}; }
    QSize minimumSizeHint() const override { return {240, 152}; }

Q_SIGNALS:
    void chosen(engine::DeviceId device);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Header
    {
        std::vector<QPointF> legend; // left end of the entry of each part
        double height = 0;
    };
    Header header() const;
    int devices() const { return static_cast<int>(m_columns.amounts.size()); }
    QString unitText() const;
    QString lineText() const; // "80 limit", "mean 22.5"; "": no line
    QRectF plot() const;
    double step(const QRectF& plot) const;                              // distance between columns
    QRectF columnIn(const QRectF& plot, engine::DeviceId device) const; // as high as the plot
    engine::DeviceId deviceIn(const QRectF& plot, double x) const;
    double yOf(double amount, const QRectF& plot) const;
    void choose(engine::DeviceId device);
    void describe();
    void paintHeader(QPainter& painter) const;
    void paintAxis(QPainter& painter, const QRectF& plot) const;
    void paintColumn(QPainter& painter, engine::DeviceId device, const QRectF& column) const;
    void paintColumns(QPainter& painter, const QRectF& plot) const;
    void paintLine(QPainter& painter, const QRectF& plot) const;
    void paintExcess(QPainter& painter, const QRectF& plot) const;
    void paintMark(QPainter& painter, const QRectF& plot) const;

    DeviceColumns m_columns;
    double m_top = 1; // the amount at the top of the plot
    engine::DeviceId m_marked;
};

} // namespace app
