#pragma once

#include "app/ui/controls.h"

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace app {

class IconLabel;

// A verdict on a schedule or a notice about a run: an icon, bold text, a sentence and a few
// actions. A verdict is a rounded frame in a page; a notice has the full width.
class Band : public ThemedWidget
{
    Q_OBJECT

public:
    enum class Kind { Ok, Warning, Error, Neutral };
    enum class Shape { Verdict, State };

    Band(const ThemeController& theme, Shape shape, QWidget* parent = nullptr);

    void show(Kind kind, const QString& bold, const QString& sentence);
    QPushButton* addAction(const QString& text, const QString& objectName);
    QString text() const; // plain text, for screen readers
    Kind kind() const { return m_kind; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Shape m_shape;
    Kind m_kind = Kind::Ok;
    IconLabel* m_icon;
    QLabel* m_label;
    QHBoxLayout* m_layout;
};

} // namespace app
