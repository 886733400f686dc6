#pragma once

#include "app/ui/controls.h"
#include "app/ui/icons.h"

class QLabel;
class QPushButton;

namespace app {

// Shown in place of missing content: a dashed frame with an icon, a fact, advice and a button.
class EmptyState : public ThemedWidget
{
    Q_OBJECT

public:
    struct Texts
    {
        Icon icon = Icon::Compare;
        QString fact, advice, action; // without an action there is no button
    };

    EmptyState(const ThemeController& theme, const Texts& texts, QWidget* parent = nullptr);
    // Replaces the texts but not the icon. If `action` is empty, the button keeps its text.
    void setTexts(const QString& fact, const QString& advice, const QString& action = {});
    QPushButton* button() const { return m_button; } // nullptr without an action

Q_SIGNALS:
    void activated();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel *m_fact, *m_advice;
    QPushButton* m_button = nullptr;
};

} // namespace app
