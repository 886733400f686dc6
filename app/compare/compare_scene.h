#pragma once

#include "app/compare/compare_layout.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QRectF>

#include <optional>

namespace app {

// The content of a compact lane: the mean of the devices of the run, the device with the most
// bubble, or the boxes of every device, if they have room.
enum class LaneOf { MeanOfDevices, WorstDevice, Devices };

// The data and layout of a comparison. ComparePainter draws it, CompareWidget changes it.
struct CompareScene
{
    static constexpr double kRuler = 26, kLegend = 28;

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
    int current = -1; // index of the chosen run; -1: none
    LaneOf lane = LaneOf::Devices;
    bool hasGhost = false; // outlines the baseline's ops over the other runs

    QSizeF size; // of the widget
    QRectF area; // the time area of the rows, with names at its left and numbers at its right
    ViewWindow window{0, kCompareWhole};
    double dpr = 1;
    int scroll = 0;

    // Replaces the runs. Runs that remain stay expanded and chosen.
    void setRuns(std::vector<RunViewPointer> views, std::size_t baseline, const RunNames& names);
    const CompareNumbers* numbers() const { return arrangement.numbers.get(); }
    bool showsDevices() const { return lane == LaneOf::Devices && rows.hasRoomForDevices(); }
    // Computes rows, columns and area. If CompareArrangement::order is empty, sets it to the
    // ranking if the comparison is compact and has numbers, otherwise to the order of the runs.
    void layout(QSizeF size);
    const CompareRow& row(int index) const { return rows.rows[static_cast<std::size_t>(index)]; }
    int indexOf(const CompareRow& row) const { return static_cast<int>(&row - rows.rows.data()); }
    const CompareRow* chosen() const // nullptr: none
    {
        return current < 0 ? nullptr : rows.rowOf(static_cast<std::size_t>(current));
    }
    // The lanes of the devices inside the one lane of a compact row; empty if they are not shown.
    DeviceLanes foldedLanes(const CompareRow& row) const;
    const CompareRow* baseline() const { return rows.rowOf(arrangement.baseline); }
    double columnsWidth() const { return size.width() - area.right(); }
    QRectF columnOf(const CompareRow& row) const // before scrolling
    {
        return {area.right(), row.top, columnsWidth(), row.height};
    }
    TimeAxis axisOf(const CompareRow& row) const;
    // nullptr: the row is the baseline, or the baseline has another unit.
    const CompareRow* baselineOf(const CompareRow& row) const;
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

} // namespace app
