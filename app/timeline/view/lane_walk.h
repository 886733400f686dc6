#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"

#include <functional>

namespace app {

// A part of a compute lane. The pieces of a lane do not overlap and cover all time.
struct Piece
{
    enum class Kind : std::uint8_t {
        Op,
        Exposed, // a transfer while no op computes
        Bubble,
        Outside, // outside of all iterations
        Dense,   // many pieces under three pixels each, drawn as columns of exact shares
    };

    Kind kind = Kind::Outside;
    engine::Window window;
    std::uint32_t op = 0;    // for Kind::Op
    std::uint32_t joint = 0; // the partner of a joint op; otherwise the same op
    int iteration = -1;      // -1 for Outside and Dense
};

// Returns the piece at `time`, found by binary search.
Piece pieceAt(const RunView& view, engine::DeviceId device, std::int64_t time);

// Visits the visible pieces from left to right. Adjacent optimizer steps form one piece, and a
// sequence of small pieces becomes one Dense piece. The cost depends on the number of pixels, not
// of spans: inside a dense stretch, a query every few pixels finds every piece that is large enough
// for a box.
void walkLane(const RunView& view, engine::DeviceId device, const TimeAxis& axis,
              const std::function<void(const Piece&)>& draw);

} // namespace app
