// blasFunctions() of tests: what of a product is checked and refused, and who emulates it
// (cublas_product.h).
#include "engine/backend/cuda/blas/blas_functions.h"
#include "tests/support/cuda_on_cpu/cublas_product.h"
#include "tests/support/cuda_on_cpu/device_memory.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace {

using namespace cuda_on_cpu::blas;

cuda_on_cpu::Refusal refusing = cuda_on_cpu::Refusal::None;

// The arguments of such a product.
cublasStatus_t refusalAtRun(const cublasLtMatmulDescOpaque_t& op)
{
    using enum cuda_on_cpu::Refusal;
    const bool hasEpilogue = op.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
    if (refusing == Everything || (refusing == AtRun && hasEpilogue))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return refusing == AtRunInvalid && hasEpilogue ? CUBLAS_STATUS_INVALID_VALUE
                                                   : CUBLAS_STATUS_SUCCESS;
}

} // namespace

void cuda_on_cpu::refuseEpilogues(Refusal refusal)
{
    refusing = refusal;
}

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
    *made = new cublasLtMatmulDescOpaque_t{compute};
    return status((compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32)
                  && scale == CUDA_R_32F);
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
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return status(take(description->epilogue, value, bytes));
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return status(take(description->bias, value, bytes));
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        return status(take(description->biasType, value, bytes));
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
        return status(take(description->auxiliary, value, bytes));
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
        return status(take(description->auxiliaryStride, value, bytes));
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
        return status(take(description->auxiliaryType, value, bytes));
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
        return status(take(multiprocessors, value, bytes));
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t stride)
{
    *made = new cublasLtMatrixLayoutOpaque_t{type, static_cast<std::int64_t>(rows),
                                             static_cast<std::int64_t>(columns), stride};
    return status(type == CUDA_R_32F || type == CUDA_R_16BF);
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
    // What the library does with these its documentation does not say.
    if (hasAuxiliary(operation->epilogue)
        && (operation->auxiliaryStride % 8 != 0 || alignmentOf(operation->auxiliary) < 16))
        throw std::logic_error("an auxiliary matrix has rows of 8 numbers, aligned to 16 bytes");
    const bool hasEpilogue = operation->epilogue != CUBLASLT_EPILOGUE_DEFAULT;
    if (refusing == cuda_on_cpu::Refusal::NotFound && hasEpilogue) {
        *found = 0;
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    const bool rounds = (preference->reductions & ~CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE) != 0;
    const bool fits = productOf(*operation, *a, *b, *c).fits && c == d;
    *found = fits && !rounds && wanted == 1 ? 1 : 0;
    results->state = status(*found == 1);
    results->workspaceSize = preference->workspace;
    Promise promise{.bias = alignmentOf(operation->bias),
                    .auxiliary = alignmentOf(operation->auxiliary),
                    .workspace = preference->workspace};
    std::ranges::copy(preference->alignment, promise.alignment);
    std::memcpy(results->algo.data, &promise, sizeof promise);
    if (refusing == cuda_on_cpu::Refusal::InResult && hasEpilogue)
        results->state = CUBLAS_STATUS_NOT_SUPPORTED;
    return status(*found == 1);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t layoutA, const void* b,
                              cublasLtMatrixLayout_t layoutB, const void* beta, const void* c,
                              cublasLtMatrixLayout_t layoutC, void* d, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspaceBytes, cudaStream_t stream)
{
    Promise promised;
    std::memcpy(&promised, algorithm->data, sizeof promised);
    const Product shape = productOf(*operation, *layoutA, *layoutB, *layoutC);
    if (refusing == cuda_on_cpu::Refusal::InResult
        && operation->epilogue != CUBLASLT_EPILOGUE_DEFAULT)
        throw std::logic_error("an algorithm is run of which the heuristics said that it cannot");
    if (const cublasStatus_t refused = refusalAtRun(*operation); refused != CUBLAS_STATUS_SUCCESS)
        return refused;
    if (!shape.fits || stream == nullptr || workspace == nullptr
        || workspaceBytes < promised.workspace || !isAligned(a, *layoutA, promised.alignment[0])
        || !isAligned(b, *layoutB, promised.alignment[1])
        || !isAligned(c, *layoutC, promised.alignment[2])
        || !isAligned(d, *layoutC, promised.alignment[3])
        || alignmentOf(operation->bias) < promised.bias
        || alignmentOf(operation->auxiliary) < promised.auxiliary)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    BatchedProduct product{*operation, *layoutA, *layoutB, *layoutC, a, b, c, d, 0, 0};
    take(product.alpha, alpha, sizeof product.alpha);
    take(product.beta, beta, sizeof product.beta);
    const cudaError_t queued = cuda_on_cpu::enqueue(stream, [product, shape] {
        const cuda_on_cpu::Unlocked unlocked;
        for (std::int32_t i = 0; i < product.layoutA.count; ++i)
            product.compute(shape, i);
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
