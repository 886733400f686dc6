#pragma once

#include "engine/base/id.h"

#include <utility>
#include <vector>

namespace app {

// Layers that each stage executes, in the order of the stages.
using LayerSplit = std::vector<int>;

// The split of a recorded run: as even as possible.
LayerSplit evenSplit(int layers, int stages);
LayerSplit evenSplit(const LayerSplit& split); // with the same numbers of layers and stages

struct LayerMove
{
    engine::StageId from, to;
    int count = 0;
    friend bool operator==(const LayerMove&, const LayerMove&) = default;
};
// The moves that turn the even split into `split`. Layers keep their order.
std::vector<LayerMove> layerMoves(const LayerSplit& split);

// The least and the greatest number of layers that can precede `border`, which is the end of stage
// `border`. The stages on both sides keep at least one of the layers that they have in the even
// split.
std::pair<int, int> borderRange(const LayerSplit& split, int border);
// Moves the border so that `before` layers precede it, as far as borderRange() permits.
LayerSplit withBorder(LayerSplit split, int border, int before);

} // namespace app
