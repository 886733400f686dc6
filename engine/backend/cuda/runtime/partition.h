#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

namespace engine::cuda {

// Some of a GPU's multiprocessors (a green context): what is queued on its streams runs on these
// alone. Memory and modules are the whole GPU's, and so are events (CUDA Runtime API 13.4,
// "Execution Context Management"), unless the driver wants those of a stream's own context
// (cuEventRecord's documentation in 13.0). Its streams and events are destroyed before it.
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
    CUcontext context() const; // as profilers know it; nullptr: the driver does not say
    int multiprocessors() const { return m_multiprocessors; } // that it really has
    Events events() const { return m_events; }
    void setEvents(Events events) { m_events = events; }

private:
    CUgreenCtx m_context = nullptr;
    int m_multiprocessors = 0;
    Events m_events = Events::OfGpu;
};

// While it lives, events that the calling thread makes can be recorded on streams of the partition;
// none: of the current GPU.
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

// The least multiprocessors that a partition of this GPU can have; 0: the driver makes none (those
// before CUDA 12.5). Makes no context.
int smallestPartition(int gpu);

// `count` partitions of one size, of the current GPU. std::runtime_error says in one sentence why
// there are none: what the driver really gave is read back.
std::vector<std::shared_ptr<const Partition>> makePartitions(int gpu, int count);

} // namespace engine::cuda
