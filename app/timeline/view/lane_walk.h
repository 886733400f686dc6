#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"

#include <functional>

namespace app {

// A piece of a compute lane. Every instant belongs to exactly one.
struct Piece
{
    enum class Kind : std::uint8_t {
        Op,
        Exposed, // a transfer during which nothing computes
        Bubble,
        Outside, // of every iteration
        Dense,   // many pieces, each under three pixels: drawn as columns of exact shares
    };

    Kind kind = Kind::Outside;
    engine::Window window;
    std::uint32_t op = 0;    // kind Op
    std::uint32_t joint = 0; // its partner, or the same op
    int iteration = -1;      // none: Outside, Dense
};

// The piece at `time`, by binary search.
Piece pieceAt(const RunView& view, engine::DeviceId device, std::int64_t time);

// Visits the visible pieces from left to right (adjoining optimizer steps as one); runs of small
// pieces become one Dense piece. The cost depends on the pixels, not on the spans: inside a dense
// stretch, one query every few pixels finds every piece that is large enough for a box.
void walkLane(const RunView& view, engine::DeviceId device, const TimeAxis& axis,
              const std::function<void(const Piece&)>& draw);

} // namespace app
