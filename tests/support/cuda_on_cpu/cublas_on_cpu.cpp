// blasFunctions() of tests: products in plain loops over matrices whose columns lie one behind the
// other, as cuBLASLt has them.
#include "engine/backend/cuda/blas_functions.h"
#include "tests/support/cuda_on_cpu/device_memory.h"

#include <algorithm>
#include <bit>

struct cublasLtContext
{ };
struct cublasLtMatmulDescOpaque_t
{
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    void *bias = nullptr, *auxiliary = nullptr;
    std::int64_t auxiliaryStride = 0;
    std::int32_t biasType = -1, auxiliaryType = -1;
};
struct cublasLtMatrixLayoutOpaque_t
{
    cudaDataType type = CUDA_R_32F;
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

// Numbers of either type.
std::size_t sizeOf(cudaDataType type)
{
    return type == CUDA_R_16BF ? 2 : 4;
}

float read(const void* numbers, cudaDataType type, std::int64_t at)
{
    if (type == CUDA_R_16BF)
        return std::bit_cast<float>(std::uint32_t{static_cast<const std::uint16_t*>(numbers)[at]}
                                    << 16U);
    return static_cast<const float*>(numbers)[at];
}

void write(void* numbers, cudaDataType type, std::int64_t at, float value)
{
    if (type != CUDA_R_16BF) {
        static_cast<float*>(numbers)[at] = value;
        return;
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = bits + 0x7fffU + (bits >> 16U & 1U);
    static_cast<std::uint16_t*>(numbers)[at]
        = std::isnan(value) ? 0x7fffU : static_cast<std::uint16_t>(rounded >> 16U);
}

// To the 10 bits that TF32 has behind the point.
float rounded(float value, cublasComputeType_t compute)
{
    if (compute != CUBLAS_COMPUTE_32F_FAST_TF32 || !std::isfinite(value))
        return value;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000U) & ~0x1fffU);
}

bool hasBias(cublasLtEpilogue_t epilogue)
{
    return (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0 || epilogue == CUBLASLT_EPILOGUE_BGRADA;
}

bool hasAuxiliary(cublasLtEpilogue_t epilogue)
{
    return (epilogue & 128) != 0;
}

struct Product
{
    std::int64_t m = 0, n = 0, k = 0;
    bool fits = false;
};

bool typesFit(const cublasLtMatmulDescOpaque_t& op, const cublasLtMatrixLayoutOpaque_t& a,
              const cublasLtMatrixLayoutOpaque_t& b, const cublasLtMatrixLayoutOpaque_t& c)
{
    const bool half = a.type == CUDA_R_16BF;
    return a.type == b.type && (half || c.type == CUDA_R_32F)
        && (!half || op.compute == CUBLAS_COMPUTE_32F);
}

bool epilogueFits(const cublasLtMatmulDescOpaque_t& op, const cublasLtMatrixLayoutOpaque_t& c)
{
    const auto isOfC = [&](std::int32_t type) { return type == -1 || type == c.type; };
    const bool biased = hasBias(op.epilogue), keeps = hasAuxiliary(op.epilogue);
    return (op.epilogue == CUBLASLT_EPILOGUE_DEFAULT || c.count == 1)
        && (!biased || (op.bias != nullptr && isOfC(op.biasType)))
        && (!keeps
            || (op.auxiliary != nullptr && isOfC(op.auxiliaryType) && op.auxiliaryStride % 8 == 0
                && op.auxiliaryStride >= c.rows));
}

Product productOf(const cublasLtMatmulDescOpaque_t& op, const cublasLtMatrixLayoutOpaque_t& a,
                  const cublasLtMatrixLayoutOpaque_t& b, const cublasLtMatrixLayoutOpaque_t& c)
{
    const bool turnsA = op.a == CUBLAS_OP_T, turnsB = op.b == CUBLAS_OP_T;
    Product product{c.rows, c.columns, turnsA ? a.rows : a.columns, true};
    product.fits = product.m == (turnsA ? a.columns : a.rows)
        && product.k == (turnsB ? b.columns : b.rows) && product.n == (turnsB ? b.rows : b.columns)
        && a.stride >= a.rows && b.stride >= b.rows && c.stride >= c.rows && a.count == b.count
        && b.count == c.count && typesFit(op, a, b, c) && epilogueFits(op, c);
    return product;
}

bool isAligned(const void* data, const cublasLtMatrixLayoutOpaque_t& layout, std::uint64_t bytes)
{
    const auto step = static_cast<std::uintptr_t>(layout.step) * sizeOf(layout.type);
    return reinterpret_cast<std::uintptr_t>(data) % bytes == 0
        && (layout.count == 1 || step % bytes == 0);
}

// What an algorithm was promised, in its eight words.
struct Promise
{
    std::uint32_t alignment[4] = {}, bias = 0, auxiliary = 0;
    std::uint64_t workspace = 0;
};
static_assert(sizeof(Promise) <= sizeof(cublasLtMatmulAlgo_t));

std::uint32_t alignmentOf(const void* pointer)
{
    const auto bits = reinterpret_cast<std::uintptr_t>(pointer);
    return bits == 0 ? 1 : static_cast<std::uint32_t>(std::min<std::uintptr_t>(bits & -bits, 16));
}

// gelu(x) and its slope, in the tanh form.
float gelu(float x)
{
    const double v = x, t = std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v));
    return static_cast<float>(0.5 * v * (1 + t));
}
float geluSlope(float x)
{
    const double v = x, t = std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v));
    return static_cast<float>(
        0.5 * (1 + t + v * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * v * v)));
}

