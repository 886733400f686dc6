#pragma once

#include "app/widgets/compare/compare_chart.h"

namespace app {

// Iteration time against peak memory, one point per run. Runs that no other run beats in both are
// filled and joined by a step line.
class ParetoChart : public CompareChart
{
    Q_OBJECT

public:
    explicit ParetoChart(const ThemeController& theme, QWidget* parent = nullptr);

    QRectF rectOf(std::size_t run) const override;
    QSize minimumSizeHint() const override { return {220, 140}; }

protected:
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
    QRectF plot() const;
    QPointF at(double memory, double time) const;
    QString memoryUnit() const;
    void paintAxes(QPainter& painter) const;
    void paintFront(QPainter& painter) const;
    void paintPoints(QPainter& painter) const;
    void paintNames(QPainter& painter) const;

    std::vector<Point> m_points;                     // by memory
    double m_memory[2] = {0, 1}, m_time[2] = {0, 1}; // the ends of the axes
};

} // namespace app
