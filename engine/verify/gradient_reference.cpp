#include "engine/verify/gradient_reference.h"

#include "engine/model/make_transformer.h"
#include "engine/plan/stash_plan.h"
#include "engine/verify/sequential.h"
#include "engine/verify/versioned_sequential.h"

#include <fmt/format.h>

namespace engine {
namespace {

// Recomputation does not change the numbers, so the reference keeps all activations.
ModelSpec keepingAll(ModelSpec model)
{
    model.recompute = Recompute::None;
    return model;
}

class Synchronous final : public GradientReference
{
public:
    explicit Synchronous(const ReferenceSetup& setup)
        : m_microBatches(setup.lowered.shape.microBatches * setup.lowered.shape.dataParallel)
        , m_units(hasHalves(setup.lowered) ? unitsPerMicroBatch(setup.lowered) : 1)
        , m_whole(makeTransformer(keepingAll(setup.pass.model), 1, setup.device))
        , m_trainer(*m_whole, setup.device.kernels(), setup.seed, setup.accumulate)
    {
        const auto cut = makeTransformer(setup.pass.model, setup.lowered.shape.stages, setup.device,
                                         setup.pass.slices);
        m_first.push_back(0); // the whole model has the parameters in stage order
        for (const StageId stage : Ids<StageId>(cut->stages()))
            m_first.push_back(m_first.back() + cut->sizes(stage).parameters);
    }

    double train(TokenBatches& uncut) override
    {
        const double loss = m_trainer.accumulate(uncut, m_microBatches, m_units);
        const std::span<const float> sum = m_trainer.gradients();
        m_sum.assign(sum.begin(), sum.end());
        m_trainer.update();
        return loss;
    }

    std::span<const float> gradient(StageId stage, std::size_t) const override
    {
        const StageId next{stage.value + 1};
        return std::span(m_sum).subspan(m_first[stage], m_first[next] - m_first[stage]);
    }

private:
    int m_microBatches, m_units;
    std::unique_ptr<PipelineModel<float>> m_whole;
    SequentialTrainer m_trainer;
    IdVector<StageId, std::size_t> m_first; // [stage] first parameter; then the total
    std::vector<float> m_sum;
};

class Asynchronous final : public GradientReference
{
public:
    Asynchronous(const ReferenceSetup& setup, VersionRule rule)
        : m_microBatches(setup.lowered.shape.allMicroBatches())
        , m_cut(makeTransformer(keepingAll(setup.pass.model), setup.lowered.shape.stages,
                                setup.device))
        , m_trainer({*m_cut, setup.device.kernels(), setup.seed, setup.accumulate, std::move(rule),
                     setup.lowered.shape.updateEvery})
    { }

    double train(TokenBatches& uncut) override { return m_trainer.train(uncut, m_microBatches); }

    std::span<const float> gradient(StageId stage, std::size_t update) const override
    {
        return m_trainer.gradients()[stage].at(update);
    }

private:
    int m_microBatches;
    std::unique_ptr<PipelineModel<float>> m_cut;
    VersionedTrainer m_trainer;
};

} // namespace

Result<std::unique_ptr<GradientReference>> makeReference(const ReferenceSetup& setup)
{
    const Shape& shape = setup.lowered.shape;
    if (shape.updateEvery == 0)
        return std::make_unique<Synchronous>(setup);
    VersionRule rule = versionRule(setup.lowered.scheme, shape.stages, shape.updateEvery);
    if (!rule)
        return fail(
            Error::Code::Unsupported,
            fmt::format("{} has no sequential reference, so its gradients cannot be compared",
                        setup.lowered.scheme));
    return std::make_unique<Asynchronous>(setup, std::move(rule));
}

} // namespace engine
