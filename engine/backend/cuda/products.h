#pragma once

#include "engine/backend/cuda/lane.h"
#include "engine/backend/kernels.h"

namespace engine::cuda {

// `count` products of one shape; operands of product i lie i strides behind those of the first, in
// numbers. A stride of 0 shares the operand.
struct BatchedMatmul
{
    Matmul<float> first;
    int count = 1;
    std::ptrdiff_t strideA = 0, strideB = 0, strideC = 0;
};

// Who multiplies matrices: cuBLASLt (blas_lt.h).
class Products
{
public:
    Products() = default;
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;
    virtual ~Products() = default;

    // Queued on the lane, whose scratch it uses. One thread at a time.
    virtual void multiply(const Lane& lane, const BatchedMatmul& op) = 0;
};

} // namespace engine::cuda
