#pragma once

#include "engine/backend/matrix.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

// One step of AdamW (Loshchilov and Hutter, 2019) for one parameter tensor, with decoupled
// weight decay. In mixed precision `weights` are the master weights (Micikevicius et al., 2018).
template<class Real>
struct AdamW
{
    Wide<Real>* weights = nullptr;
    Real* rounded = nullptr; // receives the new weights, rounded; nullptr if Real is wide
    Wide<Real>* firstMoment = nullptr;
    Wide<Real>* secondMoment = nullptr;
    const Wide<Real>* gradients = nullptr;
    std::size_t count = 0;
    double learningRate = 0, beta1 = 0, beta2 = 0, epsilon = 0, weightDecay = 0;
    int step = 1; // counted from 1, for the bias correction
};

// Consecutive tensors of a stage: either all have weight decay or none has.
struct DecayPart
{
    std::size_t count = 0; // numbers
    bool decays = false;
};

constexpr int kFixedPointBits = 40;

// Optimizer, gradient norm and exact accumulation.
template<class Real>
class OptimizerKernels
{
public:
    // Runs one step for the contiguous tensors of `parts`. op.weightDecay applies only to parts
    // with decay.
    virtual void adamW(const AdamW<Real>& op, std::span<const DecayPart> parts) const = 0;
    // Adds the sum of squares (for the gradient norm) to `*sum` in device memory, in double and in
    // a fixed order.
    virtual void addSquares(std::span<const Wide<Real>> x, double* sum) const
    {
        constexpr std::size_t kLanes = 8;
        double lanes[kLanes] = {};
        for (std::size_t i = 0; i < x.size() / kLanes * kLanes; i += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const auto each = static_cast<double>(x[i + lane]);
                lanes[lane] += each * each;
            }
        for (std::size_t i = x.size() / kLanes * kLanes; i < x.size(); ++i)
            lanes[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
        for (const double lane : lanes)
            *sum += lane;
    }

    // Fixed point (`--accumulate exact`): sums += round(x 2^40). Integer sums do not depend on the
    // order of the additions.
    virtual void addFixedPoint(std::span<const Wide<Real>> x,
                               std::span<std::int64_t> sums) const = 0;
    virtual void fromFixedPoint(std::span<const std::int64_t> sums,
                                std::span<Wide<Real>> x) const = 0;

protected:
    ~OptimizerKernels() = default;
};

} // namespace engine
