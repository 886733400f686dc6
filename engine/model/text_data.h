#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace engine {

// What a model learns: bytes, cut into sequences. Samples are numbered through a run; the seed and
// the number decide which sequence one is, so every scheme, D and mode sees the same ones. An epoch
// is as many samples as the text has whole sequences, and has each of them once, in an order of its
// own.
class TextData
{
public:
    // The built-in language (resources/data/language.txt); the seed decides the text.
    static TextData builtIn(std::uint64_t seed);
    // The shipped sample (resources/data/sample.txt), a short story: what --text sample names.
    static constexpr std::string_view kShipped = "sample";
    static TextData shipped(std::uint64_t seed);
    // Any file. Io: it cannot be read; InvalidArgument: not longer than one sample of `sequence`.
    static Result<TextData> fromFile(const std::filesystem::path& file, std::uint64_t seed,
                                     int sequence);

    // Samples of `sequence` tokens, from number `firstSample` on; each target is the token after
    // its input.
    void fill(std::int64_t firstSample, int sequence, std::span<std::int32_t> inputs,
              std::span<std::int32_t> targets) const;

    // The same with some tokens hidden, others in every epoch, which are the ones to predict
    // (hidden_tokens.h).
    void fillHidden(std::int64_t firstSample, int sequence, std::span<std::int32_t> inputs,
                    std::span<std::int32_t> targets) const;

    const std::string& text() const { return m_text; }
    // Nats per byte: a model that knows only how often each byte comes cannot do better.
    double unigramEntropy() const;
    // Nats per byte: no model can do better. From the grammar's own probabilities; none for a file.
    std::optional<double> entropyRate() const { return m_entropyRate; }

private:
    TextData(std::string text, std::uint64_t seed)
        : m_text(std::move(text))
        , m_seed(seed)
    { }

    std::string m_text;
    std::uint64_t m_seed;
    std::optional<double> m_entropyRate;
};

} // namespace engine
