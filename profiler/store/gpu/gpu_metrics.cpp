#include "profiler/store/gpu/gpu_metrics.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace profiler {
namespace {

using engine::Interference;

constexpr std::string_view kAlone = "alone_", kBeside = "beside_", kUsed = "used",
                           kReserved = "communicators_reserved";

// The kinds of op whose interference is stored: how long an op of the kind takes alone, and how
// long it takes beside concurrent ops.
constexpr std::array kKinds{engine::OpKind::Forward,       engine::OpKind::Backward,
                            engine::OpKind::BackwardInput, engine::OpKind::BackwardWeight,
                            engine::OpKind::Recompute,     engine::OpKind::OptimizerStep};

Interference& entryOf(engine::OpKind kind, engine::RunInfo& info)
{
    const auto found = std::ranges::find(info.interference, kind, &Interference::kind);
    return found != info.interference.end() ? *found
                                            : info.interference.emplace_back(Interference{kind});
}

// Reads a metric whose name is `prefix` followed by a kind of op, such as "alone_F". Returns false
// for other names.
bool takeInterference(std::string_view name, std::string_view prefix,
                      std::int64_t Interference::*field, std::int64_t value, engine::RunInfo& info)
{
    if (!name.starts_with(prefix))
        return false;
    for (const engine::OpKind kind : kKinds)
        if (name.substr(prefix.size()) == engine::kindShortName(kind))
            entryOf(kind, info).*field = value;
    return true;
}

// Reads a metric such as "gpu1_memory_weights". Returns false for other names, including the sums
// over all GPUs, which are stored only for scripts.
bool takeMemory(std::string_view name, std::int64_t bytes, engine::RunInfo& info)
{
    constexpr std::string_view kGpu = "gpu", kMemory = "_memory_";
    int gpu = 0;
    if (!name.starts_with(kGpu))
        return false;
    name.remove_prefix(kGpu.size());
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), gpu);
    name.remove_prefix(static_cast<std::size_t>(rest - name.data()));
    if (error != std::errc{} || gpu < 0 || !name.starts_with(kMemory))
        return false;
    name.remove_prefix(kMemory.size());
    const auto owner = engine::gpuMemoryOwnerNamed(name);
    if (!owner && name != kUsed && name != kReserved)
        // A later version of the program wrote this metric.
        return false;
    auto found = std::ranges::find(info.gpuMemory, gpu, &engine::GpuMemory::gpu);
    if (found == info.gpuMemory.end()) {
        info.gpuMemory.emplace_back().gpu = gpu;
        found = std::prev(info.gpuMemory.end());
    }
    (owner ? (*found)[*owner] : name == kUsed ? found->used : found->reserved) = bytes;
    return true;
}

} // namespace

std::vector<Metric> gpuMetrics(const engine::RunInfo& info)
{
    std::vector<Metric> metrics;
    const auto add = [&](std::string name, auto value, const char* unit) {
        if (value != 0)
            metrics.push_back({std::move(name), static_cast<double>(value), unit});
    };
    for (const Interference& kind : info.interference) {
        const std::string name(engine::kindShortName(kind.kind));
        add(std::string(kAlone) + name, kind.alone, "ns");
        add(std::string(kBeside) + name, kind.concurrent, "ns");
    }
    add("iteration_alone", info.iterationAlone, "ns");
    add("graph_ops", info.graphOps, "");
    add("cpu_share", info.cpuShare.value_or(0), "");
    add("other_load", info.otherLoad.value_or(0), "cores");
    if (info.gpuMemory.empty())
        return metrics;
    const engine::GpuMemory all = engine::sumOf(info.gpuMemory);
    add("gpu_memory_contexts", all[engine::GpuMemoryOwner::Contexts], "bytes");
    add("gpu_memory_taken", all.taken(), "bytes");
    add("gpu_memory_used", all.used, "bytes");
    for (const engine::GpuMemory& each : info.gpuMemory) {
        const std::string prefix = fmt::format("gpu{}_memory_", each.gpu);
        for (int i = 0; i < engine::kGpuMemoryOwners; ++i) {
            const auto owner = static_cast<engine::GpuMemoryOwner>(i);
            add(prefix + std::string(engine::gpuMemoryOwnerKey(owner)), each[owner], "bytes");
        }
        add(prefix + std::string(kUsed), each.used, "bytes");
        add(prefix + std::string(kReserved), each.reserved, "bytes");
    }
    return metrics;
}

bool takeGpuMetric(std::string_view name, std::int64_t value, engine::RunInfo& info)
{
    // Limits values, so that sums do not overflow.
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    const bool isTaken = takeInterference(name, kAlone, &Interference::alone, value, info)
        || takeInterference(name, kBeside, &Interference::concurrent, value, info)
        || takeMemory(name, value, info);
    return !isTaken || (value >= -kMost && value <= kMost);
}

} // namespace profiler
