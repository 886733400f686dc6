#pragma once

#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/runtime/names.h"
#include "engine/backend/cuda/runtime/on_gpu.h"
#include "engine/backend/cuda/runtime/partition.h"

#include <string>

namespace engine::cuda {

// A stream that does not synchronize with the default stream, which is never used.
class Stream
{
public:
    // Creates the stream on a partition, or on the whole GPU if `partition` is nullptr. `name` is
    // for profilers: "device 3: compute".
    Stream(int gpu, const Partition* partition, const std::string& name)
    {
        const OnGpu on(gpu);
        if (partition != nullptr)
            m_stream = partition->makeStream();
        else
            check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking),
                  "cudaStreamCreateWithFlags");
        nameStream(m_stream, name);
    }
    ~Stream()
    {
        cudaStreamSynchronize(m_stream);
        cudaStreamDestroy(m_stream);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return m_stream; }

private:
    cudaStream_t m_stream = nullptr;
};

} // namespace engine::cuda
