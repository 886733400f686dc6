#include "app/whatif/what_if.h"
#include "tests/catch.h"

namespace app {

using engine::StageId;
using profiler::LayerMove;

TEST_CASE("layers are split as evenly as in a recorded run")
{
    CHECK(evenSplit(32, 4) == LayerSplit{8, 8, 8, 8});
    CHECK(evenSplit(10, 4) == LayerSplit{2, 3, 2, 3});
}

TEST_CASE("a moved border is a move of layers between its stages")
{
    CHECK(layerMoves({8, 8, 8, 8}).empty());
    CHECK(withMoves({8, 8, 8, 8}, layerMoves({10, 4, 10, 8})) == LayerSplit{10, 4, 10, 8});
    CHECK(layerMoves({8, 8, 9, 7}) == std::vector{LayerMove{StageId{3}, StageId{2}, 1}});
    CHECK(layerMoves({6, 10, 8, 8}) == std::vector{LayerMove{StageId{0}, StageId{1}, 2}});
    // Both borders of stage 1 moved: its first layers went to stage 0, its last to stage 2.
    CHECK(
        layerMoves({10, 4, 10, 8})
        == std::vector{LayerMove{StageId{1}, StageId{0}, 2}, LayerMove{StageId{1}, StageId{2}, 2}});
}

TEST_CASE("every stage keeps a layer that it measured")
{
    const LayerSplit even{8, 8, 8, 8};
    CHECK(borderRange(even, 1) == std::pair(9, 23));
    CHECK(withBorder(even, 1, 100) == LayerSplit{8, 15, 1, 8});
    CHECK(withBorder(even, 1, 0) == LayerSplit{8, 1, 15, 8});
    // Stage 1 begins at layer 15 of its 8 to 15, so its end must stay behind layer 15.
    CHECK(withBorder({15, 5, 4, 8}, 1, 0) == LayerSplit{15, 1, 8, 8});
}

} // namespace app
