#pragma once

#include "engine/backend/cuda/launch.h"
#include "engine/backend/cuda/on_gpu.h"
#include "engine/backend/cuda/partition.h"
#include "engine/backend/cuda/stream_name.h"

#include <fmt/format.h>

#include <string>

namespace engine::cuda {

// A stream that does not wait for the default one, which nothing here uses.
class Stream
{
public:
    // Of a partition, or of the whole GPU; `role` is what profilers call it: "compute".
    Stream(int gpu, const Partition* partition, const char* role)
    {
        const OnGpu on(gpu);
        if (partition != nullptr)
            m_stream = partition->makeStream();
        else
            check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "a stream");
        const std::string part
            = partition == nullptr ? "" : fmt::format(", {} SMs", partition->multiprocessors());
        nameStream(m_stream, fmt::format("GPU {}{}: {}", gpu, part, role));
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
