#pragma once

#include "app/models/theme.h"

#include <QAbstractButton>

class QPainter;

namespace app {

// A card that can be pressed: frame with radius 6, hover, keyboard focus; a 2 px frame when chosen.
// The derived class paints the content.
class CardButton : public QAbstractButton
{
    Q_OBJECT

public:
    explicit CardButton(const ThemeController& theme, QWidget* parent = nullptr);

protected:
    virtual void paintContent(QPainter& painter) = 0;
    void paintEvent(QPaintEvent* event) final;
    void keyPressEvent(QKeyEvent* event) override; // Enter presses too
    const Theme& theme() const { return m_theme.theme(); }
    // Text in one line, elided at the right. Sizes and inks of the design.
    struct Type
    {
        QFont font;
        QColor ink;
    };
    void text(QPainter& painter, const QRectF& box, const QString& text, const Type& type,
              Qt::Alignment alignment = Qt::AlignLeft) const;

    bool m_isPrimary = false; // filled with ink
    bool m_hasFrame = true;

private:
    const ThemeController& m_theme;
};

} // namespace app
