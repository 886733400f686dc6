#include "tests/catch.h"
#include "tests/support/model_chain.h"

using namespace engine;

namespace {

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

} // namespace

TEST_CASE("finite differences agree with the gradients of every tensor of a GPT in three stages")
{
    ModelChain chain(smallSpec(), 3);
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
    ModelChain whole(smallSpec(), 1), cut(smallSpec(), 3);
    CHECK(joined(whole.weights) == joined(cut.weights));
    CHECK(whole.loss() == cut.loss());
    whole.backward();
    cut.backward();
    CHECK(joined(whole.gradients) == joined(cut.gradients));
}

TEST_CASE("I and then W give the gradients of a whole backward bit for bit, from what I leaves")
{
    for (const int stages : {1, 2, 3}) {
        ModelChain whole(smallSpec(), stages), split(smallSpec(), stages);
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
    ModelChain chain(spec, 1);
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
