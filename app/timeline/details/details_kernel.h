#pragma once

#include "app/timeline/details/details.h"
#include "app/timeline/view/kernel_view.h"
#include "profiler/analysis/kernel_table.h"

namespace app {

// What the details panel, the pointer at rest and the keyboard know of kernels.

Details kernelDetails(const RunView& view, const KernelView& kernels, const Selection& selection);
// Of a selected op: its kernels, what kinds took its time, and how much lies between them; none
// where nothing was recorded for it.
std::optional<DetailsSection> kernelSection(const RunView& view, const KernelView& kernels,
                                            const Selection& selection);
QString kernelToolTip(const RunView& view, const KernelView& kernels, const Selection& selection);

// Along a row; from a kernel out to its op; from an op into its first kernel.
enum class KernelStep : std::uint8_t { Previous, Next, Out, Into };
// Shift with up or down leads from an op into its kernels and out again; on a kernel the keys of
// the lane walk its stream. None: `key` does something else.
std::optional<KernelStep> kernelStep(int key, Qt::KeyboardModifiers modifiers, bool isOnKernel);
std::optional<Selection> walkedKernel(const RunView& view, const KernelView& kernels,
                                      const Selection& from, KernelStep step);

} // namespace app
