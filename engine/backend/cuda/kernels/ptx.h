#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// Instructions of sm_80 and later without a C++ equivalent, one function each. NVIDIA defines which
// thread of a warp holds which number (PTX ISA, "Matrix Fragments for mma.m16n8k16"). With the host
// compiler the functions of tests/support/cuda_on_cpu replace them.
#ifndef __CUDACC__
#include <cuda_ptx_on_cpu.h>
#else
namespace engine::cuda::ptx {

// c += a b, computed by a warp. a is 16 x 16 and b 16 x 8, in bfloat16, two numbers to a register;
// c is 16 x 8, in float. With g = lane / 4 and t = lane % 4, the registers of a lane hold these
// elements (row, column):
//   a: (g, 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8), each with its right neighbour.
//   b: (2t, g), (2t + 8, g), each with its lower neighbour.
//   c: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).
__device__ inline void multiplyAdd(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                   std::uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

using Shared = std::uint32_t;
__device__ inline Shared sharedAddress(const void* at)
{
    return static_cast<Shared>(__cvta_generic_to_shared(at));
}

// Loads four 8 x 8 matrices of 16-bit numbers from shared memory. Lane 8 m + r passes the address
// of row r of matrix m, aligned to 16 bytes. Register m of a lane receives the element (g, 2t) of
// matrix m and its right neighbour, with g and t as in multiplyAdd().
__device__ inline void loadMatrices(std::uint32_t (&to)[4], Shared row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

// Loads the transposed matrices: register m of a lane receives the element (2t, g) of matrix m and
// its lower neighbour.
__device__ inline void loadTransposed(std::uint32_t (&to)[4], Shared row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

// Copies 16 aligned bytes to shared memory asynchronously, or writes zeros if `exists` is false.
// This thread sees the bytes after waitForCopies(); other threads see them after a subsequent
// barrier.
__device__ inline void copyAsync(void* shared, const void* from, bool exists)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(shared)),
                 "l"(from), "r"(exists ? 16 : 0)
                 : "memory");
}

// Waits for all copies that this thread has started.
__device__ inline void waitForCopies()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// Packs two numbers as bfloat16, rounded to nearest, ties to even.
__device__ inline std::uint32_t pack(float low, float high)
{
    std::uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// Within 2 ulp; 0 for very negative numbers and -infinity.
__device__ inline float exp2(float x)
{
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

__device__ inline unsigned char* sharedMemory()
{
    extern __shared__ __align__(256) unsigned char memory[];
    return memory;
}

} // namespace engine::cuda::ptx
#endif
