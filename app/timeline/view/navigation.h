#pragma once

#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <optional>

namespace app {

enum class Step { Previous = -1, Next = 1 };

// The target of a navigation key from a selected op or bubble; nullopt at the end.
std::optional<Selection> inLane(const RunView& view, const Selection& from, Step step);
std::optional<Selection> alongFlow(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toMicroBatch(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toLane(const RunView& view, const Selection& from, Step step);
// The op that an op, or the device in a bubble, waited for.
std::optional<Selection> toCause(const RunView& view, const Selection& from);
// The first op of an iteration: the start of keyboard navigation without a selection.
std::optional<Selection> firstOp(const RunView& view, int iteration);

// The op's execution in an iteration, on any lane.
std::optional<Selection> selectOp(const RunView& view, std::uint32_t op, int iteration);

// The micro-batch of a selection; of a bubble, the one that it waits for.
std::optional<Flow> flowOf(const RunView& view, const Selection& selection);

} // namespace app
