#pragma once

#include "engine/backend/kernels.h"

#include <cstddef>
#include <span>

namespace engine {

// Sets every buffer to the sum of all buffers. Buffers are added in the given order, so the result
// does not depend on timing. All buffers must have the same length and be in this process.
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

// allReduce() for buffers in the memory of the kernels' device.
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
        kernels.copy(buffers.front(), other);
}

} // namespace engine
