#include "app/widgets/compare/compare_scene.h"

#include "app/timeline/paint/compare_memory.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/walk_keys.h"

#include <cmath>

namespace app {

void CompareScene::layout(QSizeF of)
{
    size = of;
    rows = layoutComparison(runs, order, baseline, rowsArea().height());
}

QRectF CompareScene::rowsArea() const
{
    return {kHeader, kRuler, std::max(1.0, size.width() - kHeader - kColumn),
            std::max(0.0, size.height() - kRuler - kLegend)};
}

QRectF CompareScene::columnOf(const CompareRow& row) const
{
    return {rowsArea().right(), row.top, kColumn, row.height};
}

TimeAxis CompareScene::axisOf(const CompareRow& row) const
{
    return compareAxis(rows, row, window, rowsArea(), dpr);
}

// The stretch from the first op to the end of the longest run, with space for the difference of a
// run that is longer than the baseline.
ViewWindow CompareScene::fit() const
{
    return fitted({0, static_cast<std::int64_t>(kCompareWhole)}, rowsArea().width() - 16);
}

const CompareRow* CompareScene::baselineOf(const CompareRow& row) const
{
    for (const auto& other : rows.rows) {
        if (other.run == baseline)
            return &other != &row && other.group == row.group && other.iteration >= 0
                    && row.iteration >= 0
                ? &other
                : nullptr;
    }
    return nullptr;
}

ViewWindow CompareScene::shareOf(const CompareRow& row, engine::Window time) const
{
    const TimeAxis axis = axisOf(row);
    const double share = window.duration() / (axis.end - axis.begin);
    const auto at = [&](std::int64_t tick) {
        return window.begin + (static_cast<double>(tick) - axis.begin) * share;
    };
    return {at(time.begin), at(time.end)};
}

// The device whose lane header or memory bar is at a point; y is relative to the rows before
// scrolling.
int CompareScene::deviceAt(const CompareRow& row, QPointF at) const
{
    if (at.x() < rowsArea().right()) {
        const int device = static_cast<int>(std::floor((at.y() - row.lanesTop) / row.pitch));
        return device < row.view->devices() ? device : -1;
    }
    const QRectF area = compareMemoryArea(row, columnOf(row));
    for (int d = 0; d < row.view->devices() && !area.isEmpty(); ++d) {
        if (compareMemorySlot(row, area, d).contains(at))
            return d;
    }
    return -1;
}

// `at`: within the rows, unscrolled.
Selection CompareScene::hitIn(const CompareRow& row, QPointF at) const
{
    const int device = deviceAt(row, at);
    if (device < 0 || row.iteration < 0)
        return {};
    const engine::DeviceId id{device};
    if (at.x() >= kHeader && at.x() < rowsArea().right()) {
        const auto time = static_cast<std::int64_t>(std::floor(axisOf(row).time(at.x())));
        return row.window().contains(time)
            ? pieceSelection(*row.view, id, pieceAt(*row.view, id, time))
            : Selection{};
    }
    Selection whole;
    whole.kind = Selection::Kind::Device;
    whole.device = id;
    whole.iteration = row.iteration;
    whole.window = row.window();
    return whole;
}

CompareScene::Mark CompareScene::hit(QPointF at) const
{
    const QRectF area = rowsArea();
    if (at.y() < area.top() || at.y() >= area.bottom())
        return {};
    const QPointF inRows(at.x(), at.y() - kRuler + scroll);
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
        const CompareRow& row = rows.rows[k];
        if (inRows.y() < row.top || inRows.y() >= row.top + row.height)
            continue;
        const Selection found = hitIn(row, inRows);
        return found.kind == Selection::Kind::None ? Mark{} : Mark{static_cast<int>(k), found};
    }
    return {};
}

std::optional<CompareScene::Mark> CompareScene::rangeAt(QPointF from, double toX) const
{
    const double y = from.y() - kRuler + scroll;
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
        const CompareRow& row = rows.rows[k];
        const bool isLast = k + 1 == rows.rows.size();
        if (row.iteration < 0 || (y >= row.top + row.height && !isLast))
            continue;
        const TimeAxis axis = axisOf(row);
        const double a = axis.time(from.x()), b = axis.time(toX);
        Mark range{static_cast<int>(k), {}};
        range.selection.kind = Selection::Kind::Range;
        range.selection.iteration = row.iteration;
        range.selection.window = {std::llround(std::min(a, b)), std::llround(std::max(a, b))};
        return range;
    }
    return std::nullopt;
}

// Moves from the first lane of a run up to the last lane of the run above it, at the same time.
std::optional<CompareScene::Mark> CompareScene::neighbour(int step) const
{
    const int to = selected.row + step;
    if (to < 0 || to >= static_cast<int>(rows.rows.size()))
        return std::nullopt;
    const CompareRow& from = rows.rows[static_cast<std::size_t>(selected.row)];
    const CompareRow& row = rows.rows[static_cast<std::size_t>(to)];
    if (row.iteration < 0)
        return std::nullopt;
    const engine::Window here = selected.selection.window, whole = row.window();
    const std::int64_t middle = here.begin + here.duration() / 2;
    const double past = static_cast<double>(middle - from.window().begin) / from.ticksPerUnit();
    const auto time
        = static_cast<std::int64_t>(static_cast<double>(whole.begin) + past * row.ticksPerUnit());
    const engine::DeviceId device{step > 0 ? 0 : row.view->devices() - 1};
    const Piece piece = pieceAt(*row.view, device, std::clamp(time, whole.begin, whole.end - 1));
    const Selection found = pieceSelection(*row.view, device, piece);
    return found.kind == Selection::Kind::None ? std::nullopt : std::optional(Mark{to, found});
}

std::optional<CompareScene::Mark> CompareScene::walkedTo(int key) const
{
    const int at = std::max(0, selected.row);
    const CompareRow& row = rows.rows[static_cast<std::size_t>(at)];
    auto to = walked(*row.view, selected.selection, row.iteration, key);
    while (to && to->lane != engine::Track::Kind::Compute) // skips lanes that are not drawn
        to = walked(*row.view, *to, row.iteration, key);
    if (to && to->iteration == row.iteration) // only this iteration is drawn
        return Mark{at, *to};
    if (!to && selected.row >= 0 && (key == Qt::Key_Up || key == Qt::Key_Down))
        return neighbour(key == Qt::Key_Up ? -1 : 1);
    return std::nullopt;
}

QRectF CompareScene::boxOf(const Mark& mark) const
{
    if (mark.row < 0 || mark.row >= static_cast<int>(rows.rows.size())
        || !mark.selection.device.isValid())
        return {};
    const CompareRow& row = rows.rows[static_cast<std::size_t>(mark.row)];
    const double top = row.lanesTop + mark.selection.device.value * row.pitch;
    return boxRect(axisOf(row), mark.selection.window, top, row.pitch - 2)
        .translated(0, kRuler - scroll);
}

} // namespace app
