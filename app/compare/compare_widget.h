#pragma once

#include "app/documents/run_document.h"
#include "app/figures/scene_view.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/widget/time_canvas.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/ranking.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/study/chart_kit.h"

#include <QStringList>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace app {

// How the runs are named, one entry per run.
struct RunNames
{
    QStringList titles; // "BitPipe #2"
    QStringList files;  // paths; "" if not saved
};

// For each kind of op, the sorted durations of its ops in one iteration, in ticks.
using OpTimes = engine::EnumArray<engine::OpKind, std::vector<std::int64_t>, engine::kOpKinds>;

// The numbers of the compared runs and their order.
struct CompareNumbers
{
    std::vector<RunPointer> runs;
    profiler::Comparison comparison;
    std::vector<OpTimes> ops; // one per run, for its reported iteration
    profiler::RankBy by = profiler::RankBy::Iteration;
    profiler::RankOrder direction = profiler::RankOrder::BestFirst;
    profiler::Ranking ranking; // sorted by `by` in `direction`
    profiler::Verdict verdict;

    // The largest peak memory of all runs, in bytes and in units of M_a; at least 1 in either unit.
    double largestBytes() const;
    double largestStash() const;
    bool hasBytes() const; // whether memory is in bytes, as that of the baseline, or in M_a
    Scale bytes() const { return byteScale(static_cast<std::int64_t>(largestBytes())); }
    // The unit of the baseline's times. With different numbers of tokens, timeUnit() names both.
    Scale time() const;
    QString timeUnit() const // "ms", "ms per 1000 tokens"
    {
        return comparison.isPerToken ? QStringLiteral("%1 per 1000 tokens").arg(time().unit())
                                     : time().unit();
    }
    // Converts a time of a run to time(), per 1000 tokens if the comparison is. The result is
    // meaningless if isInUnitOfBaseline() is false.
    double inTime(std::size_t run, double ticks) const;
    // The unit in which the column of a measure shows its amounts.
    Scale scale(const profiler::MeasureInfo& measure) const;
    // A measure of a run in scale(), or a time in the run's own unit if that is not the baseline's.
    QString text(const profiler::MeasureInfo& measure, std::size_t run) const;
    // Better, worse, or neutral if the change is not worth a colour.
    Verdict colour(const profiler::MeasureInfo& measure, std::size_t run) const;
    // "\u221216.8 to \u221210.5", "exact", "spread unknown"
    QString spreadText(const profiler::MeasureInfo& measure, const profiler::Change& of) const;

    bool isInUnitOfBaseline(std::size_t run) const
    {
        return comparison.haveOneUnit(run, comparison.baseline);
    }
};
QString differencesText(const Scale& scale,
                        const profiler::Amount& by); // "\u221216.8 to \u221210.5"
// A heading: the title, and the unit unless it is "".
QString withUnit(const QString& title, const QString& unit);
using CompareNumbersPointer = std::shared_ptr<const CompareNumbers>;

const profiler::Measure<profiler::ReportedRun>& comparedMeasure(std::string_view key);

// The bubble share of a device; nullopt without a trace.
std::optional<double> deviceBubble(const engine::Run& run, const profiler::RunMetrics& metrics,
                                   const profiler::DeviceMetrics& device);

// Compares the runs and ranks them by iteration time. A run whose label is not unique is named by
// its entry in `titles`, which may be empty. May be called on any thread. Fails if a run has no
// iteration.
engine::Result<CompareNumbers> compareNumbers(const std::vector<RunPointer>& runs,
                                              std::size_t baseline, const QStringList& titles = {});
CompareNumbersPointer rankedBy(const CompareNumbers& numbers, profiler::RankBy by,
                               profiler::RankOrder direction);

// The charts of a comparison. Each is a function that returns a scene, so that the window, PDF and
// SVG draw the same chart. The point of a mark is the index of a run. `titles` has one title per
// run.

using profiler::BarRow;
profiler::MarkedScene barChart(const QString& title, const std::vector<BarRow>& rows,
                               const Scale& unit, const ChartLook& look);

// The idle time of each run by cause, for the eight best runs, the current one, the baseline and,
// below a line, those with older weights.
std::vector<BarRow> causeRows(const CompareNumbers& numbers, const QStringList& titles, int current,
                              const profiler::Palette& palette);
// The time of a run by category, averaged over its devices, in `time`; the parts add up to the
// iteration. Parts that take no time are left out.
BarRow timeRow(std::size_t run, const QString& title, const profiler::ComparedRun& of,
               const Scale& time, const profiler::Palette& palette);
// In the unit of the comparison, per 1000 tokens if the comparison is.
BarRow timeRow(const CompareNumbers& numbers, std::size_t run, const QStringList& titles,
               const profiler::Palette& palette);

