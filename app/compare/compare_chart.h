#pragma once

#include "app/compare/compare_numbers.h"
#include "app/ui/controls.h"

#include <QFontMetricsF>
#include <QStringList>

#include <vector>

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

} // namespace app
