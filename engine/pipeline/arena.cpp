#include "engine/backend/kernels.h"
#include "engine/base/check.h"
#include "engine/pipeline/pipeline.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace engine {
namespace {

// NaN patterns of bytes that were never written and of freed memory. They are NaN as bfloat16 and,
// in pairs, as float.
constexpr std::uint16_t kPattern = 0xFFFF, kFreed = 0x7FFF;
constexpr std::byte kByteOfPattern{0xFF}; // each byte of kPattern; a GPU fills memory by bytes
constexpr Bytes kHugePage = Bytes{2} << 20;

// Allocates an arena, with huge pages if it is large: filling it then causes 1/512 of the page
// faults, and ops have fewer TLB misses.
DeviceMemory take(Bytes bytes, const Device* device, MemoryFor purpose)
{
    if (device != nullptr)
        return device->allocate(bytes, purpose);
    const Bytes alignment = bytes >= kHugePage ? kHugePage : kAlignment;
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    void* taken = std::aligned_alloc(alignment, whole);
    if (taken == nullptr)
        throw std::bad_alloc();
    if (alignment == kHugePage)
        madvise(taken, whole, MADV_HUGEPAGE); // a failure only costs speed
    return {static_cast<std::byte*>(taken), [](std::byte* memory) { std::free(memory); }};
}

} // namespace

Arena::Arena(Bytes bytes, const Device* device, MemoryFor purpose)
    : m_size(aligned(bytes))
    , m_device(purpose == MemoryFor::Host ? nullptr : device)
    , m_memory(take(std::max(m_size, kAlignment), device, purpose))
{
    fill({0, m_size}, kPattern);
}

void Arena::write(Extent to, std::span<const std::byte> from) const
{
    const std::span<std::byte> part = bytes(to);
    CHECK(part.size() == from.size());
    if (m_device != nullptr)
        m_device->upload(from, part.data());
    else
        std::ranges::copy(from, part.begin());
}

std::vector<std::byte> Arena::read(Extent from) const
{
    const std::span<const std::byte> part = bytes(from);
    std::vector<std::byte> copy(part.size());
    if (m_device != nullptr)
        m_device->download(part.data(), copy);
    else
        std::ranges::copy(part, copy.begin());
    return copy;
}

std::span<std::byte> Arena::bytes(Extent extent) const
{
    CHECK(extent.offset >= 0 && extent.bytes >= 0 && extent.end() <= m_size);
    return {m_memory.get() + extent.offset, static_cast<std::size_t>(extent.bytes)};
}

Bytes Arena::touched() const
{
    static_assert(kLine == kAlignment);
    const std::span<const std::byte> all = bytes({0, m_size});
    if (m_device == nullptr)
        return linesUnlike(kByteOfPattern, all) * kAlignment;
    m_device->bindThread();
    return m_device->kernels().linesUnlike(kByteOfPattern, all) * kAlignment;
}

void Arena::poison(Extent extent) const
{
    fill(extent, kFreed);
}

void Arena::fill(Extent extent, std::uint16_t word) const
{
    CHECK(extent.bytes % sizeof word == 0);
    if (m_device != nullptr)
        m_device->fill(bytes(extent), kByteOfPattern);
    else
        std::ranges::fill(of<std::uint16_t>(extent), word);
}

} // namespace engine
