#pragma once

#include <cuda_runtime.h>

#include <string>

namespace engine::cuda {

// Tells the profiler that is attached to the process, if one is, how a stream is called: "device 3:
// compute". From the thread that made it. Without a profiler, or in a build without NVTX's headers,
// it does nothing.
void nameStream(cudaStream_t stream, const std::string& name);

} // namespace engine::cuda
