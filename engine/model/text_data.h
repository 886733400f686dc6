#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace engine {

// Training data: bytes, divided into sequences. Samples are numbered over the whole run. Seed and
// sample number determine the sequence, so every scheme, number of devices and mode trains on the
// same samples. Each epoch has every whole sequence of the text once, in a new order.
class TextData
{
public:
    // Generates text from the built-in grammar (resources/data/language.txt) and the seed.
    static TextData builtIn(std::uint64_t seed);
    // The included short story (resources/data/sample.txt), for --text sample.
    static constexpr std::string_view kShipped = "sample";
    static TextData shipped(std::uint64_t seed);
    // Returns the text that --text names: "" for the built-in language, "sample" for the included
    // story, otherwise a file. Fails with Error::Code::Io if the file cannot be read, and with
    // Error::Code::InvalidArgument if the text is not longer than one sample of `sequence` tokens.
    static Result<TextData> named(const std::string& name, std::uint64_t seed, int sequence);

    // Writes samples of `sequence` tokens from number `firstSample` on into `inputs`. The target of
    // a token is the token after it.
    void fill(std::int64_t firstSample, int sequence, std::span<std::int32_t> inputs,
              std::span<std::int32_t> targets) const;

    // Like fill(), but with hidden tokens to predict, which differ in every epoch
    // (hidden_tokens.h).
    void fillHidden(std::int64_t firstSample, int sequence, std::span<std::int32_t> inputs,
                    std::span<std::int32_t> targets) const;

    const std::string& text() const { return m_text; }
    // Returns the lowest possible loss, in nats per byte, of a model that knows only byte
    // frequencies.
    double unigramEntropy() const;
    // Returns the lowest possible loss of any model, in nats per byte, from the probabilities of
    // the grammar; nullopt for a file.
    std::optional<double> entropyRate() const { return m_entropyRate; }

private:
    TextData(std::string text, std::uint64_t seed)
        : m_text(std::move(text))
        , m_seed(seed)
    { }
    static Result<TextData> fromFile(const std::string& file, std::uint64_t seed);

    std::string m_text;
    std::uint64_t m_seed;
    std::optional<double> m_entropyRate;
};

} // namespace engine
