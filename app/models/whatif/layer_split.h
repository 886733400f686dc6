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

// Returns the least and the greatest number of layers before a border. `border` is the index of the
// stage that ends there. Moving the border leaves each of its two stages at least one layer that
// the stage also has in the even split.
std::pair<int, int> borderRange(const LayerSplit& split, int border);
// Returns the split with the border moved to `before` layers, clamped to borderRange().
LayerSplit withBorder(LayerSplit split, int border, int before);

} // namespace app
