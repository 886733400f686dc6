#pragma once

#include "engine/backend/device.h"
#include "engine/plan/token_batches.h"
#include "engine/plan/unit_spec.h"
#include "engine/verify/verify_gradients.h"

#include <memory>

namespace engine {

// What a scheme's gradients are compared with, iteration by iteration: plain training that knows
// neither the schedule nor the executors.
class GradientReference
{
public:
    GradientReference() = default;
    GradientReference(const GradientReference&) = delete;
    GradientReference& operator=(const GradientReference&) = delete;
    virtual ~GradientReference() = default;

    // Trains one iteration, the micro-batches of all copies; its mean loss, in nats per token.
    virtual double train(TokenBatches& uncut) = 0;
    // What update number `update` of that iteration was made from; one, 0, in a synchronous scheme.
    virtual std::span<const float> gradient(StageId stage, std::size_t update) const = 0;
};

struct ReferenceSetup
{
    const Schedule& lowered;
    const UnitSpec& unit;
    const Device& device; // outlives the reference; checkPrecision() has passed
    std::uint64_t seed = 1;
    Accumulate accumulate = Accumulate::Exact;
};
// SequentialTrainer for a synchronous scheme, VersionedTrainer for an asynchronous one; Unsupported
// where no rule for the versions is known.
Result<std::unique_ptr<GradientReference>> makeReference(const ReferenceSetup& setup);

} // namespace engine
