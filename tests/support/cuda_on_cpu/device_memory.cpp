#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <sys/mman.h>

#include <map>

// Pages that are locked unless something of the device runs.
namespace {

std::map<void*, std::size_t>& regions()
{
    static std::map<void*, std::size_t> all;
    return all;
}

int unlocked = 0;

void protect(int protection)
{
    for (const auto& [memory, bytes] : regions())
        if (mprotect(memory, bytes, protection) != 0)
            std::abort();
}

} // namespace

cuda_on_cpu::Unlocked::Unlocked()
{
    if (unlocked++ == 0)
        protect(PROT_READ | PROT_WRITE);
}

cuda_on_cpu::Unlocked::~Unlocked()
{
    if (--unlocked == 0)
        protect(PROT_NONE);
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes)
{
    constexpr std::size_t kPage = 4096;
    const std::size_t size = (bytes / kPage + 1) * kPage;
    *memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*memory == MAP_FAILED)
        return cudaErrorInvalidValue;
    regions()[*memory] = size;
    return cudaSuccess;
}

cudaError_t cudaFree(void* memory)
{
    const auto found = regions().find(memory);
    if (found == regions().end())
        return cudaErrorInvalidValue;
    munmap(memory, found->second);
    regions().erase(found);
    return cudaSuccess;
}
