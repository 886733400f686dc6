#include "app/whatif/layer_split.h"

#include "engine/cost/training_setup.h"

#include <algorithm>
#include <numeric>

namespace app {
namespace {

// Returns the number of layers before each stage, then the total.
std::vector<int> bordersOf(const LayerSplit& split)
{
    std::vector<int> borders{0};
    for (const int layers : split)
        borders.push_back(borders.back() + layers);
    return borders;
}

std::vector<int> evenBorders(const LayerSplit& split)
{
    return bordersOf(evenSplit(split));
}

} // namespace

LayerSplit evenSplit(int layers, int stages)
{
    engine::TransformerSpec model;
    model.layers = layers;
    LayerSplit split;
    for (int stage = 0; stage < stages; ++stage)
        split.push_back(engine::layersOf(model, stages, stage));
    return split;
}

LayerSplit evenSplit(const LayerSplit& split)
{
    return evenSplit(std::accumulate(split.begin(), split.end(), 0),
                     static_cast<int>(split.size()));
}

std::vector<LayerMove> layerMoves(const LayerSplit& split)
{
    const std::vector<int> now = bordersOf(split), before = evenBorders(split);
    std::vector<LayerMove> moves;
    for (std::size_t from = 0; from < split.size(); ++from)
        for (std::size_t to = 0; to < split.size(); ++to) {
            const int common
                = std::min(now[to + 1], before[from + 1]) - std::max(now[to], before[from]);
            if (from != to && common > 0)
                moves.push_back({engine::StageId{static_cast<int>(from)},
                                 engine::StageId{static_cast<int>(to)}, common});
        }
    return moves;
}

std::pair<int, int> borderRange(const LayerSplit& split, int border)
{
    const std::vector<int> now = bordersOf(split), before = evenBorders(split);
    const auto at = static_cast<std::size_t>(border);
    return {std::max(now[at], before[at]) + 1, std::min(now[at + 2], before[at + 2]) - 1};
}

LayerSplit withBorder(LayerSplit split, int border, int before)
{
    const auto [least, most] = borderRange(split, border);
    const auto at = static_cast<std::size_t>(border);
    const int begin = std::accumulate(split.begin(), split.begin() + border, 0);
    const int both = split[at] + split[at + 1];
    split[at] = std::clamp(before, least, most) - begin;
    split[at + 1] = both - split[at];
    return split;
}

} // namespace app
