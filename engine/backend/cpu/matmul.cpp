#include "engine/backend/cpu/blas.h"
#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"
#include "engine/base/check.h"

#include <type_traits>
#include <vector>

namespace engine::cpu {
namespace {

CBLAS_TRANSPOSE of(Transpose transpose)
{
    return transpose == Transpose::Yes ? CblasTrans : CblasNoTrans;
}

const Blas& blas()
{
    static const Blas* loaded = loadBlas().value_or(nullptr);
    CHECK(loaded != nullptr); // openCpuDevice() has reported a missing library
    reserveBufferOfThisThread(*loaded);
    return *loaded;
}

template<class Real>
void multiply(const Matmul<Real>& op, int inner)
{
    const auto gemm = [] {
        if constexpr (std::is_same_v<Real, float>)
            return blas().sgemm;
        else
            return blas().dgemm;
    }();
    gemm(CblasRowMajor, of(op.transposeA), of(op.transposeB), op.c.rows, op.c.columns, inner,
         op.alpha, op.a.data, op.a.stride, op.b.data, op.b.stride, op.beta, op.c.data, op.c.stride);
}

constexpr int kBlock = 256; // rows and columns that are widened at a time

template<class From, class To>
BS_VECTORIZED void convert(Matrix<From> from, Matrix<To> to)
{
    for (int r = 0; r < from.rows; ++r) {
        const From* in = from.row(r);
        To* out = to.row(r);
#pragma omp simd
        for (int c = 0; c < from.columns; ++c)
            out[c] = To(in[c]);
    }
}

// A block of an operand. Its position refers to the operand after the optional transposition; of()
// returns the view of the block in the stored matrix.
struct Block
{
    int row = 0, column = 0, rows = 0, columns = 0;

    template<class Number>
    Matrix<Number> of(Matrix<Number> x, Transpose transpose) const
    {
        if (transpose == Transpose::Yes)
            return {x.row(column) + row, columns, rows, x.stride};
        return {x.row(row) + column, rows, columns, x.stride};
    }
};

// Multiplies bfloat16 matrices block by block: operands are widened to float, products are
// accumulated in float, and results are rounded once.
class WidenedBlocks
{
public:
    template<class Out>
    void multiply(const Matmul<bfloat16, Out>& op, int inner)
    {
        for (int r = 0; r < op.c.rows; r += kBlock)
            for (int c = 0; c < op.c.columns; c += kBlock)
                block(op, inner,
                      {r, c, std::min(kBlock, op.c.rows - r), std::min(kBlock, op.c.columns - c)});
    }

private:
    template<class Out>
    void block(const Matmul<bfloat16, Out>& op, int inner, const Block& at)
    {
        const Matrix<Out> out = at.of(op.c, Transpose::No);
        const Matrix<float> sum(place(0), at.rows, at.columns);
        if (op.beta != 0)
            convert(out, sum);
        for (int k = 0; k < inner; k += kBlock) {
            const int depth = std::min(kBlock, inner - k);
            cpu::multiply<float>(
                {.a = widened(Block{at.row, k, at.rows, depth}.of(op.a, op.transposeA), 1),
                 .b = widened(Block{k, at.column, depth, at.columns}.of(op.b, op.transposeB), 2),
                 .c = sum,
                 .transposeA = op.transposeA,
                 .transposeB = op.transposeB,
                 .alpha = op.alpha,
                 .beta = k == 0 ? op.beta : 1},
                depth);
        }
        convert(sum, out);
    }

    Matrix<const float> widened(Matrix<const bfloat16> x, std::ptrdiff_t which)
    {
        const Matrix<float> wide(place(which), x.rows, x.columns);
        convert(x, wide);
        return wide;
    }
    float* place(std::ptrdiff_t which) { return m_scratch.data() + which * kBlock * kBlock; }

    std::vector<float> m_scratch = std::vector<float>(std::size_t{3} * kBlock * kBlock);
};

} // namespace

template<class Real, class Out>
void matmul(const Matmul<Real, Out>& op)
{
    const int inner = op.transposeA == Transpose::Yes ? op.a.rows : op.a.columns;
    CHECK(inner == (op.transposeB == Transpose::Yes ? op.b.columns : op.b.rows));
    if constexpr (std::is_same_v<Real, bfloat16>) {
        thread_local WidenedBlocks blocks; // allocated once per thread
        blocks.multiply(op, inner);
    } else {
        multiply(op, inner);
    }
}

template void matmul(const Matmul<float>&);
template void matmul(const Matmul<double>&);
template void matmul(const Matmul<bfloat16>&);
template void matmul(const Matmul<bfloat16, float>&);

template<class Real>
BS_VECTORIZED void addBias(Matrix<Real> y, const Real* bias)
{
    for (int r = 0; r < y.rows; ++r) {
        Real* row = y.row(r);
#pragma omp simd
        for (int c = 0; c < y.columns; ++c)
            row[c] = Real(Wide<Real>(row[c]) + Wide<Real>(bias[c]));
    }
}

template<class Real>
BS_VECTORIZED void addBiasGradient(Matrix<const Real> dy, Wide<Real>* dBias)
{
    for (int r = 0; r < dy.rows; ++r) {
        const Real* row = dy.row(r);
#pragma omp simd
        for (int c = 0; c < dy.columns; ++c)
            dBias[c] += Wide<Real>(row[c]);
    }
}

template<class Real>
BS_VECTORIZED void add(std::span<const Real> x, std::span<Real> y)
{
    const Real* from = x.data();
    Real* to = y.data();
    const std::size_t count = y.size();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i)
        to[i] = Real(Wide<Real>(to[i]) + Wide<Real>(from[i]));
}

template void addBias(Matrix<float>, const float*);
template void addBias(Matrix<double>, const double*);
template void addBias(Matrix<bfloat16>, const bfloat16*);
template void addBiasGradient(Matrix<const float>, float*);
template void addBiasGradient(Matrix<const double>, double*);
template void addBiasGradient(Matrix<const bfloat16>, float*);
template void add(std::span<const float>, std::span<float>);
template void add(std::span<const double>, std::span<double>);
template void add(std::span<const bfloat16>, std::span<bfloat16>);

} // namespace engine::cpu