// Iteration time against peak memory with 95 % intervals. Filled points, joined by a line, are the
// Pareto front. Schemes with older weights are open squares and never on it.
profiler::MarkedScene paretoChart(const CompareNumbers& numbers, const QStringList& titles,
                                  int current, const ChartLook& look);

// A histogram of the durations of one kind of op, for a run (bars) and the baseline (outline).
struct Histogram
{
    const CompareNumbers& numbers;
    int run = -1; // -1: only the baseline
    engine::OpKind kind = engine::OpKind::Forward;

    std::pair<double, double> range() const; // least and largest duration, in the unit of the times
    // The share of the ops of `of` in each of 40 bins of equal width; the shares add up to 1. Empty
    // if the run has no such op.
    std::vector<double> shares(std::size_t of) const;
};
std::vector<engine::OpKind> histogramKinds(const CompareNumbers& numbers); // that occur in any run
profiler::MarkedScene durationsChart(const Histogram& histogram, const QStringList& titles,
                                     const ChartLook& look);

// The text of the bar, point or histogram of a run, for a tooltip or a screen reader.
QString barText(const BarRow& row, const Scale& unit);
QString pointText(const CompareNumbers& numbers, const QStringList& titles, std::size_t run);

// The instants at which the runs are aligned.
// * Start: the start of the iteration is at 0 of the common ruler.
// * FirstForward: the start of the first forward of the iteration is at 0.
// * End: the end of the iteration is at the right edge.
enum class CompareAlign { Start, FirstForward, End };

// The content of a compact lane: the mean of the devices of the run, the device with the most
// bubble, or the boxes of every device, if they have room.
enum class LaneOf { MeanOfDevices, WorstDevice, Devices };

// One run of a comparison and its position. A tall row has 28 pixels for the title, the lanes of
// the devices, as high as the space permits, and 12 pixels below; beside key numbers, it is at
// least as high as these. A compact row has a lane of 14 to 48 pixels, followed by its devices if
// it is expanded.
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
    // The lanes of the devices, and those inside the lane of a compact row; empty if not shown.
    std::vector<Lane> lanes, folded;
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
    double headHeight() const { return hasRuler ? 40 : 30; } // a ruler has a note
};

struct CompareLayout
{
    // Tall rows, for few runs, have a lane per device. Compact rows, for many runs, have one lane,
    // and a lane per device if the user expands them.
    bool isCompact = false;
    bool hasColumn = true; // of key numbers beside tall rows; false: they are in the titles
    CompareAlign align = CompareAlign::Start;
    std::vector<CompareRow> rows;     // from the top; groups are contiguous
    std::vector<CompareGroup> groups; // the group of the baseline comes first
    double height = 0;
    double lane = kMostLane; // height of the lane of a compact row

    static constexpr double kTitle = 28, kPad = 12;
    static constexpr double kLeast = 88; // smallest height of a tall row
    // Heights in compact style.
    static constexpr double kLaneTop = 4, kLeastLane = 14, kMostLane = 48, kBelowLane = 8;
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
    double headsHeight() const; // of the groups below the first
    // The height with lanes of `pitch` pixels, or with compact rows of the greatest height.
    double heightWith(double pitch) const;
    double greatestHeight() const; // the height beyond which rows do not grow
    double legibleHeight() const;  // the least height at which boxes have numbers
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
    bool hasColumn = true;                                   // see CompareLayout
    LaneOf lane = LaneOf::Devices;
};

// Five or more runs are compact. Three or four runs are compact only if tall rows do not fit into
// `available` pixels.
CompareLayout layoutComparison(const std::vector<RunViewPointer>& runs,
                               const CompareArrangement& arrangement, double available);

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

// The iteration in the unit of the row, "74.0"; nullopt: unknown.
std::optional<QString> compareIteration(const CompareLayout& rows, const CompareRow& row);
QString comparePeak(const CompareRow& row); // "16.4 MiB", "5.0 Mₐ"; the row has metrics

// The data and layout of a comparison. ComparePainter draws it, CompareWidget changes it.
struct CompareScene
{
    static constexpr double kRuler = 26;

    // The hovered or selected item and its row. In a compact comparison, a mark without an item
    // stands for the whole row.
    struct Mark
    {
        int row = -1;
        Selection selection;
        friend bool operator==(const Mark&, const Mark&) = default;
    };

    std::vector<RunViewPointer> runs;
    CompareArrangement arrangement;
    CompareLayout rows;
    std::vector<CompareColumn> columns; // only in a compact comparison with numbers
    Mark selected, hover;
    int current = -1;      // index of the chosen run; -1: none
    bool hasGhost = false; // outlines the baseline's ops over the other runs

    QSizeF size; // of the widget
    QRectF area; // the time area of the rows, with names at its left and numbers at its right
    ViewWindow window{0, kCompareWhole};
    double dpr = 1;
    int scroll = 0;

