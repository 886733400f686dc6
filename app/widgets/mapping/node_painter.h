#pragma once

#include "app/models/theme.h"

#include <QPen>
#include <QPolygonF>
#include <QStringList>

class QPainter;

namespace app {

// The parts of a picture of nodes, which its key shows, too.

// The stages of a device, a row of kSlotRow pixels per direction. The rows of the upwards direction
// have a cut corner and underlined numbers.
void paintStages(QPainter& painter, const Theme& theme, const QRectF& rows,
                 const QStringList& stages);
// Of a line between two devices of a node.
QPen penInNode(const Theme& theme, bool isAllReduce);
// An arrow along `path`, whose colour and width show the class of a LoadScale.
void paintLoadArrow(QPainter& painter, const Theme& theme, QPolygonF path, int load);

} // namespace app
