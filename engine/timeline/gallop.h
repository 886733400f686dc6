#pragma once

#include <algorithm>
#include <cstddef>

namespace engine {

// The first place of [from, size) at which `isBefore(place)` no longer holds, else size; behind it
// it holds nowhere. In steps that double: what is asked for is near `from`, and a search of the
// whole leaves the cache.
template<class IsBefore>
std::size_t gallop(std::size_t from, std::size_t size, IsBefore isBefore)
{
    std::size_t first = from, last = from; // it lies in [first, last]
    for (std::size_t step = 1; last < size && isBefore(last); step *= 2) {
        first = last + 1;
        last += step;
    }
    last = std::min(last, size);
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (isBefore(middle))
            first = middle + 1;
        else
            last = middle;
    }
    return last;
}

} // namespace engine