    // Replaces the runs. Runs that remain stay expanded and chosen.
    void setRuns(std::vector<RunViewPointer> views, std::size_t baseline, const RunNames& names);
    const CompareNumbers* numbers() const { return arrangement.numbers.get(); }
    bool showsDevices() const
    {
        return arrangement.lane == LaneOf::Devices && rows.hasRoomForDevices();
    }
    // Computes rows, columns and area. If CompareArrangement::order is empty, sets it to the
    // ranking if the comparison is compact and has numbers, otherwise to the order of the runs.
    void layout(QSizeF size);
    const CompareRow& row(int index) const { return rows.rows[static_cast<std::size_t>(index)]; }
    int indexOf(const CompareRow& row) const { return static_cast<int>(&row - rows.rows.data()); }
    const CompareRow* chosen() const // nullptr: none
    {
        return current < 0 ? nullptr : rows.rowOf(static_cast<std::size_t>(current));
    }
    const CompareRow* baseline() const { return rows.rowOf(arrangement.baseline); }
    double columnsWidth() const { return size.width() - area.right(); }
    QRectF columnOf(const CompareRow& row) const // before scrolling
    {
        return {area.right(), row.top, columnsWidth(), row.height};
    }
    TimeAxis axisOf(const CompareRow& row) const
    {
        return compareAxis(rows, row, window, area, dpr);
    }
    // nullptr: the row is the baseline, or the baseline has another unit.
    const CompareRow* baselineOf(const CompareRow& row) const;
    // The change of the iteration of a row from its baselineOf(). Without numbers, its spread is
    // unknown. nullopt: the row is or has no baseline, or the iteration is unknown.
    std::optional<profiler::Change> change(const CompareRow& row) const;
    Verdict verdict(const CompareRow& row) const // on this change; Neutral: not distinguishable
    {
        return numbers() ? numbers()->colour(comparedMeasure("iteration"), row.run)
                         : Verdict::Neutral;
    }
    // The title of a tall row, beside its name. Without a column, it has the key numbers.
    struct TitlePart
    {
        QString text;
        Verdict verdict = Verdict::Neutral;
    };
    std::vector<TitlePart> title(const CompareRow& row) const;
    // Whether the baseline is drawn at the bottom, because its row is not visible.
    bool isBaselinePinned() const;
    // The height of all rows, with space for a pinned baseline if they scroll.
    double contentHeight() const;
    double fitWidth() const { return area.width() - 16; }
    ViewWindow fit() const; // leaves room for the text beside runs that share a rank
    // Converts a time range of the row's run to the coordinates of CompareScene::window.
    ViewWindow shareOf(const CompareRow& row, engine::Window window) const;

    Mark hit(QPointF at) const;
    const CompareRow* rowAt(QPointF at) const; // nullptr: none
    bool isChevron(const Mark& mark, QPointF at) const;
    // The metric by which a click on a column title ranks a compact comparison; nullopt: no title.
    std::optional<profiler::RankBy> rankAt(QPointF at) const;
    std::optional<Mark> rangeAt(QPointF from, double toX) const;
    std::optional<Mark> walkedTo(int key) const;
    std::size_t steppedRun(int by) const; // the run `by` rows below the chosen one
    // The same op in another row; nullopt: its run does not have the op.
    std::optional<Mark> opIn(const CompareRow& row, std::uint32_t op) const;
    QRectF boxOf(const Mark& mark) const; // in widget coordinates
    QString toolTip() const;              // tooltip of the hovered item or row

private:
    bool isOnTime(QPointF at) const { return at.x() >= area.left() && at.x() < area.right(); }
    int deviceAt(const CompareRow& row, QPointF at) const;
    Selection hitIn(const CompareRow& row, QPointF at) const;
    std::optional<Mark> neighbour(int step) const;
};

// The largest peak memory of the rows that know it in the unit of `view`, bytes or M_a.
double memoryScale(const CompareLayout& layout, const RunView& view);

// Changes the duration of an op of one run while the user drags the end of the op, in the row of
// this run or of a run with the same schedule.
class OpEndDrag
{
public:
    void setRun(int run) { m_run = run; } // the run that changes; -1: none

    bool isAt(const CompareScene& scene, QPointF at) const { return find(scene, at).has_value(); }
    // Returns the op of the run that changes; nullopt: `at` is not at the end of an op.
    std::optional<CompareScene::Mark> begin(const CompareScene& scene, QPointF at);
    // The new duration divided by that of the last call; `pixels` count from the start of the drag.
    double moved(double pixels);
    bool end() // whether a drag was active
    {
        return std::exchange(m_isActive, false);
    }

private:
    struct Found
    {
        // at: the op under the pointer; changed: the same op in the run whose times are edited
        CompareScene::Mark at, changed;
    };
    std::optional<Found> find(const CompareScene& scene, QPointF at) const;

