#include "engine/model/text_data.h"

#include "engine/base/check.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "resources/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace engine {

// Selects hiddenTokens() tokens by selection sampling (Knuth, volume 2, algorithm S), so every
// subset of this size is equally likely.
void hideTokens(Random& random, std::span<std::int32_t> inputs, std::span<std::int32_t> targets)
{
    constexpr std::uint64_t kOf = 10, kHidden = 8, kReplaced = 9;
    std::uint64_t left = hiddenTokens(inputs.size());
    for (std::size_t t = 0; t < inputs.size(); ++t) {
        targets[t] = kNotPredicted;
        if (random.below(inputs.size() - t) >= left)
            continue;
        --left;
        targets[t] = inputs[t];
        const std::uint64_t fate = random.below(kOf);
        if (fate < kHidden)
            inputs[t] = kHiddenToken;
        else if (fate < kReplaced)
            inputs[t] = random.below(kHiddenToken);
    }
}

namespace {

std::string_view trim(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view takeUntil(std::string_view& text, char separator)
{
    const auto end = std::min(text.find(separator), text.size());
    const auto taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

constexpr std::size_t kBuiltInBytes = 1 << 20; // 2,000 iterations of `tiny` with 4 micro-batches

} // namespace

Result<Grammar> Grammar::parse(std::string_view text)
{
    Grammar grammar;
    for (int line = 1; !text.empty(); ++line) {
        const auto rule = trim(takeUntil(text, '\n'));
        if (rule.empty() || rule.front() == '#')
            continue;
        if (auto added = grammar.addRule(rule); !added)
            return fail(Error::Code::Corrupt, "grammar, line {}: {}", line, added.error().message);
    }
    if (grammar.m_rules.empty())
        return fail(Error::Code::Corrupt, "the grammar has no rules");
    for (const Rule& rule : grammar.m_rules)
        if (rule.choices.empty())
            return fail(Error::Code::Corrupt, "the grammar has no rule for {{{}}}", rule.name);
    return grammar;
}

int Grammar::ruleNamed(std::string_view name)
{
    const auto found = std::ranges::find(m_rules, name, &Rule::name);
    if (found != m_rules.end())
        return found - m_rules.begin();
    m_rules.push_back({std::string(name), {}});
    return m_rules.size() - 1;
}

Result<void> Grammar::addRule(std::string_view line)
{
    if (line.find(':') == std::string_view::npos)
        return fail(Error::Code::Corrupt, "not a rule; write 'name: choice | choice'");
    const std::size_t rule = ruleNamed(trim(takeUntil(line, ':')));
    while (!line.empty()) {
        auto choice = TRY(parseChoice(trim(takeUntil(line, '|'))));
        m_rules[rule].choices.push_back(std::move(choice));
    }
    return {};
}

Result<Grammar::Choice> Grammar::parseChoice(std::string_view text)
{
    Choice choice;
    while (!text.empty()) {
        if (text.front() == '{') {
            text.remove_prefix(1);
            if (text.find('}') == std::string_view::npos)
                return fail(Error::Code::Corrupt, "'{' has no matching '}'");
            choice.push_back({"", ruleNamed(takeUntil(text, '}'))});
        } else {
            const auto literal = text.substr(0, text.find('{'));
            choice.push_back({std::string(literal), -1});
            text.remove_prefix(literal.size());
        }
    }
    return choice;
}

double Grammar::appendSentence(Random& random, std::string& text) const
{
    double nats = 0;
    std::vector<Part> open{{"", 0}}; // stack of the remaining parts; rule 0 is the start symbol
    while (!open.empty()) {
        const Part part = std::move(open.back());
        open.pop_back();
        text += part.text;
        if (part.rule < 0)
            continue;
        const auto& choices = m_rules[part.rule].choices;
        const Choice& choice = choices[random.below(choices.size())];
        nats += std::log(choices.size());
        open.insert(open.end(), choice.rbegin(), choice.rend());
    }
    return nats;
}

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
    auto text = TRY(inContext("--text", readFile(file)));
    return TextData(std::move(text), seed);
}

Result<TextData> TextData::named(const std::string& name, std::uint64_t seed, int sequence)
{
    auto data = TRY(name.empty()           ? builtIn(seed)
                        : name == kShipped ? shipped(seed)
                                           : fromFile(name, seed));
    const std::size_t bytes = data.m_text.size();
    if (bytes == 0)
        return invalid("--text: '{}' is empty; use a text of at least {} bytes", name,
                       sequence + 1);
    if (bytes <= static_cast<std::size_t>(sequence))
        return invalid("--text: {} has {} bytes, but a sample of this model needs {}; "
                       "use a longer text or a smaller --sequence",
                       name.empty() ? "the built-in text" : fmt::format("'{}'", name), bytes,
                       sequence + 1);
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
