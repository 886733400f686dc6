#include "app/timeline/view/navigation.h"

#include "app/timeline/view/hit_test.h"

#include <algorithm>
#include <array>

namespace app {
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
