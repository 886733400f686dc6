#pragma once

#include "app/ui/theme.h"

#include <QAbstractButton>

class QPainter;

namespace app {

// A card that can be pressed, with radius 6, hover and keyboard focus, and a frame of 2 px if it is
// chosen. Derived classes paint the content.
class CardButton : public QAbstractButton
{
    Q_OBJECT

public:
    explicit CardButton(const ThemeController& theme, QWidget* parent = nullptr);

protected:
    virtual void paintContent(QPainter& painter) = 0;
    void paintEvent(QPaintEvent* event) final;
    void keyPressEvent(QKeyEvent* event) override; // Enter also presses
    const Theme& theme() const { return m_theme.theme(); }
    // Font, size and colour of a line of text.
    struct Type
    {
        QFont font;
        QColor ink;
    };
    // Draws a line of text that is elided at the right.
    void text(QPainter& painter, const QRectF& box, const QString& text, const Type& type,
              Qt::Alignment alignment = Qt::AlignLeft) const;

    bool m_isPrimary = false; // the card is filled with the ink colour
    bool m_hasFrame = true;

private:
    const ThemeController& m_theme;
};

} // namespace app
