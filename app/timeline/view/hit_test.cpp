#include "app/timeline/view/hit_test.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace app {
namespace {

using engine::DeviceId;
using TrackKind = engine::Track::Kind;

constexpr double kReach = 3; // pixels from the pointer

struct Sublane
{
    TrackKind kind;
    double top;
};

// The item that is nearest to a time and at most `reach` ticks away; nullptr: none.
template<class Items, class ToWindow>
auto nearest(const Items& items, double time, double reach, ToWindow toWindow)
{
    decltype(&*items.begin()) best = nullptr;
    for (const auto& item : items) {
        const engine::Window window = std::invoke(toWindow, item);
        const double away = std::max({static_cast<double>(window.begin) - time,
                                      time - static_cast<double>(window.end), 0.0});
        if (away <= reach) {
            reach = away;
            best = &item;
        }
        if (away == 0 && window.duration() > 0)
            break;
    }
    return best;
}

engine::Window around(double time, double reach)
{
    return {static_cast<std::int64_t>(std::floor(time - reach)),
            static_cast<std::int64_t>(std::ceil(time + reach))};
}

const engine::Span* spanNear(const RunView& view, DeviceId device, TrackKind kind, double time,
                             double reach)
{
    return nearest(view.spansAround(device, kind, around(time, reach)), time, reach,
                   &engine::Span::window);
}

std::array<Sublane, 3> sublanes(const Lane& lane)
{
    return {{{TrackKind::Send, lane.sendTop()},
             {TrackKind::Receive, lane.receiveTop()},
             {TrackKind::AllReduce, lane.reduceTop()}}};
}

Selection deviceSelection(DeviceId device, int iteration)
{
    return {.kind = Selection::Kind::Device, .iteration = iteration, .device = device};
}

int kernelRowAt(const Lane& lane, double y)
{
    for (int row = 0; row < lane.kernels; ++row)
        if (y >= lane.kernelTop(row) - 1 && y <= lane.kernelTop(row) + lane.kernel + 1)
            return row;
    return -1;
}

Selection kernelAt(const KernelView& kernels, DeviceId device, const TimeAxis& axis,
                   const Lane& lane, QPointF at)
{
    const int row = kernelRowAt(lane, at.y());
    if (row < 0)
        return {};
    const double time = axis.time(at.x()), reach = kReach * axis.ticksPerPixel();
    const auto* best = nearest(kernels.around(device, row, around(time, reach)), time, reach,
                               &engine::Span::window);
    return best == nullptr ? Selection{} : kernels.select(best->op);
}

bool isOnRanges(const Lane& lane, double y)
{
    return lane.ranges > 0 && y >= lane.rangeTop(0) - 1
        && y <= lane.rangeTop(lane.ranges - 1) + Lane::kKernel + 1;
}

Selection rangeSelection(const RunView& view, DeviceId device, const HostRange* range)
{
    Selection selection;
    if (range == nullptr)
        return selection;
    selection.kind = Selection::Kind::Range;
    selection.device = device;
    selection.window = range->window;
    selection.iteration
        = view.iterationAt(static_cast<double>(range->window.begin + range->window.end) / 2);
    return selection;
}

// The evict or load at a point of the lane of its device or of its partner.
Selection moveAt(const RunView& view, DeviceId device, const TimeAxis& axis, const Lane& lane,
                 QPointF at)
{
    const double top = lane.movesTop();
    if (lane.movesHeight() <= 0 || at.y() < top - 1 || at.y() > top + lane.movesHeight() + 1)
        return {};
    const double reach = kReach * axis.ticksPerPixel();
    for (const DeviceId owner : {device, view.evictorOf(device).value_or(device)})
        if (const auto* span = spanNear(view, owner, TrackKind::Copy, axis.time(at.x()), reach))
            return opSelection(view, *span, owner, TrackKind::Copy);
    return {};
}

Selection computeAt(const RunView& view, DeviceId device, const TimeAxis& axis, double x)
{
    const double time = axis.time(x);
    const Piece piece = pieceAt(view, device, static_cast<std::int64_t>(std::floor(time)));
    if (piece.kind == Piece::Kind::Exposed) {
        for (const TrackKind kind : {TrackKind::Receive, TrackKind::Send, TrackKind::AllReduce}) {
            if (const auto* span = spanNear(view, device, kind, time, 0))
                return opSelection(view, *span, device, kind);
        }
    }
    return pieceSelection(view, device, piece);
}

} // namespace

Selection opSelection(const RunView&, const engine::Span& span, DeviceId device, TrackKind lane)
{
    return {.kind = Selection::Kind::Op,
            .iteration = static_cast<int>(span.iteration),
            .device = device,
            .lane = lane,
            .op = span.op,
            .window = span.window()};
}

