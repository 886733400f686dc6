#pragma once

#include <QByteArray>
#include <QSizeF>

namespace app {

// Changes what QPdfWriter of Qt 6.4 cannot set: it writes the current local time, and rounds the
// page to whole points.

// Sets the creation date to `digits` (YYYYMMDDhhmmss, UTC) and updates all offsets of the file.
void setPdfDate(QByteArray& pdf, const QByteArray& digits);
// Crops the page to `points`, measured from its upper left corner. In place.
void cropPdfPage(QByteArray& pdf, QSizeF points);

} // namespace app
