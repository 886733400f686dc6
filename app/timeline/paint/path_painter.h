#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/path_marks.h"

#include <QString>

#include <utility>
#include <vector>

class QPainter;

namespace app {

struct PathPicture
{
    const PathMarks& marks;
    const std::vector<PathReason>& reasons; // those with a number are sorted by time
    const TimeAxis& axis;
    const BoxColours& colours;
    int reason = -1; // the highlighted reason; -1: none
};

// Draws the path over the lanes as a line that changes lanes with each message. The pieces of the
// highlighted reason are thicker.
void paintPath(QPainter& painter, const PathPicture& picture, const std::vector<Lane>& lanes);
// Shades the time of the highlighted reason from `top` to `bottom`.
void paintReasonBand(QPainter& painter, const PathPicture& picture, double top, double bottom);
// Draws the numbers of the reasons on the ruler, and the highlighted one as a plate.
void paintReasonMarks(QPainter& painter, const PathPicture& picture, const QRectF& ruler);
// The left and right edges of the numbers on the ruler, from left to right.
std::vector<std::pair<double, double>> reasonPlaces(const std::vector<PathReason>& reasons,
                                                    const TimeAxis& axis);
// The reason whose number is at a point of the ruler; -1: none.
int reasonAt(const std::vector<PathReason>& reasons, const TimeAxis& axis, const QRectF& ruler,
             QPointF at);

} // namespace app
