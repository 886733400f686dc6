#include "engine/backend/cpu/blas.h"
#include "engine/backend/cpu/operations.h"
#include "engine/base/check.h"

#include <type_traits>

namespace engine::cpu {
namespace {

CBLAS_TRANSPOSE of(Transpose transpose)
{
    return transpose == Transpose::Yes ? CblasTrans : CblasNoTrans;
}

const Blas& blas()
{
    static const Blas* loaded = loadBlas().value_or(nullptr);
    CHECK(loaded != nullptr); // openCpuDevice() reports it first
    return *loaded;
}

} // namespace

template<class Real>
void matmul(const Matmul<Real>& op)
{
    const int inner = op.transposeA == Transpose::Yes ? op.a.rows : op.a.columns;
    CHECK(inner == (op.transposeB == Transpose::Yes ? op.b.columns : op.b.rows));
    const auto gemm = [] {
        if constexpr (std::is_same_v<Real, float>)
            return blas().sgemm;
        else
            return blas().dgemm;
    }();
    gemm(CblasRowMajor, of(op.transposeA), of(op.transposeB), op.c.rows, op.c.columns, inner,
         op.alpha, op.a.data, op.a.stride, op.b.data, op.b.stride, op.beta, op.c.data, op.c.stride);
}

template void matmul(const Matmul<float>&);
template void matmul(const Matmul<double>&);

} // namespace engine::cpu
