#pragma once

#include "engine/backend/kernels.h"
#include "engine/model/model_spec.h"

namespace engine {

// Sizes of one pass over one micro-batch.
struct TransformerShape
{
    int samples = 0, sequence = 0, width = 0, heads = 0, vocabulary = 0;

    explicit TransformerShape(const ModelSpec& model)
        : samples(model.microBatchSize)
        , sequence(model.sequence)
        , width(model.width)
        , heads(model.heads)
        , vocabulary(model.vocabulary)
    { }

    int rows() const { return samples * sequence; }
    int qkvWidth() const { return 3 * width; }
    int expandedWidth() const { return 4 * width; }
    int innerWidth() const { return 4 * width; }
    std::size_t times(int columns) const
    {
        return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(columns);
    }
    // Of the residual stream: what stages pass to one another.
    std::size_t state() const { return times(width); }
    std::size_t scores() const { return times(heads) * static_cast<std::size_t>(sequence); }

    template<class Real>
    Matrix<Real> matrix(Real* data, int columns) const
    {
        return {data, rows(), columns};
    }
    template<class Real>
    Matrix<Real> stateOf(Real* data) const
    {
        return matrix(data, width);
    }
};

} // namespace engine
