#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/columns.h"
#include "app/timeline/view/category_boxes.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/lane_walk.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/memory_series.h"
#include "app/timeline/view/path_marks.h"
#include "app/timeline/view/selection.h"

#include <QColor>

#include <functional>
#include <optional>
#include <span>

class QPainter;

namespace app {

struct MovesPicture
{
    const RunView& view;
    const TimeAxis& axis;
    const BoxColours& colours;
};
// Draws the evicts (filled) and loads (outlined) of a device, on the device itself and on its
// partner: in the row below the transfers of a full lane, or as a strip below the boxes.
void paintMoves(QPainter& painter, const MovesPicture& picture, engine::DeviceId device,
                const Lane& lane);
// Draws a line between the two ends of an evict or load, and a frame at the partner's end.
void paintMovePair(QPainter& painter, const MovesPicture& picture, const std::vector<Lane>& lanes,
                   const Selection& selection);

struct LevelColours
{
    QColor base, stash, line, top; // `line` is drawn along the levels, `top` over each iteration
    QColor guest, guestLine;       // ground and lines of the stashes of a partner
};

// Draws the memory of a device during the visible iterations. Every device pixel shows its highest
// level, so that no peak is lost. Writes into an image, because four rectangles per pixel would be
// slow.
struct MemoryLevels
{
    static constexpr double kAbove = 8; // space above the full level, in pixels

    const MemorySeries& series;
    std::span<const engine::Iteration> iterations;
    double top = 0, height = 0; // extent of the strip; `top` is a whole device pixel
    double full = 1;
    LevelColours colours = {};

    double y(const TimeAxis& axis, double level) const // returns the y of the line for a level
    {
        return axis.snap(top + height - (full > 0 ? level / full : 0) * (height - kAbove));
    }
};
void paintMemoryLevels(QPainter& painter, const TimeAxis& axis, const MemoryLevels& levels);

// Draws the lanes of one run into the time area: compute boxes, bubbles, transfers, memory. Only
// the visible part is drawn, so the cost depends on the number of pixels. MarksPainter draws
// selection and hover.
class LanePainter
{
public:
    enum class Labels { None, Numbers, Names }; // "5", "1B5"

    LanePainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                const BoxColours& colours);

    // The longest form of the texts. Texts have one form in a lane: the longest that fits in all
    // boxes of the run, so that panning does not change it.
    void setLabels(Labels labels) { m_most = labels; }
    void setFlow(std::optional<Flow> flow) { m_flow = flow; }
    void setFound(const Found* found) { m_found = found; } // dims ops not found; may be nullptr
    void setPath(const PathMarks* path) { m_path = path; } // dims ops off the path; may be nullptr
    // Dims other boxes than those of a category of time; may be nullptr.
    void setCategory(const CategoryBoxes* category) { m_category = category; }
    void paint(engine::DeviceId device, const Lane& lane, int iteration);
    void paintCompute(engine::DeviceId device, double top, double height);
    // Fills every pixel column of `window` with the exact share of each kind of work, as a mean of
    // the devices that have a trace. The rest is bubble.
    void paintMean(std::span<const int> devices, engine::Window window, double top, double height);

private:
    void paintGroup(const Lane& lane);
    Labels labelsOf(engine::DeviceId device, double height) const;
    BoxText textOf(const engine::Op& op, double width) const;
    BoxColours::Emphasis emphasis(const engine::Span& span) const;
    bool isInFlow(std::uint32_t op, int iteration) const;
    void paintPiece(engine::DeviceId device, const Piece& piece, double top, double height);
    void paintOp(const Piece& piece, double top, double height);
    void paintDense(engine::DeviceId device, engine::Window window, double top, double height);
    ColumnColours selectedColours(ColumnColours dimmed, profiler::TimeCategory category) const;
    void paintShares(engine::Window window, double top, double height,
                     const std::function<Busy(double time)>& before);
    // Draws the narrow lanes below the boxes: messages, all-reduces, memory over time.
    void paintTransfers(engine::DeviceId device, engine::Track::Kind kind, double top);
    void paintTransfer(const engine::Span& span, double top);
    void paintMemory(engine::DeviceId device, const Lane& lane, int iteration);
    MemoryLevels levelsOf(engine::DeviceId device, const Lane& lane) const;
    void paintPeak(const MemoryLevels& levels, int iteration);

    QPainter& m_painter;
    const RunView& m_view;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    BoxPainter m_boxes;
    std::optional<Flow> m_flow;
    const Found* m_found = nullptr;
    const PathMarks* m_path = nullptr;
    const CategoryBoxes* m_category = nullptr;
    Labels m_most = Labels::Names, m_labels = Labels::Names;
};

// The texts of a box that is `width` pixels wide; those that need more are left out.
BoxText boxText(const engine::Op& op, double width);

} // namespace app
