#include "engine/backend/cuda/runtime/tensor_attention.h"

#include "engine/backend/cuda/kernels/flash_tensor.h"
#include "engine/backend/cuda/kernels/launch.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine::cuda {
namespace {

bool isAligned(const void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

bool isAligned(const Matrix<const bfloat16>& matrix)
{
    return isAligned(matrix.data) && matrix.stride % 8 == 0;
}

std::size_t numbers(std::size_t a, int b)
{
    return a * static_cast<std::size_t>(b);
}

// In values of Wide<bfloat16>.
std::size_t sizeOfQueries(const AttentionShape& shape)
{
    return inWide<bfloat16>(numbers(shape.rows(), shape.width()));
}

std::size_t backwardNeed(const AttentionShape& shape)
{
    return sizeOfQueries(shape) + numbers(shape.rows(), shape.heads);
}

TensorFlash headsOf(const AttentionShape& shape, Matrix<const bfloat16> qkv,
                    const EarlierSlices<bfloat16>& earlier)
{
    TensorFlash heads{.shape = shape, .slice = earlier.count()};
    for (int slice = 0; slice < heads.slice; ++slice) {
        heads.qkv[slice] = earlier.qkvOf(slice);
        heads.stride[slice] = shape.qkvWidth();
    }
    heads.qkv[heads.slice] = qkv.data;
    heads.stride[heads.slice] = qkv.stride;
    return heads;
}

bool takes(const OpStream& opStream, const AttentionShape& shape, Matrix<const bfloat16> qkv,
           const EarlierSlices<bfloat16>& earlier)
{
    if (shape.kind != AttentionKind::Flash || !TensorFlash::takes(shape.headSize)
        || TensorFlash::sharedMemory(shape.headSize) > opStream.sharedMemory
        || shape.slices > TensorFlash::kMostSlices || !isAligned(qkv))
        return false;
    for (int slice = 0; slice < earlier.count(); ++slice)
        if (!isAligned(earlier.qkvOf(slice)))
            return false;
    return true;
}

} // namespace

int headsOfTensorWorkspace(const AttentionShape& shape)
{
    if (shape.kind != AttentionKind::Flash || !TensorFlash::takes(shape.headSize))
        return shape.heads;
    AttentionShape one = shape;
    one.headsAtOnce = 1;
    const std::size_t each = one.backwardWorkspace<bfloat16>();
    return std::max(shape.heads, static_cast<int>((backwardNeed(shape) + each - 1) / each));
}

std::string lackOfTensorCores(std::size_t sharedMemory)
{
    for (const int head : {64, 128})
        if (const std::size_t wanted = TensorFlash::sharedMemory(head); wanted > sharedMemory)
            return fmt::format(
                "flash attention with a head size of {}128 does not use tensor cores: the kernel "
                "needs {:.1f} KiB of shared memory per block, but the limit is {} KiB",
                head == 64 ? "64 or " : "", static_cast<double>(wanted) / 1024,
                sharedMemory >> 10U);
    return {};
}

bool tensorAttention(const OpStream& opStream, const Attention<bfloat16>& op)
{
    if (!takes(opStream, op.shape, op.qkv, op.earlier) || !isAligned(op.out))
        return false;
    flashForward(opStream,
                 {.heads = headsOf(op.shape, op.qkv, op.earlier),
                  .out = op.out,
                  .logSums = op.kept.logSums});
    return true;
}

bool tensorAttentionBackward(const OpStream& opStream, const AttentionBackward<bfloat16>& op)
{
    const AttentionShape& shape = op.shape;
    if (!takes(opStream, shape, op.qkv, op.earlier) || !isAligned(op.dOut) || !isAligned(op.out)
        || shape.backwardWorkspace<bfloat16>() < backwardNeed(shape))
        return false;
    const Matrix<bfloat16> dQuery(reinterpret_cast<bfloat16*>(op.workspace), op.qkv.rows,
                                  shape.width());
    TensorFlashBackward flash{.heads = headsOf(shape, op.qkv, op.earlier),
                              .out = op.out,
                              .dOut = op.dOut,
                              .logSums = op.kept.logSums,
                              .products = op.workspace + sizeOfQueries(shape),
                              .dQuery = dQuery,
                              .dKeyValue = {op.qkv.data + shape.width(), op.qkv.rows,
                                            2 * shape.keyWidth(), op.qkv.stride},
                              .later = op.keyGradients};
    for (int slice = 0; slice < op.earlier.count(); ++slice)
        flash.earlier[slice] = op.earlier.keyGradientsOf(slice);
    flashBackward(opStream, flash);
    constexpr auto kSize = sizeof(bfloat16);
    check(cudaMemcpy2DAsync(op.qkv.data, static_cast<std::size_t>(op.qkv.stride) * kSize,
                            dQuery.data, static_cast<std::size_t>(dQuery.stride) * kSize,
                            static_cast<std::size_t>(dQuery.columns) * kSize,
                            static_cast<std::size_t>(dQuery.rows), cudaMemcpyDeviceToDevice,
                            opStream.stream),
          "cudaMemcpy2DAsync");
    return true;
}

} // namespace engine::cuda
