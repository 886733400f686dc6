#pragma once

#include "engine/backend/bfloat16.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/ptx.h"
#include "engine/backend/matrix.h"

#include <initializer_list>

// Code shared by elementwise kernels: 16-byte accesses where alignment allows them, storage as Real
// with arithmetic in float, and the loop over all elements.
namespace engine::cuda {

constexpr std::size_t kAccess = 16; // bytes
template<class Real>
constexpr int vectorOf() // numbers per access
{
    return static_cast<int>(kAccess / sizeof(Real));
}

// kCount adjacent numbers that one thread reads and writes together.
template<int kCount>
struct Pack
{
    float at[kCount];
};

// A Pack as it is stored in memory. It is read and written with one access, or with several
// accesses of 16 bytes.
template<class Real, int kCount>
struct alignas(kCount * sizeof(Real) < kAccess ? kCount * sizeof(Real) : kAccess) Stored
{
    Real at[kCount];
};

template<int kCount, class Real>
__device__ inline Pack<kCount> load(const Real* from)
{
    const auto stored = *reinterpret_cast<const Stored<Real, kCount>*>(from);
    Pack<kCount> pack;
    for (int i = 0; i < kCount; ++i)
        pack.at[i] = static_cast<float>(stored.at[i]);
    return pack;
}

template<int kCount>
__device__ inline void store(float* to, const Pack<kCount>& pack)
{
    Stored<float, kCount> stored;
    for (int i = 0; i < kCount; ++i)
        stored.at[i] = pack.at[i];
    *reinterpret_cast<Stored<float, kCount>*>(to) = stored;
}

// Rounds to nearest, two numbers at a time.
template<int kCount>
__device__ inline void store(bfloat16* to, const Pack<kCount>& pack)
{
    if constexpr (kCount == 1)
        to->bits = static_cast<std::uint16_t>(ptx::pack(pack.at[0], 0));
    else {
        Stored<std::uint32_t, kCount / 2> stored;
        for (int i = 0; i < kCount; i += 2)
            stored.at[i / 2] = ptx::pack(pack.at[i], pack.at[i + 1]);
        *reinterpret_cast<Stored<std::uint32_t, kCount / 2>*>(to) = stored;
    }
}

template<class Real>
__device__ inline Real* rowOf(const Matrix<Real>& matrix, int row)
{
    return matrix.data + static_cast<std::ptrdiff_t>(row) * matrix.stride;
}

// Row and column of an element in a contiguous matrix.
struct Place
{
    int row;
    std::size_t column;
};
__device__ inline Place placeOf(std::size_t number, int columns)
{
    const auto width = static_cast<std::size_t>(columns);
    return {static_cast<int>(number / width), number % width};
}
template<class Real>
__device__ inline Real* at(const Matrix<Real>& matrix, Place place)
{
    return rowOf(matrix, place.row) + place.column;
}

// to = combine(from, to) for each element.
template<int kCount, class Real, class Combine>
__device__ inline void combineInto(Real* to, const Real* from, const Combine& combine)
{
    auto values = load<kCount>(to);
    const auto others = load<kCount>(from);
    for (int i = 0; i < kCount; ++i)
        values.at[i] = combine(others.at[i], values.at[i]);
    store(to, values);
}

inline bool isAligned(const void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % kAccess == 0;
}

// Whether every row is aligned for 16-byte reads; true for a matrix without data.
template<class Real>
bool isAligned(const Matrix<Real>& matrix)
{
    return matrix.data == nullptr
        || (isAligned(static_cast<const void*>(matrix.data))
            && matrix.stride % vectorOf<Real>() == 0 && matrix.columns % vectorOf<Real>() == 0);
}

inline bool areAligned(std::initializer_list<const void*> pointers)
{
    for (const void* pointer : pointers)
        if (!isAligned(pointer))
            return false;
    return true;
}

template<class Real>
std::size_t countOf(const Matrix<Real>& matrix)
{
    return static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(matrix.columns);
}

// Calls work(first) for each pack of kCount numbers, where `count` is a multiple of kCount. A
// thread has one pack; adjacent threads access adjacent memory.
template<int kCount, class Work>
__global__ void __launch_bounds__(kThreads)
    eachPack(std::size_t count, const __grid_constant__ Work work)
{
    const std::size_t first
        = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * std::size_t{kCount};
    if (first < count)
        work.template operator()<kCount>(first);
}

// Runs `work`, which has a template operator()<kCount>(std::size_t first), on `count` numbers:
// kPack at a time, or one at a time if alignment or count do not allow packs.
template<int kPack, class Work>
void forEach(cudaStream_t stream, std::size_t count, bool aligned, const Work& work)
{
    CHECK(count / kThreads < 0x7fffffff); // limit of the grid
    if (aligned && count % kPack == 0)
        launch(stream, blocksFor(count / kPack, kThreads), eachPack<kPack, Work>, count, work);
    else
        launch(stream, blocksFor(count, kThreads), eachPack<1, Work>, count, work);
}

} // namespace engine::cuda
