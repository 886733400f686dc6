#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/path_marks.h"
#include "app/timeline/view/selection.h"

#include <QString>

#include <utility>
#include <vector>

class QPainter;

namespace app {

// Draws on top of the lanes: outlines of the hovered, selected and focused box, the arrows of a
// micro-batch, a range. The marks are redrawn whenever the pointer moves; the lanes are not.
class MarksPainter
{
public:
    MarksPainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                 const std::vector<Lane>& lanes, const BoxColours& colours);

    void paintFlow(const Flow& flow);
    // Draws the arrows of every micro-batch, unless there are too many to follow.
    void paintAllFlows(int iteration);
    void paintHits(const std::vector<Selection>& hits); // sorted by start
    void paintHover(const Selection& hover);
    void paintSelected(const Selection& selection);
    // Names cause and length of the longest bubble of each device, where the lane has space.
    void paintPlates(int iteration);
    void paintFocus(const Selection& selection); // keyboard focus

private:
    enum class Halo { No, Yes }; // background below the line
    void paintPlate(const QRectF& box, const profiler::Bubble* bubble, engine::Window window);
    void paintArrow(const profiler::CauseLink& from, const profiler::CauseLink& to, Halo halo);

    QPainter& m_painter;
    const RunView& m_view;
    const TimeAxis& m_axis;
    const std::vector<Lane>& m_lanes;
    const BoxColours& m_colours;
};

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
