#include "tests/catch.h"
#include "tests/conformance/kernels/suite.h"

#include <fmt/format.h>

using namespace engine;
using namespace kernel_test;

// Order of operands, strides, alignment, transposes, alpha and beta, as cuBLASLt is asked for them.
TEST_CASE("matrix products, either operand transposed, strided, added")
{
    struct Shape
    {
        int m, n, k, gap;
    };
    std::vector<Shape> all{
        {1, 1, 1, 0}, {5, 3, 7, 0}, {64, 32, 48, 0}, {33, 65, 17, 3}, {16, 64, 64, 4}};
    if (hasLarge())
        all.insert(all.end(), {{8192, 2304, 768, 0}, {8192, 768, 3072, 0}, {768, 3072, 8192, 0}});
    for (const Shape& s : all)
        for (const bool turnsA : {false, true})
            for (const bool turnsB : {false, true})
                for (const float beta : {0.0F, 1.0F}) {
                    const int aRows = turnsA ? s.k : s.m, aColumns = turnsA ? s.m : s.k,
                              bRows = turnsB ? s.n : s.k, bColumns = turnsB ? s.k : s.n;
                    const auto count = [&s](int rows, int columns) {
                        return static_cast<std::size_t>(rows)
                            * static_cast<std::size_t>(columns + s.gap);
                    };
                    conforms({.name = "matmul",
                              .shape = fmt::format("{} x {} x {}{}{}{}{}", s.m, s.n, s.k,
                                                   turnsA ? " A^T" : "", turnsB ? " B^T" : "",
                                                   beta != 0 ? " added" : "",
                                                   s.gap != 0 ? " strided" : ""),
                              .arrays = {in(count(aRows, aColumns), 1),
                                         in(count(bRows, bColumns), 2), inOut(count(s.m, s.n), 3)},
                              .tolerance = 4e-6,
                              .flops = 2.0 * s.m * s.n * s.k},
                             [=](const auto& kernels, const auto& memory) {
                                 kernels.matmul(
                                     {.a = memory.matrix(0, aRows, aColumns, aColumns + s.gap),
                                      .b = memory.matrix(1, bRows, bColumns, bColumns + s.gap),
                                      .c = memory.matrix(2, s.m, s.n, s.n + s.gap),
                                      .transposeA = turnsA ? Transpose::Yes : Transpose::No,
                                      .transposeB = turnsB ? Transpose::Yes : Transpose::No,
                                      .alpha = 0.5F,
                                      .beta = beta});
                                 return 0.0;
                             });
                }
}
