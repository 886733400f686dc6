#pragma once

#include "app/compare/compare_numbers.h"
#include "app/ui/controls.h"

class QComboBox;

namespace app {

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

} // namespace app
