#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/live.h"
#include "engine/experiment/check_experiment.h"
#include "engine/model/transformer.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

#include <cstdlib>
#include <new>
#include <thread>

using namespace engine;

namespace {

// Allocations of all threads but the one that watches, while it says so.
std::atomic<bool> g_counts{false};
std::atomic<int> g_allocations{0};
thread_local bool t_watches = false;

void* allocate(std::size_t bytes, std::size_t alignment)
{
    if (g_counts.load(std::memory_order_relaxed) && !t_watches)
        g_allocations.fetch_add(1, std::memory_order_relaxed);
    void* memory = alignment <= alignof(std::max_align_t)
        ? std::malloc(std::max<std::size_t>(bytes, 1))
        : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

} // namespace

// NOLINTBEGIN(misc-definitions-in-headers): the whole test program counts
void* operator new(std::size_t bytes)
{
    return allocate(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
    try {
        return allocate(bytes, 0);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}
// NOLINTEND(misc-definitions-in-headers)

TEST_CASE("no device and no side thread allocates anything in an iteration, under any scheme")
{
    const auto device = openCpuDevice().value();
    for (const Scheme& scheme : schemes()) {
        ScheduleRequest request;
        request.scheme = scheme.name;
        request.microBatches = 8;
        const auto built = buildSchedule(request);
        if (!built || built->shape.stages > 16 || !checkRunnable(lower(*built)))
            continue;
        INFO(scheme.name);
        Run run;
        run.schedule = lower(*built);
        const Transformer<float> model(tests::narrowModel(16), run.schedule.shape.stages,
                                       device->kernels(), run.schedule.shape.slices);
        Pipeline::Setup setup{run.schedule, model, device->kernels()};
        setup.tokenBytes = TokenBatches::bytes(tests::narrowModel(16), 8);
        TokenBatches tokens(tests::narrowModel(16), 8, run.schedule.shape.slices);
        tokens.load(TextData::builtIn(1), 0);
        Live live({setup}, run);
        const auto iterate = [&] {
            return live.iterate(
                {}, tokens, [](auto, auto) {}, false);
        };
        REQUIRE(iterate()); // BLAS takes its buffers
        t_watches = true;
        g_allocations = 0;
        g_counts = true;
        const auto again = iterate();
        g_counts = false;
        t_watches = false;
        REQUIRE(again);
        CHECK(g_allocations == 0);
    }
}
