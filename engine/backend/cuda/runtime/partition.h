#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

namespace engine::cuda {

// Looks up a function of the driver as of CUDA version `since`; nullptr if the driver lacks it.
template<class Function>
Function driverFunction(const char* name, unsigned since)
{
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    const cudaError_t status
        = cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &result);
#else
    static_cast<void>(since);
    const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &result);
#endif
    return status == cudaSuccess && result == cudaDriverEntryPointSuccess
        ? reinterpret_cast<Function>(function) // NOLINT: interface of the driver
        : nullptr;
}

// Part of a GPU's multiprocessors (a green context), on which its streams run. Memory and modules
// belong to the whole GPU (CUDA Runtime API 13.4, "Execution Context Management"). Events also
// belong to the whole GPU, unless the driver requires events of the stream's own context
// (documentation of cuEventRecord in 13.0). Streams and events of a partition must be destroyed
// before the partition.
class Partition
{
public:
    enum class Events : bool { OfGpu, Own };

    Partition(CUgreenCtx context, int multiprocessors)
        : m_context(context)
        , m_multiprocessors(multiprocessors)
    { }
    ~Partition();
    Partition(const Partition&) = delete;
    Partition& operator=(const Partition&) = delete;

    cudaStream_t makeStream() const;
    CUcontext context() const; // for profilers; nullptr if unknown
    int multiprocessors() const { return m_multiprocessors; }
    Events events() const { return m_events; }
    void setEvents(Events events) { m_events = events; }

private:
    CUgreenCtx m_context = nullptr;
    int m_multiprocessors = 0;
    Events m_events = Events::OfGpu;
};

// During the object's lifetime, events that the calling thread creates can be recorded on streams
// of the partition; with nullptr, on streams of the current GPU.
class EventsFor
{
public:
    explicit EventsFor(const Partition* partition);
    ~EventsFor();
    EventsFor(const EventsFor&) = delete;
    EventsFor& operator=(const EventsFor&) = delete;

private:
    bool m_pushed = false;
};

// Returns the smallest number of multiprocessors of a partition; 0 if partitions are not supported
// (before CUDA 12.5). Creates no context.
int smallestPartition(int gpu);

// Makes `count` equal partitions of the current GPU. Throws std::runtime_error with the reason if
// the driver does not support them.
std::vector<std::shared_ptr<const Partition>> makePartitions(int gpu, int count);

} // namespace engine::cuda
