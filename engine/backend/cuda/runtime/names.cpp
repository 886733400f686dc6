#include "engine/backend/cuda/runtime/stream.h"

#if __has_include(<nvtx3/nvToolsExtCudaRt.h>)
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

namespace engine::cuda {

void nameStream(cudaStream_t stream, const std::string& name)
{
    nvtxNameCudaStreamA(stream, name.c_str());
}

void nameContext(CUcontext context, const std::string& name)
{
    nvtxNameCuContextA(context, name.c_str());
}

} // namespace engine::cuda

#else

namespace engine::cuda {

void nameStream(cudaStream_t, const std::string&) { }
void nameContext(CUcontext, const std::string&) { }

} // namespace engine::cuda

#endif
