#pragma once

#include "app/ui/theme.h"

#include <QPen>
#include <QPolygonF>
#include <QStringList>

class QPainter;

namespace app {

// The parts of a NodePicture that MappingKey also paints.

// Whether a box has space for "down" and "up" beside the stages of both directions.
bool fitsDirections(const QStringList& stages, double width);
// Returns `summary`, or only its part before ";" if the whole text does not fit.
QString fittingSummary(const QString& summary, double width);
// Paints the stages of a device, a row of kSlotRow pixels per direction. Rows of the up direction
// have a cut corner and underlined numbers. `areNamed`: the rows contain the words "down" and "up".
void paintStages(QPainter& painter, const Theme& theme, const QRectF& rows,
                 const QStringList& stages, bool areNamed);
// Pen for a line between devices of a node.
QPen penInNode(const Theme& theme, bool isAllReduce);
// Paints an arrow along `path` in the colour and width of class `load` of a LoadScale.
void paintLoadArrow(QPainter& painter, const Theme& theme, QPolygonF path, int load);

} // namespace app
