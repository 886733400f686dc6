#pragma once

#include "app/models/theme.h"
#include "app/widgets/controls/icons.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace app {

// Replaces a blank page: a dashed frame, an icon, one line of fact, one line of advice, one button.
class EmptyState : public QWidget
{
    Q_OBJECT

public:
    struct Words
    {
        Icon icon = Icon::Compare;
        QString fact, advice, action; // no button where action is empty
    };

    EmptyState(const ThemeController& theme, const Words& words, QWidget* parent = nullptr);
    void setWords(const QString& fact, const QString& advice); // the icon and the button stay
    QPushButton* button() const { return m_button; }           // nullptr when there is none

Q_SIGNALS:
    void activated();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    QLabel *m_fact, *m_advice;
    QPushButton* m_button = nullptr;
};

} // namespace app
