#include "engine/backend/cpu/blas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace engine::cpu {
namespace {

constexpr auto kMissing = "libopenblas.so.0 cannot be loaded; install OpenBLAS, on Debian with "
                          "'apt install libopenblas0-pthread'";

template<class Function>
Function symbol(void* library, const char* name)
{
    return reinterpret_cast<Function>(dlsym(library, name)); // NOLINT: dlsym() requires the cast
}

// "OpenBLAS 0.3.21 NO_AFFINITY ..." -> "OpenBLAS 0.3.21"
std::string firstTwoWords(std::string_view config)
{
    const auto first = config.find(' ');
    return std::string(config.substr(0, config.find(' ', first + 1)));
}

Result<Blas> open()
{
    // OpenBLAS reads this variable when it is loaded; otherwise it would start a thread pool that
    // is not used.
    setenv("OPENBLAS_NUM_THREADS", "1", 1); // NOLINT(concurrency-mt-unsafe): called once
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return fail(Error::Code::NotFound, kMissing);

    Blas blas{.sgemm = symbol<decltype(&cblas_sgemm)>(library, "cblas_sgemm"),
              .dgemm = symbol<decltype(&cblas_dgemm)>(library, "cblas_dgemm"),
              .setThreads
              = symbol<decltype(&openblas_set_num_threads)>(library, "openblas_set_num_threads"),
              .name = {}};
    const auto config = symbol<decltype(&openblas_get_config)>(library, "openblas_get_config");
    const auto core = symbol<decltype(&openblas_get_corename)>(library, "openblas_get_corename");
    if (!blas.sgemm || !blas.dgemm || !blas.setThreads || !config || !core)
        return fail(Error::Code::Unsupported,
                    "libopenblas.so.0 has no cblas_sgemm or is not OpenBLAS; install the packaged "
                    "one, on Debian with 'apt install libopenblas0-pthread'");
    blas.setThreads(1);
    blas.name = fmt::format("{}, {} kernels", firstTwoWords(config()), core());
    return blas;
}

} // namespace

Result<const Blas*> loadBlas()
{
    static const Result<Blas> blas = open();
    if (!blas)
        return tl::unexpected(blas.error());
    return &*blas;
}

} // namespace engine::cpu
