#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/range_view.h"
#include "app/timeline/widget/timeline_scene.h"
#include "app/ui/theme.h"

#include <QString>

#include <span>
#include <vector>

class QPainter;
class QPixmap;

namespace app {

// Draws the NVTX rows of a lane as grey boxes, with names where they fit. Draws only one of several
// ranges within one pixel.
struct RangeRows
{
    const RangeView& ranges;
    engine::DeviceId device;
    const Lane& lane;
};
void paintRanges(QPainter& painter, const RangeRows& rows, const TimeAxis& axis,
                 const Theme& theme);

// Draws the areas of a TimelineScene that is not empty.
class TimelinePainter
{
public:
    TimelinePainter(QPainter& painter, const TimelineScene& scene, const BoxColours& colours);

    void paintFrame() const;
    void paintTop(const QPixmap& overview) const; // overview, ruler and notes
    // Paints the visible lanes, with the top of the first lane at y = 0. The caller caches the
    // picture and translates it by the scroll offset.
    void paintLanes() const;
    void paintSides() const;
    void paintMarks() const;
    void paintLegend() const;

private:
    void paintTopTexts() const;
    void paintCurrentTime() const;
    void paintFlows() const;
    void paintPlan() const;
    const Lane* firstLane() const;
    std::vector<std::size_t> paintedLanes() const;
    // Paints lanes, and in `area` their grid and the edges of iterations.
    void paintGroup(std::span<const std::size_t> lanes, const QRectF& area) const;
    void paintPinnedGround(double top, double height) const;
    void paintIterationTimes() const;
    void paintNotes() const;
    void paintLaneGround(const Lane& lane) const;
    void paintRowGround(const Lane& lane, engine::Window window) const;
    QString denseNote() const;

    QPainter& m_painter;
    const TimelineScene& m_scene;
    const BoxColours& m_colours;
    const Theme& m_theme;
    const RunView& m_view;
    const TimelineGeometry& m_areas;
    const std::vector<Lane>& m_lanes;
    const TimeAxis& m_axis;
};

} // namespace app
