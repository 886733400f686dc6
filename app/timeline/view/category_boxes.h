#pragma once

#include "app/timeline/view/lane_walk.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <memory>
#include <vector>

namespace app {

// The boxes of a category of time in one iteration: those that a click on its part of the strip
// selects. Computed once, because the thread that paints lanes must not ask a RunView for bubbles.
class CategoryBoxes
{
public:
    CategoryBoxes(const RunView& view, int iteration, profiler::TimeCategory category);

    profiler::TimeCategory category() const { return m_category; }
    const std::vector<Selection>& all() const { return m_all; } // sorted by start
    std::vector<Selection> longest(std::size_t most) const;
    bool has(const engine::Op& op, std::uint32_t iteration) const;
    bool has(engine::DeviceId device, const Piece& piece) const; // a bubble or exposed transfer

private:
    void addOps(const RunView& view);

    int m_iteration;
    profiler::TimeCategory m_category;
    std::vector<Selection> m_all;
    engine::IdVector<engine::DeviceId, std::vector<engine::Window>> m_gaps; // sorted
};
using CategoryBoxesPointer = std::shared_ptr<const CategoryBoxes>;

} // namespace app
