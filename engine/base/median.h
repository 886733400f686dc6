#pragma once

#include <algorithm>
#include <vector>

namespace engine {

// The median, or 0 for no values. For an even number of values it is the mean of the middle two
// (integers are rounded towards zero). Reorders the values.
template<class Number>
Number medianOf(std::vector<Number>& values)
{
    if (values.empty())
        return 0;
    const auto middle = values.begin() + (values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

} // namespace engine
