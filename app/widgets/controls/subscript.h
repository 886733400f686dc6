#pragma once

#include <Qt>

class QFont;
class QPainter;
class QRectF;
class QString;

namespace app {

// Text in which the θ of "Mθ" stands below the line: Unicode has that letter for "Mₐ", not for it.
int subscriptedWidth(const QFont& font, const QString& text);
// With the painter's font and pen; one line, elided where it is longer than the box.
void drawSubscripted(QPainter& painter, const QRectF& box, Qt::Alignment alignment,
                     const QString& text);

// The same as rich text, of text that is none yet.
QString subscriptedHtml(const QString& text);

} // namespace app
