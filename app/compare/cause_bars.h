#pragma once

#include "app/compare/compare_chart.h"

namespace app {

// The bubble of each run by cause (fill, wait, drain) and its exposed communication, as stacked
// bars on one scale. Shows the eight best runs, the chosen run and the baseline.
class CauseBars : public CompareChart
{
    Q_OBJECT

public:
    explicit CauseBars(const ThemeController& theme, QWidget* parent = nullptr);

    QRectF rectOf(std::size_t run) const override;
    QSize minimumSizeHint() const override { return {300, 120}; }

protected:
    void paintChart(QPainter& painter) override;
    void numbersChanged() override;
    std::vector<std::size_t> shownRuns() const override { return m_runs; }
    QString toolTip(std::size_t run, QPointF at) const override;

private:
    struct Part
    {
        QString name;
        profiler::Colour colour;
        double value = 0; // in units of the chart
    };
    std::vector<Part> partsOf(std::size_t run) const;
    double totalOf(std::size_t run) const;
    double pixels(double value) const; // length in the chart
    double step() const;               // height of a row
    void paintLegend(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;
    void paintBar(QPainter& painter, std::size_t run) const;

    std::vector<std::size_t> m_runs;
    double m_longest = 1;
};

} // namespace app
