#pragma once

#include "engine/backend/device.h"
#include "engine/plan/pass_spec.h"
#include "engine/plan/token_batches.h"
#include "engine/verify/verify_gradients.h"

#include <memory>

namespace engine {

// Computes reference gradients for a scheme by training without schedule and executors.
class GradientReference
{
public:
    GradientReference() = default;
    GradientReference(const GradientReference&) = delete;
    GradientReference& operator=(const GradientReference&) = delete;
    virtual ~GradientReference() = default;

    // Trains one iteration with the micro-batches of all data-parallel pipelines. Returns the mean
    // loss of the iteration in nats per token.
    virtual double train(TokenBatches& uncut) = 0;
    // Returns the gradient of update `update` of the last iteration; `update` is 0 in a synchronous
    // scheme.
    virtual std::span<const float> gradient(StageId stage, std::size_t update) const = 0;
};

struct ReferenceSetup
{
    const Schedule& lowered;
    const PassSpec& pass;
    const Device& device; // must outlive the reference; requires checkPrecision()
    std::uint64_t seed = 1;
    Accumulate accumulate = Accumulate::Exact;
};
// Makes a SequentialTrainer for synchronous schemes and a VersionedTrainer for asynchronous ones.
// Fails with Error::Code::Unsupported if the version rule of the scheme is unknown.
Result<std::unique_ptr<GradientReference>> makeReference(const ReferenceSetup& setup);

} // namespace engine
