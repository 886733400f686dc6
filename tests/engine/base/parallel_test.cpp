#include "engine/base/parallel.h"
#include "tests/catch.h"

#include <new>

using namespace engine;

TEST_CASE("every call is made once, on any number of threads")
{
    for (const std::size_t threads : {0U, 1U, 3U, 20U}) {
        std::vector<std::atomic<int>> calls(10);
        inParallel(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
        for (const auto& each : calls)
            CHECK(each == 1);
    }
    inParallel(0, 2, [](std::size_t) { FAIL("there is nothing to do"); });
}

// An exception on another thread would end the process.
TEST_CASE("an exception of a call is thrown in the calling thread, and ends the rest")
{
    std::atomic<int> calls = 0;
    const auto work = [&](std::size_t) {
        ++calls;
        throw std::bad_alloc();
    };
    CHECK_THROWS_AS(inParallel(1000, 4, work), std::bad_alloc);
    CHECK(calls <= 4);
}

TEST_CASE("threads that work in parallel are cancelled with the one that asked")
{
    std::atomic<bool> isCancelled = false;
    const CancelScope scope(&isCancelled);
    std::atomic<int> calls = 0;
    const auto work = [&](std::size_t) {
        ++calls;
        isCancelled = true;
        throwIfCancelled();
    };
    CHECK_THROWS_AS(inParallel(1000, 4, work), Cancelled);
    CHECK(calls <= 4);
}

TEST_CASE("a scope ends with its block, and without one nothing is cancelled")
{
    const std::atomic<bool> isCancelled = true;
    throwIfCancelled();
    {
        const CancelScope outer(&isCancelled);
        const CancelScope inner(nullptr);
        throwIfCancelled();
    }
    throwIfCancelled();
}

TEST_CASE("there are as many threads as were asked for, but no more than tasks")
{
    CHECK(threadsFor(5, 3) == 3);
    CHECK(threadsFor(2, 3) == 2);
    CHECK(threadsFor(0, 3) == 0);
    CHECK(threadsFor(1000) >= 1);
}
