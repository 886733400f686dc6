#pragma once

#include "engine/backend/kernels.h"
#include "engine/base/units.h"
#include "engine/exec/accumulate.h"

#include <vector>

namespace engine {

// The weight gradient of one stage on one device, summed over micro-batches and then over replicas.
class Gradients
{
public:
    // `kernels` must outlive it.
    Gradients(std::size_t count, Accumulate accumulate, const Kernels<float>& kernels);

    std::span<float> target() { return m_floats; } // what a backward adds to
    void endMicroBatch();                          // after each backward
    std::span<const float> sum();                  // over all micro-batches so far
    void clear();

    static Bytes bytes(std::size_t count, Accumulate accumulate);
    // Each becomes the sum of all, in the order given.
    static void allReduce(std::span<Gradients* const> replicas);

private:
    Accumulate m_accumulate;
    const Kernels<float>& m_kernels;
    std::vector<float> m_floats;       // the sum, or with Exact one micro-batch
    std::vector<std::int64_t> m_fixed; // with Exact: the sum
};

} // namespace engine
