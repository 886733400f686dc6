#include "tests/catch.h"
#include "tests/conformance/kernels/suite.h"

#include <fmt/format.h>

using namespace engine;
using namespace kernel_test;

namespace {

struct Shape
{
    int rows = 0, columns = 0, words = 0, positions = 0;

    std::size_t numbers() const { return times(rows, columns); }
    static std::size_t times(int a, int b)
    {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
    }
    std::string text() const
    {
        return fmt::format("{} x {}, {} words, {} positions", rows, columns, words, positions);
    }
};

// Words of no pattern, some of them often; `none` in a hundred are -1.
std::vector<std::int32_t> someTokens(int count, int words, int none = 0)
{
    std::vector<std::int32_t> tokens;
    for (const double x : noise(static_cast<std::size_t>(count), 9)) {
        const auto word = static_cast<std::int32_t>((x + 1) / 2 * words);
        tokens.push_back(static_cast<int>(tokens.size()) % 100 < none ? -1 : word);
    }
    return tokens;
}

} // namespace

TEST_CASE("embedding and its backward, words that come often included")
{
    std::vector<Shape> all{{1, 1, 1, 1},       {6, 4, 3, 3},     {40, 7, 5, 20},
                           {300, 36, 17, 100}, {70, 1030, 9, 0}, {520, 12, 600, 260},
                           {33, 1028, 2, 33}};
    if (hasLarge())
        all.insert(all.end(), {{8192, 768, 50257, 1024}, {8192, 768, 256, 1024}});
    for (const Shape& s : all) {
        const std::size_t table = Shape::times(s.words, s.columns),
                          positions = Shape::times(s.positions, s.columns);
        const auto tokens = someTokens(s.rows, s.words);
        const auto orNone = [s](auto matrix) {
            if (s.positions == 0)
                matrix.data = nullptr;
            return matrix;
        };
        conforms({.name = "embedding",
                  .shape = s.text(),
                  .arrays = {in(table, 1), in(positions, 2), out(s.numbers())},
                  .tokens = tokens,
                  .bytes = 8.0 * static_cast<double>(s.numbers())},
                 [=](const auto& kernels, const auto& memory) {
                     kernels.embedding(memory.tokens(), memory(0),
                                       orNone(memory.matrix(1, s.positions, s.columns)),
                                       memory.matrix(2, s.rows, s.columns));
                 });
        conforms(
            {.name = "embedding backward",
             .shape = s.text(),
             .arrays = {inOut(table, 1).wide(), inOut(positions, 2).wide(), in(s.numbers(), 3)},
             .tokens = tokens,
             .tolerance = 4e-6,
             .bytes = 4.0 * static_cast<double>(s.numbers())},
            [=](const auto& kernels, const auto& memory) {
                kernels.embeddingBackward(memory.tokens(), memory.matrix(2, s.rows, s.columns),
                                          memory.wide(0),
                                          orNone(memory.wideMatrix(1, s.positions, s.columns)));
            });
    }
}

TEST_CASE("cross-entropy and its backward, rows without a target included")
{
    std::vector<Shape> all{
        {1, 1, 1, 0}, {3, 7, 7, 0}, {150, 100, 100, 0}, {5, 1000, 1000, 0}, {300, 257, 257, 0}};
    if (hasLarge())
        all.push_back({2048, 50257, 50257, 0});
    for (const Shape& s : all) {
        const auto tokens = someTokens(s.rows, s.words, s.rows > 3 ? 20 : 0);
        Array logits = inOut(s.numbers(), 1), read = in(s.numbers(), 1);
        for (Array* each : {&logits, &read})
            for (double& x : each->values)
                x *= 10;
        conforms({.name = "cross-entropy",
                  .shape = fmt::format("{} x {}", s.rows, s.columns),
                  .arrays = {read},
                  .tokens = tokens,
                  .bytes = 4.0 * static_cast<double>(s.numbers())},
                 [s](const auto& kernels, const auto& memory) {
                     kernels.crossEntropy({.logits = memory.matrix(0, s.rows, s.columns),
                                           .targets = memory.tokens(),
                                           .loss = memory.loss(),
                                           .share = 0.15});
                 });
        conforms({.name = "cross-entropy backward",
                  .shape = fmt::format("{} x {}", s.rows, s.columns),
                  .arrays = {logits},
                  .tokens = tokens,
                  .bytes = 8.0 * static_cast<double>(s.numbers())},
                 [s](const auto& kernels, const auto& memory) {
                     kernels.crossEntropyBackward(memory.matrix(0, s.rows, s.columns),
                                                  memory.tokens(), 0.125F);
                 });
    }
}
