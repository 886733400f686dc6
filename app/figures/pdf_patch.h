#pragma once

#include <QByteArray>
#include <QSizeF>

namespace app {

// What QPdfWriter of Qt 6.4 cannot be told, changed in the finished file: it writes the time of
// day, in local time, and rounds a page to whole points.

// `digits` is YYYYMMDDhhmmss, UTC. All offsets of the file follow.
void setPdfDate(QByteArray& pdf, const QByteArray& digits);
// Crops the page to `points`, measured from its upper left corner. In place.
void cropPdfPage(QByteArray& pdf, QSizeF points);

} // namespace app
