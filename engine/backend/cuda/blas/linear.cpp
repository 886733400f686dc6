#include "engine/backend/cuda/blas/products.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/operations.h"

#include <type_traits>

namespace engine::cuda {
namespace {

// cuBLASLt does not document the accuracy of its GELU, so it is used only for bfloat16, whose
// results have only 8 bits of precision.
template<class Real>
constexpr bool kHasGelu = std::is_same_v<Real, bfloat16>;

} // namespace

// The product adds the residual (Product::added), so the residual needs no separate pass.
template<class Real>
bool linear(const OpStream& opStream, Products& products, const Linear<Real>& op)
{
    const bool activates = op.activated.data != nullptr;
    if (activates && (!kHasGelu<Real> || op.bias == nullptr || op.residual.data != nullptr))
        return false;
    Product product = BatchedMatmul<Real>{{.a = op.x, .b = op.weight, .c = op.y}};
    if (op.residual.data != nullptr) {
        CHECK(op.residual.stride == op.y.stride);
        product.added = op.residual.data;
        product.beta = 1;
    }
    if (op.bias != nullptr) {
        product.epilogue = Epilogue::Bias;
        product.bias = const_cast<Real*>(op.bias); // the library only reads it
    }
    if (activates) {
        CHECK(op.activated.stride == op.y.stride);
        product.epilogue = Epilogue::GeluBias;
        product.c.data = op.activated.data;
        product.auxiliary = op.y.data;
    }
    return products.multiply(opStream, product);
}

// cuBLASLt does not document whether the gradient may alias the GELU's input, so the gradient is
// written to dx and then copied to op.beforeGelu.
template<class Real>
bool linearBackwardInput(const OpStream& opStream, Products& products,
                         const LinearBackwardInput<Real>& op)
{
    if (!kHasGelu<Real> || op.beforeGelu.data == nullptr)
        return false;
    CHECK(op.beforeGelu.stride == op.dx.stride && op.dx.stride == op.dx.columns);
    Product product = BatchedMatmul<Real>{
        {.a = op.dy, .b = op.weight, .c = op.dx, .transposeB = Transpose::Yes}};
    product.epilogue = Epilogue::GeluGradient;
    product.auxiliary = op.beforeGelu.data;
    if (!products.multiply(opStream, product))
        return false;
    const std::span<Real> from = all(op.dx);
    check(cudaMemcpyAsync(op.beforeGelu.data, from.data(), from.size_bytes(),
                          cudaMemcpyDeviceToDevice, opStream.stream),
          "cudaMemcpyAsync");
    return true;
}

// cuBLASLt overwrites the bias gradient, so it is written to scratch memory and then added to
// dBias.
template<class Real>
bool linearBackwardWeight(const OpStream& opStream, Products& products,
                          const LinearBackwardWeight<Real>& op)
{
    if (op.dBias == nullptr
        || static_cast<std::size_t>(op.dy.columns) * sizeof(float) > OpStream::kIntermediate)
        return false;
    Product product = BatchedMatmul<Real, float>{
        {.a = op.x, .b = op.dy, .c = op.dWeight, .transposeA = Transpose::Yes, .beta = 1}};
    product.epilogue = Epilogue::BiasGradient;
    product.bias = opStream.intermediate();
    if (!products.multiply(opStream, product))
        return false;
    const std::size_t count = op.dy.columns;
    add<float>(opStream, {opStream.intermediate(), count}, {op.dBias, count});
    return true;
}

template bool linear(const OpStream&, Products&, const Linear<float>&);
template bool linear(const OpStream&, Products&, const Linear<bfloat16>&);
template bool linearBackwardInput(const OpStream&, Products&, const LinearBackwardInput<float>&);
template bool linearBackwardInput(const OpStream&, Products&, const LinearBackwardInput<bfloat16>&);
template bool linearBackwardWeight(const OpStream&, Products&, const LinearBackwardWeight<float>&);
template bool linearBackwardWeight(const OpStream&, Products&,
                                   const LinearBackwardWeight<bfloat16>&);

} // namespace engine::cuda
