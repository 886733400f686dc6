#pragma once

#include "engine/backend/matrix.h"

#include <cstdint>
#include <span>

namespace engine {

// Adds the sum over rows of -log p(target) / `share` (in nats) to the loss. p is the softmax of a
// row.
template<class Real>
struct CrossEntropy
{
    Matrix<const Real> logits;
    std::span<const std::int32_t> targets; // rows with a negative target are skipped
    double* loss = nullptr;                // in device memory
    double share = 1;                      // expected fraction of rows with a target
};

// The layers that read tokens: the embedding and the loss.
template<class Real>
class TokenKernels
{
public:
    // out = tokenTable[token] + positionTable[position]. Positions start at 0 in every sample.
    // `positionTable` is optional.
    virtual void embedding(std::span<const std::int32_t> tokens, const Real* tokenTable,
                           Matrix<const Real> positionTable, Matrix<Real> out) const = 0;
    virtual void embeddingBackward(std::span<const std::int32_t> tokens, Matrix<const Real> dOut,
                                   Wide<Real>* dTokenTable,
                                   Matrix<Wide<Real>> dPositionTable) const = 0;

    virtual void crossEntropy(const CrossEntropy<Real>& op) const = 0;
    // Overwrites the logits with scale * (p - [column is the target]), or with 0 in skipped rows.
    // The probabilities p are recomputed instead of stored, so they are never rounded.
    virtual void crossEntropyBackward(Matrix<Real> logits, std::span<const std::int32_t> targets,
                                      Wide<Real> scale) const = 0;

protected:
    ~TokenKernels() = default;
};

} // namespace engine
