#include "engine/plan/token_batches.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <fstream>

using namespace engine;

namespace {

constexpr int kSequence = 4;

// So many sequences, each of one letter.
TextData lettersOf(int sequences)
{
    const tests::TemporaryFolder folder;
    const auto path = folder / "letters.txt";
    std::ofstream file(path);
    for (int i = 0; i < sequences; ++i)
        file << std::string(kSequence, static_cast<char>('A' + i));
    file << '~';
    file.close();
    return TextData::named(path, 1, kSequence).value();
}

ModelSpec modelOf(int samples)
{
    ModelSpec model;
    model.microBatchSize = samples;
    model.sequence = kSequence;
    return model;
}

// The letter of each sample.
std::string lettersIn(TokenBatch tokens)
{
    std::string letters;
    for (std::size_t i = 0; i < tokens.inputs.size(); i += kSequence)
        letters += static_cast<char>(tokens.inputs[i]);
    return letters;
}

} // namespace

TEST_CASE("an epoch of iterations reads every sequence once, so no two directions or copies of a "
          "pipeline read the same")
{
    // Two copies with three micro-batches of two samples each; two iterations.
    const TextData data = lettersOf(24);
    TokenBatches tokens(modelOf(2), 2 * 3);
    std::string seen;
    for (int iteration = 0; iteration < 2; ++iteration) {
        tokens.load(data, iteration);
        for (int m = 0; m < 6; ++m)
            seen += lettersIn(tokens.of(m));
    }
    CHECK(seen.size() == 24);
    CHECK_FALSE(std::ranges::is_sorted(seen));
    std::ranges::sort(seen);
    CHECK(seen == "ABCDEFGHIJKLMNOPQRSTUVWX");
}

TEST_CASE("the samples of an iteration do not depend on the size of its micro-batches")
{
    const TextData data = lettersOf(24);
    TokenBatches few(modelOf(4), 2), many(modelOf(1), 8);
    for (int iteration = 0; iteration < 3; ++iteration) {
        few.load(data, iteration);
        many.load(data, iteration);
        CHECK(lettersIn(few.of(0, 2)) == lettersIn(many.of(0, 8)));
    }
}

TEST_CASE("micro-batches are consecutive in memory")
{
    const TextData data = lettersOf(24);
    TokenBatches tokens(modelOf(2), 6);
    tokens.load(data, 0);
    CHECK(lettersIn(tokens.of(2, 3))
          == lettersIn(tokens.of(2)) + lettersIn(tokens.of(3)) + lettersIn(tokens.of(4)));
}
