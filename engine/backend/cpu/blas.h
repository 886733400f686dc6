#pragma once

#include "engine/base/result.h"

#include <cblas.h>

#include <string>

namespace engine::cpu {

// The functions of OpenBLAS. The library is loaded on first use, so only commands that compute need
// it. It uses one thread unless setThreads() is called.
struct Blas
{
    decltype(&cblas_sgemm) sgemm = nullptr;
    decltype(&cblas_dgemm) dgemm = nullptr;
    decltype(&openblas_set_num_threads) setThreads = nullptr; // applies to the whole process
    // Take the buffer of a product from OpenBLAS's pool, and return it; null if the build hides
    // them.
    void* (*takeBuffer)(int) = nullptr;
    void (*returnBuffer)(void*) = nullptr;
    std::string name; // "OpenBLAS 0.3.21, SkylakeX kernels"
};

// Loads the library once; thread-safe. Fails with Error::Code::NotFound if it is not installed; the
// message names the Debian package. Fails with Error::Code::Device if it cannot be mapped.
Result<const Blas*> loadBlas();

// Makes the pool large enough for threads that compute at the same time: OpenBLAS waits forever
// for a buffer that it cannot have. Fails with Error::Code::Device; the message says how much
// memory is missing.
Result<void> reserveBuffers(const Blas& blas, int threads);
// Each thread calls this before its first product. Throws std::runtime_error with that message.
void reserveBufferOfThisThread(const Blas& blas);

} // namespace engine::cpu
