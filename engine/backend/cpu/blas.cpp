#include "engine/backend/cpu/blas.h"

#include "engine/base/try.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <vector>

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

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
// A thread has one during a product: BUFFER_SIZE of OpenBLAS on x86-64 and ARM64.
constexpr std::size_t kBuffer = 128 * kMebibyte;

bool canMap(std::size_t bytes)
{
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED && munmap(memory, bytes) == 0;
}

// The error if so many threads need more memory than there is, and `buffers` of theirs are missing.
tl::unexpected<Error> noMemory(int threads, std::size_t buffers)
{
    std::size_t left = kBuffer;
    while (left > 0 && !canMap(left))
        left -= kMebibyte;
    return fail(Error::Code::Device,
                "OpenBLAS needs {} MiB of memory for {} thread{}, of which {} MiB are "
                "missing; raise the memory limit of this process (ulimit -v)",
                threads * kBuffer / kMebibyte, threads, threads == 1 ? "" : "s",
                (buffers * kBuffer - left) / kMebibyte);
}

Result<Blas> open()
{
    if (!canMap(kBuffer)) // OpenBLAS 0.3.29 takes one when it is loaded, and tries forever
        return noMemory(1, 1);
    // OpenBLAS reads this variable when it is loaded; otherwise it would start a thread pool that
    // is not used.
    setenv("OPENBLAS_NUM_THREADS", "1", 1); // NOLINT(concurrency-mt-unsafe): called once
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const std::string reason = dlerror(); // NOLINT(concurrency-mt-unsafe): called once
        if (reason.find("No such file") != std::string::npos)
            return fail(Error::Code::NotFound, kMissing);
        return fail(Error::Code::Device,
                    "OpenBLAS cannot be loaded: {}; if memory is limited (ulimit -v), "
                    "raise the limit",
                    reason);
    }

    Blas blas{.sgemm = symbol<decltype(&cblas_sgemm)>(library, "cblas_sgemm"),
              .dgemm = symbol<decltype(&cblas_dgemm)>(library, "cblas_dgemm"),
              .setThreads
              = symbol<decltype(&openblas_set_num_threads)>(library, "openblas_set_num_threads"),
              .takeBuffer = symbol<decltype(Blas::takeBuffer)>(library, "blas_memory_alloc"),
              .returnBuffer = symbol<decltype(Blas::returnBuffer)>(library, "blas_memory_free"),
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

Result<void> reserveBuffers(const Blas& blas, int threads)
{
    static std::mutex mutex;
    static int reserved = 0; // threads with a buffer in the pool of OpenBLAS; protected by `mutex`
    const std::scoped_lock lock(mutex);
    if (threads <= reserved)
        return {};
    std::vector<void*> taken; // at the same time, so that the pool grows to this size
    const bool hasPool = blas.takeBuffer != nullptr && blas.returnBuffer != nullptr;
    while (std::ssize(taken) < threads && canMap(hasPool ? kBuffer : (taken.size() + 1) * kBuffer))
        taken.push_back(hasPool ? blas.takeBuffer(0) : nullptr);
    for (void* buffer : taken)
        if (hasPool)
            blas.returnBuffer(buffer);
    if (std::ssize(taken) == threads) {
        reserved = threads;
        return {};
    }
    return noMemory(threads, threads - taken.size());
}

void reserveBufferOfThisThread(const Blas& blas)
{
    static std::atomic<int> threads = 0; // that compute
    struct Computing
    {
        explicit Computing(const Blas& blas)
        {
            if (const auto done = reserveBuffers(blas, ++threads); !done) {
                --threads;
                throw std::runtime_error(done.error().message);
            }
        }
        ~Computing() { --threads; }
        Computing(const Computing&) = delete;
        Computing& operator=(const Computing&) = delete;
    };
    thread_local const Computing computing(blas);
}

} // namespace engine::cpu
