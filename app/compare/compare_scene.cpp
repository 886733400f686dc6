#include "app/compare/compare_scene.h"

#include "app/compare/compare_painter.h"
#include "app/timeline/details/tool_tip.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace app {
namespace {

constexpr double kTallHeader = 140, kTallColumn = 128;
constexpr double kCompactHeader = 214, kNarrowHeader = 176, kNarrow = 1000;
constexpr double kChevronFrom = 36, kChevronTo = 56;

} // namespace

void CompareScene::setRuns(std::vector<RunViewPointer> views, std::size_t baseline,
                           const RunNames& names)
{
    CompareArrangement now;
    int stays = -1;
    for (std::size_t run = 0; run < views.size(); ++run) {
        const auto before = std::ranges::find(runs, views[run]) - runs.begin();
        if (arrangement.expanded.contains(static_cast<std::size_t>(before)))
            now.expanded.insert(run);
        if (before < std::ssize(runs) && before == current)
            stays = static_cast<int>(run);
    }
    now.baseline = baseline;
    now.align = arrangement.align;
    now.names = names;
    arrangement = std::move(now);
    runs = std::move(views);
    current = stays;
}

void CompareScene::layout(QSizeF of)
{
    size = of;
    const double height = std::max(0.0, size.height() - kRuler - kLegend);
    const bool hasOrder = !arrangement.order.empty();
    if (!hasOrder) {
        arrangement.order.resize(runs.size());
        std::iota(arrangement.order.begin(), arrangement.order.end(), std::size_t{0});
    }
    rows = layoutComparison(runs, arrangement, height);
    if (!hasOrder && rows.isCompact && numbers()) {
        arrangement.order = numbers()->ranking.order;
        rows = layoutComparison(runs, arrangement, height);
    }
    const double header = !rows.isCompact ? kTallHeader
        : size.width() < kNarrow          ? kNarrowHeader
                                          : kCompactHeader;
    columns.clear();
    if (rows.isCompact && numbers())
        columns = layoutColumns(*numbers(), header, size.width());
    const double right = !rows.isCompact ? size.width() - kTallColumn
        : columns.empty()                ? size.width()
                                         : columns.front().left;
    area = {header, kRuler, std::max(1.0, right - header), height};
}

TimeAxis CompareScene::axisOf(const CompareRow& row) const
{
    return compareAxis(rows, row, window, area, dpr);
}

const CompareRow* CompareScene::baselineOf(const CompareRow& row) const
{
    const CompareRow* base = baseline();
    if (!base || base == &row || base->iteration < 0 || row.iteration < 0)
        return nullptr;
    const auto isInUnits = [](const CompareRow& one) { return one.view->run().info.inUnits(); };
    return isInUnits(*base) == isInUnits(row) ? base : nullptr;
}

double CompareScene::contentHeight() const
{
    const bool scrolls = rows.height > area.height();
    return rows.height + (rows.isCompact && scrolls ? rows.rowHeight() : 0);
}

ViewWindow CompareScene::fit() const
{
    constexpr double kTieText = 134;
    const double width = area.width();
    const bool hasTies = rows.isCompact && numbers() && !numbers()->ranking.ties.empty();
    const double more = hasTies && width > 3 * kTieText ? width / (width - kTieText) : 1;
    return fitted({0, static_cast<std::int64_t>(kCompareWhole * more)}, fitWidth());
}

