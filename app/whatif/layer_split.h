#pragma once

#include "engine/base/id.h"

#include <utility>
#include <vector>

namespace app {

// The number of layers that each stage executes, in the order of the stages.
using LayerSplit = std::vector<int>;

// Returns the split of a recorded run, which is as even as possible.
LayerSplit evenSplit(int layers, int stages);
LayerSplit evenSplit(const LayerSplit& split); // with the same numbers of layers and stages

struct LayerMove
{
    engine::StageId from, to;
    int count = 0;
    friend bool operator==(const LayerMove&, const LayerMove&) = default;
};
// Returns the moves that turn the even split into `split`. Layers keep their order.
std::vector<LayerMove> layerMoves(const LayerSplit& split);

// Returns the least and the greatest number of layers that can be before a border. `border` is the
// index of the stage that ends there. Each stage next to the border keeps at least one layer that
// it has in the even split.
std::pair<int, int> borderRange(const LayerSplit& split, int border);
// Returns the split with the border moved to `before` layers, clamped to borderRange().
LayerSplit withBorder(LayerSplit split, int border, int before);

} // namespace app
