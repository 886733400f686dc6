#include "app/timeline/view/lane_walk.h"

#include <limits>

namespace app {
namespace {

using engine::DeviceId;
using engine::Span;
using engine::Window;

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
    if (!iteration.isInside)
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

} // namespace app
