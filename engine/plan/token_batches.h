#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/image_data.h"
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

inline TokenBatch partOf(TokenBatch batch, int part, int parts, int count = 1)
{
    const auto cut = [=](std::span<const std::int32_t> all) {
        const std::size_t size = all.size() / parts;
        return all.subspan(part * size, count * size);
    };
    return {cut(batch.inputs), cut(batch.targets)};
}

// The tokens of all micro-batches of one iteration.
class TokenBatches
{
public:
    static Bytes bytes(const ModelSpec& model, int microBatches)
    {
        return (Bytes{model.inputs()} + model.targets()) * microBatches * sizeof(std::int32_t);
    }

    // With several slices the tokens of a micro-batch are ordered (slice, sample, token).
    TokenBatches(const ModelSpec& model, int microBatches, int slices = 1)
        : m_model(model)
        , m_microBatches(microBatches)
        , m_slices(slices)
        , m_inputs(static_cast<std::size_t>(model.inputs()) * microBatches)
        , m_targets(static_cast<std::size_t>(model.targets()) * microBatches)
    { }

    // Loads iteration `iteration`, counted over the run including warm-up. Micro-batches are
    // consecutive, so two of the same epoch never share a sample.
    void load(const TextData& data, int iteration)
    {
        for (int m = 0; m < m_microBatches; ++m) {
            const std::int64_t first
                = (std::int64_t{iteration} * m_microBatches + m) * m_model.microBatchSize;
            const auto inputs = part(m_inputs, m), targets = part(m_targets, m);
            if (m_model.family == Family::Vit)
                fillImages(m_model, data.seed(), first, inputs, targets);
            else if (m_model.family == Family::Bert)
                data.fillHidden(first, m_model.sequence, inputs, targets);
            else
                data.fill(first, m_model.sequence, inputs, targets);
            cut(inputs);
            cut(targets);
        }
    }
    TokenBatch of(int first, int count = 1) const
    {
        return partOf({m_inputs, m_targets}, first, m_microBatches, count);
    }

    std::size_t tokensPerMicroBatch() const
    {
        return static_cast<std::size_t>(m_model.microBatchSize) * m_model.sequence;
    }
    std::int64_t tokens() const { return m_microBatches * tokensPerMicroBatch(); }

private:
    std::span<std::int32_t> part(std::vector<std::int32_t>& all, int microBatch) const
    {
        const std::size_t size = all.size() / m_microBatches;
        return std::span(all).subspan(microBatch * size, size);
    }

    // Reorders (sample, slice, token) to (slice, sample, token).
    void cut(std::span<std::int32_t> tokens) const
    {
        if (m_slices == 1)
            return;
        const std::vector<std::int32_t> whole(tokens.begin(), tokens.end());
        const std::size_t length = m_model.sequence / m_slices;
        const std::size_t slices = m_slices;
        const std::size_t samples = whole.size() / (slices * length);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const std::size_t sample = i / (slices * length), slice = i / length % slices;
            tokens[(slice * samples + sample) * length + i % length] = whole[i];
        }
    }

    ModelSpec m_model;
    int m_microBatches, m_slices;
    std::vector<std::int32_t> m_inputs, m_targets;
};

} // namespace engine
