#include "app/whatif/what_if_page.h"
#include "tests/catch.h"

namespace app {

using engine::StageId;
using profiler::LayerMove;

LayerSplit even()
{
    return {8, 8, 8, 8};
}

TEST_CASE("a moved border is a move of layers between its stages")
{
    CHECK(layerMoves(even(), {8, 8, 8, 8}).empty());
    CHECK(withMoves(even(), layerMoves(even(), {10, 4, 10, 8})) == LayerSplit{10, 4, 10, 8});
    CHECK(layerMoves(even(), {8, 8, 9, 7}) == std::vector{LayerMove{StageId{3}, StageId{2}, 1}});
    CHECK(layerMoves(even(), {6, 10, 8, 8}) == std::vector{LayerMove{StageId{0}, StageId{1}, 2}});
    // Both borders of stage 1 moved: its first layers went to stage 0, its last to stage 2.
    CHECK(
        layerMoves(even(), {10, 4, 10, 8})
        == std::vector{LayerMove{StageId{1}, StageId{0}, 2}, LayerMove{StageId{1}, StageId{2}, 2}});
}

TEST_CASE("moves are counted from the layers that the run had")
{
    CHECK(layerMoves({3, 5}, {4, 4}) == std::vector{LayerMove{StageId{1}, StageId{0}, 1}});
}

TEST_CASE("every stage keeps a layer that it measured")
{
    CHECK(borderRange(even(), even(), 1) == std::pair(9, 23));
    CHECK(withBorder(even(), even(), 1, 100) == LayerSplit{8, 15, 1, 8});
    CHECK(withBorder(even(), even(), 1, 0) == LayerSplit{8, 1, 15, 8});
    // Stage 1 begins at layer 15 of its 8 to 15, so its end must stay behind layer 15.
    CHECK(withBorder(even(), {15, 5, 4, 8}, 1, 0) == LayerSplit{15, 1, 8, 8});
}

} // namespace app
