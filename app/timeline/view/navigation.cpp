#include "app/timeline/view/navigation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace app {
namespace {

using engine::DeviceId;
using engine::Span;
using engine::Window;
using TrackKind = engine::Track::Kind;
using enum profiler::TimeCategory;
using profiler::TimeCategory;

constexpr Window kEver{std::numeric_limits<std::int64_t>::min() / 4,
                       std::numeric_limits<std::int64_t>::max() / 4};

// The position of a time in a sequence of sorted, disjoint windows: inside a window, or in a gap.
struct Place
{
    bool isInside = false;
    std::size_t at = 0; // if inside: index of the window
    Window window;      // the window or the gap
};

template<class Windows, class ToWindow>
Place place(const Windows& windows, std::int64_t time, ToWindow toWindow)
{
    const auto next = std::partition_point(windows.begin(), windows.end(), [&](const auto& one) {
        return toWindow(one).begin <= time;
    });
    Window gap = kEver;
    for (auto last = next; last != windows.begin();) { // skips empty spans
        const Window window = toWindow(*--last);
        if (window.contains(time))
            return {true, static_cast<std::size_t>(last - windows.begin()), window};
        if (window.duration() > 0) {
            gap.begin = window.end;
            break;
        }
    }
    for (auto later = next; later != windows.end(); ++later) {
        if (toWindow(*later).duration() > 0) {
            gap.end = toWindow(*later).begin;
            break;
        }
    }
    return {false, 0, gap};
}

Window both(Window a, Window b)
{
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

Piece opPiece(std::span<const Span> spans, std::size_t at)
{
    const Window window = spans[at].window();
    const bool isSecond = at > 0 && spans[at - 1].window() == window;
    const std::size_t first = isSecond ? at - 1 : at;
    return {Piece::Kind::Op, window, spans[first].op, spans[at].op,
            static_cast<int>(spans[first].iteration)};
}

Piece gapPiece(const RunView& view, DeviceId device, std::int64_t time, Window gap)
{
    const auto iteration = place(view.timeline().iterations, time,
                                 [](const engine::Iteration& one) { return one.window; });
    const Window within = both(gap, iteration.window);
    // Before the first and after the last op of a device is no bubble if bubbles are unknown.
    const bool isAtEnd = gap.begin <= iteration.window.begin || gap.end >= iteration.window.end;
    if (!iteration.isInside || (isAtEnd && !whyUnknown(view.run().info).empty()))
        return {Piece::Kind::Outside, within, 0, 0, -1};
    const auto exposed = place(view.exposed(device), time, [](Window window) { return window; });
    const auto kind = exposed.isInside ? Piece::Kind::Exposed : Piece::Kind::Bubble;
    return {kind, both(within, exposed.window), 0, 0, static_cast<int>(iteration.at)};
}

bool isOptimizer(const RunView& view, const Piece& piece)
{
    return piece.kind == Piece::Kind::Op && view.op(piece.op).kind == engine::OpKind::OptimizerStep;
}

// Adjacent optimizer steps of a device are drawn as one box.
Piece withOptimizerJoined(const RunView& view, DeviceId device, Piece piece)
{
    while (isOptimizer(view, piece)) {
        const Piece next = pieceAt(view, device, piece.window.end);
        if (!isOptimizer(view, next))
            break;
        piece.window.end = next.window.end;
    }
    return piece;
}

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

Piece pieceAt(const RunView& view, DeviceId device, std::int64_t time)
{
    const auto spans = view.spans(device, engine::Track::Kind::Compute);
    const auto found = place(spans, time, [](const Span& span) { return span.window(); });
    return found.isInside ? opPiece(spans, found.at) : gapPiece(view, device, time, found.window);
}

void walkLane(const RunView& view, DeviceId device, const TimeAxis& axis,
              const std::function<void(const Piece&)>& draw)
{
    const Window sight = axis.window();
    const double small = kCoverageBelow * axis.ticksPerPixel();
    // Slightly less than the width of the smallest box, so that no box is missed between two
    // queries.
    const double stride = 0.95 * small;
    std::int64_t time = sight.begin;
    while (time < sight.end) {
        Piece piece = withOptimizerJoined(view, device, pieceAt(view, device, time));
        if (static_cast<double>(piece.window.duration()) >= small
            || piece.kind == Piece::Kind::Outside) {
            draw(piece);
            time = piece.window.end;
            continue;
        }
        const std::int64_t begin = piece.window.begin;
        do {
            const auto step = static_cast<std::int64_t>(static_cast<double>(time) + stride);
            time = std::max(piece.window.end, step);
            piece = withOptimizerJoined(view, device, pieceAt(view, device, time));
        } while (time < sight.end && piece.kind != Piece::Kind::Outside
                 && static_cast<double>(piece.window.duration()) < small);
        time = std::max(piece.window.begin, begin + 1);
        draw({Piece::Kind::Dense, {begin, time}, 0, 0, -1});
    }
}

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

CategoryBoxes::CategoryBoxes(const RunView& view, int iteration, TimeCategory category)
    : m_iteration(iteration)
    , m_category(category)
    , m_gaps(static_cast<std::size_t>(view.devices()))
{
    const engine::Window window = view.iteration(iteration).window;
    if (category < Exposed) {
        addOps(view);
    } else if (category == Exposed) {
        for (const engine::DeviceId device : m_gaps.ids())
            for (const engine::Window exposed : view.exposed(device))
                if (window.contains(exposed.begin))
                    m_gaps[device].push_back(exposed);
    } else {
        for (const profiler::Bubble& bubble : view.bubbles(iteration)) {
            const TimeCategory cause = bubble.kind == profiler::Bubble::Kind::Fill ? Fill
                : bubble.kind == profiler::Bubble::Kind::Wait                      ? Wait
                                                                                   : Drain;
            if (category == cause || category == TimeCategory::Bubble)
                m_gaps[bubble.device].push_back(bubble.window);
        }
    }
    m_all.reserve(std::accumulate(m_gaps.begin(), m_gaps.end(), m_all.size(),
                                  [](std::size_t sum, const std::vector<engine::Window>& gaps) {
                                      return sum + gaps.size();
                                  }));
    for (const engine::DeviceId device : m_gaps.ids())
        for (const engine::Window gap : m_gaps[device])
            m_all.push_back({.kind = Selection::Kind::Bubble,
                             .iteration = iteration,
                             .device = device,
                             .window = gap});
}

void CategoryBoxes::sort()
{
    std::ranges::stable_sort(m_all, {}, [](const Selection& one) { return one.window.begin; });
}

void CategoryBoxes::addOps(const RunView& view)
{
    const auto wanted = static_cast<std::uint32_t>(m_iteration);
    for (const engine::DeviceId device : m_gaps.ids())
        for (const engine::Span& span :
             std::ranges::equal_range(view.spans(device, engine::Track::Kind::Compute), wanted, {},
                                      &engine::Span::iteration))
            if (has(view.op(span.op), span.iteration))
                m_all.push_back(opSelection(view, span, device, engine::Track::Kind::Compute));
}

std::vector<Selection> CategoryBoxes::longest(std::size_t most) const
{
    std::vector<Selection> boxes(std::min(most, m_all.size()));
    const auto key = [](const Selection& one) {
        return std::tuple(-one.window.duration(), one.window.begin, one.device);
    };
    std::ranges::partial_sort_copy(m_all, boxes, {}, key, key);
    return boxes;
}

bool CategoryBoxes::has(engine::DeviceId device, const Piece& piece) const
{
    if (piece.iteration != m_iteration || !m_gaps.has(device)
        || (piece.kind == Piece::Kind::Exposed) != (m_category == Exposed))
        return false;
    const auto& gaps = m_gaps[device];
    const auto next
        = std::ranges::upper_bound(gaps, piece.window.begin, {}, &engine::Window::begin);
    return next != gaps.begin() && std::prev(next)->contains(piece.window.begin);
}

namespace {

using engine::DeviceId;
using TrackKind = engine::Track::Kind;
using Target = std::optional<Selection> (*)(const RunView& view, const Selection& from);

bool isSelectable(const Piece& piece)
{
    return piece.kind == Piece::Kind::Op || piece.kind == Piece::Kind::Bubble;
}

std::optional<Selection> nextPiece(const RunView& view, const Selection& from, Step step)
{
    const auto extent = view.extent();
    std::int64_t time = from.window.begin;
    engine::Window window = from.window;
    for (;;) {
        time = step == Step::Next ? std::max(window.end, time + 1) : window.begin - 1;
        if (time < extent.begin || time >= extent.end)
            return std::nullopt;
        const Piece piece = pieceAt(view, from.device, time);
        if (isSelectable(piece))
            return pieceSelection(view, from.device, piece);
        window = piece.window;
    }
}

std::optional<Selection> nextSpan(const RunView& view, const Selection& from, Step step)
{
    const auto spans = view.spans(from.device, from.lane);
    const auto here = std::find_if(spans.begin(), spans.end(), [&](const engine::Span& span) {
        return span.op == from.op && static_cast<int>(span.iteration) == from.iteration;
    });
    if (here == spans.end())
        return std::nullopt;
    const auto at = here - spans.begin() + static_cast<int>(step);
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(spans.size()))
        return std::nullopt;
    return opSelection(view, spans[static_cast<std::size_t>(at)], from.device, from.lane);
}

template<auto target, Step step>
std::optional<Selection> stepped(const RunView& view, const Selection& from)
{
    return target(view, from, step);
}

struct WalkKey
{
    int key;
    Target target;
};
constexpr std::array kWalkKeys{WalkKey{Qt::Key_Comma, stepped<inLane, Step::Previous>},
                               WalkKey{Qt::Key_Period, stepped<inLane, Step::Next>},
                               WalkKey{Qt::Key_BracketLeft, stepped<alongFlow, Step::Previous>},
                               WalkKey{Qt::Key_BracketRight, stepped<alongFlow, Step::Next>},
                               WalkKey{Qt::Key_J, stepped<toMicroBatch, Step::Next>},
                               WalkKey{Qt::Key_K, stepped<toMicroBatch, Step::Previous>},
                               WalkKey{Qt::Key_Up, stepped<toLane, Step::Previous>},
                               WalkKey{Qt::Key_Down, stepped<toLane, Step::Next>},
                               WalkKey{Qt::Key_Return, toCause},
                               WalkKey{Qt::Key_Enter, toCause}};

} // namespace

std::optional<Selection> inLane(const RunView& view, const Selection& from, Step step)
{
    if (from.kind != Selection::Kind::Op && from.kind != Selection::Kind::Bubble)
        return std::nullopt;
    return from.lane == TrackKind::Compute ? nextPiece(view, from, step)
                                           : nextSpan(view, from, step);
}

std::optional<Selection> alongFlow(const RunView& view, const Selection& from, Step step)
{
    const auto path = flowOf(view, from);
    if (!path)
        return std::nullopt;
    const auto& links = view.path(*path);
    // Finds the selected op on the path or, if the selection is not on it, the first later op: for
    // a bubble the op that ends it, for a transfer the op that needs it.
    const auto after = std::find_if(links.begin(), links.end(), [&](const auto& link) {
        return link.window.begin > from.window.begin
            || (from.kind == Selection::Kind::Op && link.op == from.op);
    });
    auto at = after - links.begin();
    const bool isOnPath
        = after != links.end() && from.kind == Selection::Kind::Op && after->op == from.op;
    if (step == Step::Previous || isOnPath)
        at += static_cast<int>(step);
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(links.size()))
        return std::nullopt;
    return selectOp(view, links[static_cast<std::size_t>(at)].op, path->iteration);
}

