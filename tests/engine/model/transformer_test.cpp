#include "engine/backend/cpu/cpu_device.h"
#include "engine/model/random.h"
#include "engine/model/transformer.h"
#include "tests/catch.h"

#include <cmath>
#include <numeric>

using namespace engine;

namespace {

const CpuDevice& cpuDevice()
{
    static const auto device = openCpuDevice().value();
    return *device;
}

ModelSpec smallSpec()
{
    ModelSpec spec;
    spec.layers = 3;
    spec.width = 8;
    spec.heads = 2;
    spec.sequence = 5;
    spec.microBatchSize = 2;
    spec.initStd = 0.3;
    return spec;
}

// All stages one after the other: the loss of a micro-batch and, on request, its gradients.
class Chain
{
public:
    Chain(const ModelSpec& spec, int stages)
        : m_model(spec, stages, cpuDevice().doubleKernels())
        , m_tokens(static_cast<std::size_t>(spec.microBatchSize * spec.sequence))
        , m_targets(m_tokens.size())
    {
        Random random(7);
        for (std::size_t i = 0; i < m_tokens.size(); ++i) {
            m_tokens[i] = static_cast<std::int32_t>(random.below(256));
            m_targets[i] = static_cast<std::int32_t>(random.below(256));
        }
        for (int s = 0; s < stages; ++s) {
            const StageSizes sizes = m_model.sizes(StageId{s});
            weights.emplace_back(sizes.parameters);
            m_model.initialize(StageId{s}, 11, weights.back());
            gradients.emplace_back(sizes.parameters);
            m_stashes.emplace_back(sizes.stash);
            m_outputs.emplace_back(sizes.output);
            m_inputGradients.emplace_back(sizes.input);
            m_workspaces.emplace_back(sizes.workspace);
        }
    }

    double loss()
    {
        double sum = 0;
        for (std::size_t s = 0; s < weights.size(); ++s)
            sum += m_model.forward(id(s),
                                   {weights[s],
                                    s == 0 ? std::span<const double>() : m_outputs[s - 1],
                                    m_stashes[s],
                                    m_outputs[s],
                                    m_workspaces[s],
                                    {m_tokens, m_targets}});
        return sum;
    }

    void backward()
    {
        for (std::size_t s = weights.size(); s-- > 0;)
            m_model.backward(id(s), backwardPass(s));
    }

    // I of every stage, and only then W: between them nothing is left but what the sizes promise
    // for W. The rest of the stashes, the messages and the workspaces hold NaN.
    void splitBackward()
    {
        for (std::size_t s = weights.size(); s-- > 0;)
            m_model.backwardInput(id(s), backwardPass(s));
        for (std::size_t s = 0; s < weights.size(); ++s) {
            const std::size_t kept = m_model.sizes(id(s)).weightStash;
            std::fill(m_stashes[s].begin() + static_cast<std::ptrdiff_t>(kept), m_stashes[s].end(),
                      std::nan(""));
            for (Array* gone : {&m_inputGradients[s], &m_outputs[s], &m_workspaces[s]})
                std::ranges::fill(*gone, std::nan(""));
        }
        for (std::size_t s = 0; s < weights.size(); ++s)
            m_model.backwardWeight(
                id(s),
                {std::span<const double>(m_stashes[s]).first(m_model.sizes(id(s)).weightStash),
                 gradients[s]});
    }

    const Transformer<double>& model() const { return m_model; }

    using Array = std::vector<double>;
    std::vector<Array> weights, gradients; // [stage]

private:
    static StageId id(std::size_t s) { return StageId{static_cast<int>(s)}; }

    BackwardPass<double> backwardPass(std::size_t s)
    {
        return {weights[s],
                m_stashes[s],
                s + 1 < weights.size() ? m_inputGradients[s + 1] : std::span<const double>(),
                m_inputGradients[s],
                gradients[s],
                m_workspaces[s],
                {m_tokens, m_targets},
                1};
    }