Selection pieceSelection(const RunView& view, DeviceId device, const Piece& piece)
{
    Selection selection;
    if (piece.kind == Piece::Kind::Op) {
        selection = opSelection(view,
                                {piece.window.begin, piece.window.end, piece.op,
                                 static_cast<std::uint32_t>(piece.iteration)},
                                device, TrackKind::Compute);
    } else if (piece.kind == Piece::Kind::Bubble || piece.kind == Piece::Kind::Exposed) {
        selection.kind = Selection::Kind::Bubble;
        selection.iteration = piece.iteration;
        selection.device = device;
        selection.window = piece.window;
    }
    return selection;
}

Selection selectionAt(const RunView& view, const TimeAxis& axis, const std::vector<Lane>& lanes,
                      QPointF point, const KernelView* kernels)
{
    const double x = point.x(), y = point.y();
    const int at = laneAt(lanes, y);
    if (at < 0 || x < axis.left || x > axis.right())
        return {};
    const Lane& lane = lanes[static_cast<std::size_t>(at)];
    const DeviceId device{at};
    if (!lane.hasBoxes())
        return {};
    if (y >= lane.computeTop() && y < lane.computeTop() + lane.compute)
        return computeAt(view, device, axis, x);
    if (kernels != nullptr && isOnRanges(lane, y))
        return rangeSelection(view, device, rangeAt(kernels->ranges(), device, axis, lane, point));
    if (kernels != nullptr && kernelRowAt(lane, y) >= 0)
        return kernelAt(*kernels, device, axis, lane, point);
    if (const Selection move = moveAt(view, device, axis, lane, point);
        move.kind != Selection::Kind::None)
        return move;
    if (lane.kind != LaneKind::Full)
        return {};
    for (const auto& [kind, top] : sublanes(lane)) {
        if (y < top - 1 || y > top + Lane::kTransfer + 1)
            continue;
        if (const auto* span
            = spanNear(view, device, kind, axis.time(x), kReach * axis.ticksPerPixel()))
            return opSelection(view, *span, device, kind);
    }
    return y >= lane.memoryTop() ? deviceSelection(device, view.iterationAt(axis.time(x)))
                                 : Selection{};
}

QRectF rectOf(const RunView& view, const TimeAxis& axis, const std::vector<Lane>& lanes,
              const Selection& selection)
{
    const auto device = static_cast<std::size_t>(selection.device.value);
    const bool hasPlace = selection.kind == Selection::Kind::Op
        || selection.kind == Selection::Kind::Bubble || selection.kind == Selection::Kind::Kernel;
    if (!hasPlace || !selection.device.isValid() || device >= lanes.size() || view.isEmpty())
        return {};
    const Lane& lane = lanes[device];
    if (!lane.hasBoxes())
        return {};
    if (selection.kind == Selection::Kind::Kernel)
        return selection.row < lane.kernels
            ? boxRect(axis, selection.window, lane.kernelTop(selection.row), lane.kernel)
            : QRectF();
    if (selection.lane == TrackKind::Compute)
        return boxRect(axis, selection.window, lane.computeTop(), lane.compute);
    if (selection.lane == TrackKind::Copy && lane.movesHeight() > 0)
        return boxRect(axis, selection.window, lane.movesTop(), lane.movesHeight());
    if (lane.kind != LaneKind::Full)
        return {};
    for (const auto& [kind, top] : sublanes(lane)) {
        if (kind == selection.lane)
            return boxRect(axis, selection.window, top, Lane::kTransfer);
    }
    return {};
}

std::pair<QRectF, QRectF> moveRects(const RunView& view, const TimeAxis& axis,
                                    const std::vector<Lane>& lanes, const Selection& selection)
{
    if (selection.kind != Selection::Kind::Op || selection.lane != TrackKind::Copy)
        return {};
    Selection partner = selection;
    partner.device = DeviceId{view.op(selection.op).peer};
    return {rectOf(view, axis, lanes, selection), rectOf(view, axis, lanes, partner)};
}

const HostRange* rangeAt(const RangeView& ranges, engine::DeviceId device, const TimeAxis& axis,
                         const Lane& lane, QPointF at)
{
    const double time = axis.time(at.x()), reach = kReach * axis.ticksPerPixel();
    for (int row = 0; row < lane.ranges; ++row)
        if (at.y() >= lane.rangeTop(row) - 1 && at.y() <= lane.rangeTop(row) + Lane::kKernel + 1)
            return nearest(ranges.around(device, row, around(time, reach)), time, reach,
                           &HostRange::window);
    return nullptr;
}

} // namespace app