std::optional<Selection> toMicroBatch(const RunView& view, const Selection& from, Step step)
{
    if (from.kind != Selection::Kind::Op)
        return std::nullopt;
    const auto& wanted = view.op(from.op);
    std::uint32_t op = 0;
    for (const auto& program : view.run().schedule.program) {
        for (const auto& candidate : program) {
            if (candidate.kind == wanted.kind && candidate.stage == wanted.stage
                && candidate.microBatch.value == wanted.microBatch.value + static_cast<int>(step)
                && candidate.slice == wanted.slice)
                return selectOp(view, op, from.iteration);
            ++op;
        }
    }
    return std::nullopt;
}

std::optional<Selection> toLane(const RunView& view, const Selection& from, Step step)
{
    const int device = from.device.value + static_cast<int>(step);
    if (!from.device.isValid() || device < 0 || device >= view.devices())
        return std::nullopt;
    const std::int64_t centre = from.window.begin + from.window.duration() / 2;
    const Piece piece = pieceAt(view, DeviceId{device}, centre);
    if (isSelectable(piece))
        return pieceSelection(view, DeviceId{device}, piece);
    Selection start{
        .kind = Selection::Kind::Bubble, .device = DeviceId{device}, .window = piece.window};
    const auto before = nextPiece(view, start, Step::Previous);
    return before ? before : nextPiece(view, start, Step::Next);
}

