#pragma once

#include "engine/backend/cpu/cpu_device.h"
#include "engine/model/image_data.h"
#include "engine/model/text_data.h"
#include "engine/model/transformer.h"
#include "tests/support/bytes_of.h"

#include <algorithm>
#include <cmath>
#include <limits>

inline const engine::CpuDevice& cpuDevice()
{
    static const auto device = engine::openCpuDevice().value();
    return *device;
}

// All stages of a model one after the other on one micro-batch, slice by slice: its loss and its
// gradients. Whatever a pass may not rely on begins as NaN.
class ModelChain
{
public:
    using Array = std::vector<double>;

    // The samples are those from `firstSample` on.
    ModelChain(const engine::ModelSpec& spec, int stages, int slices = 1, int firstSample = 0)
        : m_model(spec, stages, cpuDevice().doubleKernels(), slices)
        , m_passes(static_cast<std::size_t>(slices))
    {
        makeTokens(spec, firstSample);
        for (int s = 0; s < stages; ++s) {
            const engine::StageSizes sizes = m_model.sizes(engine::StageId{s});
            weights.emplace_back(sizes.parameters);
            m_model.initialize(engine::StageId{s}, 11, bytesOf(weights.back()), {});
            gradients.emplace_back(sizes.parameters);
            m_workspaces.emplace_back(sizes.workspace);
            for (Pass& pass : m_passes) {
                pass.stashes.emplace_back(sizes.stash, kNan);
                pass.recomputed.emplace_back(sizes.recomputed, kNan);
                pass.outputs.emplace_back(sizes.output, kNan);
                pass.inputGradients.emplace_back(sizes.input, kNan);
            }
        }
    }

    double loss()
    {
        double sum = 0;
        for (std::size_t k = 0; k < m_passes.size(); ++k)
            for (std::size_t s = 0; s < weights.size(); ++s) {
                Pass& pass = m_passes[k];
                m_model.forward(id(s),
                                {.weights = bytesOf(weights[s]),
                                 .input = s == 0 ? kNone : bytesOf(pass.outputs[s - 1]),
                                 .stash = bytesOf(pass.stashes[s]),
                                 .output = bytesOf(pass.outputs[s]),
                                 .workspace = workspace(s),
                                 .tokens = tokens(k),
                                 .slice = slice(k, s),
                                 .loss = &sum});
            }
        return sum;
    }

    void backward()
    {
        for (std::size_t k = m_passes.size(); k-- > 0;)
            for (std::size_t s = weights.size(); s-- > 0;)
                m_model.backward(id(s), backwardPass(k, s));
    }

    // I of every stage, and only then W: between them nothing is left but what the sizes promise
    // for W.
    void splitBackward()
    {
        for (std::size_t k = m_passes.size(); k-- > 0;)
            for (std::size_t s = weights.size(); s-- > 0;)
                m_model.backwardInput(id(s), backwardPass(k, s));
        for (Pass& pass : m_passes)
            for (std::size_t s = 0; s < weights.size(); ++s) {
                Array& stash = pass.recomputed[s].empty() ? pass.stashes[s] : pass.recomputed[s];
                const std::size_t kept = m_model.sizes(id(s)).weightStash;
                for (Array* gone : {&pass.inputGradients[s], &pass.outputs[s]})
                    std::ranges::fill(*gone, kNan);
                stash.resize(kept);
                m_model.backwardWeight(id(s), {bytesOf(stash), gradients[s]});
            }
    }

    // Of an image: of `values` numbers a token.
    void reverseTokens(std::ptrdiff_t values)
    {
        std::vector<std::int32_t>& inputs = m_passes[0].inputs;
        std::ranges::reverse(inputs);
        for (auto token = inputs.begin(); token != inputs.end(); token += values)
            std::reverse(token, token + values);
    }

    const engine::Transformer<double>& model() const { return m_model; }

    std::vector<Array> weights, gradients; // [stage]

private:
    static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    static constexpr std::span<std::byte> kNone = {};
    struct Pass // of one slice
    {
        std::vector<std::int32_t> inputs, targets;
        std::vector<Array> stashes, recomputed, outputs, inputGradients; // [stage]
        std::vector<std::span<std::byte>> earlier; // what the pass now at work is shown
    };

