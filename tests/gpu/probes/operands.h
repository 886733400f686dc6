#pragma once

#include <cuda_bf16.h>

#include <cstddef>

// What the probes of products multiply.
namespace probe {

// Numbers from -1 to 1 of no pattern: products of zeros run faster than real ones.
static __global__ void fillRandom(__nv_bfloat16* out, std::size_t count, unsigned seed)
{
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
         i += std::size_t{gridDim.x} * blockDim.x) {
        auto h = static_cast<unsigned>(i) * 2654435761U + seed;
        h ^= h >> 16U;
        h *= 0x85ebca6bU;
        h ^= h >> 13U;
        out[i] = __float2bfloat16(static_cast<float>(h & 0xffffU) / 32768.0F - 1.0F);
    }
}

} // namespace probe
