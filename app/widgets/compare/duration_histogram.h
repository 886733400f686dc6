#pragma once

#include "app/models/compare/compare_numbers.h"
#include "app/widgets/controls/controls.h"

class QComboBox;

namespace app {

// How long the ops of one kind took in the chosen run (bars) and in the baseline (outline): the
// share of the ops in each of up to 40 classes of equal width.
class DurationHistogram : public ThemedWidget
{
    Q_OBJECT

public:
    explicit DurationHistogram(const ThemeController& theme, QWidget* parent = nullptr);

    void show(CompareNumbersPointer numbers, const QStringList& titles);
    using QWidget::show;
    void setCurrent(int run); // -1: only the baseline
    // [class] Shares of the ops of a run, which add up to 1; empty if none of its ops is of the
    // shown kind.
    std::vector<double> shares(std::size_t run) const;
    QSize minimumSizeHint() const override { return {300, 120}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    engine::OpKind kind() const;
    void fillKinds();
    double timeOf(std::size_t run, std::int64_t ticks) const;
    std::pair<double, double> range() const; // of both runs, in units of the chart
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
