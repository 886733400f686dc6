// blasFunctions() of tests: products in plain loops over matrices whose columns lie one behind the
// other, as cuBLASLt has them.
#include "engine/backend/cuda/blas_functions.h"
#include "tests/support/cuda_on_cpu/device_memory.h"

#include <algorithm>

struct cublasLtContext
{ };
struct cublasLtMatmulDescOpaque_t
{
    cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
};
struct cublasLtMatrixLayoutOpaque_t
{
    std::int64_t rows = 0, columns = 0, stride = 0, step = 0;
    std::int32_t count = 1;
};
struct cublasLtMatmulPreferenceOpaque_t
{
    std::size_t workspace = 0;
    std::uint32_t reductions = 7, alignment[4] = {256, 256, 256, 256};
};

namespace {

template<class Value>
bool take(Value& to, const void* from, std::size_t bytes)
{
    if (bytes != sizeof to)
        return false;
    std::memcpy(&to, from, bytes);
    return true;
}

cublasStatus_t status(bool good)
{
    return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

struct Product
{
    std::int64_t m = 0, n = 0, k = 0;
    bool fits = false;
};

Product productOf(const cublasLtMatmulDescOpaque_t& op, const cublasLtMatrixLayoutOpaque_t& a,
                  const cublasLtMatrixLayoutOpaque_t& b, const cublasLtMatrixLayoutOpaque_t& c)
{
    const bool turnsA = op.a == CUBLAS_OP_T, turnsB = op.b == CUBLAS_OP_T;
    Product product{c.rows, c.columns, turnsA ? a.rows : a.columns, true};
    product.fits = product.m == (turnsA ? a.columns : a.rows)
        && product.k == (turnsB ? b.columns : b.rows) && product.n == (turnsB ? b.rows : b.columns)
        && a.stride >= a.rows && b.stride >= b.rows && c.stride >= c.rows && a.count == b.count
        && b.count == c.count;
    return product;
}

bool isAligned(const void* data, const cublasLtMatrixLayoutOpaque_t& layout, std::uint64_t bytes)
{
    const auto step = static_cast<std::uintptr_t>(layout.step) * sizeof(float);
    return reinterpret_cast<std::uintptr_t>(data) % bytes == 0
        && (layout.count == 1 || step % bytes == 0);
}

// What is to be multiplied, when the stream has come to it.
struct Queued
{
    cublasLtMatmulDescOpaque_t operation;
    cublasLtMatrixLayoutOpaque_t a, b, c;
    Product shape;
    float scale, kept;
};

void multiply(const Queued& op, const void* a, const void* b, void* d)
{
    const auto strideOf = [](bool turned, const cublasLtMatrixLayoutOpaque_t& layout) {
        return turned ? std::pair(layout.stride, std::int64_t{1})
                      : std::pair(std::int64_t{1}, layout.stride); // of a row, of a column
    };
    const auto [rowA, columnA] = strideOf(op.operation.a == CUBLAS_OP_T, op.a);
    const auto [rowB, columnB] = strideOf(op.operation.b == CUBLAS_OP_T, op.b);
    for (std::int32_t i = 0; i < op.a.count; ++i) {
        const float* left = static_cast<const float*>(a) + i * op.a.step;
        const float* right = static_cast<const float*>(b) + i * op.b.step;
        float* to = static_cast<float*>(d) + i * op.c.step;
        for (std::int64_t column = 0; column < op.shape.n; ++column)
            for (std::int64_t row = 0; row < op.shape.m; ++row) {
                double sum = 0;
                for (std::int64_t k = 0; k < op.shape.k; ++k)
                    sum += static_cast<double>(left[row * rowA + k * columnA])
                        * static_cast<double>(right[k * rowB + column * columnB]);
                float& out = to[row + column * op.c.stride];
                out = op.scale * static_cast<float>(sum) + (op.kept == 0 ? 0 : op.kept * out);
            }
    }
}

} // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle)
{
    *handle = new cublasLtContext;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType scale)
{
    *made = new cublasLtMatmulDescOpaque_t;
    return status(compute == CUBLAS_COMPUTE_32F && scale == CUDA_R_32F);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description)
{
    delete description;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes)
{
    std::int32_t multiprocessors = 0;
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return status(take(description->a, value, bytes));
    case CUBLASLT_MATMUL_DESC_TRANSB:
        return status(take(description->b, value, bytes));
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
        return status(take(multiprocessors, value, bytes));
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t stride)
{
    *made = new cublasLtMatrixLayoutOpaque_t{static_cast<std::int64_t>(rows),
                                             static_cast<std::int64_t>(columns), stride};
    return status(type == CUDA_R_32F);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    delete layout;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes)
{
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
        return status(take(layout->count, value, bytes));
    return status(take(layout->step, value, bytes));
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made)
{
    *made = new cublasLtMatmulPreferenceOpaque_t;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    delete preference;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes)
{
    if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
        return status(take(preference->workspace, value, bytes));
    if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
        return status(take(preference->reductions, value, bytes));
    const int operand = attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
    return status(take(preference->alignment[operand], value, bytes));
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results, int* found)
{
    const bool atomics = (preference->reductions & CUBLASLT_REDUCTION_SCHEME_INPLACE) != 0;
    const bool fits = productOf(*operation, *a, *b, *c).fits && c == d;
    *found = fits && !atomics && wanted == 1 ? 1 : 0;
    std::ranges::copy(preference->alignment, results->algo.data);
    results->algo.data[4] = preference->workspace;
    return status(*found == 1);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t layoutA, const void* b,
                              cublasLtMatrixLayout_t layoutB, const void* beta, const void* c,
                              cublasLtMatrixLayout_t layoutC, void* d, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspaceBytes, cudaStream_t stream)
{
    const std::uint64_t* promised = algorithm->data;
    const Product shape = productOf(*operation, *layoutA, *layoutB, *layoutC);
    if (!shape.fits || c != d || stream == nullptr || workspace == nullptr
        || workspaceBytes < promised[4] || !isAligned(a, *layoutA, promised[0])
        || !isAligned(b, *layoutB, promised[1]) || !isAligned(c, *layoutC, promised[2])
        || !isAligned(d, *layoutC, promised[3]))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const float scale = *static_cast<const float*>(alpha), kept = *static_cast<const float*>(beta);
    const cudaError_t queued = cuda_on_cpu::enqueue(
        stream,
        [a, b, d, scale, kept, shape, description = *operation, layoutA = *layoutA,
         layoutB = *layoutB, layoutC = *layoutC] {
            const cuda_on_cpu::Unlocked unlocked;
            multiply({description, layoutA, layoutB, layoutC, shape, scale, kept}, a, b, d);
        });
    return queued == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
namespace engine::cuda {

const BlasFunctions& blasFunctions()
{
    static const BlasFunctions kFunctions{cublasLtCreate,
                                          cublasLtDestroy,
                                          cublasLtMatmul,
                                          cublasLtMatmulAlgoGetHeuristic,
                                          cublasLtMatmulDescCreate,
                                          cublasLtMatmulDescDestroy,
                                          cublasLtMatmulDescSetAttribute,
                                          cublasLtMatrixLayoutCreate,
                                          cublasLtMatrixLayoutDestroy,
                                          cublasLtMatrixLayoutSetAttribute,
                                          cublasLtMatmulPreferenceCreate,
                                          cublasLtMatmulPreferenceDestroy,
                                          cublasLtMatmulPreferenceSetAttribute};
    return kFunctions;
}

} // namespace engine::cuda
