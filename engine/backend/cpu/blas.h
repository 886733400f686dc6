#pragma once

#include "engine/base/result.h"

#include <cblas.h>

#include <string>

namespace engine::cpu {

// OpenBLAS, loaded when arithmetic is first wanted and not when the program starts: everything that
// computes nothing works without it. It begins with one thread, and starts no other until asked.
struct Blas
{
    decltype(&cblas_sgemm) sgemm = nullptr;
    decltype(&cblas_dgemm) dgemm = nullptr;
    decltype(&openblas_set_num_threads) setThreads = nullptr; // of the whole process
    std::string name;                                         // "OpenBLAS 0.3.21, SkylakeX kernels"
};

// NotFound names the Debian package. Loaded once; any thread.
Result<const Blas*> loadBlas();

} // namespace engine::cpu
