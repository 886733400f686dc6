#pragma once

#include "engine/base/units.h"
#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"
#include "engine/model/text_data.h"

#include <vector>

namespace engine {

// The tokens of one iteration, all micro-batches.
class TokenBatches
{
public:
    // Of memory, known before it is taken.
    static Bytes bytes(const ModelSpec& model, int microBatches)
    {
        return Bytes{2} * model.microBatchSize * model.sequence * microBatches
            * static_cast<Bytes>(sizeof(std::int32_t));
    }

    TokenBatches(const ModelSpec& model, int microBatches)
        : m_sequence(model.sequence)
        , m_microBatches(microBatches)
        , m_tokens(static_cast<std::size_t>(model.microBatchSize)
                   * static_cast<std::size_t>(model.sequence))
        , m_inputs(m_tokens * static_cast<std::size_t>(microBatches))
        , m_targets(m_inputs.size())
    { }

    // `iteration` counts all of a run, warm-up included.
    void load(const TextData& data, int iteration)
    {
        for (int m = 0; m < m_microBatches; ++m)
            data.fill(iteration, m, m_sequence, part(m_inputs, m), part(m_targets, m));
    }
    TokenBatch of(int microBatch)
    {
        return {part(m_inputs, microBatch), part(m_targets, microBatch)};
    }

    std::size_t tokensPerMicroBatch() const { return m_tokens; }
    std::int64_t tokens() const { return static_cast<std::int64_t>(m_inputs.size()); }

private:
    std::span<std::int32_t> part(std::vector<std::int32_t>& all, int microBatch) const
    {
        return std::span(all).subspan(static_cast<std::size_t>(microBatch) * m_tokens, m_tokens);
    }

    int m_sequence, m_microBatches;
    std::size_t m_tokens;
    std::vector<std::int32_t> m_inputs, m_targets;
};

} // namespace engine
