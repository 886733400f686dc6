#include "engine/model/text_data.h"

#include "engine/base/check.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "engine/model/grammar.h"
#include "engine/model/hidden_tokens.h"
#include "engine/model/permutation.h"
#include "resources/resources.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace engine {
namespace {

constexpr std::size_t kBuiltInBytes = 1 << 20; // 2,000 iterations of `tiny` with 4 micro-batches

} // namespace

TextData TextData::builtIn(std::uint64_t seed)
{
    const auto grammar = Grammar::parse(resources::find("data/language.txt"));
    CHECK(grammar.has_value());
    Random random(Random::combine(seed, "language"));
    TextData data("", seed);
    double nats = 0;
    while (data.m_text.size() < kBuiltInBytes) {
        nats += grammar->appendSentence(random, data.m_text);
        data.m_text += ' ';
    }
    data.m_entropyRate = nats / data.m_text.size();
    return data;
}

TextData TextData::shipped(std::uint64_t seed)
{
    return {std::string(resources::find("data/sample.txt")), seed};
}

Result<TextData> TextData::fromFile(const std::string& file, std::uint64_t seed)
{
    auto text = readFile(file);
    if (!text)
        return fail(text.error().code, "--text: " + text.error().message);
    return TextData(std::move(*text), seed);
}

Result<TextData> TextData::named(const std::string& name, std::uint64_t seed, int sequence)
{
    auto data = TRY(name.empty()           ? builtIn(seed)
                        : name == kShipped ? shipped(seed)
                                           : fromFile(name, seed));
    const std::size_t bytes = data.m_text.size();
    if (bytes == 0)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("--text: '{}' is empty; use a text of at least {} bytes", name,
                                sequence + 1));
    if (bytes <= static_cast<std::size_t>(sequence))
        return fail(Error::Code::InvalidArgument,
                    fmt::format("--text: {} has {} bytes, but a sample of this model needs {}; "
                                "use a longer text or a smaller --sequence",
                                name.empty() ? "the built-in text" : fmt::format("'{}'", name),
                                bytes, sequence + 1));
    return data;
}

// Sequence i starts at token i * sequence. Its last target is the first token of sequence i + 1.
void TextData::fill(std::int64_t firstSample, int sequence, std::span<std::int32_t> inputs,
                    std::span<std::int32_t> targets) const
{
    const std::size_t length = sequence;
    const std::uint64_t sequences = (m_text.size() - 1) / length;
    std::uint64_t sample = firstSample;
    for (std::size_t at = 0; at < inputs.size(); at += length, ++sample) {
        const std::uint64_t epoch = sample / sequences;
        const Permutation shuffled(Random::combine(Random::combine(m_seed, "epoch"), epoch),
                                   sequences);
        const std::size_t first = shuffled(sample % sequences) * length;
        for (std::size_t t = 0; t < length; ++t) {
            inputs[at + t] = static_cast<unsigned char>(m_text[first + t]);
            targets[at + t] = static_cast<unsigned char>(m_text[first + t + 1]);
        }
    }
}

void TextData::fillHidden(std::int64_t firstSample, int sequence, std::span<std::int32_t> inputs,
                          std::span<std::int32_t> targets) const
{
    fill(firstSample, sequence, inputs, targets);
    const std::size_t length = sequence;
    const std::uint64_t key = Random::combine(m_seed, "hidden");
    std::uint64_t sample = firstSample;
    for (std::size_t at = 0; at < inputs.size(); at += length, ++sample) {
        Random random(Random::combine(key, sample));
        hideTokens(random, inputs.subspan(at, length), targets.subspan(at, length));
    }
}

double TextData::unigramEntropy() const
{
    std::array<double, 256> counts{};
    for (const char c : m_text)
        ++counts[static_cast<unsigned char>(c)];
    const double total = m_text.size();
    double entropy = 0;
    for (const double count : counts)
        entropy -= count > 0 ? count / total * std::log(count / total) : 0;
    return entropy;
}

} // namespace engine
