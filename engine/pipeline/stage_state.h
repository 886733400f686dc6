#pragma once

#include "engine/backend/kernels.h"
#include "engine/experiment/run_options.h"
#include "engine/model/pipeline_model.h"
#include "engine/transport/all_reduce.h"

#include <array>
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
    // Call it after each pass that adds to target().
    void endMicroBatch()
    {
        if (m_accumulate == Accumulate::Float)
            return;
        m_kernels.addFixedPoint(m_floats, m_sums);
        m_kernels.zero(m_floats);
    }
    std::span<const float> sum() // over all micro-batches so far
    {
        if (m_accumulate == Accumulate::Exact)
            m_kernels.fromFixedPoint(m_sums, m_floats);
        return m_floats;
    }
    void clear()
    {
        m_kernels.zero(m_floats);
        m_kernels.zero(m_sums);
    }

private:
    Accumulate m_accumulate;
    const Kernels<float>& m_kernels;
    std::span<float> m_floats;
    std::span<std::int64_t> m_sums;
};

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

// The memory of a stage: weights as passes read them, optimizer state (StageSizes::optimizer()),
// gradients and, with exact accumulation, integer sums.
struct StageMemory
{
    std::span<std::byte> weights;
    std::span<float> optimizer, gradients;
    std::span<std::int64_t> sums = {};
};

// In full precision: the master weights if the optimizer state has them, otherwise `weights`.
inline std::span<const float> fullWeights(std::span<const std::byte> weights,
                                          std::span<const float> optimizer, std::size_t count)
{
    if (optimizer.size() > 2 * count) // it also has master weights
        return optimizer.first(count);
    return {reinterpret_cast<const float*>(weights.data()), count};
}

// The weights, gradient and optimizer state (initially 0) of a stage on one device. The memory must
// outlive the object.
struct StageState
{
    StageState(StageId ofStage, const StageMemory& memory, const Kernels<float>& kernels,
               Accumulate accumulate)
        : stage(ofStage)
        , weights(memory.weights)
        , optimizer(memory.optimizer)
        , gradients(memory.gradients, memory.sums, accumulate, kernels)
    {
        kernels.zero(optimizer);
        gradients.clear();
    }

    void update(const PipelineModel<float>& model)
    {
        model.update(stage, weights, gradients.sum(), optimizer, ++steps);
        gradients.clear();
    }

    std::span<const float> fullWeights() const
    {
        return engine::fullWeights(weights, optimizer, gradients.count());
    }

    StageId stage;
    std::span<std::byte> weights;
    std::span<float> optimizer;
    Gradients gradients;
    int steps = 0;
};

} // namespace engine
