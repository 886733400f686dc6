#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cli {

// Describes what is missing in a trace with `kernels` kernels: "3 of 7012 kernels belong to no op,
// 12 records were lost"; "" if the trace is complete.
std::string missingText(std::size_t kernels, const engine::GpuTraceHealth& health);

// Returns the GPU activity of a run and the clock speeds of its GPUs; "" if the run used no GPU.
std::string gpuText(const engine::Run& run, const engine::GpuTrace& trace);
// The contents of gpuText() as JSON; null for runs without GPUs.
nlohmann::ordered_json gpuJson(const engine::Run& run, const engine::GpuTrace& trace);

} // namespace cli
