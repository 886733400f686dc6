#pragma once

#include "engine/base/result.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// The sizes of a transformer for the closed forms; engine/model defines the models that are
// trained. Letters as in the papers: L layers, h width, a heads, g key-value heads, f feed-forward,
// s sequence, v vocabulary.
struct TransformerSpec
{
    enum class Family : std::uint8_t {
        Gpt,   // LayerNorm, GELU, biases; also BERT's encoder
        Llama, // RMSNorm, SwiGLU, no biases
    };

    std::string name;
    Family family = Family::Gpt;
    int layers = 24, width = 2048, heads = 16, sequence = 2048, vocabulary = 51200;
    // keyValueHeads 0: equal to heads; feedForward 0: defaultFeedForward().
    int keyValueHeads = 0, feedForward = 0;
    // Whether the head has BERT's dense layer, GELU and norm, and a decoder with bias.
    bool transformedHead = false;
    // Whether the embedding, attention and both branches of a Gpt layer have dropout, whose masks
    // are stored. Models that this program trains have none.
    bool dropout = false;

    // 4 x width; for Llama 8/3 x width, rounded up to a multiple of 256.
    static int defaultFeedForward(Family family, int width);
    double feedForwardWidth() const
    {
        return feedForward > 0 ? feedForward : defaultFeedForward(family, width);
    }
    double keyValueShare() const // g / a
    {
        return keyValueHeads > 0 ? static_cast<double>(keyValueHeads) / heads : 1;
    }
    friend bool operator==(const TransformerSpec&, const TransformerSpec&) = default;
};

// Loads a preset of resources/transformers or resources/models, or a .toml file with the same keys.
// Keys about training are ignored. Errors name the known presets, the key, or the line.
Result<TransformerSpec> loadTransformer(std::string_view nameOrFile);
std::vector<std::string> transformerNames();
Result<std::string> transformerText(std::string_view nameOrFile); // the TOML
// The keys that every file has, because any default would be the size of another model.
constexpr std::initializer_list<const char*> kNeededModelKeys{"layers", "width", "heads",
                                                              "sequence", "vocabulary"};

double parametersPerLayer(const TransformerSpec& model);
double embeddingParameters(const TransformerSpec& model); // v h, one matrix
// h^2 + 3 h + v with transformedHead, otherwise 0.
double headTransformParameters(const TransformerSpec& model);
// Counts a matrix shared by embedding and head once (Gpt).
double parameterCount(const TransformerSpec& model);

// Forward FLOPs for `sequences` sequences: the matrix products of a layer, the attention scores of
// a layer (full, not causal), and the output layer. A multiply-add counts as two FLOPs, as in
// Megatron-LM.
double layerFlops(const TransformerSpec& model, double sequences);
double attentionFlops(const TransformerSpec& model, double sequences);
double headFlops(const TransformerSpec& model, double sequences);
// FLOPs of forward and backward for `sequences` (B) sequences: 72 B L s h^2 (1 + s/(6h) + v/(12hL))
// for Gpt; BERT's head adds 6 B s h^2.
double modelFlops(const TransformerSpec& model, double sequences);

} // namespace engine
