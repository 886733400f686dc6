// What a profiler that is attached would hear of names (machine.h).
#include "engine/backend/cuda/runtime/stream.h"
#include "tests/support/cuda_on_cpu/machine.h"

void engine::cuda::nameStream(cudaStream_t stream, const std::string& name)
{
    cuda_on_cpu::nameStream(stream, name);
}

void engine::cuda::nameContext(CUcontext context, const std::string& name)
{
    cuda_on_cpu::nameContext(context, name);
}
