#pragma once

#include "app/timeline/view/compare_layout.h"
#include "app/timeline/view/selection.h"

#include <QRectF>

#include <optional>

namespace app {

// The data and layout of a comparison. CompareScenePainter draws it, CompareWidget changes it.
struct CompareScene
{
    static constexpr double kHeader = 140, kColumn = 128, kRuler = 26, kLegend = 28;

    // The hovered or selected item and the row that it belongs to.
    struct Mark
    {
        int row = -1;
        Selection selection;
        friend bool operator==(const Mark&, const Mark&) = default;
    };

    std::vector<RunViewPointer> runs;
    std::vector<std::size_t> order;
    std::size_t baseline = 0;
    CompareLayout rows;
    Mark selected, hover;

    QSizeF size; // size of the widget
    ViewWindow window{0, kCompareWhole};
    double dpr = 1;
    int scroll = 0;

    void layout(QSizeF size);
    const CompareRow& row(int index) const { return rows.rows[static_cast<std::size_t>(index)]; }
    QRectF rowsArea() const;                      // time area of the rows, in widget coordinates
    QRectF columnOf(const CompareRow& row) const; // area of the key numbers, before scrolling
    TimeAxis axisOf(const CompareRow& row) const;
    // Returns nullptr if the row is the baseline, or if the baseline has another unit.
    const CompareRow* baselineOf(const CompareRow& row) const;
    ViewWindow fit() const;
    // Converts a window of the row's run to fractions of the visible time.
    ViewWindow shareOf(const CompareRow& row, engine::Window window) const;

    Mark hit(QPointF at) const;
    std::optional<Mark> rangeAt(QPointF from, double toX) const;
    std::optional<Mark> walkedTo(int key) const;
    QRectF boxOf(const Mark& mark) const; // in widget coordinates

private:
    int deviceAt(const CompareRow& row, QPointF at) const;
    Selection hitIn(const CompareRow& row, QPointF at) const;
    // Neighbour of the selection in the run above or below.
    std::optional<Mark> neighbour(int step) const;
};

} // namespace app
