#pragma once

#include "app/ui/theme.h"

#include <QFrame>

class QLabel;

namespace app {

// One reason: its number, a sentence with links to ops, and what a change would gain.
class ReasonRow : public QFrame
{
    Q_OBJECT

public:
    // `number` counts from 1. `sentence` is rich text whose links are "#" and an OpIndex; `plain`
    // is the same for screen readers.
    ReasonRow(const ThemeController& theme, int number, const QString& sentence,
              const QString& plain);

    enum class Effect { Neutral, Gain };
    void setEffect(const QString& text, Effect effect);
    void setCurrent(bool current);
    bool isCurrent() const { return m_isCurrent; }

Q_SIGNALS:
    void chosen();
    void hovered(bool isOver);
    void opChosen(std::uint32_t op);
    void stepped(int by); // up and down keys
    void escaped();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    const ThemeController& m_theme;
    int m_number;
    QString m_plain;
    QLabel *m_sentence, *m_effect;
    bool m_isCurrent = false, m_isOver = false;
};

} // namespace app
