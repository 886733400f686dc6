#include "engine/model/text_data.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace engine;

namespace {

struct TextFile
{
    explicit TextFile(std::string_view text) { std::ofstream(path) << text; }

    tests::TemporaryFolder folder; // tests run in parallel
    std::filesystem::path path = folder / "text.txt";
};

std::vector<std::int32_t> sample(const TextData& data, std::int64_t number)
{
    std::vector<std::int32_t> inputs(16), targets(16);
    data.fill(number, 16, inputs, targets);
    return inputs;
}

} // namespace

TEST_CASE("the built-in language is readable, seeded, and has an entropy rate below its unigrams'")
{
    const TextData data = TextData::builtIn(1);
    CHECK(data.text() == TextData::builtIn(1).text());
    CHECK(data.text() != TextData::builtIn(2).text());
    CHECK(data.text().find("the ") < 40);
    REQUIRE(data.entropyRate());
    CHECK(*data.entropyRate() > 0.1);
    CHECK(*data.entropyRate() < data.unigramEntropy() - 1);
    CHECK(data.unigramEntropy() < 3.2);
}

TEST_CASE("the verb of the built-in language agrees with a distant subject")
{
    const std::string text = TextData::builtIn(1).text();
    CHECK(text.find("fox near the rivers waits") != std::string::npos);
    CHECK(text.find("foxes near the river wait ") != std::string::npos);
    CHECK(text.find("fox near the rivers wait ") == std::string::npos);
    CHECK(text.find("foxes near the river waits") == std::string::npos);
}

TEST_CASE("the shipped sample is plain English text, longer than a sample of any preset")
{
    const TextData data = TextData::shipped(1);
    CHECK(data.text().size() > 4096);
    CHECK(std::ranges::all_of(data.text(),
                              [](char c) { return c == '\n' || (c >= ' ' && c < 127); }));
    CHECK(data.unigramEntropy() > 2.8);
    CHECK(data.unigramEntropy() < 3.2);
    CHECK_FALSE(data.entropyRate());
    CHECK(sample(data, 32) == sample(TextData::shipped(1), 32));
    CHECK(sample(data, 32) != sample(TextData::shipped(2), 32));
}

TEST_CASE("seed and number decide a sample, and each target is the next token")
{
    const TextData data = TextData::builtIn(1);
    CHECK(sample(data, 32) == sample(data, 32));
    CHECK(sample(data, 32) != sample(data, 31));
    std::vector<std::int32_t> inputs(8), targets(8);
    data.fill(0, 8, inputs, targets);
    CHECK(std::equal(inputs.begin() + 1, inputs.end(), targets.begin()));
    std::vector<std::int32_t> more(24), moreTargets(24);
    data.fill(40, 8, more, moreTargets); // 40, 41, 42
    data.fill(42, 8, inputs, targets);
    CHECK(std::equal(inputs.begin(), inputs.end(), more.begin() + 16));
}

TEST_CASE("an epoch has every sequence of the text once, in an order that differs by epoch")
{
    std::string text;
    for (int i = 0; i < 8 * 37; ++i)
        text += static_cast<char>('!' + i / 8); // sequence i is eight times one letter
    const TextFile file(text + "~~~");          // too short for another one
    const TextData data = TextData::named(file.path, 1, 8).value();
    std::vector<std::vector<std::int32_t>> epochs;
    for (int epoch = 0; epoch < 4; ++epoch) {
        std::vector<std::int32_t>& order = epochs.emplace_back();
        for (int i = 0; i < 37; ++i) {
            std::vector<std::int32_t> inputs(8), targets(8);
            data.fill(epoch * 37 + i, 8, inputs, targets);
            CHECK(std::ranges::count(inputs, inputs.front()) == 8);
            order.push_back(inputs.front());
        }
        std::vector<std::int32_t> sorted = order;
        std::ranges::sort(sorted);
        for (int i = 0; i < 37; ++i)
            CHECK(sorted[static_cast<std::size_t>(i)] == '!' + i);
        CHECK(sorted != order);
        CHECK(std::ranges::count(epochs, order) == 1);
    }
    const TextData other = TextData::named(file.path, 2, 8).value();
    std::vector<std::int32_t> inputs(8 * 37), targets(8 * 37), theirs(inputs), theirTargets(inputs);
    data.fill(0, 8, inputs, targets);
    other.fill(0, 8, theirs, theirTargets);
    CHECK(inputs != theirs);
}

TEST_CASE("a permutation takes every number of its size to another one")
{
    for (const std::uint64_t size : {1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000, 4097}) {
        std::vector<std::uint64_t> seen;
        const Permutation shuffled(7, size);
        for (std::uint64_t i = 0; i < size; ++i)
            seen.push_back(shuffled(i));
        std::uint64_t stay = 0;
        for (std::uint64_t i = 0; i < size; ++i)
            stay += seen[i] == i ? 1 : 0;
        CHECK((size < 16 || stay < size / 4));
        std::ranges::sort(seen);
        for (std::uint64_t i = 0; i < size; ++i)
            CHECK(seen[i] == i);
    }
    // The same numbers on every machine.
    const Permutation shuffled(1, 10);
    std::vector<std::uint64_t> order;
    for (std::uint64_t i = 0; i < 10; ++i)
        order.push_back(shuffled(i));
    CHECK(order == std::vector<std::uint64_t>{4, 6, 8, 0, 3, 9, 1, 2, 5, 7});
}

