#pragma once

#include "tests/support/cuda_on_cpu/cuda_runtime_api.h"

#include <cstddef>

// Memory of the emulated GPUs: pages that are locked unless something of their GPU runs, so that
// anything else that touches them gets a segmentation fault, as with a real one.
namespace cuda_on_cpu {

cudaError_t allocate(void** memory, std::size_t bytes, int gpu);
cudaError_t release(void* memory);
std::size_t allocated(int gpu);  // bytes, in pieces as the driver gives them
int ownerOf(const void* memory); // -1: no GPU

// Memory of the GPU whose work is being done is open while one of these lives; of all GPUs where
// none is, and where it says so. Under the machine's lock.
class Unlocked
{
public:
    struct AllGpus
    { };
    Unlocked();
    explicit Unlocked(AllGpus);
    ~Unlocked();
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    int m_gpu; // -1: all
};

} // namespace cuda_on_cpu
