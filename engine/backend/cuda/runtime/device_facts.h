#pragma once

#include "engine/backend/cuda_report.h"

#include <cuda_runtime_api.h>

namespace engine::cuda {

// Bus, UUID and numbers of a device. Makes no context.
void addFacts(int index, const cudaDeviceProp& properties, CudaDevice& device);
// [from][to]: may copy directly.
std::vector<std::vector<bool>> peerAccess(int devices);
// "lazy" or "eager": when kernels are loaded; "" where the driver does not tell.
std::string moduleLoading();
// Whether products in fp32 are rounded to tf32: the plug-in never asks for it (blas_lt.cpp), and a
// variable of the environment can force it on.
std::string tf32State();

} // namespace engine::cuda
