#pragma once

#include <algorithm>
#include <cstddef>

namespace engine {

// Returns the first index of [from, size) for which `isBefore` is false; size if there is none.
// `isBefore` must be monotonic. Searches with doubling steps, because the result is usually near
// `from`.
template<class IsBefore>
std::size_t gallop(std::size_t from, std::size_t size, IsBefore isBefore)
{
    std::size_t first = from, last = from; // the result is in [first, last]
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
