#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <string>

namespace engine::cuda {

// Report the name of a stream ("device 3: compute"; call on the thread that created it) or of a
// context ("device 3: 16 of 132 SMs") to an attached profiler. No effect without a profiler or
// without NVTX's headers.
void nameStream(cudaStream_t stream, const std::string& name);
void nameContext(CUcontext context, const std::string& name);

} // namespace engine::cuda
