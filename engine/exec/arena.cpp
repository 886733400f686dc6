#include "engine/exec/arena.h"

#include "engine/base/check.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace engine {
namespace {

constexpr std::byte kPattern{0xFF}; // four of them: a NaN

} // namespace

void Arena::Free::operator()(std::byte* memory) const
{
    std::free(memory);
}

Arena::Arena(Bytes bytes)
    : m_size(aligned(bytes))
    , m_memory(static_cast<std::byte*>(
          std::aligned_alloc(static_cast<std::size_t>(kAlignment),
                             static_cast<std::size_t>(std::max(m_size, kAlignment)))))
{
    if (!m_memory)
        throw std::bad_alloc();
    poison({0, m_size});
}

std::span<std::byte> Arena::bytes(Extent extent) const
{
    CHECK(extent.offset >= 0 && extent.bytes >= 0 && extent.end() <= m_size);
    return {m_memory.get() + extent.offset, static_cast<std::size_t>(extent.bytes)};
}

Bytes Arena::touched() const
{
    Bytes touched = 0;
    for (Bytes line = 0; line < m_size; line += kAlignment)
        if (std::ranges::any_of(bytes({line, kAlignment}),
                                [](std::byte b) { return b != kPattern; }))
            touched += kAlignment;
    return touched;
}

void Arena::poison(Extent extent) const
{
    std::ranges::fill(bytes(extent), kPattern);
}

} // namespace engine
