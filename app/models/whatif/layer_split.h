#pragma once

#include "engine/base/id.h"

#include <utility>
#include <vector>

namespace app {

// Layers that each stage executes, in the order of the stages.
using LayerSplit = std::vector<int>;

// The split of a recorded run: as even as possible.
LayerSplit evenSplit(int layers, int stages);
LayerSplit evenSplit(const LayerSplit& split); // of the same layers and stages

struct LayerMove
{
    engine::StageId from, to;
    int count = 0;
    friend bool operator==(const LayerMove&, const LayerMove&) = default;
};
// The moves that turn the even split into `split`. Layers keep their order.
std::vector<LayerMove> layerMoves(const LayerSplit& split);

// The possible numbers of layers before `border`, the end of stage `border`: the stages on both
// sides keep at least one layer that they have in the even split.
std::pair<int, int> borderRange(const LayerSplit& split, int border);
// Moves the border so that `before` layers precede it, as far as borderRange() permits.
LayerSplit withBorder(LayerSplit split, int border, int before);

} // namespace app
