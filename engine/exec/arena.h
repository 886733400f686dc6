#pragma once

#include "engine/exec/arena_layout.h"

#include <cstddef>
#include <memory>

namespace engine {

// The memory of one device, in one piece. It begins filled with a pattern that is also a quiet NaN,
// so that afterwards one sees which bytes were ever written, and a float read too early shows.
class Arena
{
public:
    explicit Arena(Bytes bytes);

    // A part of it; CHECKs that it is one.
    std::span<std::byte> bytes(Extent extent) const;
    template<class Number>
    std::span<Number> of(Extent extent) const
    {
        const std::span<std::byte> part = bytes(extent);
        return {reinterpret_cast<Number*>(part.data()), part.size() / sizeof(Number)};
    }

    Bytes size() const { return m_size; }
    // Of the aligned lines of the arena those that were written, in bytes.
    Bytes touched() const;
    // As before anything was written: a float read from here is a NaN.
    void poison(Extent extent) const;

private:
    struct Free
    {
        void operator()(std::byte* memory) const;
    };

    Bytes m_size = 0;
    std::unique_ptr<std::byte[], Free> m_memory;
};

} // namespace engine
