#pragma once

#include "engine/base/result.h"
#include "engine/model/random.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

// Masked-token prediction (Devlin et al., 2019) on bytes.
constexpr std::int32_t kHiddenToken = 256; // replaces a hidden byte
constexpr std::int32_t kNotPredicted = -1; // target of a token that is not predicted
constexpr double kHiddenShare = 0.15;

// Predicted tokens per sample. The number is constant, so that all micro-batches have equal weight.
constexpr int hiddenTokens(int sequence)
{
    const int count = static_cast<int>(kHiddenShare * sequence + 0.5); // NOLINT: constexpr
    return count > 0 ? count : 1;
}

// Selects the predicted tokens of a sample: 80 % of them are hidden, 10 % become another byte, and
// 10 % are unchanged. The targets of all other tokens become kNotPredicted.
void hideTokens(Random& random, std::span<std::int32_t> inputs, std::span<std::int32_t> targets);

// A permutation of 0 .. size - 1 that is determined by a key. It needs no table: a Feistel network
// permutes the numbers below the next power of four, and is repeated until the result is below
// `size` (Black and Rogaway, 2002). The result is the same on every machine. Thread-safe.
class Permutation
{
public:
    Permutation(std::uint64_t key, std::uint64_t size) // size > 0
        : m_key(key)
        , m_size(size)
        , m_halfBits((static_cast<unsigned>(std::bit_width(size - 1)) + 1) / 2)
    { }

    std::uint64_t operator()(std::uint64_t index) const // < size
    {
        do
            index = once(index);
        while (index >= m_size);
        return index;
    }

private:
    std::uint64_t once(std::uint64_t index) const
    {
        constexpr std::uint64_t kRounds = 6;
        const std::uint64_t mask = (std::uint64_t{1} << m_halfBits) - 1;
        std::uint64_t left = index >> m_halfBits, right = index & mask;
        for (std::uint64_t round = 0; round < kRounds; ++round) {
            const std::uint64_t mixed
                = Random::combine(Random::combine(m_key, round), right) & mask;
            left = std::exchange(right, left ^ mixed);
        }
        return left << m_halfBits | right;
    }

    std::uint64_t m_key, m_size;
    unsigned m_halfBits;
};

// A context-free grammar in text form (resources/data/language.txt has the syntax).
class Grammar
{
public:
    // The first rule is the start symbol. Fails with Error::Code::Corrupt; the message has the line
    // of the error.
    static Result<Grammar> parse(std::string_view text);

    // Appends one random sentence; returns -log of its probability, in nats.
    double appendSentence(Random& random, std::string& text) const;

private:
    struct Part // literal text if `rule` is -1, otherwise a rule
    {
        std::string text;
        int rule = -1;
    };
    using Choice = std::vector<Part>;
    struct Rule
    {
        std::string name;
        std::vector<Choice> choices;
    };

    // Adds an empty rule if the name is new.
    int ruleNamed(std::string_view name);
    Result<void> addRule(std::string_view line);
    Result<Choice> parseChoice(std::string_view text);

    std::vector<Rule> m_rules;
};

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
    // The text that --text names: "" for the built-in language, "sample" for the included story,
    // otherwise a file. Fails with Error::Code::Io if the file cannot be read, and with
    // Error::Code::InvalidArgument if the text is not longer than one sample of `sequence` tokens.
    static Result<TextData> named(const std::string& name, std::uint64_t seed, int sequence);

    // Writes samples of `sequence` tokens from number `firstSample` on into `inputs`. The target of
    // a token is the token after it.
    void fill(std::int64_t firstSample, int sequence, std::span<std::int32_t> inputs,
              std::span<std::int32_t> targets) const;

    // Like fill(), but with hidden tokens to predict, which differ in every epoch
    void fillHidden(std::int64_t firstSample, int sequence, std::span<std::int32_t> inputs,
                    std::span<std::int32_t> targets) const;

    const std::string& text() const { return m_text; }
    std::uint64_t seed() const { return m_seed; }
    // The lowest possible loss, in nats per byte, of a model that knows only byte frequencies.
    double unigramEntropy() const;
    // The lowest possible loss of any model, in nats per byte, from the probabilities of the
    // grammar; nullopt for a file.
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