    static engine::StageId id(std::size_t s) { return engine::StageId{static_cast<int>(s)}; }

    void makeTokens(const engine::ModelSpec& spec, int firstSample)
    {
        engine::Random random(7);
        const auto sequence = static_cast<std::size_t>(spec.sequence);
        if (spec.family == engine::Family::Vit) {
            m_passes[0].inputs.resize(static_cast<std::size_t>(spec.inputs()));
            m_passes[0].targets.resize(static_cast<std::size_t>(spec.targets()));
            engine::fillImages(spec, 7, firstSample, m_passes[0].inputs, m_passes[0].targets);
            return;
        }
        std::vector<std::int32_t> inputs(sequence), targets(sequence);
        for (int sample = 0; sample < firstSample + spec.microBatchSize; ++sample) {
            for (std::size_t t = 0; t < sequence; ++t) {
                inputs[t] = static_cast<std::int32_t>(random.below(256));
                targets[t] = static_cast<std::int32_t>(random.below(256));
            }
            if (spec.family == engine::Family::Bert)
                engine::hideTokens(random, inputs, targets);
            for (std::size_t t = 0; t < sequence && sample >= firstSample; ++t) {
                Pass& pass = m_passes[t / (sequence / m_passes.size())];
                pass.inputs.push_back(inputs[t]);
                pass.targets.push_back(targets[t]);
            }
        }
    }

    engine::TokenBatch tokens(std::size_t k) const
    {
        return {m_passes[k].inputs, m_passes[k].targets};
    }
    std::span<std::byte> workspace(std::size_t s)
    {
        std::ranges::fill(m_workspaces[s], kNan);
        return bytesOf(m_workspaces[s]);
    }
    engine::SequenceSlice slice(std::size_t k, std::size_t s)
    {
        auto& earlier = m_passes[k].earlier;
        earlier.clear();
        for (std::size_t j = 0; j < k; ++j)
            earlier.push_back(bytesOf(m_passes[j].stashes[s]));
        return {static_cast<int>(k), earlier};
    }

    engine::BackwardPass<std::byte, double> backwardPass(std::size_t k, std::size_t s)
    {
        Pass& pass = m_passes[k];
        if (!pass.recomputed[s].empty())
            m_model.recompute(id(s),
                              {bytesOf(weights[s]), bytesOf(pass.stashes[s]),
                               bytesOf(pass.recomputed[s]), workspace(s), tokens(k)});
        return {bytesOf(weights[s]),
                bytesOf(pass.recomputed[s].empty() ? pass.stashes[s] : pass.recomputed[s]),
                s + 1 < weights.size() ? bytesOf(pass.inputGradients[s + 1]) : kNone,
                bytesOf(pass.inputGradients[s]),
                gradients[s],
                workspace(s),
                tokens(k),
                1,
                slice(k, s)};
    }

    engine::Transformer<double> m_model;
    std::vector<Array> m_workspaces; // [stage]
    std::vector<Pass> m_passes;      // [slice]
};

inline std::vector<double> joined(const std::vector<std::vector<double>>& stages)
{
    std::vector<double> all;
    for (const auto& stage : stages)
        all.insert(all.end(), stage.begin(), stage.end());
    return all;
}

// The largest difference between `gradient` and central differences over every `stride`th weight,
// relative to the largest slope of the tensor.
inline double tensorError(ModelChain& chain, std::size_t stage, const engine::Parameter& parameter)
{
    constexpr double kStep = 1e-5;
    double worst = 0, largest = 1e-9;
    const std::size_t stride = std::max<std::size_t>(1, parameter.count / 12);
    for (std::size_t i = parameter.offset; i < parameter.offset + parameter.count; i += stride) {
        double& weight = chain.weights[stage][i];
        const double kept = weight;
        weight = kept + kStep;
        const double above = chain.loss();
        weight = kept - kStep;
        const double slope = (above - chain.loss()) / (2 * kStep);
        weight = kept;
        worst = std::max(worst, std::abs(slope - chain.gradients[stage][i]));
        largest = std::max(largest, std::abs(slope));
    }
    return worst / largest;
}
