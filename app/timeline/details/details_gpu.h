#pragma once

#include "app/timeline/details/details.h"

namespace app {

// What is known of the GPU that a device of a run was, or of the part of it: name, multiprocessors,
// clocks, what slowed it down, memory that the driver gave. None where the file has nothing of it.
std::optional<DetailsSection> gpuSection(const RunView& view, engine::DeviceId device,
                                         const KernelView* kernels);
// Clocks, driver and the like of the whole run; empty where nothing is known.
std::vector<DetailsRow> machineRows(const engine::RunInfo& info);

// Memory of all GPUs of the run at its end by who has it, beside what the driver says is gone; of
// several GPUs a row each for the driver's figure. None where the file has nothing of it.
std::optional<DetailsSection> gpuMemorySection(const engine::RunInfo& info);

} // namespace app
