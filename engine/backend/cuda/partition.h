#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

namespace engine::cuda {

// Some of a GPU's multiprocessors (a green context): what is queued on its streams runs on these
// alone. Memory, modules and events are the whole GPU's. Its streams are destroyed before it.
class Partition
{
public:
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

private:
    CUgreenCtx m_context = nullptr;
    int m_multiprocessors = 0;
};

// The least multiprocessors that a partition of this GPU can have; 0: the driver makes none (those
// before CUDA 12.5). Makes no context.
int smallestPartition(int gpu);

// `count` partitions of one size, of the current GPU. std::runtime_error says in one sentence why
// there are none: what the driver really gave is read back.
std::vector<std::shared_ptr<const Partition>> makePartitions(int gpu, int count);

} // namespace engine::cuda
