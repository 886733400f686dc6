// CUDA graphs of the emulated GPUs (cuda_runtime_api.h): what was queued while a stream was
// captured, piece by piece.
#include "tests/support/cuda_on_cpu/machine.h"
#include "tests/support/cuda_on_cpu/streams.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    const auto lock = cuda_on_cpu::lockMachine();
    stream->captured = std::make_unique<CUgraph_st>();
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph)
{
    const auto lock = cuda_on_cpu::lockMachine();
    *graph = stream->captured.release();
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long)
{
    *executable = new CUgraphExec_st{std::make_shared<const cuda_on_cpu::Pieces>(graph->pieces)};
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    return cuda_on_cpu::enqueue(stream, [pieces = executable->pieces] {
        for (const auto& piece : *pieces)
            piece();
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    delete executable;
    return cudaSuccess;
}
