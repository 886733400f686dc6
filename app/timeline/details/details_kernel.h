#pragma once

#include "app/timeline/details/details.h"
#include "app/timeline/view/kernel_view.h"
#include "profiler/analysis/kernel_table.h"

namespace app {

// Describes a kernel, for the details panel, tooltips and keyboard navigation.

Details kernelDetails(const RunView& view, const KernelView& kernels, const Selection& selection);
// The kernels of a selected op, its time by kind of kernel, and the gaps between kernels; nullopt
// if no kernels were recorded.
DetailsSection kernelSection(const RunView& view, const KernelView& kernels,
                             const Selection& selection);
QString kernelToolTip(const RunView& view, const KernelView& kernels, const Selection& selection);

// Previous and Next move along a row, Out moves from a kernel to its op, Into from an op to its
// first kernel.
enum class KernelStep : std::uint8_t { Previous, Next, Out, Into };
// Returns the step for a key, or nullopt. On a kernel, Comma and Period are Previous and Next, Up
// and Return (or Enter) are Out, and Down is Into. On an op the same keys need Shift.
std::optional<KernelStep> kernelStep(int key, Qt::KeyboardModifiers modifiers, bool isOnKernel);
std::optional<Selection> walkedKernel(const RunView& view, const KernelView& kernels,
                                      const Selection& from, KernelStep step);

} // namespace app
