#pragma once

#include "app/models/plan/prediction.h"
#include "app/models/theme.h"

#include <QWidget>

namespace app {

// Iteration, bubble, messages and memory of a prediction; 90 px high.
class KeyNumbers : public QWidget
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
    bool event(QEvent* event) override; // the tooltip defines the number at the pointer
    void paintEvent(QPaintEvent* event) override;

private:
    double itemWidth() const;
    void paintItem(QPainter& painter, const QRectF& box, const Item& item) const;
    void paintBars(QPainter& painter, const QRectF& box) const;

    const ThemeController& m_theme;
    QList<Item> m_items;
    std::vector<std::pair<double, double>> m_bars; // [device] weights, stash
    bool m_isOfBytes = false;
};

QList<KeyNumbers::Item> keyNumbers(const Prediction* prediction);

} // namespace app
