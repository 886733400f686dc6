#include "engine/base/text.h"
#include "engine/model/model_spec.h"

#include <fmt/format.h>

namespace engine {
namespace {

using M = ModelSpec;

constexpr std::string_view kDefaultText = "the model's";

std::vector<std::string_view> namesOf(Names names)
{
    return {names.begin(), names.end()};
}

// Describes an option that overrides a value of the preset. The key is in no table, because the
// keys of preset files are at the top level.
FieldFacts ofModel(std::string_view flag, std::string_view label, std::string_view help,
                   std::string_view value = {})
{
    FieldFacts facts = option("model", flag, label, help, value);
    facts.table.clear();
    facts.group = "Model";
    facts.defaultText = kDefaultText;
    return facts;
}

// A key of model files that no option sets.
FieldFacts inFile(std::string_view table, std::string_view key, std::string_view help)
{
    FieldFacts facts = inFileOnly(table, key);
    facts.help = help;
    return facts;
}

// A limit of activations per device, "off", or `unlimited` for the number 0.
Field<M> limitField(const FieldFacts& facts, std::optional<Fraction> M::*member,
                    std::string_view unlimited)
{
    return {
        facts,
        [=](const M& model) {
            const auto& most = model.*member;
            return !most ? "off" : most->numerator == 0 ? std::string(unlimited) : textOf(*most);
        },
        [=, flag = facts.longFlag()](M& model, std::string_view text) -> Result<void> {
            const auto most = parseFraction(text);
            const bool isUnlimited = !unlimited.empty() && text == unlimited;
            if (text != "off" && !isUnlimited && !(most && most->numerator > 0))
                return fail(Error::Code::InvalidArgument,
                            fmt::format("{} {}: must be off, {}or a number of activations above 0",
                                        flag, excerpt(text),
                                        unlimited.empty() ? "" : fmt::format("{}, ", unlimited)));
            model.*member = text == "off" ? std::nullopt : std::optional(most.value_or(Fraction()));
            return {};
        }};
}

Field<M> aheadField()
{
    auto field = limitField(
        ofModel("--recompute-ahead", "Recompute ahead",
                "Move recompute ops into earlier idle time of their device, which then holds "
                "at most so many activations; peak: as many as without; off: do not move",
                "off|peak|M_A"),
        &M::recomputeAhead, "peak");
    field.off = [](const M& model) {
        return model.recompute == Recompute::Full ? "" : "only with full recomputation";
    };
    return field;
}

} // namespace

Fields<ModelSpec> modelFields()
{
    static const std::vector<Field<M>> kFields = [] {
        constexpr double kMost = 1 << 16;
        std::vector<Field<M>> fields;
        const auto add = [&](const FieldFacts& facts, auto member) {
            fields.push_back(field<M>(facts, member));
        };
        const auto addSize = [&](std::string_view flag, std::string_view label,
                                 std::string_view help, int M::*member) {
            FieldFacts facts = ofModel(flag, label, help).between(1, kMost);
            facts.value = "K";
            add(facts, member);
        };
        addSize("--micro-batch-size", "Micro-batch size",
                "Sequences (of a ViT: images) in a micro-batch", &M::microBatchSize);
        addSize("--sequence", "Sequence length",
                "Tokens in a sequence (of a ViT: patches in an image)", &M::sequence);
        addSize("--layers", "Layers", "Transformer blocks", &M::layers);
        addSize("--width", "Width", "Width of the residual stream", &M::width);
        addSize("--heads", "Heads", "Attention heads", &M::heads);
        fields.push_back(
            layoutField(ofModel("--layout", "Layers per stage", kLayoutHelp), &M::layout));
        add(ofModel("--attention", "Attention",
                    "standard: stores the attention scores; recompute: computes them again in "
                    "the backward; flash: never stores them")
                .oneOf(namesOf(kAttentionNames)),
            &M::attention);
        add(ofModel("--recompute", "Recompute",
                    "Part of the forward that the backward computes again")
                .oneOf(namesOf(kRecomputeNames)),
            &M::recompute);
        fields.push_back(aheadField());
        fields.push_back(limitField(ofModel("--offload", "Offload",
                                            "Evict activations to host memory, so that a device "
                                            "holds at most so many; off: keep all",
                                            "off|M_A"),
                                    &M::offload, ""));
        add(ofModel("--precision", "Precision",
                    "bf16: mixed precision, with weights, activations and messages in bf16, "
                    "gradients and optimizer in fp32; tf32: fp32 with tf32 products, on GPUs only")
                .oneOf(namesOf(kPrecisionNames)),
            &M::precision);
        FieldFacts rate
            = ofModel("--learning-rate", "Learning rate", "Learning rate of AdamW").between(0, 1e3);
        rate.table = "optimizer";
        rate.value = "RATE";
        add(rate, &M::learningRate);
        add(inFile("", "name", "Name that is shown"), &M::name);
        add(inFile("", "family", "Architecture").oneOf(namesOf(kFamilyNames)), &M::family);
        add(inFile("", "vocabulary", "Tokens of the vocabulary; of a ViT: classes")
                .between(1, kMost),
            &M::vocabulary);
        add(inFile("", "patch", "ViT: side of a patch of an RGB image, in pixels")
                .between(0, TransformerSpec::kMostPatch),
            &M::patch);
        add(inFile("", "kv_heads", "Heads of keys and values (llama); 0: as many as heads")
                .between(0, kMost),
            &M::kvHeads);
        add(inFile("", "ffn_width",
                   "Width of the feed-forward layer; 0: 4 times the width, or 8/3 of it, "
                   "rounded up to a multiple of 256, with llama")
                .between(0, kMost),
            &M::ffnWidth);
        add(inFile("", "tied", "The output layer has the weights of the embedding"), &M::tied);
        add(inFile("optimizer", "beta1", "Decay of AdamW's first moment").between(0, 0.999999),
            &M::beta1);
        add(inFile("optimizer", "beta2", "Decay of AdamW's second moment").between(0, 0.999999),
            &M::beta2);
        add(inFile("optimizer", "epsilon", "AdamW's addition to the root of the second moment")
                .between(1e-30, 1),
            &M::epsilon);
        add(inFile("optimizer", "weight_decay", "AdamW's decay of weights").between(0, 1e3),
            &M::weightDecay);
        add(inFile("init", "std", "Standard deviation of initial weights").between(0, 1e3),
            &M::initStd);
        return fields;
    }();
    return kFields;
}

} // namespace engine
