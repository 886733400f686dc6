// A driver that does not come back to one thread, while others call it.
#include "tests/support/cuda_on_cpu/machine.h"
#include "tests/support/cuda_on_cpu/streams.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace {

thread_local bool stallsNext = false;
std::atomic<bool> isStalled{false};

} // namespace

void cuda_on_cpu::stallThisThread()
{
    stallsNext = true;
    isStalled = true;
}

void cuda_on_cpu::stallIfAsked()
{
    if (std::exchange(stallsNext, false))
        while (isStalled)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void cuda_on_cpu::endStall()
{
    isStalled = false;
}
