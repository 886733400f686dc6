#pragma once

#include "app/timeline/details/details.h"

namespace app {

// The GPU, or part of a GPU, of a device: name, multiprocessors, clocks, throttling, memory
// reported by the driver. nullopt if the file has no such data.
std::optional<DetailsSection> gpuSection(const RunView& view, engine::DeviceId device,
                                         const KernelView* kernels);
// Clocks, driver and similar facts of the whole run; empty if unknown.
std::vector<DetailsRow> machineRows(const engine::RunInfo& info);

// GPU memory by owner at the end of the run, next to the value that the driver reports; with
// several GPUs, a row of the driver's value for each. nullopt if the file has no such data.
std::optional<DetailsSection> gpuMemorySection(const engine::RunInfo& info);

} // namespace app
