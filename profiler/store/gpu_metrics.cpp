#include "profiler/store/gpu_metrics.h"

#include "engine/schedule/notation.h"

#include <algorithm>
#include <array>

namespace profiler {
namespace {

using engine::Interference;

constexpr std::string_view kAlone = "alone_", kBeside = "beside_";

// Ops whose time is compared.
constexpr std::array kKinds{engine::OpKind::Forward,       engine::OpKind::Backward,
                            engine::OpKind::BackwardInput, engine::OpKind::BackwardWeight,
                            engine::OpKind::Recompute,     engine::OpKind::OptimizerStep};

Interference& entryOf(engine::OpKind kind, engine::RunInfo& info)
{
    const auto found = std::ranges::find(info.interference, kind, &Interference::kind);
    return found != info.interference.end() ? *found
                                            : info.interference.emplace_back(Interference{kind});
}

// "alone_F" is `prefix` and a kind.
bool takeInterference(std::string_view name, std::string_view prefix,
                      std::int64_t Interference::*field, double value, engine::RunInfo& info)
{
    if (!name.starts_with(prefix))
        return false;
    for (const engine::OpKind kind : kKinds)
        if (name.substr(prefix.size()) == engine::kindShortName(kind))
            entryOf(kind, info).*field = static_cast<std::int64_t>(value);
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
        add(std::string(kBeside) + name, kind.beside, "ns");
    }
    add("iteration_alone", info.iterationAlone, "ns");
    add("graph_ops", info.graphOps, "");
    if (info.gpuMemory.used == 0)
        return metrics;
    add("gpu_memory_contexts", info.gpuMemory.contexts, "bytes");
    add("gpu_memory_taken", info.gpuMemory.taken, "bytes");
    add("gpu_memory_used", info.gpuMemory.used, "bytes");
    return metrics;
}

void takeGpuMetric(std::string_view name, double value, engine::RunInfo& info)
{
    const auto whole = static_cast<std::int64_t>(value);
    if (takeInterference(name, kAlone, &Interference::alone, value, info)
        || takeInterference(name, kBeside, &Interference::beside, value, info))
        return;
    if (name == "iteration_alone")
        info.iterationAlone = whole;
    else if (name == "graph_ops")
        info.graphOps = static_cast<int>(whole);
    else if (name == "gpu_memory_contexts")
        info.gpuMemory.contexts = whole;
    else if (name == "gpu_memory_taken")
        info.gpuMemory.taken = whole;
    else if (name == "gpu_memory_used")
        info.gpuMemory.used = whole;
}

} // namespace profiler
