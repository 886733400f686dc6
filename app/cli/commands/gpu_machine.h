#pragma once

#include "engine/backend/cuda_report.h"
#include "engine/timeline/run.h"

namespace cli {

// Returns the GPUs of a run as they are stored in its file. An emulated run has a row per device,
// all for the same GPU: "NVIDIA H200 (emulated, 3 of 8)".
engine::GpuMachine gpuMachine(const engine::CudaReport& cuda, const engine::Run& run);

} // namespace cli
