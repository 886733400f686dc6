#pragma once

#include "engine/backend/cuda/kernels/op_stream.h"
#include "engine/backend/kernels.h"

namespace engine::cuda {

enum class Element : std::uint8_t { Float, BFloat16 };

template<class Real>
constexpr Element kElementOf = sizeof(Real) == sizeof(float) ? Element::Float : Element::BFloat16;

constexpr std::size_t bytesOf(Element element)
{
    return element == Element::Float ? sizeof(float) : sizeof(bfloat16);
}

// A matrix of a product. `data` is not const, because a matrix may be the result; inputs are only
// read.
struct Operand
{
    void* data = nullptr;
    Element element = Element::Float;
    int rows = 0, columns = 0, stride = 0;
    // Distance in numbers between the matrices of consecutive products of the batch; 0: all
    // products share one matrix.
    std::ptrdiff_t step = 0;

    Operand() = default;
    template<class Real>
    Operand(const Matrix<Real>& matrix, std::ptrdiff_t ofBatch) // NOLINT: const is cast away
        : data(const_cast<std::remove_const_t<Real>*>(matrix.data))
        , element(kElementOf<Real>)
        , rows(matrix.rows)
        , columns(matrix.columns)
        , stride(matrix.stride)
        , step(ofBatch)
    { }
};

// Additional operations of a product (cuBLASLt's epilogues).
enum class Epilogue : std::uint8_t {
    None,
    Bias,         // c += bias, one number per column
    GeluBias,     // c = gelu(c + bias); c + bias is written to `auxiliary`
    GeluGradient, // c = c gelu'(auxiliary)
    BiasGradient, // bias = column sums of b; b must not be transposed
};

// A batch of `count` products c = alpha a b + beta c.
struct Product
{
    Operand a, b, c;
    Transpose transposeA = Transpose::No, transposeB = Transpose::No;
    float alpha = 1, beta = 0;
    int count = 1;
    // The matrix that is multiplied by beta. It has the layout of c; nullptr: c itself.
    const void* added = nullptr;
    Epilogue epilogue = Epilogue::None;
    void* bias = nullptr; // same type of numbers as c
    void* auxiliary = nullptr;
};

// A batch of products of one shape. The operands of product i start i strides (in numbers) after
// those of product 0; all products share an operand whose stride is 0.
template<class Real, class Out = Real>
struct BatchedMatmul
{
    Matmul<Real, Out> first;
    int count = 1;
    std::ptrdiff_t strideA = 0, strideB = 0, strideC = 0;

    operator Product() const // NOLINT(google-explicit-constructor): conversion by intent
    {
        return {.a = {first.a, strideA},
                .b = {first.b, strideB},
                .c = {first.c, strideC},
                .transposeA = first.transposeA,
                .transposeB = first.transposeB,
                .alpha = static_cast<float>(first.alpha),
                .beta = static_cast<float>(first.beta),
                .count = count};
    }
};

// Interface for matrix products; implemented with cuBLASLt (blas_lt.h).
class Products
{
public:
    Products() = default;
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;
    virtual ~Products() = default;

    // Queues the product on the stream, using the stream's workspace. Returns false and queues
    // nothing if the epilogue is not supported. Whether it is supported depends only on the shape.
    // Not thread-safe.
    virtual bool multiply(const OpStream& opStream, const Product& op) = 0;
};

} // namespace engine::cuda
