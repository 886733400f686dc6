#include "profiler/analysis/device_memory.h"

#include "engine/base/field.h"
#include "profiler/analysis/compare.h"

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {

Bytes smallestMemory(const GpuMachine& machine)
{
    Bytes least = 0;
    for (const GpuFacts& gpu : machine.gpus)
        for (const auto& [key, value] : gpu.numbers)
            if (key == "totalMemory" && value > 0)
                least = least == 0 ? value : std::min<Bytes>(least, value);
    return least;
}

} // namespace

MemoryCapacity deviceMemory(const Run& run)
{
    const RunInfo& info = run.info;
    if (info.memory.isKnown())
        return info.memory;
    MemoryCapacity memory;
    for (const auto& [title, value] : settingsOf(run))
        if (title == "--device-memory")
            memory.bytes = parseMemory(value).value_or(0);
        else if (title == "--reserve")
            memory.reserve = parseNumber(value).value_or(memory.reserve);
    const Shape& shape = run.schedule.shape;
    const bool hasOwnGpus = info.mode != Mode::Emulate && info.mode != Mode::Simulate
        && std::ssize(info.machine.gpus) >= shape.devices * shape.dataParallel;
    if (!memory.isKnown() && hasOwnGpus)
        memory.bytes = smallestMemory(info.machine);
    return memory;
}

std::string DeviceFit::text() const
{
    return !isKnown() ? "-" : fits() ? "fits" : bytesText(-left()) + " too much";
}

Reading::Fields memoryData(const engine::MemoryCapacity& memory)
{
    const auto known = [&](auto value) { return memory.isKnown() ? Reading(value) : Reading(); };
    return {{"device_memory_bytes", known(memory.bytes)},
            {"usable_memory_bytes", known(memory.usable())},
            {"reserve", known(memory.reserve)}};
}

} // namespace profiler
