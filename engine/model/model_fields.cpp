#include "engine/model/model_fields.h"

namespace engine {
namespace {

constexpr double kMost = 1 << 16;

// A size with an option of its own, whose default is the preset's.
FieldFacts size(std::string_view flag, std::string_view key, std::string_view label,
                std::string_view help)
{
    return {.flag = flag,
            .key = key,
            .group = "Model",
            .label = label,
            .help = help,
            .value = "K",
            .least = 1,
            .most = kMost,
            .usual = "the model's"};
}

FieldFacts choice(std::string_view flag, std::string_view label, std::string_view help, Words names)
{
    return {.flag = flag,
            .key = flag.substr(2),
            .group = "Model",
            .label = label,
            .help = help,
            .names = {names.begin(), names.end()},
            .usual = "the model's"};
}

// A number of the file alone.
FieldFacts number(std::string_view table, std::string_view key, double least, double most)
{
    return {.table = table, .key = key, .least = least, .most = most};
}

} // namespace

Fields<ModelSpec> modelFields()
{
    using M = ModelSpec;
    static const std::vector<Field<M>> kFields{
        field<M>({.key = "name"}, &M::name),
        field<M>({.key = "family", .names = {kFamilyWords.begin(), kFamilyWords.end()}},
                 &M::family),
        field<M>(size("--micro-batch-size", "micro_batch_size", "Micro-batch size",
                      "Sequences in a micro-batch"),
                 &M::microBatchSize),
        field<M>(size("--sequence", "sequence", "Sequence length", "Tokens in a sequence"),
                 &M::sequence),
        field<M>(size("--layers", "layers", "Layers", "Transformer blocks"), &M::layers),
        field<M>(size("--width", "width", "Width", "Width of the residual stream"), &M::width),
        field<M>(size("--heads", "heads", "Heads", "Attention heads"), &M::heads),
        field<M>(choice("--attention", "Attention",
                        "standard stores the attention scores, recompute computes them again in "
                        "the backward, flash never stores them",
                        kAttentionWords),
                 &M::attention),
        field<M>(choice("--recompute", "Recompute",
                        "Part of the forward that the backward computes again", kRecomputeWords),
                 &M::recompute),
        field<M>(choice("--precision", "Precision",
                        "bf16 is mixed precision: weights, activations and messages in bf16, "
                        "gradients and the optimizer in fp32; tf32 is for GPUs",
                        kPrecisionWords),
                 &M::precision),
        field<M>(number("", "vocabulary", 256, kMost), &M::vocabulary),
        field<M>(number("", "kv_heads", 0, kMost), &M::kvHeads),
        field<M>(number("", "ffn_width", 0, kMost), &M::ffnWidth),
        field<M>({.key = "tied"}, &M::tied),
        field<M>(number("optimizer", "learning_rate", 0, 1e3), &M::learningRate),
        field<M>(number("optimizer", "beta1", 0, 0.999999), &M::beta1),
        field<M>(number("optimizer", "beta2", 0, 0.999999), &M::beta2),
        field<M>(number("optimizer", "epsilon", 1e-30, 1), &M::epsilon),
        field<M>(number("optimizer", "weight_decay", 0, 1e3), &M::weightDecay),
        field<M>(number("init", "std", 0, 1e3), &M::initStd),
    };
    return kFields;
}

} // namespace engine
