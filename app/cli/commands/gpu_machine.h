#pragma once

#include "engine/backend/cuda_report.h"
#include "engine/timeline/run.h"

namespace cli {

// What the file of a run says of the GPUs that compute it. An emulated run has a row for each of
// its devices, which one GPU plays: "NVIDIA H200 (emulated, 3 of 8)".
engine::GpuMachine gpuMachine(const engine::CudaReport& cuda, const engine::Run& run);

} // namespace cli
