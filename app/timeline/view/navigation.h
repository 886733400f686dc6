#pragma once

#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <Qt>

#include <optional>

namespace app {

enum class Step { Previous = -1, Next = 1 };

// Each function returns what a navigation key selects next, starting from a selected op or bubble;
// nullopt if nothing lies in that direction.
std::optional<Selection> inLane(const RunView& view, const Selection& from, Step step);
std::optional<Selection> alongFlow(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toMicroBatch(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toLane(const RunView& view, const Selection& from, Step step);
// Returns the op that the selected op waited for; for a bubble, the op that the device waited for.
std::optional<Selection> toCause(const RunView& view, const Selection& from);
// Returns the first op of an iteration, where keyboard navigation starts without a selection.
std::optional<Selection> firstOp(const RunView& view, int iteration);

// Returns the execution of the op in an iteration, in any lane.
std::optional<Selection> selectOp(const RunView& view, std::uint32_t op, int iteration);

// Returns the micro-batch of a selection; for a bubble, the micro-batch for which it waits.
std::optional<Flow> flowOf(const RunView& view, const Selection& selection);

// The keys that move from the selected box to another: , . [ ] J K, Up, Down and Enter.
bool isWalkKey(int key);
// Returns what `key` selects; nullopt if the selection stays. If no op or bubble is selected, the
// key selects the first op of `iteration`.
std::optional<Selection> walked(const RunView& view, const Selection& from, int iteration, int key);

// Previous and Next move along a row, Out moves from a kernel to its op, Into from an op to its
// first kernel.
enum class KernelStep : std::uint8_t { Previous, Next, Out, Into };
// Returns the step for a key, or nullopt. On a kernel, Comma and Period are Previous and Next, Up
// and Return (or Enter) are Out, and Down is Into. On an op the same keys need Shift.
std::optional<KernelStep> kernelStep(int key, Qt::KeyboardModifiers modifiers, bool isOnKernel);
std::optional<Selection> walkedKernel(const RunView& view, const KernelView& kernels,
                                      const Selection& from, KernelStep step);

} // namespace app
