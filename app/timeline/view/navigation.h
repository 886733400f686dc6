#pragma once

#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <optional>

namespace app {

enum class Step { Previous = -1, Next = 1 };

// Each function returns what a navigation key selects next, from a selected op or bubble; nullopt
// if there is nothing in that direction.
std::optional<Selection> inLane(const RunView& view, const Selection& from, Step step);
std::optional<Selection> alongFlow(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toMicroBatch(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toLane(const RunView& view, const Selection& from, Step step);
// The op that the selected op, or in a bubble the device, waited for.
std::optional<Selection> toCause(const RunView& view, const Selection& from);
// The first op of an iteration, at which keyboard navigation starts without a selection.
std::optional<Selection> firstOp(const RunView& view, int iteration);

// The execution of the op in an iteration, in any lane.
std::optional<Selection> selectOp(const RunView& view, std::uint32_t op, int iteration);

// The micro-batch of a selection; for a bubble, the micro-batch that it waits for.
std::optional<Flow> flowOf(const RunView& view, const Selection& selection);

} // namespace app
