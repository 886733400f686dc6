#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/pipeline/gradients.h"
#include "engine/transport/all_reduce.h"

#include <array>

namespace engine {

// Sets the tied gradients of both stages to their sum. Both stages must be on one device.
inline void sumTied(const Kernels<float>& kernels, const TiedParameters& tied, Gradients& first,
                    Gradients& last)
{
    const auto sum = [&](auto ofFirst, auto ofLast) {
        const std::array both{ofFirst.subspan(tied.firstOffset, tied.count),
                              ofLast.subspan(tied.lastOffset, tied.count)};
        allReduce(kernels, std::span<const typename decltype(both)::value_type>(both));
    };
    if (first.sums().empty())
        sum(first.target(), last.target());
    else
        sum(first.sums(), last.sums());
}

} // namespace engine
