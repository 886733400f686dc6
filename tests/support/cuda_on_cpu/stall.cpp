// What one thread brings about while others call the driver, too: it does not come back to it, or
// the GPU does not end what it queues.
#include "tests/support/cuda_on_cpu/machine.h"
#include "tests/support/cuda_on_cpu/streams.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace {

thread_local bool stallsNext = false, hangsNext = false;
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

void cuda_on_cpu::hangHere()
{
    hangsNext = true;
}

bool cuda_on_cpu::hangsHere()
{
    return std::exchange(hangsNext, false);
}

void cuda_on_cpu::endStall()
{
    isStalled = false;
}
