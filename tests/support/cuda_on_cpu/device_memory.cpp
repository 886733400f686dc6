#include "tests/support/cuda_on_cpu/device_memory.h"

#include "tests/support/cuda_on_cpu/machine.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

namespace {

constexpr std::size_t kPiece = std::size_t{2} << 20, kSmall = kPiece / 2; // of the driver's
constexpr std::size_t kPage = 4096, kReserved = std::size_t{1} << 38; // of a GPU: addresses only
constexpr int kMostGpus = 16;

// What a GPU has given away, one behind the other, so that one call opens or locks all of it.
// Addresses come back when everything has.
class Memory
{
public:
    void* take(std::size_t bytes)
    {
        if (m_first == nullptr)
            reserve();
        const std::size_t size = (bytes / kPage + 2) * kPage; // followed by an unused page
        if (m_used + size > kReserved)
            return nullptr;
        std::byte* taken = m_first + m_used;
        m_used += size;
        m_regions[taken] = {size, bytes};
        return taken;
    }

    bool giveBack(void* memory)
    {
        const auto found = m_regions.find(static_cast<std::byte*>(memory));
        if (found == m_regions.end())
            return false;
        madvise(memory, found->second.size, MADV_DONTNEED);
        m_regions.erase(found);
        if (m_regions.empty())
            m_used = 0;
        return true;
    }

    std::size_t bytes() const
    {
        std::size_t large = 0, small = 0;
        for (const auto& [memory, region] : m_regions)
            if (region.asked >= kSmall)
                large += inPieces(region.asked);
            else
                small += region.asked;
        return large + inPieces(small);
    }

    bool owns(const void* memory) const
    {
        const auto* byte = static_cast<const std::byte*>(memory);
        return m_first != nullptr && byte >= m_first && byte < m_first + m_used;
    }

    void protect(int protection) const
    {
        if (m_used > 0 && mprotect(m_first, m_used, protection) != 0)
            std::abort();
    }

private:
    struct Region
    {
        std::size_t size = 0, asked = 0;
    };
    static std::size_t inPieces(std::size_t bytes)
    {
        return (bytes + kPiece - 1) / kPiece * kPiece;
    }
    void reserve()
    {
        void* reserved = mmap(nullptr, kReserved, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (reserved == MAP_FAILED)
            std::abort();
        m_first = static_cast<std::byte*>(reserved);
    }

    std::byte* m_first = nullptr;
    std::size_t m_used = 0;
    std::map<std::byte*, Region> m_regions;
};

std::array<Memory, kMostGpus>& gpus()
{
    static std::array<Memory, kMostGpus> all;
    return all;
}

Memory& memoryOf(int gpu)
{
    return gpus().at(static_cast<std::size_t>(gpu));
}

int unlocked = 0;

void protect(int gpu, int protection)
{
    if (gpu >= 0)
        return memoryOf(gpu).protect(protection);
    for (const Memory& memory : gpus())
        memory.protect(protection);
}

} // namespace

cuda_on_cpu::Unlocked::Unlocked()
    : m_gpu(running())
{
    if (unlocked++ == 0)
        protect(m_gpu, PROT_READ | PROT_WRITE);
}

cuda_on_cpu::Unlocked::Unlocked(AllGpus)
    : m_gpu(-1)
{
    if (unlocked++ == 0)
        protect(m_gpu, PROT_READ | PROT_WRITE);
}

cuda_on_cpu::Unlocked::~Unlocked()
{
    if (--unlocked == 0)
        protect(m_gpu, PROT_NONE);
}

cudaError_t cuda_on_cpu::allocate(void** memory, std::size_t bytes, int gpu)
{
    const std::size_t free = pluggedIn().memory - std::min(pluggedIn().memory, usedMemory(gpu));
    *memory = bytes <= free ? memoryOf(gpu).take(bytes) : nullptr;
    return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cuda_on_cpu::release(void* memory)
{
    const int gpu = ownerOf(memory);
    return gpu >= 0 && memoryOf(gpu).giveBack(memory) ? cudaSuccess : cudaErrorInvalidValue;
}

std::size_t cuda_on_cpu::allocated(int gpu)
{
    return memoryOf(gpu).bytes();
}

int cuda_on_cpu::ownerOf(const void* memory)
{
    for (int gpu = 0; gpu < kMostGpus; ++gpu)
        if (memoryOf(gpu).owns(memory))
            return gpu;
    return -1;
}
