#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cli {

// What is missing in a trace of `kernels` kernels, in one sentence: "3 of 7012 kernels belong to no
// op, 12 records were lost"; "" where nothing is.
std::string missingText(std::size_t kernels, const engine::GpuTraceHealth& health);

// Lines about what ran on the GPUs of a run, and how fast they were; "" where none did.
std::string gpuText(const engine::Run& run, const engine::GpuTrace& trace);
// The same for scripts; null where no GPU computed.
nlohmann::ordered_json gpuJson(const engine::Run& run, const engine::GpuTrace& trace);

} // namespace cli
