// Drivers for which an event belongs to the context that was current when it was made
// (cuEventRecord in cuda.h of 13.0), and those for which it is the whole GPU's (CUDA Runtime
// API 13.4).
#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda/runtime/partition.h"
#include "tests/catch.h"
#include "tests/conformance/lanes/probe_training.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <algorithm>

using namespace engine;
using namespace lanes_test;

namespace {

using Events = cuda::Partition::Events;

Events eventsOn(const cuda_on_cpu::Gpus& gpus)
{
    cuda_on_cpu::plugIn(gpus);
    const auto partitions = cuda::makePartitions(0, 4);
    const Events events = partitions.front()->events();
    CHECK(std::ranges::all_of(
        partitions, [events](const auto& partition) { return partition->events() == events; }));
    return events;
}

} // namespace

TEST_CASE("the events that a partition's streams accept are found by a trial")
{
    CHECK(eventsOn({}) == Events::OfGpu);
    CHECK(eventsOn({.eventsOfContexts = true}) == Events::Own);
    cuda_on_cpu::plugIn({});
}

TEST_CASE("partitions whose events are their own train live as others do")
{
    cuda_on_cpu::plugIn({.eventsOfContexts = true});
    cuda_on_cpu::takeTurns(cuda_on_cpu::Turns::Random, 3);
    {
        Devices devices;
        for (auto& made : cuda::makeDevices(4))
            devices.push_back(std::move(made));
        for (const char* scheme : {"1f1b", "chimera", "bitpipe", "bpipe"}) {
            INFO(scheme);
            const Schedule lowered = scheduleOf(scheme, 4, 8);
            const Trained live = trainLive(lowered, devices, {.warmup = 1});
            if (!live.result)
                FAIL(live.result.error().message);
            CHECK(live.gradients == emulate(lowered, nullptr, {.warmup = 1}).gradients);
            for (const Track& track : live.run.timeline.tracks)
                for (const Span& span : track.spans)
                    CHECK(span.end >= span.begin);
        }
    }
    cuda_on_cpu::takeTurns(cuda_on_cpu::Turns::Oldest);
    cuda_on_cpu::plugIn({});
}
