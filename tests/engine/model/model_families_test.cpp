#include "tests/catch.h"
#include "tests/support/model_chain.h"

#include <map>

using namespace engine;

namespace {

ModelSpec familySpec(Family family)
{
    ModelSpec spec;
    spec.family = family;
    spec.layers = 3;
    spec.width = 16;
    spec.heads = 4;
    spec.kvHeads = family == Family::Llama ? 2 : 0;
    spec.ffnWidth = family == Family::Llama ? 12 : 0;
    spec.patch = family == Family::Vit ? 2 : 0;
    spec.sequence = 6;
    spec.microBatchSize = 2;
    spec.vocabulary = 258;
    spec.initStd = 0.3;
    return spec;
}

void checkEveryTensor(const ModelSpec& spec, int slices = 1)
{
    ModelChain chain(spec, 2, slices);
    chain.loss();
    chain.backward();
    // The loss that forward() gives is over all tokens; the gradient is scaled by lossScale().
    const double share = chain.model().lossScale(1);
    for (std::size_t stage = 0; stage < 2; ++stage) {
        for (double& g : chain.gradients[stage])
            g *= share;
        for (const Parameter& parameter :
             chain.model().parameters(StageId{static_cast<int>(stage)})) {
            INFO(parameter.name);
            CHECK(tensorError(chain, stage, parameter) < 1e-6);
        }
    }
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

constexpr Family kFamilies[] = {Family::Gpt, Family::Bert, Family::Llama, Family::Vit};

} // namespace

TEST_CASE("finite differences agree with the gradients of every tensor of every family")
{
    for (const Family family : kFamilies) {
        INFO(nameIn(kFamilyNames, family));
        checkEveryTensor(familySpec(family));
    }
}

TEST_CASE("a tied head's gradient and the embedding's are those of two equal copies")
{
    for (const Family family : {Family::Gpt, Family::Bert, Family::Llama}) {
        ModelSpec spec = familySpec(family);
        spec.tied = true;
        checkEveryTensor(spec);
        const ModelChain chain(spec, 2);
        const auto tied = chain.model().tied();
        REQUIRE(tied);
        CHECK(tied->count == 258 * 16);
        const auto copy = [&](StageId stage, std::size_t offset) {
            const auto& weights = chain.weights[static_cast<std::size_t>(stage.value)];
            return std::vector(weights.begin() + static_cast<std::ptrdiff_t>(offset),
                               weights.begin() + static_cast<std::ptrdiff_t>(offset + tied->count));
        };
        CHECK(copy(tied->first, tied->firstOffset) == copy(tied->last, tied->lastOffset));
        const std::size_t bias = family == Family::Bert ? 258 : 0; // behind the matrix
        CHECK(tied->lastOffset + tied->count + bias == chain.weights.back().size());
    }
    CHECK_FALSE(ModelChain(familySpec(Family::Gpt), 2).model().tied());
}

TEST_CASE("a BERT's loss is the mean over the hidden tokens, and reads nothing else's target")
{
    ModelSpec spec = familySpec(Family::Bert);
    spec.initStd = 0.02;
    ModelChain chain(spec, 1);
    CHECK(chain.loss() / (2 * 6) == Approx(std::log(258.0)).margin(0.1));
    CHECK(chain.model().lossScale(12) == Approx(0.5)); // one hidden token a sample
}

TEST_CASE("a BERT's head is dense layer, GELU, norm and a decoder with a bias")
{
    ModelSpec spec = familySpec(Family::Bert);
    const Transformer<float> bert(spec, 3, cpuDevice().kernels());
    const auto sizesOf = [](const auto& model) { return model.sizes(StageId{2}); };
    std::vector<std::string> names;
    for (const Parameter& parameter : bert.parameters(StageId{2}))
        if (parameter.name.starts_with("head.") || parameter.name.starts_with("norm."))
            names.push_back(parameter.name);
    CHECK(names
          == std::vector<std::string>{"norm.gain", "norm.bias", "head.transform.weight",
                                      "head.transform.bias", "head.norm.gain", "head.norm.bias",
                                      "head.weight", "head.bias"});
    spec.family = Family::Gpt;
    const Transformer<float> gpt(spec, 3, cpuDevice().kernels());
    const std::size_t rows = 12, width = 16, vocabulary = 258;
    CHECK(sizesOf(bert).parameters
          == sizesOf(gpt).parameters + width * width + 3 * width + vocabulary);
    // Until W the dense layer's input and output more; until I its GELU, and its norm's two
    // numbers.
    CHECK(sizesOf(bert).headKept == sizesOf(gpt).headKept + 2 * rows * width);
    CHECK(sizesOf(bert).headRest == sizesOf(gpt).headRest + rows * width + 2 * rows);
    CHECK(bert.flops(StageId{2}).forward
          == gpt.flops(StageId{2}).forward + 2.0 * rows * width * width);
    for (const bool tied : {false, true}) {
        spec.family = Family::Bert;
        spec.tied = tied;
        const Transformer<float> whole(spec, 1, cpuDevice().kernels());
        CHECK(static_cast<std::size_t>(parameterCount(spec)) + (tied ? vocabulary * width : 0)
              == whole.sizes(StageId{0}).parameters);
    }
}

TEST_CASE("a ViT has linear layers for patches and for the mean of the tokens, one loss per image")
{
    const ModelSpec spec = familySpec(Family::Vit); // 6 patches of 2 x 2 x 3 values
    const Transformer<float> vit(spec, 3, cpuDevice().kernels());
    std::map<std::string, std::size_t> counts;
    for (const int stage : {0, 2})
        for (const Parameter& parameter : vit.parameters(StageId{stage}))
            if (!parameter.name.starts_with("block"))
                counts[parameter.name] = parameter.count;
    const std::size_t width = 16, classes = 258, values = 12, patches = 6, images = 2;
    CHECK(counts
          == std::map<std::string, std::size_t>{{"embedding.patch.weight", values * width},
                                                {"embedding.patch.bias", width},
                                                {"embedding.position", patches * width},
                                                {"norm.gain", width},
                                                {"norm.bias", width},
                                                {"head.weight", width * classes},
                                                {"head.bias", classes}});
    CHECK(static_cast<std::size_t>(parameterCount(spec))
          == Transformer<float>(spec, 1, cpuDevice().kernels()).sizes(StageId{0}).parameters);
    CHECK(vit.sizes(StageId{2}).headKept == images * (width + 320)); // logits of 258, padded
    CHECK(vit.lossScale(12) == 0.5F);                                // of two images of 6 tokens
    // The linear layer for patches in F and, for its weights, in I; the head once per image.
    const StageFlops first = vit.flops(StageId{0}), middle = vit.flops(StageId{1}),
                     last = vit.flops(StageId{2});
    const double ofPatches = 2.0 * images * patches * values * width,
                 ofHead = 2.0 * images * width * classes;
    CHECK(first.forward - middle.forward == ofPatches);
    CHECK(first.backwardInput - middle.backwardInput == ofPatches);
    CHECK(last.forward - middle.forward == ofHead);
    CHECK(last.backwardWeight - middle.backwardWeight == ofHead);
}

TEST_CASE("a ViT's loss does not depend on the order of the tokens without positions")
{
    // Attention reads all tokens, and the head their mean.
    ModelSpec spec = familySpec(Family::Vit);
    spec.microBatchSize = 1;
    ModelChain chain(spec, 1);
    const auto loss = [&] {
        for (const Parameter& parameter : chain.model().parameters(StageId{0}))
            if (parameter.name == "embedding.position")
                std::fill_n(chain.weights[0].begin()
                                + static_cast<std::ptrdiff_t>(parameter.offset),
                            parameter.count, 0.0);
        return chain.loss();
    };
    const double forwards = loss();
    chain.reverseTokens(12);
    CHECK(loss() == Approx(forwards).epsilon(1e-12));
}

TEST_CASE("no way of recomputing changes a bit of the loss or the gradients")
{
    for (const Family family : kFamilies)
        for (const int stages : {1, 3}) {
            INFO(nameIn(kFamilyNames, family) << ", stages " << stages);
            ModelSpec spec = familySpec(family);
            ModelChain stored(spec, stages);
            const double loss = stored.loss();
            stored.backward();
            for (const Recompute recompute : {Recompute::Attention, Recompute::Full}) {
                spec.recompute = recompute;
                ModelChain again(spec, stages), split(spec, stages);
                CHECK(again.loss() == loss);
                again.backward();
                CHECK(joined(again.gradients) == joined(stored.gradients));
                CHECK(split.loss() == loss);
                split.splitBackward();
                CHECK(joined(split.gradients) == joined(stored.gradients));
            }
        }
}

TEST_CASE("flash attention gives the loss and the gradients of the standard one, to rounding")
{
    for (const Family family : kFamilies) {
        ModelSpec spec = familySpec(family);
        spec.sequence = 70; // two tiles
        ModelChain standard(spec, 2);
        spec.attention = AttentionKind::Flash;
        ModelChain flash(spec, 2);
        CHECK(flash.loss() == Approx(standard.loss()).epsilon(1e-12));
        standard.backward();
        flash.backward();
        CHECK(largestDifference(joined(flash.gradients), joined(standard.gradients)) < 1e-10);
    }
}

TEST_CASE("sequence slices give the loss and the gradients of the whole, to rounding")
{
    for (const Family family : {Family::Gpt, Family::Llama})
        for (const AttentionKind kind :
             {AttentionKind::Standard, AttentionKind::Recompute, AttentionKind::Flash}) {
            INFO(nameIn(kFamilyNames, family) << ", " << nameIn(kAttentionNames, kind));
            ModelSpec spec = familySpec(family);
            spec.attention = kind;
            ModelChain whole(spec, 2);
            const double loss = whole.loss();
            whole.backward();
            for (const int slices : {2, 3}) {
                ModelChain sliced(spec, 2, slices), split(spec, 2, slices);
                CHECK(sliced.loss() == Approx(loss).epsilon(1e-12));
                sliced.backward();
                CHECK(largestDifference(joined(sliced.gradients), joined(whole.gradients)) < 1e-11);
                split.loss();
                split.splitBackward();
                CHECK(largestDifference(joined(split.gradients), joined(whole.gradients)) < 1e-11);
            }
        }
}

TEST_CASE("the gradients of a micro-batch are the sum of those of its halves, to rounding")
{
    // Doubling and halving (Chimera) are passes of a model of half the batch.
    for (const Family family : kFamilies) {
        ModelSpec spec = familySpec(family);
        ModelChain whole(spec, 2);
        spec.microBatchSize = 1;
        ModelChain first(spec, 2, 1, 0), second(spec, 2, 1, 1);
        CHECK(first.loss() + second.loss() == Approx(whole.loss()).epsilon(1e-12));
        for (ModelChain* chain : {&whole, &first, &second})
            chain->backward();
        std::vector<double> sum = joined(first.gradients);
        const std::vector<double> other = joined(second.gradients);
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += other[i];
        CHECK(largestDifference(sum, joined(whole.gradients)) < 1e-11);
    }
}

TEST_CASE("the stash of F shrinks from standard attention to full recomputation")
{
    ModelSpec spec = familySpec(Family::Gpt);
    const auto sizes = [&](AttentionKind attention, Recompute recompute, int slices = 1) {
        spec.attention = attention;
        spec.recompute = recompute;
        return Transformer<float>(spec, 3, cpuDevice().kernels(), slices).sizes(StageId{1});
    };
    const std::size_t rows = 12, kept = rows * 16 * 16;
    const StageSizes standard = sizes(AttentionKind::Standard, Recompute::None);
    CHECK(standard.stash == kept + 4 * rows + rows * 4 * 6);
    CHECK(sizes(AttentionKind::Flash, Recompute::None).stash == kept + 4 * rows + rows * 4);
    CHECK(sizes(AttentionKind::Standard, Recompute::Attention).stash == kept + 4 * rows);
    const StageSizes full = sizes(AttentionKind::Standard, Recompute::Full);
    CHECK(full.stash == rows * 16);
    CHECK(full.recomputed == standard.stash);
    CHECK(full.weightStash == kept);
    // Half a sequence: half of everything, and the gradients of keys and values from the other.
    const StageSizes half = sizes(AttentionKind::Standard, Recompute::None, 2);
    CHECK(half.stash == standard.stash / 2 + rows / 2 * 2 * 16);
    CHECK(half.weightStash == kept / 2);
    CHECK(half.output == standard.output / 2);
}

TEST_CASE("a LLaMA keeps narrow keys and values, gate, up and their product, and no means")
{
    const ModelSpec spec = familySpec(Family::Llama); // C = 16, keys of 8, FFN of 12
    const Transformer<float> model(spec, 3, cpuDevice().kernels());
    const StageSizes sizes = model.sizes(StageId{1});
    const std::size_t rows = 12;
    CHECK(sizes.weightStash == rows * (5 * 16 + (16 + 2 * 8) + 2 * 12 + 12));
    CHECK(sizes.stash == sizes.weightStash + 2 * rows + rows * 4 * 6);
    CHECK(sizes.parameters == 2 * 16 + 16 * 32 + 16 * 16 + 16 * 24 + 12 * 16);
}
