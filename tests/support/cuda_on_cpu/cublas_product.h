#pragma once

#include "tests/support/cuda_on_cpu/cublasLt.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

// cuBLASLt's descriptions, and products in plain loops over matrices whose columns lie one behind
// the other, as it has them.
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

namespace cuda_on_cpu::blas {

template<class Value>
inline bool take(Value& to, const void* from, std::size_t bytes)
{
    if (bytes != sizeof to)
        return false;
    std::memcpy(&to, from, bytes);
    return true;
}

inline cublasStatus_t status(bool good)
{
    return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

// Numbers of either type.
inline std::size_t sizeOf(cudaDataType type)
{
    return type == CUDA_R_16BF ? 2 : 4;
}

inline float read(const void* numbers, cudaDataType type, std::int64_t at)
{
    if (type == CUDA_R_16BF)
        return std::bit_cast<float>(std::uint32_t{static_cast<const std::uint16_t*>(numbers)[at]}
                                    << 16U);
    return static_cast<const float*>(numbers)[at];
}

inline void write(void* numbers, cudaDataType type, std::int64_t at, float value)
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
inline float rounded(float value, cublasComputeType_t compute)
{
    if (compute != CUBLAS_COMPUTE_32F_FAST_TF32 || !std::isfinite(value))
        return value;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000U) & ~0x1fffU);
}

inline bool hasBias(cublasLtEpilogue_t epilogue)
{
    return (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0 || epilogue == CUBLASLT_EPILOGUE_BGRADA;
}

inline bool hasAuxiliary(cublasLtEpilogue_t epilogue)
{
    return (epilogue & 128) != 0;
}

struct Product
{
    std::int64_t m = 0, n = 0, k = 0;
    bool fits = false;
};

inline bool typesFit(const cublasLtMatmulDescOpaque_t& op, const cublasLtMatrixLayoutOpaque_t& a,
                     const cublasLtMatrixLayoutOpaque_t& b, const cublasLtMatrixLayoutOpaque_t& c)
{
    const bool half = a.type == CUDA_R_16BF;
    return a.type == b.type && (half || c.type == CUDA_R_32F)
        && (!half || op.compute == CUBLAS_COMPUTE_32F);
}

inline bool epilogueFits(const cublasLtMatmulDescOpaque_t& op,
                         const cublasLtMatrixLayoutOpaque_t& c)
{
    const auto isOfC = [&](std::int32_t type) { return type == -1 || type == c.type; };
    const bool biased = hasBias(op.epilogue), keeps = hasAuxiliary(op.epilogue);
    return (op.epilogue == CUBLASLT_EPILOGUE_DEFAULT || c.count == 1)
        && (!biased || (op.bias != nullptr && isOfC(op.biasType)))
        && (!keeps
            || (op.auxiliary != nullptr && isOfC(op.auxiliaryType) && op.auxiliaryStride % 8 == 0
                && op.auxiliaryStride >= c.rows));
}

inline Product productOf(const cublasLtMatmulDescOpaque_t& op,
                         const cublasLtMatrixLayoutOpaque_t& a,
                         const cublasLtMatrixLayoutOpaque_t& b,
                         const cublasLtMatrixLayoutOpaque_t& c)
{
    const bool turnsA = op.a == CUBLAS_OP_T, turnsB = op.b == CUBLAS_OP_T;
    Product product{c.rows, c.columns, turnsA ? a.rows : a.columns, true};
    product.fits = product.m == (turnsA ? a.columns : a.rows)
        && product.k == (turnsB ? b.columns : b.rows) && product.n == (turnsB ? b.rows : b.columns)
        && a.stride >= a.rows && b.stride >= b.rows && c.stride >= c.rows && a.count == b.count
        && b.count == c.count && typesFit(op, a, b, c) && epilogueFits(op, c);
    return product;
}

inline bool isAligned(const void* data, const cublasLtMatrixLayoutOpaque_t& layout,
                      std::uint64_t bytes)
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

inline std::uint32_t alignmentOf(const void* pointer)
{
    const auto bits = reinterpret_cast<std::uintptr_t>(pointer);
    return bits == 0 ? 1 : static_cast<std::uint32_t>(std::min<std::uintptr_t>(bits & -bits, 16));
}

// gelu(x) and its slope, in the tanh form.
inline float gelu(float x)
{
    const double v = x, t = std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v));
    return static_cast<float>(0.5 * v * (1 + t));
}
inline float geluSlope(float x)
{
    const double v = x, t = std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v));
    return static_cast<float>(
        0.5 * (1 + t + v * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * v * v)));
}

// What is to be multiplied, when the stream has come to it.
struct BatchedProduct
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

    void compute(const Product& shape, std::int64_t batch) const
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

} // namespace cuda_on_cpu::blas
