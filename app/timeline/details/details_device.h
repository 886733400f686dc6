#pragma once

#include "app/timeline/details/details.h"

namespace app {

// The GPU or partition of a device: name, multiprocessors, clocks, throttling, memory reported by
// the driver. nullopt if the file has no such data.
DetailsSection gpuSection(const RunView& view, engine::DeviceId device, const KernelView* kernels);
// Clocks, driver and other facts of the whole run; empty if unknown.
std::vector<DetailsRow> machineRows(const engine::RunInfo& info);

// GPU memory by owner at the end of the run, and the value that the driver reports, with a row for
// each GPU if there are several. nullopt if the file has no such data.
DetailsSection gpuMemorySection(const engine::RunInfo& info);

} // namespace app
