#include "tests/catch.h"
#include "tests/conformance/kernels/suite.h"

#include <fmt/format.h>

using namespace engine;
using namespace kernel_test;

namespace {

// Around the borders of a warp's row and a block's, aligned to 16 bytes and not.
struct Shape
{
    int rows = 0, columns = 0, stride = 0; // the stride of x

    std::size_t numbers() const
    {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    }
    std::size_t strided() const
    {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride);
    }
    std::size_t width() const { return static_cast<std::size_t>(columns); }
    std::size_t height() const { return static_cast<std::size_t>(rows); }
    std::string text() const
    {
        return stride == columns ? fmt::format("{} x {}", rows, columns)
                                 : fmt::format("{} x {} of {}", rows, columns, stride);
    }
};

std::vector<Shape> shapes()
{
    std::vector<Shape> all{{1, 5, 5},       {5, 7, 7},    {130, 64, 64},   {9, 768, 768},
                           {9, 66, 66},     {4, 64, 192}, {3, 1024, 1024}, {3, 1028, 1028},
                           {2, 1027, 1030}, {200, 33, 36}};
    if (hasLarge())
        all.insert(all.end(), {{8192, 768, 768}, {8192, 1600, 1600}, {1024, 12288, 12288}});
    return all;
}

} // namespace

TEST_CASE("layer norm on a device equals the CPU's")
{
    for (const Shape& s : shapes())
        conforms({.name = "layer norm",
                  .shape = s.text(),
                  .arrays = {in(s.strided(), 1), in(s.width(), 2), in(s.width(), 3),
                             out(s.numbers()), out(s.height()).wide(), out(s.height()).wide()},
                  .bytes = 8.0 * static_cast<double>(s.numbers())},
                 [s](const auto& kernels, const auto& memory) {
                     kernels.layerNorm({memory.matrix(0, s.rows, s.columns, s.stride), memory(1),
                                        memory(2), memory.matrix(3, s.rows, s.columns),
                                        memory.wide(4), memory.wide(5)});
                 });
}

// Its statistics are made by the forward pass, so that they belong to x.
TEST_CASE("the backward of layer norm equals the CPU's, with a residual and in place")
{
    for (const Shape& s : shapes())
        for (const bool inPlace : {false, true})
            conforms(
                {.name = "layer norm backward",
                 .shape = s.text() + (inPlace ? ", in place" : ""),
                 .arrays
                 = {inOut(s.strided(), 1), in(s.width(), 2), in(s.numbers(), 3), in(s.numbers(), 4),
                    scratch(s.numbers()), scratch(s.height()).wide(), scratch(s.height()).wide(),
                    scratch(s.numbers()), inOut(s.width(), 5).wide(), inOut(s.width(), 6).wide()},
                 .tolerance = 4e-6,
                 .narrowTolerance = 0x1p-7,
                 .roundsOnce = inPlace}, // two roundings: add() below
                [s, inPlace](const auto& kernels, const auto& memory) {
                    const auto x = memory.matrix(0, s.rows, s.columns, s.stride);
                    kernels.layerNorm({x, memory(1), memory(1), memory.matrix(4, s.rows, s.columns),
                                       memory.wide(5), memory.wide(6)});
                    auto residual = memory.matrix(3, s.rows, s.columns);
                    if (!inPlace)
                        residual.data = nullptr;
                    kernels.layerNormBackward(
                        {.x = x,
                         .dy = memory.matrix(2, s.rows, s.columns),
                         .residual = residual,
                         .gain = memory(1),
                         .mean = memory.wide(5),
                         .inverseDeviation = memory.wide(6),
                         .dx = inPlace ? x : memory.matrix(7, s.rows, s.columns),
                         .dGain = memory.wide(8),
                         .dBias = memory.wide(9)});
                    if (!inPlace) // so that it is compared: x += dx, row by row
                        for (int r = 0; r < s.rows; ++r)
                            kernels.add({memory(7) + r * std::ptrdiff_t{s.columns}, s.width()},
                                        {x.row(r), s.width()});
                });
}

TEST_CASE("RMSNorm on a device equals the CPU's")
{
    for (const Shape& s : shapes())
        conforms({.name = "RMSNorm",
                  .shape = s.text(),
                  .arrays = {in(s.strided(), 1), in(s.width(), 2), out(s.numbers()),
                             out(s.height()).wide()},
                  .bytes = 8.0 * static_cast<double>(s.numbers())},
                 [s](const auto& kernels, const auto& memory) {
                     kernels.rmsNorm({memory.matrix(0, s.rows, s.columns, s.stride), memory(1),
                                      memory.matrix(2, s.rows, s.columns), memory.wide(3)});
                 });
}

TEST_CASE("the backward of RMSNorm equals the CPU's, also in place")
{
    for (const Shape& s : shapes())
        for (const bool hasResidual : {false, true})
            conforms({.name = "RMSNorm backward",
                      .shape = s.text() + (hasResidual ? ", residual" : ""),
                      .arrays = {inOut(s.strided(), 1), in(s.width(), 2), in(s.numbers(), 3),
                                 in(s.numbers(), 4), scratch(s.numbers()),
                                 scratch(s.height()).wide(), inOut(s.width(), 5).wide()},
                      .tolerance = 4e-6},
                     [s, hasResidual](const auto& kernels, const auto& memory) {
                         const auto x = memory.matrix(0, s.rows, s.columns, s.stride);
                         kernels.rmsNorm(
                             {x, memory(1), memory.matrix(4, s.rows, s.columns), memory.wide(5)});
                         auto residual = memory.matrix(3, s.rows, s.columns);
                         if (!hasResidual)
                             residual.data = nullptr;
                         kernels.rmsNormBackward({.x = x,
                                                  .dy = memory.matrix(2, s.rows, s.columns),
                                                  .residual = residual,
                                                  .gain = memory(1),
                                                  .inverse = memory.wide(5),
                                                  .dx = x,
                                                  .dGain = memory.wide(6)});
                     });
}
