#pragma once

#include "app/compare/time_shares.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"

#include <QStringList>

#include <vector>

namespace app {

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

} // namespace app
