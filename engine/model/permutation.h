#pragma once

#include "engine/model/random.h"

#include <bit>
#include <utility>

namespace engine {

// A permutation of 0 .. size - 1 that is determined by a key. It needs no table: a Feistel network
// permutes the numbers below the next power of four, and is repeated until the result is below
// `size` (Black and Rogaway, 2002). The result is the same on every machine. Thread-safe.
class Permutation
{
public:
    Permutation(std::uint64_t key, std::uint64_t size) // size > 0
        : m_key(key)
        , m_size(size)
        , m_halfBits((static_cast<unsigned>(std::bit_width(size - 1)) + 1) / 2)
    { }

    std::uint64_t operator()(std::uint64_t index) const // < size
    {
        do
            index = once(index);
        while (index >= m_size);
        return index;
    }

private:
    std::uint64_t once(std::uint64_t index) const
    {
        constexpr std::uint64_t kRounds = 6;
        const std::uint64_t mask = (std::uint64_t{1} << m_halfBits) - 1;
        std::uint64_t left = index >> m_halfBits, right = index & mask;
        for (std::uint64_t round = 0; round < kRounds; ++round) {
            const std::uint64_t mixed
                = Random::combine(Random::combine(m_key, round), right) & mask;
            left = std::exchange(right, left ^ mixed);
        }
        return left << m_halfBits | right;
    }

    std::uint64_t m_key, m_size;
    unsigned m_halfBits;
};

} // namespace engine
