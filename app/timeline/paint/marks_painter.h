#pragma once

#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/ruler_painter.h"

#include <utility>
#include <vector>

namespace app {

// Marks on top of the lanes: outlines of the hovered, selected and focused box, the arrows of a
// micro-batch, a range. They are redrawn whenever the pointer moves; the lanes are not.
void paintFlow(const LaneCanvas& on, const Flow& flow);
// Draws the arrows of every micro-batch, unless there are too many to follow.
void paintAllFlows(const LaneCanvas& on, int iteration);
void paintHits(const LaneCanvas& on, const std::vector<Selection>& hits); // sorted by start
void paintHover(const LaneCanvas& on, const Selection& hover);
void paintSelected(const LaneCanvas& on, const Selection& selection);
// Names cause and length of the longest bubble of each device, where the lane has space.
void paintPlates(const LaneCanvas& on, int iteration);
void paintFocus(const LaneCanvas& on, const Selection& selection); // keyboard focus

// The marked range over the lanes.
void paintRange(QPainter& painter, const TimeAxis& axis, const Theme& theme, engine::Window window,
                const QRectF& lanes);
// The band of a range on the ruler, with its length and ends.
struct RangeBand
{
    engine::Window window;
    QRectF ruler;
};
void paintRangeBand(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                    const Theme& theme, const RangeBand& range);

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
