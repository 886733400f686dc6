#pragma once

#include "app/compare/compare_chart.h"

#include <set>

class QPushButton;

namespace app {

// Iteration time against peak memory, one point per run. Filled points, joined by a step line, are
// the Pareto front. The user marks runs by dragging a rectangle or with Shift and the arrow keys;
// the button, or Return, requests a comparison of only these runs.
class ParetoChart : public CompareChart
{
    Q_OBJECT

public:
    explicit ParetoChart(const ThemeController& theme, QWidget* parent = nullptr);

    QRectF rectOf(std::size_t run) const override;
    QSize minimumSizeHint() const override { return {220, 140}; }
    const std::set<std::size_t>& marked() const { return m_marked; }

Q_SIGNALS:
    // The user requested a comparison of only the marked runs.
    void onlyRequested(const std::vector<std::size_t>& runs);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintChart(QPainter& painter) override;
    void numbersChanged() override;
    std::vector<std::size_t> shownRuns() const override;
    QString toolTip(std::size_t run, QPointF at) const override;

private:
    struct Point
    {
        std::size_t run = 0;
        double memory = 0, time = 0; // in the units of the axes
        bool isOnFront = false;
    };
    void mark(std::set<std::size_t> runs);
    void placeButton();
    QRectF plot() const;
    QPointF at(double memory, double time) const;
    bool isOutside(const Point& point) const { return point.time > m_time[1]; }
    QString memoryUnit() const;
    QString timeOf(const Point& point) const; // "74.4 ms"
    void paintAxes(QPainter& painter) const;
    void paintFront(QPainter& painter) const;
    void paintPoints(QPainter& painter) const;
    void paintNames(QPainter& painter) const;

    std::vector<Point> m_points;                     // sorted by memory
    double m_memory[2] = {0, 1}, m_time[2] = {0, 1}; // the ends of the axes
    std::set<std::size_t> m_marked;                  // runs that the user marked
    const CompareNumbers* m_markedIn = nullptr; // m_marked has indices of runs in these numbers
    QPointF m_pressed;
    QRectF m_band; // the rectangle that is dragged; empty: none
    QPushButton* m_only;
};

} // namespace app
