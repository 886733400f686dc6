#pragma once

#include "app/ui/theme.h"
#include "profiler/study/chart.h"

#include <QAbstractScrollArea>
#include <QPixmap>
#include <QSize>

#include <functional>
#include <memory>
#include <set>

namespace app {

// Returns the style of a chart that fills a widget of `size`.
profiler::ChartStyle chartStyle(const Theme& theme, QSize size);

// Everything on which the look of a chart depends. The default is that of a figure on white paper.
struct ChartLook
{
    profiler::ChartStyle style;
    profiler::Palette palette = makeTheme(profiler::ThemeMode::Light).palette;
};
using DrawChart = std::function<profiler::DrawnChart(const ChartLook& look)>;

// Shows a chart. A click or the arrow keys select a point, a double click or Enter opens it, and
// the tooltip has its numbers. A chart that is too high scrolls. With setMarking(true), the user
// can also mark several points by dragging a rectangle, or with Shift and the arrow keys.
class SceneView : public QAbstractScrollArea
{
    Q_OBJECT

public:
    using Describe = std::function<QString(std::size_t point)>;

    SceneView(const ThemeController& theme, Describe describe, QWidget* parent = nullptr);

    void show(std::shared_ptr<const profiler::DrawnChart> chart); // nullptr: nothing
    // Draws the chart now, and again after every change of size or theme; nullptr: shows nothing.
    void draw(DrawChart chart);
    const DrawChart& drawing() const { return m_draw; } // also for an export
    void select(std::size_t point);
    std::size_t selectedPoint() const { return m_point; }
    void setMarking(bool isOn) { m_canMark = isOn; }
    const std::set<std::size_t>& marked() const { return m_marked; }
    void mark(std::set<std::size_t> points);
    const profiler::DrawnChart* chart() const { return m_chart.get(); }
    QSize sizeHint() const override { return {300, 200}; }
    // The rectangle of a point, in the viewport; empty if the chart does not have it.
    QRect rectOf(std::size_t point) const;

Q_SIGNALS:
    void pointChosen(std::size_t point);
    void pointOpened(std::size_t point);
    void resized();
    void markedChanged();
    void markedOpened(); // Return while several points are marked

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    const profiler::ChartMark* markAt(const QPoint& position) const; // nullptr: none
    const profiler::ChartMark* selected() const;
    const profiler::ChartMark* next(int key) const;
    void choose(const profiler::ChartMark& mark);
    void hover(const profiler::ChartMark* mark);
    void paintRing(QPainter& painter, const profiler::ChartMark& mark, double width) const;
    bool markByKey(QKeyEvent& event);
    void describeSelection();
    void fitScrollBar();
    void redraw();

    const ThemeController& m_theme;
    Describe m_describe;
    DrawChart m_draw;
    std::shared_ptr<const profiler::DrawnChart> m_chart;
    QPixmap m_picture; // picture of the whole chart
    std::size_t m_point = 0;
    const profiler::ChartMark* m_hovered = nullptr;
    bool m_canMark = false;
    std::set<std::size_t> m_marked;
    QPointF m_pressed;
    QRectF m_band; // the rectangle that is dragged; empty: none
};

} // namespace app
