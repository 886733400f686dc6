#pragma once

#include <QByteArray>
#include <QSizeF>

namespace app {

// Corrects files of QPdfWriter (Qt 6.4), which writes the current local time as the creation date
// and rounds the page to whole points.

// Sets the creation date to `digits` (YYYYMMDDhhmmss, UTC) and updates all offsets of the file.
void setPdfDate(QByteArray& pdf, const QByteArray& digits);
// Crops the page in place to `points`, measured from its upper left corner.
void cropPdfPage(QByteArray& pdf, QSizeF points);

} // namespace app
