#pragma once

#include "engine/backend/kernels.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// A pipeline with exact float gradients, for testing schedules and executors. Each stage multiplies
// by a signed permutation (with a second +-1 in some rows), inputs and targets are small integers,
// and the loss is half the sum of squares. As long as partial sums stay below 2^24, no order of
// summation rounds, so a lost, repeated or swapped micro-batch changes an integer of the result.
class ProbeModel final : public PipelineModel<float>
{
public:
    struct Size
    {
        int rows = 16, width = 12;
    };
    ProbeModel(int stages, Size size, const Kernels<float>& kernels);

    int stages() const override { return m_parameters.size(); }
    StageSizes sizes(StageId stage) const override;
    std::span<const Parameter> parameters(StageId stage) const override;
    void initialize(StageId stage, std::uint64_t seed, std::span<std::byte> weights,
                    std::span<float> masters) const override;
    void forward(StageId stage, const ForwardPass<std::byte>& memory) const override;
    void backward(StageId stage, const BackwardPass<std::byte, float>& memory) const override;
    void backwardInput(StageId stage, const BackwardPass<std::byte, float>& memory) const override;
    void backwardWeight(StageId stage, const WeightPass<std::byte, float>& memory) const override;
    float lossScale(double) const override { return 1; } // the objective is the sum, not the mean
    StageFlops flops(StageId stage) const override;
    // Leaves the weights unchanged, because they must remain integers.
    void update(StageId, std::span<std::byte>, std::span<const float>, std::span<float>,
                int) const override
    { }

    // from -2 to 2
    static int number(std::int32_t token, int c) { return (token * 31 + c * 7) % 5 - 2; }

private:
    bool isLast(StageId stage) const { return stage.value == stages() - 1; }
    std::size_t state() const;

    Size m_size;
    const Kernels<float>& m_kernels;
    std::vector<float> m_numbers, m_negated;                    // [token, column]
    const float *m_inputs = nullptr, *m_minusTargets = nullptr; // in device memory
    IdVector<StageId, Parameter> m_parameters;
};

} // namespace engine
