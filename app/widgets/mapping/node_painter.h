#pragma once

#include "app/models/theme.h"

#include <QPen>
#include <QPolygonF>
#include <QStringList>

class QPainter;

namespace app {

// The parts of a NodePicture that MappingKey also paints.

// Paints the stages of a device, a row of kSlotRow pixels per direction. Rows of the up direction
// have a cut corner and underlined numbers.
void paintStages(QPainter& painter, const Theme& theme, const QRectF& rows,
                 const QStringList& stages);
// Pen for a line between devices of a node.
QPen penInNode(const Theme& theme, bool isAllReduce);
// Paints an arrow along `path` in the colour and width of class `load` of a LoadScale.
void paintLoadArrow(QPainter& painter, const Theme& theme, QPolygonF path, int load);

} // namespace app
