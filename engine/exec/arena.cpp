#include "engine/exec/arena.h"

#include "engine/base/check.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace engine {
namespace {

constexpr std::byte kPattern{0xFF}; // four of them: a NaN

DeviceMemory take(Bytes bytes, const Device* device)
{
    if (device != nullptr)
        return device->allocate(bytes);
    DeviceMemory memory(static_cast<std::byte*>(std::aligned_alloc(
                            static_cast<std::size_t>(kAlignment), static_cast<std::size_t>(bytes))),
                        [](std::byte* taken) { std::free(taken); });
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

} // namespace

Arena::Arena(Bytes bytes, const Device* device)
    : m_size(aligned(bytes))
    , m_device(device)
    , m_memory(take(std::max(m_size, kAlignment), device))
{
    poison({0, m_size});
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
    const std::vector<std::byte> copied
        = m_device != nullptr ? read({0, m_size}) : std::vector<std::byte>();
    const std::byte* first = m_device != nullptr ? copied.data() : m_memory.get();
    Bytes touched = 0;
    for (Bytes line = 0; line < m_size; line += kAlignment)
        if (std::any_of(first + line, first + line + kAlignment,
                        [](std::byte b) { return b != kPattern; }))
            touched += kAlignment;
    return touched;
}

void Arena::poison(Extent extent) const
{
    if (m_device != nullptr)
        m_device->fill(bytes(extent), kPattern);
    else
        std::ranges::fill(bytes(extent), kPattern);
}

} // namespace engine
