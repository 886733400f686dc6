#pragma once

#include "engine/backend/kernels.h"
#include "engine/experiment/accumulate.h"

#include <span>

namespace engine {

// The weight gradient of one stage on one device, summed over micro-batches and then over replicas.
class Gradients
{
public:
    // `floats` holds the sum. With Accumulate::Exact it holds the gradient of one micro-batch, and
    // `sums` holds the integer sum. Memory and `kernels` must outlive this object. Call clear()
    // before use.
    Gradients(std::span<float> floats, std::span<std::int64_t> sums, Accumulate accumulate,
              const Kernels<float>& kernels)
        : m_accumulate(accumulate)
        , m_kernels(kernels)
        , m_floats(floats)
        , m_sums(sums)
    { }

    std::size_t count() const { return m_floats.size(); }
    std::span<float> target() { return m_floats; }    // backwards accumulate into this memory
    std::span<std::int64_t> sums() { return m_sums; } // only with Exact: the sums over replicas
    void endMicroBatch();                             // call after each pass that adds to target()
    std::span<const float> sum();                     // sum over all micro-batches so far
    void clear();

private:
    Accumulate m_accumulate;
    const Kernels<float>& m_kernels;
    std::span<float> m_floats;
    std::span<std::int64_t> m_sums;
};

} // namespace engine
