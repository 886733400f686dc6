#pragma once

#include "engine/backend/kernels.h"
#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// Sizes of one micro-batch of a GPT.
struct GptShape
{
    int samples = 0, sequence = 0, width = 0, heads = 0, vocabulary = 0;

    explicit GptShape(const ModelSpec& model);
    int rows() const { return samples * sequence; }
    std::size_t state() const // of the residual stream: what stages pass to one another
    {
        return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(width);
    }
};

// One pre-norm transformer block: x + attention(norm(x)), then + mlp(norm(.)). Its weights and its
// stash each lie in one array that begins where the pointer says. The stash begins with x.
template<class Real>
class GptBlock
{
public:
    GptBlock(const GptShape& shape, const Kernels<Real>& kernels);

    // Appends the block's parameters as number `layer` behind those there are.
    static void describe(const GptShape& shape, int layer, std::vector<Parameter>& parameters);
    static std::size_t parameterCount(const GptShape& shape);
    static std::size_t stashCount(const GptShape& shape);
    static std::size_t workspaceCount(const GptShape& shape);

    void forward(const Real* weights, Real* stash, Matrix<Real> out) const;
    // `d` holds the gradient of the output and then that of the input.
    void backward(const BackwardPass<Real>& pass, Matrix<Real> d) const;

private:
    void mlpBackward(const BackwardPass<Real>& pass, Matrix<Real> d) const;
    void attentionBackward(const BackwardPass<Real>& pass, Matrix<Real> d) const;

    GptShape m_shape;
    const Kernels<Real>& m_kernels;
};

} // namespace engine
