#pragma once

#include "engine/base/cancel.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace engine {

// The number of threads that work on `count` tasks: `asked`, or one per core if it is 0.
inline std::size_t threadsFor(std::size_t count, unsigned asked = 0)
{
    return std::min<std::size_t>(
        asked > 0 ? asked : std::max(1u, std::thread::hardware_concurrency()), count);
}

// Calls work(0) to work(count - 1) on up to `threads` threads, one of which is the calling thread,
// and returns when all calls have. If a call throws, calls that have not begun are left out, and
// the first exception is thrown again in the calling thread, whose CancelScope holds for all.
template<class Work>
void inParallel(std::size_t count, std::size_t threads, const Work& work)
{
    std::atomic<std::size_t> next{0};
    std::once_flag failed;
    std::exception_ptr failure;
    const auto all = [&, cancel = CancelScope::flag()] {
        const CancelScope scope(cancel);
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                throwIfCancelled(cancel);
                work(i);
            }
        } catch (...) {
            next = count;
            std::call_once(failed, [&] { failure = std::current_exception(); });
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t i = 1; i < threads; ++i)
                others.emplace_back(all);
        } catch (const std::system_error&) { // no more threads: those that run do all calls
        }
        all();
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace engine
