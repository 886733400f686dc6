#include "tests/catch.h"
#include "tests/conformance/kernels/suite.h"

#include <fmt/format.h>

using namespace engine;
using namespace kernel_test;

namespace {

// As the product of the model's matrices, and as that of weights' gradients.
enum class Into { Real, Wide };

} // namespace

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
                for (const auto& [beta, into] :
                     {std::pair{0.0F, Into::Real}, {1.0F, Into::Real}, {1.0F, Into::Wide}}) {
                    const int aRows = turnsA ? s.k : s.m, aColumns = turnsA ? s.m : s.k,
                              bRows = turnsB ? s.n : s.k, bColumns = turnsB ? s.k : s.n;
                    const auto count = [&s](int rows, int columns) {
                        return static_cast<std::size_t>(rows)
                            * static_cast<std::size_t>(columns + s.gap);
                    };
                    const bool isWide = into == Into::Wide;
                    Array c = inOut(count(s.m, s.n), 3);
                    c.isWide = isWide;
                    conforms(
                        {.name = isWide ? "matmul into wide numbers" : "matmul",
                         .shape
                         = fmt::format("{} x {} x {}{}{}{}{}", s.m, s.n, s.k, turnsA ? " A^T" : "",
                                       turnsB ? " B^T" : "", beta != 0 ? " added" : "",
                                       s.gap != 0 ? " strided" : ""),
                         .arrays
                         = {in(count(aRows, aColumns), 1), in(count(bRows, bColumns), 2), c},
                         .tolerance = 4e-6,
                         .multiplies = true,
                         .flops = 2.0 * s.m * s.n * s.k},
                        [=, beta = beta](const auto& kernels, const auto& memory) {
                            using Real = std::remove_pointer_t<decltype(memory(0))>;
                            const auto of = [&](auto target) {
                                Matmul<Real, std::remove_pointer_t<decltype(target.data)>> op;
                                op.c = target;
                                op.a = memory.matrix(0, aRows, aColumns, aColumns + s.gap);
                                op.b = memory.matrix(1, bRows, bColumns, bColumns + s.gap);
                                op.transposeA = turnsA ? Transpose::Yes : Transpose::No;
                                op.transposeB = turnsB ? Transpose::Yes : Transpose::No;
                                op.alpha = 0.5F;
                                op.beta = beta;
                                return op;
                            };
                            if (isWide)
                                kernels.matmulWide(of(memory.wideMatrix(2, s.m, s.n, s.n + s.gap)));
                            else
                                kernels.matmul(of(memory.matrix(2, s.m, s.n, s.n + s.gap)));
                        });
                }
}
