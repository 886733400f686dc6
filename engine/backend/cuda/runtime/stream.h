#pragma once

#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/runtime/partition.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include <string>

namespace engine::cuda {

// Makes a GPU current for the calling thread during the object's lifetime.
class OnGpu
{
public:
    explicit OnGpu(int gpu)
    {
        check(cudaGetDevice(&m_before), "cudaGetDevice");
        if (m_before != gpu) {
            check(cudaSetDevice(gpu), "cudaSetDevice");
            m_changed = true;
        }
    }
    ~OnGpu()
    {
        if (m_changed)
            cudaSetDevice(m_before);
    }
    OnGpu(const OnGpu&) = delete;
    OnGpu& operator=(const OnGpu&) = delete;

private:
    int m_before = 0;
    bool m_changed = false;
};

// Report the name of a stream ("device 3: compute"; call on the thread that created it) or of a
// context ("device 3: 16 of 132 SMs") to an attached profiler. No effect without a profiler or
// without NVTX's headers.
void nameStream(cudaStream_t stream, const std::string& name);
void nameContext(CUcontext context, const std::string& name);

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