bool CompareScene::isBaselinePinned() const
{
    const CompareRow* base = baseline();
    if (!rows.isCompact || !base || rows.height <= area.height())
        return false;
    const double bottom = scroll + area.height();
    return base->top < scroll || base->top + rows.rowHeight() > bottom;
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

const CompareRow* CompareScene::rowAt(QPointF at) const
{
    const double y = at.y() - kRuler + scroll;
    for (const CompareRow& row : rows.rows)
        if (y >= row.top && y < row.top + row.height)
            return &row;
    return nullptr;
}

DeviceLanes CompareScene::foldedLanes(const CompareRow& row) const
{
    if (!rows.isCompact || !showsDevices())
        return {};
    return {row.top + CompareLayout::kLaneTop, std::floor(rows.lane / row.view->devices()), 1};
}

// The device whose lane, name or memory bar is at a point; y is relative to the rows before
// scrolling.
int CompareScene::deviceAt(const CompareRow& row, QPointF at) const
{
    const bool isFolded = rows.isCompact && at.y() < row.top + rows.rowHeight();
    if (!rows.isCompact && at.x() >= area.right()) {
        const QRectF bars = row.memoryArea(columnOf(row));
        for (int d = 0; d < row.view->devices() && !bars.isEmpty(); ++d)
            if (row.memorySlot(bars, d).contains(at))
                return d;
        return -1;
    }
    const DeviceLanes lanes = isFolded ? foldedLanes(row) : row.lanes();
    if (lanes.pitch <= 0 || (isFolded ? !isOnTime(at) : !row.isExpanded))
        return -1;
    const int device = static_cast<int>(std::floor((at.y() - lanes.top) / lanes.pitch));
    return device < row.view->devices() ? device : -1;
}

// `at` is relative to the rows before scrolling.
Selection CompareScene::hitIn(const CompareRow& row, QPointF at) const
{
    const int device = deviceAt(row, at);
    if (device < 0 || row.iteration < 0)
        return {};
    const engine::DeviceId id{device};
    if (isOnTime(at)) {
        const auto time = static_cast<std::int64_t>(std::floor(axisOf(row).time(at.x())));
        return row.window().contains(time)
            ? pieceSelection(*row.view, id, pieceAt(*row.view, id, time))
            : Selection{};
    }
    return {.kind = Selection::Kind::Device,
            .iteration = row.iteration,
            .device = id,
            .window = row.window()};
}

CompareScene::Mark CompareScene::hit(QPointF at) const
{
    if (at.y() < area.top() || at.y() >= area.bottom())
        return {};
    const bool isPinned = isBaselinePinned() && at.y() >= area.bottom() - rows.rowHeight();
    const CompareRow* row = isPinned ? baseline() : rowAt(at);
    if (!row)
        return {};
    const Selection found
        = isPinned ? Selection() : hitIn(*row, {at.x(), at.y() - kRuler + scroll});
    if (found.kind == Selection::Kind::None && !rows.isCompact)
        return {};
    return {indexOf(*row), found};
}

bool CompareScene::isChevron(const Mark& mark, QPointF at) const
{
    return rows.isCompact && mark.row >= 0 && at.x() >= kChevronFrom && at.x() < kChevronTo
        && mark.selection.kind == Selection::Kind::None;
}

std::optional<profiler::RankBy> CompareScene::rankAt(QPointF at) const
{
    if (!rows.isCompact || at.y() >= kRuler)
        return std::nullopt;
    if (at.x() < area.left())
        return profiler::RankBy::Name;
    for (const CompareColumn& column : columns)
        if (at.x() >= column.left && at.x() < column.left + column.width)
            return column.ranksBy;
    return std::nullopt;
}

std::optional<CompareScene::Mark> CompareScene::rangeAt(QPointF from, double toX) const
{
    const CompareRow* row = rowAt(from);
    row = row || rows.rows.empty() ? row : &rows.rows.back();
    if (!row || row->iteration < 0)
        return std::nullopt;
    const TimeAxis axis = axisOf(*row);
    const double a = axis.time(from.x()), b = axis.time(toX);
    Mark range{indexOf(*row), {}};
    range.selection.kind = Selection::Kind::Range;
    range.selection.iteration = row->iteration;
    range.selection.window = {std::llround(std::min(a, b)), std::llround(std::max(a, b))};
    return range;
}

std::optional<CompareScene::Mark> CompareScene::neighbour(int step) const
{
    const int to = selected.row + step;
    if (to < 0 || to >= static_cast<int>(rows.rows.size()))
        return std::nullopt;
    const CompareRow &from = this->row(selected.row), &row = this->row(to);
    if (row.iteration < 0 || !row.isExpanded)
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
    const int at = selected.row >= 0 ? selected.row
        : rows.isCompact && chosen() ? indexOf(*chosen())
                                     : 0;
    const CompareRow& row = this->row(at);
    auto to = walked(*row.view, selected.selection, row.iteration, key);
    while (to && to->lane != engine::Track::Kind::Compute) // skips lanes that are not drawn
        to = walked(*row.view, *to, row.iteration, key);
    if (to && to->iteration == row.iteration) // only this iteration is drawn
        return Mark{at, *to};
    if (!to && selected.row >= 0 && (key == Qt::Key_Up || key == Qt::Key_Down))
        return neighbour(key == Qt::Key_Up ? -1 : 1);
    return std::nullopt;
}

std::size_t CompareScene::steppedRun(int by) const
{
    const int last = static_cast<int>(rows.rows.size()) - 1;
    const int to = chosen() ? indexOf(*chosen()) + by : by > 0 ? 0 : last;
    return row(std::clamp(to, 0, last)).run;
}

std::optional<CompareScene::Mark> CompareScene::opIn(const CompareRow& of, std::uint32_t op) const
{
    const auto found = selectOp(*of.view, op, of.iteration);
    return found ? std::optional(Mark{indexOf(of), *found}) : std::nullopt;
}

QRectF CompareScene::boxOf(const Mark& mark) const
{
    if (mark.row < 0 || mark.row >= static_cast<int>(rows.rows.size())
        || !mark.selection.device.isValid())
        return {};
    const CompareRow& row = this->row(mark.row);
    const DeviceLanes lanes = row.isExpanded ? row.lanes() : foldedLanes(row);
    if (lanes.pitch <= 0)
        return {};
    return boxRect(axisOf(row), mark.selection.window, lanes.topOf(mark.selection.device.value),
                   lanes.height())
        .translated(0, kRuler - scroll);
}

QString CompareScene::toolTip() const
{
    const CompareRow& row = this->row(hover.row);
    if (hover.selection.kind != Selection::Kind::None)
        return toolTipText(*row.view, hover.selection);
    QStringList lines{compareSubtitle(row)};
    const Scale scale = rows.time(row);
    if (row.most > 0)
        lines << tr("95 % interval: %1 to %2").arg(scale.text(row.least), scale.withUnit(row.most));
    if (!row.file.isEmpty())
        lines << row.file.toHtmlEscaped();
    lines << (row.isExpanded ? tr("Enter hides the devices") : tr("Enter shows the devices"));
    return toolTipPage(row.name.toHtmlEscaped(),
                       scale.withUnit(static_cast<double>(row.window().duration())), lines);
}

} // namespace app
