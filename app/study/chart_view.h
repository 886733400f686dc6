#pragma once

#include "app/ui/theme.h"
#include "profiler/study/chart.h"

#include <QAbstractScrollArea>
#include <QPixmap>

#include <functional>
#include <memory>

namespace app {

// Paints a chart of a study. A click or the arrow keys select a point, a double click or Enter
// opens it, and the tooltip has its numbers. A chart that is too high scrolls.
class ChartView : public QAbstractScrollArea
{
    Q_OBJECT

public:
    using Describe = std::function<QString(std::size_t point)>;

    ChartView(const ThemeController& theme, Describe describe, QWidget* parent = nullptr);

    void show(std::shared_ptr<const profiler::DrawnChart> chart); // nullptr: nothing
    void select(std::size_t point);
    const profiler::DrawnChart* chart() const { return m_chart.get(); }
    QSize sizeHint() const override { return {300, 200}; }
    // The rectangle of a point, in the viewport; empty if the chart does not have it.
    QRect rectOf(std::size_t point) const;

Q_SIGNALS:
    void pointChosen(std::size_t point);
    void pointOpened(std::size_t point);
    void resized();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
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
    void describeSelection();
    void fitScrollBar();

    const ThemeController& m_theme;
    Describe m_describe;
    std::shared_ptr<const profiler::DrawnChart> m_chart;
    QPixmap m_picture; // picture of the whole chart
    std::size_t m_point = 0;
    const profiler::ChartMark* m_hovered = nullptr;
};

} // namespace app
