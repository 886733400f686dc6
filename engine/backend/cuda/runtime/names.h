#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <string>

namespace engine::cuda {

// Tell the profiler that is attached to the process, if one is, how a stream is called ("device 3:
// compute"), from the thread that made it, and a context ("device 3: 16 of 132 SMs"). Without a
// profiler, or in a build without NVTX's headers, they do nothing.
void nameStream(cudaStream_t stream, const std::string& name);
void nameContext(CUcontext context, const std::string& name);

} // namespace engine::cuda
