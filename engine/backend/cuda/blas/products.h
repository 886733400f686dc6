#pragma once

#include "engine/backend/cuda/kernels/op_stream.h"
#include "engine/backend/kernels.h"

#include <memory>

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

// Interface for matrix products; makeBlasLt() implements it with cuBLASLt.
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

// Linear layers as one product with an epilogue. These functions return false and queue nothing if
// the library has no such product; separate operations then give the same result. The library's
// GELU is the tanh form.

template<class Real>
bool linear(const OpStream& opStream, Products& products, const Linear<Real>& op);
template<class Real>
bool linearBackwardInput(const OpStream& opStream, Products& products,
                         const LinearBackwardInput<Real>& op);
template<class Real>
bool linearBackwardWeight(const OpStream& opStream, Products& products,
                          const LinearBackwardWeight<Real>& op);

struct BlasOptions
{
    // The number of SMs that the heuristics assume, for example the SMs of a partition. 0: all SMs
    // of the GPU.
    int multiprocessors = 0;
    // If set, products round their operands to a 10-bit mantissa. All operands must then be floats.
    bool tf32 = false;
};

// Matrix products with cuBLASLt, which is loaded on first use. They accumulate in fp32 and use the
// workspace of the stream. The algorithm is the first one that the heuristics return. It is chosen
// once for each combination of shape, layout, alignment and epilogue, so repeated runs give the
// same bits. Throws std::runtime_error if the library is missing or fails.
std::unique_ptr<Products> makeBlasLt(const BlasOptions& options = {});

} // namespace engine::cuda
