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
    std::string name;                                         // "OpenBLAS 0.3.21, SkylakeX kernels"
};

// Loads the library once; thread-safe. Fails with Error::Code::NotFound if it is not installed; the
// message names the Debian package.
Result<const Blas*> loadBlas();

} // namespace engine::cpu
