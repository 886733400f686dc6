#pragma once

#include "engine/base/result.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// All families are pre-norm.
// - Gpt: layer norm, GELU, learned positions and biases. Each token predicts the next.
// - Bert: like Gpt, but with bidirectional attention and hidden tokens (engine/model/text_data.h).
//   The head has a dense layer, GELU, a norm and a decoder with a bias (Devlin et al., 2019).
// - Llama: RMSNorm, SwiGLU, rotary positions, no biases.
// - Vit: like Gpt, but with bidirectional attention. A token is a patch of an image. The first
// stage
//   has a linear layer for its pixels. The last one has a linear layer for the mean of the tokens,
//   which predicts the class of the image (Dosovitskiy et al., 2021; Beyer et al., 2022).
enum class Family : std::uint8_t { Gpt, Bert, Llama, Vit };
constexpr std::array<std::string_view, 4> kFamilyNames{"gpt", "bert", "llama", "vit"};

constexpr bool isBidirectional(Family family)
{
    return family == Family::Bert || family == Family::Vit;
}

// The sizes of a transformer for the closed forms; engine/model defines the models that are
// trained. Letters as in the papers: L layers, h width, a heads, g key-value heads, f feed-forward,
// s sequence, v vocabulary.
struct TransformerSpec
{
    std::string name;
    Family family = Family::Gpt;
    // Of a Vit: the patches of an image, and the classes.
    int layers = 24, width = 2048, heads = 16, sequence = 2048, vocabulary = 51200;
    int patch = 0; // of a Vit: the side of a patch in pixels
    // keyValueHeads 0: equal to heads; feedForward 0: defaultFeedForward().
    int keyValueHeads = 0, feedForward = 0;
    // Whether the embedding, attention and both branches of a layer have dropout, whose masks
    // are stored. Models that this program trains have none.
    bool dropout = false;

    // 4 x width; for Llama 8/3 x width, rounded up to a multiple of 256.
    static int defaultFeedForward(Family family, int width);
    double feedForwardWidth() const
    {
        return feedForward > 0 ? feedForward : defaultFeedForward(family, width);
    }
    bool isVit() const { return family == Family::Vit; }
    static constexpr int kMostPatch = 4096;
    int patchValues() const { return 3 * patch * patch; } // of an RGB image
    double keyValueShare() const                          // g / a
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

// Fails if the sizes do not fit together; the message begins with `source`.
Result<void> checkSizes(const TransformerSpec& model, std::string_view source);

double parametersPerLayer(const TransformerSpec& model);
// Of the first stage, without positions: v h; of a Vit, those of the linear layer for patches.
double embeddingParameters(const TransformerSpec& model);
// Of the last stage, without the norm: v h, for Vit v more and for Bert h^2 + 3 h + v more.
double headParameters(const TransformerSpec& model);
// Whether embedding and head share one matrix, as in Gpt and Bert; parameterCount() counts it once.
bool isTied(const TransformerSpec& model);
double parameterCount(const TransformerSpec& model);

// Forward FLOPs for `sequences` sequences: the matrix products of a layer, the attention scores of
// a layer (full, not causal), the output layer, and a Vit's layer for patches. A multiply-add
// counts as two FLOPs, as in Megatron-LM.
double layerFlops(const TransformerSpec& model, double sequences);
double attentionFlops(const TransformerSpec& model, double sequences);
double headFlops(const TransformerSpec& model, double sequences);
double embeddingFlops(const TransformerSpec& model, double sequences);
// FLOPs of forward and backward for `sequences` (B) sequences: 72 B L s h^2 (1 + s/(6h) + v/(12hL))
// for Gpt; Bert's head adds 6 B s h^2. The backward of embeddingFlops() has no gradient of pixels.
double modelFlops(const TransformerSpec& model, double sequences);

} // namespace engine
