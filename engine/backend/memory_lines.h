#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace engine {

// Granularity of the check for written memory, in bytes.
constexpr std::size_t kLine = 64;

// Returns the number of whole lines of host memory that have a byte other than `value`.
inline std::int64_t linesUnlike(std::byte value, std::span<const std::byte> memory)
{
    std::byte like[kLine];
    std::memset(like, std::to_integer<int>(value), kLine);
    std::int64_t count = 0;
    for (std::size_t line = 0; line + kLine <= memory.size(); line += kLine)
        count += std::memcmp(memory.data() + line, like, kLine) != 0 ? 1 : 0;
    return count;
}

} // namespace engine
