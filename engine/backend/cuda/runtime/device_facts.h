#pragma once

#include "engine/backend/cuda_report.h"

#include <cuda_runtime_api.h>

namespace engine::cuda {

// Adds bus id, UUID and attributes of a device. Creates no context.
void addFacts(int index, const cudaDeviceProp& properties, CudaDevice& device);
// Returns a matrix whose element [from][to] is true if GPU `from` can access the memory of GPU
// `to`.
std::vector<std::vector<bool>> peerAccess(int devices);
// Returns how the driver loads kernels: "lazy", "eager", or "" if unknown.
std::string moduleLoading();
// Returns "off" if fp32 products are not rounded to tf32, otherwise the reason. The plug-in does
// not request the rounding (blas_lt.cpp), but an environment variable can force it.
std::string tf32State();

} // namespace engine::cuda
