#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"
#include "engine/model/text_data.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace engine {

// The input of one pass: a micro-batch, half of its samples, or a slice of its sequence
// (UnitRange).
struct PassSpec
{
    ModelSpec model; // has half the micro-batch size if the schedule has halves
    int slices = 1;  // number of sequence slices
};
// Fails if the samples cannot be halved or the sequence cannot be sliced evenly.
Result<PassSpec> passSpec(ModelSpec model, const Schedule& lowered);

inline TokenBatch partOf(TokenBatch batch, int part, int parts)
{
    const std::size_t count = batch.inputs.size() / parts;
    const std::size_t first = part * count;
    return {batch.inputs.subspan(first, count), batch.targets.subspan(first, count)};
}

// The tokens of all micro-batches of one iteration.
class TokenBatches
{
public:
    static Bytes bytes(const ModelSpec& model, int microBatches)
    {
        return Bytes{2} * model.microBatchSize * model.sequence * microBatches
            * sizeof(std::int32_t);
    }

    // With several slices the tokens of a micro-batch are ordered (slice, sample, token).
    TokenBatches(const ModelSpec& model, int microBatches, int slices = 1)
        : m_sequence(model.sequence)
        , m_microBatches(microBatches)
        , m_slices(slices)
        , m_hidesTokens(model.family == Family::Bert)
        , m_tokens(model.microBatchSize * static_cast<std::size_t>(model.sequence))
        , m_inputs(m_tokens * microBatches)
        , m_targets(m_inputs.size())
    { }

    // Loads iteration `iteration`, counted over the run including warm-up. Micro-batches are
    // consecutive, so two of the same epoch never share a sample.
    void load(const TextData& data, int iteration)
    {
        const std::int64_t samples = m_tokens / m_sequence;
        for (int m = 0; m < m_microBatches; ++m) {
            const std::int64_t first = (std::int64_t{iteration} * m_microBatches + m) * samples;
            const auto inputs = part(m_inputs, m), targets = part(m_targets, m);
            if (m_hidesTokens)
                data.fillHidden(first, m_sequence, inputs, targets);
            else
                data.fill(first, m_sequence, inputs, targets);
            cut(inputs);
            cut(targets);
        }
    }
    TokenBatch of(int microBatch)
    {
        return {part(m_inputs, microBatch), part(m_targets, microBatch)};
    }
    TokenBatch of(int first, int count) const
    {
        const std::size_t begin = first * m_tokens;
        const std::size_t length = count * m_tokens;
        return {std::span(m_inputs).subspan(begin, length),
                std::span(m_targets).subspan(begin, length)};
    }

    std::size_t tokensPerMicroBatch() const { return m_tokens; }
    std::int64_t tokens() const { return m_inputs.size(); }

private:
    std::span<std::int32_t> part(std::vector<std::int32_t>& all, int microBatch) const
    {
        return std::span(all).subspan(microBatch * m_tokens, m_tokens);
    }

    // Reorders (sample, slice, token) to (slice, sample, token).
    void cut(std::span<std::int32_t> tokens) const
    {
        if (m_slices == 1)
            return;
        const std::vector<std::int32_t> whole(tokens.begin(), tokens.end());
        const std::size_t length = m_sequence / m_slices;
        const std::size_t slices = m_slices;
        const std::size_t samples = whole.size() / (slices * length);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const std::size_t sample = i / (slices * length), slice = i / length % slices;
            tokens[(slice * samples + sample) * length + i % length] = whole[i];
        }
    }

    int m_sequence, m_microBatches, m_slices;
    bool m_hidesTokens;
    std::size_t m_tokens;
    std::vector<std::int32_t> m_inputs, m_targets;
};

} // namespace engine
