#include "engine/backend/cuda/stream_name.h"

#if __has_include(<nvtx3/nvToolsExtCudaRt.h>)
#include <nvtx3/nvToolsExtCudaRt.h>

namespace engine::cuda {

void nameStream(cudaStream_t stream, const std::string& name)
{
    nvtxNameCudaStreamA(stream, name.c_str());
}

} // namespace engine::cuda

#else

namespace engine::cuda {

void nameStream(cudaStream_t, const std::string&) { }

} // namespace engine::cuda

#endif
