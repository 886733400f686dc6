#pragma once

#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <optional>

namespace app {

enum class Step { Previous = -1, Next = 1 };

// Where the keys lead from a selected op or bubble; nullopt at the end of the way.
std::optional<Selection> inLane(const RunView& view, const Selection& from, Step step);
std::optional<Selection> alongFlow(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toMicroBatch(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toLane(const RunView& view, const Selection& from, Step step);
// What an op waited for; of a bubble, what the device waited for in it.
std::optional<Selection> toCause(const RunView& view, const Selection& from);
// The first op of an iteration: where the keyboard starts when nothing is selected.
std::optional<Selection> firstOp(const RunView& view, int iteration);

// The op's one execution in an iteration, on whichever lane.
std::optional<Selection> selectOp(const RunView& view, std::uint32_t op, int iteration);

// The micro-batch that a selection belongs to or, of a bubble, that it waits for.
std::optional<Flow> flowOf(const RunView& view, const Selection& selection);

} // namespace app
