#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"

#include <QFont>
#include <QString>

class QPainter;

namespace app {

// The content of a box; its width decides how much of it is drawn.
struct BoxText
{
    QString number, name; // "5", "1B5"
    bool isUp = false;    // direction up: cut corner, underlined
    bool isBold = false;  // of the selected micro-batch
};

// Draws one box of time by its level of detail. `rect` is the whole stretch (the
// border included).
class BoxPainter
{
public:
    BoxPainter(QPainter& painter, const TimeAxis& axis, const BoxColours& colours);

    void draw(const QRectF& stretch, const BoxColours::Look& look, const BoxText& text);
    void label(const QRectF& box, QColor ink, const BoxText& text);

private:
    void fill(const QRectF& box, const BoxColours::Look& look, bool isUp);
    void write(const QRectF& box, const QString& text, const QFont& font, const BoxText& how);

    QPainter& m_painter;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    QFont m_numberFont, m_boldFont, m_nameFont;
};

} // namespace app
