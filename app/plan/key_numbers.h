#pragma once

#include "app/plan/prediction.h"
#include "app/ui/controls.h"

namespace app {

// Iteration, bubble, messages and memory of a prediction; 90 px high.
class KeyNumbers : public ThemedWidget
{
    Q_OBJECT

public:
    explicit KeyNumbers(const ThemeController& theme, QWidget* parent = nullptr);

    struct Item
    {
        QString title, value, unit, hint;
        QString brief = {}; // shown in place of a hint that does not fit

        friend bool operator==(const Item&, const Item&) = default;
    };
    void show(const Prediction* prediction); // nullptr: shows dashes
    const QList<Item>& items() const { return m_items; }

protected:
    QString toolTipAt(QPoint at) const override;
    void paintEvent(QPaintEvent* event) override;

private:
    double itemWidth() const;
    void paintItem(QPainter& painter, const QRectF& box, const Item& item) const;
    void paintBars(QPainter& painter, const QRectF& box) const;

    QList<Item> m_items;
    std::vector<std::pair<double, double>> m_bars; // for each device: the two parts of its bar
    double m_limit = 0;                            // memory of a device in bytes; 0: unknown
    bool m_isOfBytes = false;
};

QList<KeyNumbers::Item> keyNumbers(const Prediction* prediction);

} // namespace app