std::optional<Selection> toCause(const RunView& view, const Selection& from)
{
    if (from.kind == Selection::Kind::Bubble) {
        const auto* bubble = view.bubble(from);
        return bubble && !bubble->chain.empty()
            ? selectOp(view, bubble->chain.front().op, from.iteration)
            : std::nullopt;
    }
    if (from.kind != Selection::Kind::Op)
        return std::nullopt;
    const auto explanation = view.explain(from.iteration, from.op);
    return explanation && !explanation->needs.empty()
        ? selectOp(view, explanation->needs.front().op, from.iteration)
        : std::nullopt;
}

std::optional<Selection> firstOp(const RunView& view, int iteration)
{
    if (iteration < 0 || view.devices() == 0)
        return std::nullopt;
    const auto window = view.iteration(iteration).window;
    const Piece piece = pieceAt(view, DeviceId{0}, window.begin);
    return isSelectable(piece) ? std::optional(pieceSelection(view, DeviceId{0}, piece))
                               : std::nullopt;
}

std::optional<Selection> selectOp(const RunView& view, std::uint32_t op, int iteration)
{
    const auto span = view.spanOf(op, iteration);
    if (!span)
        return std::nullopt;
    return opSelection(view, *span, view.deviceOf(op), engine::laneOf(view.op(op).kind));
}

