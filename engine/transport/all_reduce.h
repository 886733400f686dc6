#pragma once

#include <cstddef>
#include <span>

namespace engine {

// Every buffer becomes the sum of all, added in the order given, so that the result does not depend
// on which device came first. Buffers are of one length and in one process.
template<class Number>
void allReduce(std::span<const std::span<Number>> buffers)
{
    const std::span<Number> first = buffers.front();
    for (const std::span<Number> other : buffers.subspan(1))
        for (std::size_t i = 0; i < first.size(); ++i)
            first[i] += other[i];
    for (const std::span<Number> other : buffers.subspan(1))
        for (std::size_t i = 0; i < first.size(); ++i)
            other[i] = first[i];
}

} // namespace engine
