#pragma once

#include "engine/model/pipeline_model.h"

namespace engine {

// Converts the memory of a pass from bytes to numbers of Real.
template<class Real>
std::span<Real> numbersIn(std::span<std::byte> memory)
{
    return {reinterpret_cast<Real*>(memory.data()), memory.size() / sizeof(Real)};
}
template<class Real>
std::span<const Real> numbersIn(std::span<const std::byte> memory)
{
    return {reinterpret_cast<const Real*>(memory.data()), memory.size() / sizeof(Real)};
}

template<class Real>
StashPieces<Real> numbersIn(const StashPieces<std::byte>& pieces)
{
    const auto at = [](std::byte* piece) { return reinterpret_cast<Real*>(piece); };
    return {at(pieces.headKept), at(pieces.rest), at(pieces.headRest)};
}

template<class Real>
ForwardPass<Real> numbersIn(const ForwardPass<std::byte>& pass)
{
    return {numbersIn<Real>(pass.weights),
            numbersIn<Real>(pass.input),
            numbersIn<Real>(pass.stash),
            numbersIn<Real>(pass.output),
            numbersIn<Real>(pass.workspace),
            pass.tokens,
            pass.slice,
            numbersIn<Real>(pass.pieces),
            pass.loss};
}

template<class Real>
RecomputePass<Real> numbersIn(const RecomputePass<std::byte>& pass)
{
    return {numbersIn<Real>(pass.weights),
            numbersIn<Real>(pass.stash),
            numbersIn<Real>(pass.recomputed),
            numbersIn<Real>(pass.workspace),
            pass.tokens,
            numbersIn<Real>(pass.pieces)};
}

template<class Real>
BackwardPass<Real> numbersIn(const BackwardPass<std::byte, Wide<Real>>& pass)
{
    return {numbersIn<Real>(pass.weights),
            numbersIn<Real>(pass.stash),
            numbersIn<Real>(pass.outputGradient),
            numbersIn<Real>(pass.inputGradient),
            pass.gradients,
            numbersIn<Real>(pass.workspace),
            pass.tokens,
            pass.lossScale,
            pass.slice,
            numbersIn<Real>(pass.pieces)};
}

template<class Real>
WeightPass<Real> numbersIn(const WeightPass<std::byte, Wide<Real>>& pass)
{
    return {numbersIn<Real>(pass.stash), pass.gradients,
            reinterpret_cast<const Real*>(pass.headKept)};
}

} // namespace engine