// What is to be multiplied, when the stream has come to it.
struct Player
{
    cublasLtMatmulDescOpaque_t op;
    cublasLtMatrixLayoutOpaque_t layoutA, layoutB, layoutC;
    const void *a, *b, *c;
    void* d;
    float alpha, beta;

    static std::int64_t place(bool turned, const cublasLtMatrixLayoutOpaque_t& layout,
                              std::int64_t row, std::int64_t column)
    {
        return turned ? column + row * layout.stride : row + column * layout.stride;
    }
    float left(std::int64_t row, std::int64_t k, std::int64_t batch) const
    {
        return rounded(read(a, layoutA.type,
                            batch * layoutA.step + place(op.a == CUBLAS_OP_T, layoutA, row, k)),
                       op.compute);
    }
    float right(std::int64_t k, std::int64_t column, std::int64_t batch) const
    {
        return rounded(read(b, layoutB.type,
                            batch * layoutB.step + place(op.b == CUBLAS_OP_T, layoutB, k, column)),
                       op.compute);
    }

    void play(const Product& shape, std::int64_t batch) const
    {
        for (std::int64_t column = 0; column < shape.n; ++column)
            for (std::int64_t row = 0; row < shape.m; ++row) {
                double sum = 0;
                for (std::int64_t k = 0; k < shape.k; ++k)
                    sum += static_cast<double>(left(row, k, batch))
                        * static_cast<double>(right(k, column, batch));
                const std::int64_t at = batch * layoutC.step + row + column * layoutC.stride;
                const float added = beta == 0 ? 0 : beta * read(c, layoutC.type, at);
                const float value = alpha * static_cast<float>(sum) + added;
                write(d, layoutC.type, at, behind(value, row, row + column * op.auxiliaryStride));
            }
        if (op.epilogue == CUBLASLT_EPILOGUE_BGRADA)
            addRows(shape);
    }
    float behind(float value, std::int64_t row, std::int64_t kept) const
    {
        if ((op.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0)
            value += read(op.bias, layoutC.type, row);
        if (op.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS) {
            write(op.auxiliary, layoutC.type, kept, value);
            return gelu(value);
        }
        if (op.epilogue == CUBLASLT_EPILOGUE_DGELU)
            return value * geluSlope(read(op.auxiliary, layoutC.type, kept));
        return value;
    }
    void addRows(const Product& shape) const
    {
        for (std::int64_t row = 0; row < shape.m; ++row) {
            double sum = 0;
            for (std::int64_t k = 0; k < shape.k; ++k)
                sum += static_cast<double>(left(row, k, 0));
            write(op.bias, layoutC.type, row, static_cast<float>(sum));
        }
    }
};

bool refusing = false; // products with an epilogue, when they are to run

} // namespace

void cuda_on_cpu::refuseEpilogues(bool refuse)
{
    refusing = refuse;
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
    if (!shape.fits || stream == nullptr || workspace == nullptr
        || workspaceBytes < promised.workspace || !isAligned(a, *layoutA, promised.alignment[0])
        || !isAligned(b, *layoutB, promised.alignment[1])
        || !isAligned(c, *layoutC, promised.alignment[2])
        || !isAligned(d, *layoutC, promised.alignment[3])
        || alignmentOf(operation->bias) < promised.bias
        || alignmentOf(operation->auxiliary) < promised.auxiliary
        || (refusing && operation->epilogue != CUBLASLT_EPILOGUE_DEFAULT))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    Player player{*operation, *layoutA, *layoutB, *layoutC, a, b, c, d, 0, 0};
    take(player.alpha, alpha, sizeof player.alpha);
    take(player.beta, beta, sizeof player.beta);
    const cudaError_t queued = cuda_on_cpu::enqueue(stream, [player, shape] {
        const cuda_on_cpu::Unlocked unlocked;
        for (std::int32_t i = 0; i < player.layoutA.count; ++i)
            player.play(shape, i);
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
