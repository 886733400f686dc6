#pragma once

#include <Qt>

class QFont;
class QPainter;
class QRectF;
class QString;

namespace app {

// Text in which the θ of "Mθ" is drawn as a subscript, since Unicode has a subscript a but no
// subscript θ.
int subscriptedWidth(const QFont& font, const QString& text);
// Uses the painter's font and pen; one line, elided to the box.
void drawSubscripted(QPainter& painter, const QRectF& box, Qt::Alignment alignment,
                     const QString& text);

// The same as rich text, from plain text.
QString subscriptedHtml(const QString& text);

} // namespace app
