#pragma once

#include "engine/backend/cuda/launch.h"
#include "engine/backend/matrix.h"

#include <initializer_list>

// What kernels over single numbers share: 16-byte accesses where memory allows them, and the loop
// over all of them.
namespace engine::cuda {

constexpr int kVector = 4; // floats of a 16-byte access

// kCount neighbours that are read and written at once.
template<int kCount>
struct alignas(kCount * sizeof(float)) Pack
{
    float at[kCount];
};

template<int kCount>
__device__ inline Pack<kCount> load(const float* from)
{
    return *reinterpret_cast<const Pack<kCount>*>(from);
}

template<int kCount>
__device__ inline void store(float* to, const Pack<kCount>& pack)
{
    *reinterpret_cast<Pack<kCount>*>(to) = pack;
}

template<class Real>
__device__ inline Real* rowOf(const Matrix<Real>& matrix, int row)
{
    return matrix.data + static_cast<std::ptrdiff_t>(row) * matrix.stride;
}

inline bool isAligned(const void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % (kVector * sizeof(float)) == 0;
}

// Whether every row of the matrix can be read 16 bytes at a time; one without data always can.
template<class Real>
bool isAligned(const Matrix<Real>& matrix)
{
    return matrix.data == nullptr
        || (isAligned(static_cast<const void*>(matrix.data)) && matrix.stride % kVector == 0
            && matrix.columns % kVector == 0);
}

inline bool areAligned(std::initializer_list<const void*> pointers)
{
    for (const void* pointer : pointers)
        if (!isAligned(pointer))
            return false;
    return true;
}

// Calls work(index of the first of kCount numbers) for all `count`, which kCount divides. Every
// thread does one pack; neighbours in a warp do neighbours in memory.
template<int kCount, class Work>
__global__ void __launch_bounds__(kThreads) eachPack(std::size_t count, Work work)
{
    const std::size_t first
        = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * std::size_t{kCount};
    if (first < count)
        work.template operator()<kCount>(first);
}

// `work` has a template operator()<kCount>(std::size_t first). Numbers behind the last whole pack,
// or all where memory is not aligned, are done one by one.
template<class Work>
void forEach(cudaStream_t stream, std::size_t count, bool aligned, const Work& work)
{
    CHECK(count / kThreads < 0x7fffffff); // blocks of a grid
    if (aligned && count % kVector == 0)
        launch(stream, blocksFor(count / kVector, kThreads), eachPack<kVector, Work>, count, work);
    else
        launch(stream, blocksFor(count, kThreads), eachPack<1, Work>, count, work);
}

} // namespace engine::cuda