TEST_CASE("a text file is read as bytes, and its unigram entropy is exact")
{
    const TextFile file("abababab\xff\xff\xff\xff\xff\xff\xff\xff");
    const auto data = TextData::named(file.path, 1, 8);
    REQUIRE(data);
    CHECK(data->unigramEntropy() == Approx(0.5 * std::log(2.0) + 0.5 * std::log(4.0)));
    CHECK_FALSE(data->entropyRate());
    std::vector<std::int32_t> inputs(8), targets(8);
    data->fill(0, 8, inputs, targets);
    for (const std::int32_t token : inputs)
        CHECK((token == 'a' || token == 'b' || token == 0xff));
}

TEST_CASE("a missing, empty or short text file is an error that says what to do")
{
    const auto message = [](const std::filesystem::path& path) {
        return TextData::named(path, 1, 8).error().message;
    };
    CHECK(message("/nowhere/text")
          == "--text: cannot read /nowhere/text: No such file or directory; check the path");
    CHECK(message("/tmp") == "--text: /tmp is a folder; name a file in it");
    {
        const TextFile file("");
        CHECK(message(file.path)
              == "--text: '" + file.path.string() + "' is empty; use a text of at least 9 bytes");
    }
    const TextFile file("12345678");
    CHECK(message(file.path)
          == "--text: '" + file.path.string()
              + "' has 8 bytes, but a sample of this model needs 9; use a longer text or a smaller "
                "--sequence");
    const TextFile longer("123456789");
    CHECK(TextData::named(longer.path, 1, 8));
}

// Only files were checked: `--text sample --sequence 6000` divided by zero.
TEST_CASE("a text of any source is longer than a sample")
{
    struct Source
    {
        std::string name, text;
    };
    for (const auto& [name, text] :
         {Source{"", "the built-in text"}, Source{"sample", "'sample'"}}) {
        const int bytes = static_cast<int>(TextData::named(name, 1, 8)->text().size());
        CHECK(TextData::named(name, 1, bytes - 1));
        CHECK(TextData::named(name, 1, bytes).error().message
              == fmt::format("--text: {} has {} bytes, but a sample of this model needs {}; use a "
                             "longer text or a smaller --sequence",
                             text, bytes, bytes + 1));
    }
}

TEST_CASE("a grammar gives the probability of a sentence")
{
    const auto grammar
        = Grammar::parse("# two words\nstart: {word} {word}.\nword: a | b | c | d\n");
    REQUIRE(grammar);
    Random random(1);
    std::string text;
    CHECK(grammar->appendSentence(random, text) == Approx(2 * std::log(4.0)));
    CHECK(text.size() == 4);
    CHECK(text.back() == '.');
}

TEST_CASE("a bad grammar is an error that names the line or the name")
{
    CHECK(Grammar::parse("a: b\nnonsense").error().message
          == "grammar, line 2: not a rule; write 'name: choice | choice'");
    CHECK(Grammar::parse("a: {b").error().message == "grammar, line 1: '{' has no matching '}'");
    CHECK(Grammar::parse("a: {b}").error().message == "the grammar has no rule for {b}");
    CHECK(Grammar::parse("# nothing").error().message == "the grammar has no rules");
}

TEST_CASE("as many tokens of each sample are hidden, and only they are to be predicted")
{
    const TextData data = TextData::builtIn(3);
    constexpr int kSequence = 40, kSamples = 50;
    std::vector<std::int32_t> inputs(kSequence * kSamples), targets(inputs.size()), plain(inputs),
        next(inputs), again(inputs), againTargets(inputs);
    data.fill(100, kSequence, plain, next);
    data.fillHidden(100, kSequence, inputs, targets);
    data.fillHidden(100, kSequence, again, againTargets);
    CHECK(again == inputs);
    CHECK(againTargets == targets);
    int hidden = 0, replaced = 0;
    for (std::size_t sample = 0; sample < kSamples; ++sample) {
        int predicted = 0;
        for (std::size_t i = sample * kSequence; i < (sample + 1) * kSequence; ++i) {
            predicted += targets[i] == kNotPredicted ? 0 : 1;
            hidden += inputs[i] == kHiddenToken ? 1 : 0;
            replaced += inputs[i] != kHiddenToken && inputs[i] != plain[i] ? 1 : 0;
            CHECK(targets[i] == (targets[i] == kNotPredicted ? kNotPredicted : plain[i]));
            if (targets[i] == kNotPredicted)
                CHECK(inputs[i] == plain[i]);
        }
        CHECK(predicted == hiddenTokens(kSequence));
    }
    CHECK(hiddenTokens(kSequence) == 6);
    CHECK(hidden > 0.7 * 6 * kSamples); // 80 % of them
    CHECK(hidden < 0.9 * 6 * kSamples);
    CHECK(replaced > 0.03 * 6 * kSamples); // 10 %, of which some draw the same byte
    CHECK(replaced < 0.2 * 6 * kSamples);
}
