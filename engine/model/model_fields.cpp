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
        add(inFileOnly("", "name"), &M::name);
        add(inFileOnly("", "family").oneOf(namesOf(kFamilyNames)), &M::family);
        add(inFileOnly("", "vocabulary").between(1, kMost), &M::vocabulary);
        add(inFileOnly("", "patch").between(0, TransformerSpec::kMostPatch), &M::patch);
        add(inFileOnly("", "kv_heads").between(0, kMost), &M::kvHeads);
        add(inFileOnly("", "ffn_width").between(0, kMost), &M::ffnWidth);
        add(inFileOnly("", "tied"), &M::tied);
        add(inFileOnly("optimizer", "beta1").between(0, 0.999999), &M::beta1);
        add(inFileOnly("optimizer", "beta2").between(0, 0.999999), &M::beta2);
        add(inFileOnly("optimizer", "epsilon").between(1e-30, 1), &M::epsilon);
        add(inFileOnly("optimizer", "weight_decay").between(0, 1e3), &M::weightDecay);
        add(inFileOnly("init", "std").between(0, 1e3), &M::initStd);
        return fields;
    }();
    return kFields;
}

} // namespace engine
