#pragma once

#include "app/compare/compare_numbers.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"

#include <QFontMetricsF>
#include <QStringList>

#include <set>
#include <vector>

class QComboBox;
class QPushButton;

namespace app {

// Elides the title of a run, but not the "#3" at its end, which distinguishes runs.
QString elidedTitle(const QFontMetricsF& metrics, const QString& title, double width);

// A chart of the compared runs. A click or the arrow keys choose a run; the tooltip has its
// numbers. Subclasses paint the runs and implement rectOf().
class CompareChart : public ThemedWidget
{
    Q_OBJECT

public:
    CompareChart(const char* name, const QString& title, const ThemeController& theme,
                 QWidget* parent = nullptr);

    // `titles` has one title per run. If `numbers` is nullptr, nothing is shown.
    void show(CompareNumbersPointer numbers, const QStringList& titles);
    using QWidget::show;
    void setCurrent(int run); // without a signal; -1: none
    int current() const { return m_current; }
    virtual QRectF rectOf(std::size_t run) const = 0; // empty: the run is not shown

Q_SIGNALS:
    void runChosen(int run);

protected:
    const CompareNumbers* numbers() const { return m_numbers.get(); }
    QString titleOf(std::size_t run) const { return m_titles.value(static_cast<qsizetype>(run)); }
    virtual void paintChart(QPainter& painter) = 0;
    virtual void numbersChanged() { }
    // The shown runs, in the order of the arrow keys.
    virtual std::vector<std::size_t> shownRuns() const = 0;
    virtual QString toolTip(std::size_t run, QPointF at) const = 0;

    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    int runAt(QPointF at) const; // -1: none
    void choose(int run);

    CompareNumbersPointer m_numbers;
    QStringList m_titles;
    int m_current = -1;
};

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

// A histogram of the durations of one kind of op, for the chosen run (bars) and the baseline
// (outline): the share of the ops in each of up to 40 bins of equal width.
class DurationHistogram : public ThemedWidget
{
    Q_OBJECT

public:
    explicit DurationHistogram(const ThemeController& theme, QWidget* parent = nullptr);

    void show(CompareNumbersPointer numbers, const QStringList& titles);
    using QWidget::show;
    void setCurrent(int run); // -1: only the baseline
    // For each bin: the share of the run's ops of the shown kind that are in this bin. The shares
    // add up to 1. Empty if the run has no such op.
    std::vector<double> shares(std::size_t run) const;
    QSize minimumSizeHint() const override { return {300, 120}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    engine::OpKind kind() const;
    void fillKinds();
    double timeOf(std::size_t run, std::int64_t ticks) const;
    std::pair<double, double> range() const; // least and largest duration of both runs
    void paintBars(QPainter& painter, const QRectF& plot) const;
    void paintAxis(QPainter& painter, const QRectF& plot) const;
    void paintLegend(QPainter& painter) const;
    QString summary(std::size_t run) const;

    CompareNumbersPointer m_numbers;
    QStringList m_titles;
    int m_current = -1;
    QComboBox* m_kind;
};

// The time shares of each run, averaged over its devices, as one bar per run on a common scale.
class WhereTimeGoes : public ThemedWidget
{
    Q_OBJECT

public:
    explicit WhereTimeGoes(const ThemeController& theme, QWidget* parent = nullptr);

    struct Bar
    {
        QString name;
        std::vector<TimeShare> shares;
        Scale time; // ticks of the run per unit of the chart
    };
    void show(std::vector<Bar> bars);
    QSize sizeHint() const override { return {424, 200}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    QRectF barRect(std::size_t bar) const;
    int nameWidth() const; // width of the names and the space around them
    double barsWidth() const;
    double longest() const; // longest bar, in units of the chart
    void paintBar(QPainter& painter, std::size_t bar) const;
    void paintShare(QPainter& painter, const QRectF& box, const TimeShare& share) const;
    void paintAxis(QPainter& painter) const;

    std::vector<Bar> m_bars;
};

QString shareName(const TimeShare& share); // "exposed communication"

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
