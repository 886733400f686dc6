#pragma once

#include <Qt>

class QFont;
class QPainter;
class QRectF;
class QString;

namespace app {

// Returns the width of a text in which the θ of "Mθ" is drawn as a subscript. (Unicode has a
// subscript a but no subscript θ.)
int subscriptedWidth(const QFont& font, const QString& text);
// Draws one line with the painter's font and pen, elided to the box.
void drawSubscripted(QPainter& painter, const QRectF& box, Qt::Alignment alignment,
                     const QString& text);

// Converts plain text to rich text with such subscripts.
QString subscriptedHtml(const QString& text);

} // namespace app
