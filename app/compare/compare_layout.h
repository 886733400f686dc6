#pragma once

#include "app/compare/compare_numbers.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/view_window.h"
#include "app/ui/table_roles.h"

#include <QString>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace app {

// The instants at which the runs are aligned.
// * Start: the start of the iteration is at 0 of the common ruler.
// * FirstForward: the start of the first forward of the iteration is at 0.
// * End: the end of the iteration is at the right edge.
enum class CompareAlign { Start, FirstForward, End };

// The lanes of the devices of a run, with a gap between them.
struct DeviceLanes
{
    double top = 0, pitch = 0, gap = 2; // pitch 0: no lanes

    double topOf(int device) const { return top + device * pitch; }
    double height() const { return pitch - gap; }
};

// One run of a comparison and its position. A tall row has 28 pixels for the title, 23 per device
// (more or less, depending on the space) and 12 below, but is at least as high as the key numbers.
// A compact row has a lane of 14 to 48 pixels, followed by its devices if it is expanded.
struct CompareRow
{
    std::size_t run = 0; // the caller's index of the run
    const RunView* view = nullptr;
    QString name;           // unique among the rows
    QString file;           // "" if not saved
    int group = 0;          // index of CompareLayout::groups
    int iteration = 0;      // reported iteration; -1: none yet
    double origin = 0;      // the tick of the run's clock that is at 0 of the ruler
    bool isExpanded = true; // whether the lanes of the devices are shown
    double top = 0, lanesTop = 0, pitch = 23, height = 0;
    std::int64_t predictedPeak = 0; // bytes, of a run that recorded no memory; 0: unknown
    double tokens = 1;              // thousands in an iteration, if times are per 1000 tokens
    // The 95 % interval of the end, in ticks after the begin of the window; both 0: none.
    double least = 0, most = 0;

    engine::Window window() const; // window of the iteration, on the clock of the run
    double ticksPerUnit() const
    {
        return static_cast<double>(view->run().info.ticksPerUnit) * tokens;
    }
    double duration() const { return static_cast<double>(window().duration()) / ticksPerUnit(); }
    DeviceLanes lanes() const { return {lanesTop, pitch}; }

    // The key numbers beside a tall row: the baseline of the first one and the height of the
    // others.
    static constexpr double kFirstLine = 22, kLine = 17;
    bool showsDifference() const { return height >= 120; } // whether all of them have room
    // The memory bars below the key numbers in `column`, which is beside the row; empty if they do
    // not fit. The slot of a device is a part of this area and includes the gap to the next one.
    QRectF memoryArea(const QRectF& column) const;
    QRectF memorySlot(const QRectF& area, int device) const;
};

// Runs that share a ruler and, in compact style, a ranking: they have the same unit (abstract units
// or nanoseconds) and, in compact style, the same mode, and none or all have older weights.
struct CompareGroup
{
    bool isInUnits = false;
    engine::Mode mode = engine::Mode::Simulate;
    bool haveOlderWeights = false;
    // The duration that the ruler shows, in cost units or ns: that of the longest run with this
    // unit. In compact style, it is at most 1.35 times the median duration, but always includes the
    // end of the baseline and the intervals of the ends.
    double longest = 1;
    double headTop = 0;    // top of the strip above the rows, which has a ruler or a title
    bool hasRuler = false; // false: the ruler of an earlier group applies
    double headHeight() const;
};

struct CompareLayout
{
    // Tall rows, for few runs, have a lane per device. Compact rows, for many runs, have one lane,
    // and a lane per device if the user expands them.
    bool isCompact = false;
    CompareAlign align = CompareAlign::Start;
    std::vector<CompareRow> rows;     // from the top; groups are contiguous
    std::vector<CompareGroup> groups; // the group of the baseline comes first
    double height = 0;
    double lane = kMostLane; // height of the lane of a compact row

