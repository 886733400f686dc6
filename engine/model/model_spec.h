#pragma once

#include "engine/backend/attention.h"
#include "engine/base/field.h"
#include "engine/base/result.h"
#include "engine/cost/fraction.h"
#include "engine/cost/layer_layout.h"
#include "engine/cost/transformer.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// The activations that F drops and that are recomputed for the backward.
// - Attention: the attention scores, which the backward recomputes. Not with flash attention, which
//   never stores the scores.
// - Full: everything except the input of the stage. RECOMPUTE ops recompute it.
enum class Recompute : std::uint8_t { None, Attention, Full };

// The type of weights, activations, messages and matrix products. Bf16 is mixed precision:
// gradients of weights, master weights, moments, statistics and losses are float. Tf32 stores the
// same types as Fp32, but products round their operands to a 10-bit mantissa.
enum class Precision : std::uint8_t { Fp32, Bf16, Tf32 };

// The names of the enumerators in files and options, in enumerator order.
using Names = std::span<const std::string_view>;
constexpr std::array<std::string_view, 3> kAttentionNames{"standard", "recompute", "flash"},
    kRecomputeNames{"none", "attention", "full"}, kPrecisionNames{"fp32", "bf16", "tf32"};
template<class Enum>
constexpr std::string_view nameIn(Names names, Enum value)
{
    return names[static_cast<std::size_t>(value)];
}

// A transformer and its training parameters. The defaults are the values of the preset `tiny`.
struct ModelSpec
{
    std::string name = "tiny";
    Family family = Family::Gpt;
    // Of a Vit: the patches of an image, and the classes.
    int layers = 16, width = 64, heads = 4, sequence = 64, microBatchSize = 2, vocabulary = 256;
    int patch = 0;    // of a Vit: the side of a patch in pixels
    int kvHeads = 0;  // key-value heads; 0: equal to heads
    int ffnWidth = 0; // 0: TransformerSpec::defaultFeedForward()
    bool tied = false;
    LayerLayout layout;
    AttentionKind attention = AttentionKind::Standard;
    Recompute recompute = Recompute::None;
    // M_a that a device may hold if RECOMPUTE ops are moved into earlier idle time; 0: as many as
    // the fullest device holds without moving; nullopt: they are not moved.
    std::optional<Fraction> recomputeAhead;
    // M_a that a device may hold if stashes are evicted to host memory; nullopt: none are.
    std::optional<Fraction> offload;
    Precision precision = Precision::Fp32;
    double learningRate = 1e-3, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weightDecay = 0.1,
           initStd = 0.02;

    // Numbers of a micro-batch that the first stage reads, and of predictions.
    int inputs() const;
    int targets() const;
    friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};
TransformerSpec transformerSpec(const ModelSpec& model); // the sizes, for the closed forms

// Loads a preset of resources/models or a .toml file and checks every field. Fails with
// Error::Code::InvalidArgument for an unknown name; the message lists the presets.
Result<ModelSpec> loadModel(std::string_view nameOrFile);
std::vector<std::string> modelNames();

// Stage s of S has blocks firstLayer(s) .. firstLayer(s + 1) - 1. checkModel() fails if there are
// fewer layers than stages (the message has the smallest valid --layers), if the layout is not one
// of this model and these stages, and if it has a stage without layers, which cannot be trained.
int firstLayer(const ModelSpec& model, int stages, int stage);
Result<void> checkModel(const ModelSpec& model, int stages);
// Checks the range of every field and combinations of fields; part of checkModel() and loadModel().
Result<void> checkFields(const ModelSpec& model);

std::int64_t parameterCount(const ModelSpec& model); // tied embeddings count once
double flopsPerIteration(const ModelSpec& model, int microBatches);
// With recomputation: RECOMPUTE ops repeat the fraction `recomputed` of the forwards. Includes
// attention scores that the backward computes again.
double executedFlopsPerIteration(const ModelSpec& model, int microBatches, double recomputed);

// The keys of a preset file, and the options that override values of a preset.
Fields<ModelSpec> modelFields();

} // namespace engine
