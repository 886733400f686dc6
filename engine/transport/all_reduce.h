#pragma once

#include "engine/backend/kernels.h"

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

// The same in a device's memory, whose kernels they are: the same sums in the same order.
inline void allReduce(const Kernels<float>& kernels, std::span<const std::span<float>> buffers)
{
    for (const std::span<float> other : buffers.subspan(1))
        kernels.add(other, buffers.front());
    for (const std::span<float> other : buffers.subspan(1))
        kernels.copy(buffers.front(), other);
}
inline void allReduce(const Kernels<float>& kernels,
                      std::span<const std::span<std::int64_t>> buffers)
{
    for (const std::span<std::int64_t> other : buffers.subspan(1))
        kernels.addIntegers(other, buffers.front());
    for (const std::span<std::int64_t> other : buffers.subspan(1))
        kernels.copyIntegers(buffers.front(), other);
}

} // namespace engine
