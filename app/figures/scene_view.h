#pragma once

#include "app/ui/theme.h"
#include "profiler/study/chart.h"

#include <QAbstractScrollArea>
#include <QPixmap>
#include <QSize>

#include <functional>
#include <memory>
#include <optional>
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
using DrawChart = std::function<profiler::MarkedScene(const ChartLook& look)>;

// Shows a scene and lets the user choose its marks. A click, the arrow keys, Home and End select a
// mark, a double click or Enter opens it, and the tooltip describes it. We draw only the ring
// around a mark here, so that what is on the screen is what is exported. A scene that is too high
// scrolls. With setMarking(true), the user can also mark several points by dragging a rectangle, or
// with Shift and the arrow keys.
class SceneView : public QAbstractScrollArea
{
    Q_OBJECT

public:
    using Describe = std::function<QString(std::size_t point)>;

    SceneView(const ThemeController& theme, Describe describe, QWidget* parent = nullptr);

    void show(std::shared_ptr<const profiler::MarkedScene> scene); // nullptr: nothing
    using QWidget::show;
    // Draws the chart now, and again after every change of size or theme; nullptr: shows nothing.
    void draw(DrawChart chart);
    const DrawChart& drawing() const { return m_draw; } // also for an export
    void select(std::optional<std::size_t> point);
    // The arrow keys step through the marks in their order, and Esc clears the selection.
    void setListed() { m_isListed = true; }
    std::optional<std::size_t> selectedPoint() const { return m_point; }
    void setMarking(bool isOn) { m_canMark = isOn; }
    const std::set<std::size_t>& marked() const { return m_marked; }
    void mark(std::set<std::size_t> points);
    const profiler::MarkedScene* scene() const { return m_scene.get(); }
    // The mark under the mouse, or else the selected one; nullopt: none.
    std::optional<std::size_t> highlighted() const;
    QSize sizeHint() const override { return {300, 200}; }
    // The rectangle of a mark, in the viewport; empty if the scene does not have it.
    QRect rectOf(std::size_t point) const;

Q_SIGNALS:
    void pointChosen(std::size_t point);
    void pointOpened(std::size_t point);
    void cleared();
    void highlightChanged();
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
    using Mark = profiler::SceneMark;
    const Mark* markAt(const QPoint& position) const; // nullptr: none
    const Mark* selected() const;
    const Mark* next(int key) const;
    void choose(const Mark* mark);
    void hover(const Mark* mark);
    void paintRing(QPainter& painter, const Mark& mark, double width) const;
    bool markByKey(QKeyEvent& event);
    void paintMarks(QPainter& painter) const;
    void describeSelection();
    void fitScrollBar();
    void redraw();

    const ThemeController& m_theme;
    Describe m_describe;
    DrawChart m_draw;
    std::shared_ptr<const profiler::MarkedScene> m_scene;
    QPixmap m_picture; // picture of the whole scene
    std::optional<std::size_t> m_point = 0;
    const Mark* m_hovered = nullptr;
    bool m_isListed = false, m_canMark = false;
    std::set<std::size_t> m_marked;
    QPointF m_pressed;
    QRectF m_band; // the rectangle that is dragged; empty: none
};

} // namespace app