    Transformer<double> m_model;
    std::vector<std::int32_t> m_tokens, m_targets;
    std::vector<Array> m_stashes, m_outputs, m_inputGradients, m_workspaces;
};

std::vector<double> joined(const std::vector<std::vector<double>>& stages)
{
    std::vector<double> all;
    for (const auto& stage : stages)
        all.insert(all.end(), stage.begin(), stage.end());
    return all;
}

// The largest difference between `gradient` and central differences over every `stride`th weight,
// relative to the largest slope of the tensor.
double tensorError(Chain& chain, std::size_t stage, const Parameter& parameter)
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

} // namespace

TEST_CASE("finite differences agree with the gradients of every tensor of a GPT in three stages")
{
    Chain chain(smallSpec(), 3);
    chain.loss();
    chain.backward();
    for (std::size_t stage = 0; stage < 3; ++stage)
        for (const Parameter& parameter :
             chain.model().parameters(StageId{static_cast<int>(stage)})) {
            INFO(parameter.name);
            CHECK(tensorError(chain, stage, parameter) < 1e-6);
        }
}

TEST_CASE("a GPT has the same weights, loss and gradients however it is cut into stages")
{
    Chain whole(smallSpec(), 1), cut(smallSpec(), 3);
    CHECK(joined(whole.weights) == joined(cut.weights));
    CHECK(whole.loss() == cut.loss());
    whole.backward();
    cut.backward();
    CHECK(joined(whole.gradients) == joined(cut.gradients));
}

TEST_CASE("I and then W give the gradients of a whole backward bit for bit, from what I leaves")
{
    for (const int stages : {1, 2, 3}) {
        Chain whole(smallSpec(), stages), split(smallSpec(), stages);
        CHECK(whole.loss() == split.loss());
        whole.backward();
        split.splitBackward();
        CHECK(joined(whole.gradients) == joined(split.gradients));
    }
}

TEST_CASE("a stage frees its norms' statistics and scores after I, and keeps 16 C a token for W")
{
    const ModelSpec spec = smallSpec();
    const Transformer<float> model(spec, 3, cpuDevice().kernels());
    const std::size_t rows = 2 * 5, scores = rows * 2 * 5;
    const StageSizes middle = model.sizes(StageId{1}), last = model.sizes(StageId{2});
    CHECK(middle.weightStash == rows * 16 * 8);
    CHECK(middle.stash == middle.weightStash + 4 * rows + scores);
    // The head's norm and logits; the input of the stage waits for no W.
    CHECK(last.weightStash == middle.weightStash + rows * (8 + 256));
    CHECK(last.stash == last.weightStash + 4 * rows + scores + 2 * rows + rows * 8);
}

TEST_CASE("an untrained GPT's loss is near the log of its vocabulary")
{
    ModelSpec spec = smallSpec();
    spec.initStd = 0.02;
    Chain chain(spec, 1);
    CHECK(chain.loss() / (2 * 5) == Approx(std::log(256.0)).margin(0.1));
}

TEST_CASE("decay is for matrices, not for biases and norms")
{
    const Transformer<float> model(smallSpec(), 1, cpuDevice().kernels());
    for (const Parameter& parameter : model.parameters(StageId{0})) {
        INFO(parameter.name);
        const bool matrix
            = parameter.name.ends_with(".weight") || parameter.name.starts_with("embedding.");
        CHECK(parameter.decays == matrix);
    }
}

TEST_CASE("the stages of a GPT hold every parameter once, in the model's order")
{
    const ModelSpec spec = smallSpec();
    const Transformer<float> whole(spec, 1, cpuDevice().kernels()),
        cut(spec, 2, cpuDevice().kernels());
    std::vector<std::string> names;
    for (int s = 0; s < 2; ++s)
        for (const Parameter& parameter : cut.parameters(StageId{s}))
            names.push_back(parameter.name);
    REQUIRE(names.size() == whole.parameters(StageId{0}).size());
    for (std::size_t i = 0; i < names.size(); ++i)
        CHECK(names[i] == whole.parameters(StageId{0})[i].name);
    CHECK(static_cast<std::int64_t>(whole.sizes(StageId{0}).parameters) == parameterCount(spec));
}