std::optional<Flow> flowOf(const RunView& view, const Selection& selection)
{
    std::optional<std::uint32_t> op;
    if (selection.kind == Selection::Kind::Op)
        op = selection.op;
    if (selection.kind == Selection::Kind::Bubble) {
        const auto* bubble = view.bubble(selection);
        if (bubble)
            op = bubble->next;
    }
    if (!op || !view.op(*op).microBatch.isValid())
        return std::nullopt;
    return Flow{view.op(*op).microBatch, selection.iteration};
}

bool isWalkKey(int key)
{
    return std::ranges::count(kWalkKeys, key, &WalkKey::key) > 0;
}

std::optional<Selection> walked(const RunView& view, const Selection& from, int iteration, int key)
{
    if (from.kind != Selection::Kind::Op && from.kind != Selection::Kind::Bubble)
        return firstOp(view, iteration);
    const auto* found = std::ranges::find(kWalkKeys, key, &WalkKey::key);
    return found == kWalkKeys.end() ? std::nullopt : found->target(view, from);
}

std::optional<KernelStep> kernelStep(int key, Qt::KeyboardModifiers modifiers, bool isOnKernel)
{
    if (!isOnKernel && !(modifiers & Qt::ShiftModifier))
        return std::nullopt;
    switch (key) {
    case Qt::Key_Comma:
        return KernelStep::Previous;
    case Qt::Key_Period:
        return KernelStep::Next;
    case Qt::Key_Up:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return KernelStep::Out;
    case Qt::Key_Down:
        return KernelStep::Into;
    default:
        return std::nullopt;
    }
}

std::optional<Selection> walkedKernel(const RunView& view, const KernelView& kernels,
                                      const Selection& from, KernelStep step)
{
    const profiler::GpuActivity& activity = kernels.activity();
    if (step == KernelStep::Into) {
        const auto all = activity.of({from.op, static_cast<std::uint32_t>(from.iteration)});
        return from.kind != Selection::Kind::Op || all.empty()
            ? std::nullopt
            : std::optional(kernels.select(all.front()));
    }
    if (from.kind != Selection::Kind::Kernel)
        return std::nullopt;
    if (step == KernelStep::Out)
        return selectOp(view, from.op, from.iteration);
    const auto to = kernels.neighbour(from.work, step == KernelStep::Next ? 1 : -1);
    return to ? std::optional(kernels.select(*to)) : std::nullopt;
}

} // namespace app