    int m_run = -1;
    bool m_isActive = false;
    double m_ticksPerPixel = 1;
    // Durations in ticks: of the dragged op at the start, and of the changed op at the last call.
    std::int64_t m_before = 0, m_now = 0;
};

// Several runs below each other on one time scale, with end markers, the gap to the baseline and
// key numbers. Few runs show their devices. Many runs are ranked and have one lane each; the user
// can expand the devices of a run. Runs in another unit have their own ruler and a note.
class CompareWidget : public TimeCanvas
{
    Q_OBJECT

public:
    explicit CompareWidget(const ThemeController& theme, QWidget* parent = nullptr);

    // `names` distinguish runs with equal labels; may be empty.
    void setViews(std::vector<RunViewPointer> views, std::size_t baseline,
                  const RunNames& names = {});
    // A selection in this run stays only if it is an op that exists in `view`.
    void replaceView(std::size_t run, RunViewPointer view);
    // The run whose ops can be lengthened by dragging their ends, in its row or in that of a run
    // with the same schedule; -1: none. Dragging emits opScaled().
    void setEditable(int run);
    // nullptr: unknown. Compact rows follow the ranking.
    void setNumbers(CompareNumbersPointer numbers);
    // In bytes, of a run that recorded no memory, until setViews(); 0: unknown.
    void setPredictedPeak(std::size_t run, std::int64_t bytes);
    void setBaseline(std::size_t run);
    void setCurrent(int run); // chooses a run without a signal; -1: none
    int current() const { return m_scene.current; }
    void setExpanded(std::size_t run, bool isExpanded); // has no effect on tall rows
    bool isExpanded(std::size_t run) const { return m_scene.arrangement.expanded.contains(run); }
    void setLane(LaneOf lane);
    void setAlign(CompareAlign align);
    void setGhost(bool hasGhost); // outlines of the baseline over the other runs
    void select(std::size_t run, const Selection& selection)
    {
        if (const CompareRow* row = m_scene.rows.rowOf(run))
            selectAndReveal({m_scene.indexOf(*row), selection});
    }
    bool isCompact() const { return m_scene.rows.isCompact; }
    const CompareLayout& rows() const { return m_scene.rows; }
    const RunViewPointer& view(std::size_t run) const { return m_scene.runs[run]; }
    int greatestHeight() const { return heightFor(m_scene.rows.greatestHeight()); }
    int legibleHeight() const { return heightFor(m_scene.rows.legibleHeight()); }
    QSize sizeHint() const override { return {1384, 582}; }
    QSize minimumSizeHint() const override { return {400, 200}; }

Q_SIGNALS:
    void selectionChanged(int run, const app::Selection& selection);
    void runChosen(int run); // the user chose a run
    void rankRequested(profiler::RankBy by);
    void baselineRequested(int run);
    void openRequested(int run);
    void styleChanged(); // isCompact() changed
    // The selected op now takes `ratio` times as long as before this signal. `isLast`: the drag has
    // ended.
    void opScaled(double ratio, bool isLast);

protected:
    bool isEmpty() const override { return m_scene.rows.rows.empty(); }
    QRectF timeArea() const override { return m_scene.area; }
    engine::Window extent() const override
    {
        return {0, static_cast<std::int64_t>(compareEnd(m_scene.rows))};
    }
    double fitWidth() const override { return m_scene.fitWidth(); }
    std::optional<ViewWindow> fit() const override { return m_scene.fit(); }
    std::optional<ViewWindow> selectedBox() const override;
    void paintCanvas(QPainter& painter) override;
    void updateAxis() override;

    bool hover(QPointF at) override;
    bool isHovering() const override { return m_scene.hover.row >= 0; }
    void endHover() override { m_scene.hover = {}; }
    QString toolTip() const override { return m_scene.toolTip(); }
    void click(QPointF at) override;
    void selectRange(QPointF from, double toX) override
    {
        if (const auto range = m_scene.rangeAt(from, toX))
            setSelected(*range);
    }
    void clearSelection() override { setSelected({}); }
    std::optional<ViewWindow> openAt(QPointF at) override;
    bool ownPress(QMouseEvent& event) override;
    void ownDrag(QPointF from, QPointF to) override;
    bool ownKey(int key, Qt::KeyboardModifiers modifiers) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    static int heightFor(double rows) // of the widget, in pixels
    {
        return static_cast<int>(std::ceil(CompareScene::kRuler + TimeCanvas::kLegend + rows));
    }
    void relayout();
    void orderRows(); // empties the order, so that layout() sets it again
    void setSelected(const CompareScene::Mark& mark);
    void selectAndReveal(const CompareScene::Mark& mark);
    void choose(int run);

    CompareScene m_scene;
    OpEndDrag m_opEnd;
    CachedPicture m_rows;
};

} // namespace app