    static constexpr double kTitle = 28, kPad = 12, kRuler = 40; // kRuler: ruler with its note
    static constexpr double kLeast = 88;                         // smallest height of a tall row
    // Heights in compact style.
    static constexpr double kLaneTop = 4, kLeastLane = 14, kMostLane = 48, kBelowLane = 8,
                            kHead = 30;
    static constexpr double kLeastDevice = 12; // lanes of devices that show boxes

    double rowHeight() const { return lane + kBelowLane; } // of a compact row
    bool hasTwoLines() const { return rowHeight() >= 36; } // of text
    // Whether the lanes of compact rows have room for the boxes of every device.
    bool hasRoomForDevices() const;
    const CompareRow* rowOf(std::size_t run) const; // nullptr: the run has no row
    double longest(const CompareRow& row) const     // in the unit of the row, see CompareGroup
    {
        return groups[static_cast<std::size_t>(row.group)].longest;
    }
    // The unit of the row's times, and its ruler, which counts from the instant of `align`. Times
    // are per 1000 tokens if the rows have different numbers of them.
    Scale time(const CompareRow& row) const;
    RulerScale ruler(const CompareRow& row, const TimeAxis& axis) const;
};

// The order of the runs and how they are shown.
struct CompareArrangement
{
    std::vector<std::size_t> order; // indices of runs, from the top
    std::size_t baseline = 0;
    std::set<std::size_t> expanded = {}; // the runs whose compact rows are expanded
    CompareAlign align = CompareAlign::Start;
    RunNames names = {};                     // a title replaces equal labels of several runs
    CompareNumbersPointer numbers = nullptr; // nullptr: not computed yet
    std::map<std::size_t, std::int64_t> predictedPeaks = {}; // in bytes, by run; 0: unknown
};

// Five or more runs are compact. Three or four runs are compact only if tall rows do not fit into
// `available` pixels.
CompareLayout layoutComparison(const std::vector<RunViewPointer>& runs,
                               const CompareArrangement& arrangement, double available);

double greatestHeight(const CompareLayout& layout); // the height beyond which rows do not grow

// All rows of a comparison share one ViewWindow, so that they zoom together. In this window,
// kCompareWhole stands for the duration CompareGroup::longest of every group. compareAxis()
// converts the window to the axis of one row, on the clock of its run.
constexpr double kCompareWhole = 1e9;
TimeAxis compareAxis(const CompareLayout& layout, const CompareRow& row, ViewWindow window,
                     const QRectF& area, double dpr);
double compareEnd(const CompareLayout& layout); // the end of the longest run, on this scale

// The rankings that a control and the keys 1 to 4 offer.
inline constexpr profiler::RankBy kSorts[] = {profiler::RankBy::Iteration, profiler::RankBy::Bubble,
                                              profiler::RankBy::Peak, profiler::RankBy::Name};

// A column of numbers beside the lanes of a compact comparison: a measure, its difference from the
// baseline, or this difference in per cent.
struct CompareColumn
{
    enum class Shows { Value, Difference, Percent };

    const char* key; // of the measure
    Shows shows;
    profiler::RankBy ranksBy; // by a click on the title
    double width;
    int importance;     // columns of less importance are left out first
    QString title = {}; // includes the unit
    double left = 0;
};

// Lays out the columns at the right of a widget that is `width` pixels wide, so that the time area
// beside its headers keeps at least 320 pixels.
std::vector<CompareColumn> layoutColumns(const CompareNumbers& numbers, double headers,
                                         double width);

struct CompareCell
{
    QString text, below;                // below: the interval, on a second line
    Verdict verdict = Verdict::Neutral; // colour of a difference
    bool isHint = false;                // "baseline"
    double share = -1;                  // length of the bar before the text, 0 to 1; < 0: no bar
};
// The cell of a run, or of one of its devices.
CompareCell compareCell(const CompareNumbers& numbers, const CompareRow& row,
                        const CompareColumn& column);
CompareCell compareCell(const CompareNumbers& numbers, const CompareRow& row,
                        engine::DeviceId device, const CompareColumn& column);

} // namespace app
