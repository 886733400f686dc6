#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace engine {

// The number of threads that work on `count` tasks: `asked`, or one per core if it is 0.
inline std::size_t threadsFor(std::size_t count, unsigned asked = 0)
{
    return std::min<std::size_t>(
        asked > 0 ? asked : std::max(1u, std::thread::hardware_concurrency()), count);
}

// Calls work(0) to work(count - 1) on `threads` threads, one of which is the calling thread, and
// returns when all calls have. `work` must not throw.
template<class Work>
void inParallel(std::size_t count, std::size_t threads, const Work& work)
{
    std::atomic<std::size_t> next{0};
    const auto all = [&] {
        for (std::size_t i = next++; i < count; i = next++)
            work(i);
    };
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i)
        others.emplace_back(all);
    all();
}

} // namespace engine
