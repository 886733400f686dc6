#pragma once

#include <QByteArray>
#include <QSizeF>

namespace app {

// Functions that correct the files of QPdfWriter. QPdfWriter (Qt 6.4) writes the current local time
// as the creation date and rounds the size of the page to whole points.

// Sets the creation date to `digits` (YYYYMMDDhhmmss, UTC). Updates the offsets in the file,
// because the length of the date changes.
void setPdfDate(QByteArray& pdf, const QByteArray& digits);
// Crops the page to the size `points`, measured from its upper left corner. The length of the file
// stays the same.
void cropPdfPage(QByteArray& pdf, QSizeF points);

} // namespace app
