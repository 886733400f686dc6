#include "app/cli/text/run_json.h"

#include "app/cli/text/run_text.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/compare.h"

#include <cmath>

namespace cli {

using namespace engine;
using namespace profiler;
using nlohmann::ordered_json;

namespace {
ordered_json numberOrNull(std::optional<double> value)
{
    return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json();
}

ordered_json bytesOrNull(std::optional<std::int64_t> bytes)
{
    return bytes ? ordered_json(*bytes) : ordered_json();
}

void addArena(const ArenaUse* use, ordered_json& json)
{
    json["live_bytes"] = use != nullptr ? ordered_json(use->live) : ordered_json();
    json["arena_bytes"] = use != nullptr ? ordered_json(use->arena) : ordered_json();
    json["touched_bytes"] = use != nullptr ? bytesOrNull(use->touched) : ordered_json();
}

// Returns the value; null if the traces of an imported run do not state it.
ordered_json ifKnown(const ordered_json& value, bool isKnown)
{
    return isKnown ? value : ordered_json();
}

ordered_json deviceJson(const RunInfo& info, const DeviceMetrics& device, bool exposedIsKnown)
{
    ordered_json json{
        {"device", device.device.value},
        {"span", timeJson(info, device.span)},
        {"compute", timeJson(info, device.compute)},
        {"communication_exposed",
         exposedIsKnown ? timeJson(info, device.exposedCommunication) : ordered_json()},
        {"fill", timeJson(info, device.fill)},
        {"wait", timeJson(info, device.wait)},
        {"drain", timeJson(info, device.drain)},
        {"bubble", timeJson(info, device.bubble)},
        {"peak_stash", ifKnown(device.peakStash, knowsMicroBatches(info))},
        {"peak_kept", ifKnown(device.peakKept, knowsMicroBatches(info))},
        {"weights", ifKnown(device.weights, knowsStages(info))},
        {"peak_bytes", bytesOrNull(device.peakBytes)},
        {"peak_stash_bytes", bytesOrNull(device.peakStashBytes)},
        {"p2p_messages", device.messagesSent},
        {"local_copies", device.localCopies}};
    ordered_json atPeak;
    static constexpr EnumArray<MemoryCategory, const char*, kMemoryCategories> kKeys{
        "weights", "gradients", "optimizer", "stash", "buffers"};
    if (device.peakBytes)
        for (const MemoryCategory category : kKeys.enumerators())
            atPeak[kKeys[category]] = device.bytesAtPeak[category];
    json["bytes_at_peak"] = atPeak;
    addArena(arenaOf(info, device.device), json);
    return json;
}

void addIterations(const Run& run, ordered_json& json)
{
    ordered_json iterations = ordered_json::array(), losses = ordered_json::array();
    for (const Iteration& iteration : run.timeline.iterations) {
        if (iteration.kind == Iteration::Kind::Replay)
            continue;
        iterations.push_back({{"index", iterations.size()},
                              {"warmup", iteration.kind == Iteration::Kind::Warmup},
                              {"duration", timeJson(run.info, iteration.window.duration())},
                              {"loss", numberOrNull(iteration.loss)},
                              {"gradient_norm", numberOrNull(iteration.gradientNorm)}});
        if (iteration.loss)
            losses.push_back(numberOrNull(iteration.loss));
    }
    json["iterations"] = iterations;
    json["losses"] = losses;
}

ordered_json memoryJson(const std::vector<GpuMemory>& gpus)
{
    const GpuMemory all = sumOf(gpus);
    ordered_json each = ordered_json::array();
    for (const GpuMemory& memory : gpus) {
        ordered_json json{{"gpu", memory.gpu}};
        for (int i = 0; i < kGpuMemoryOwners; ++i) {
            const auto owner = static_cast<GpuMemoryOwner>(i);
            json[std::string(gpuMemoryOwnerKey(owner))] = memory[owner];
        }
        json["communicators_reserved"] = memory.reserved;
        json["used"] = memory.used;
        json["difference"] = memory.difference();
        json["difference_share"] = memory.differenceShare();
        each.push_back(std::move(json));
    }
    return {{"contexts", all[GpuMemoryOwner::Contexts]},
            {"taken", all.taken()},
            {"others", all.used - all[GpuMemoryOwner::Contexts] - all.taken()},
            {"used", all.used},
            {"gpus", each}};
}

void addGpu(const RunInfo& info, ordered_json& json)
{
    if (!info.interference.empty()) {
        json["interference"] = interferenceRatio(info.interference);
        for (const Interference& kind : info.interference)
            json["interference_by_kind"][std::string(kindShortName(kind.kind))] = kind.ratio();
        json["iteration_alone"] = info.iterationAlone;
    }
    if (!info.transport.empty())
        json["transport"] = info.transport;
    if (info.graphOps > 0)
        json["graph_ops"] = info.graphOps;
    if (!info.gpuMemory.empty())
        json["gpu_memory"] = memoryJson(info.gpuMemory);
}

std::string spelling(const Run& run, const OpIndex& index, std::uint32_t op)
{
    return toString(opAt(run.schedule, index, op));
}

ordered_json linksJson(const Run& run, const OpIndex& index, const std::vector<CauseLink>& links)
{
    ordered_json json = ordered_json::array();
    for (const CauseLink& link : links)
        json.push_back({{"op", spelling(run, index, link.op)},
                        {"device", link.device.value},
                        {"begin", timeJson(run.info, link.window.begin)},
                        {"end", timeJson(run.info, link.window.end)}});
    return json;
}
} // namespace

ordered_json timeJson(const RunInfo& info, std::int64_t ticks)
{
    if (info.inUnits())
        return static_cast<double>(ticks) / static_cast<double>(info.ticksPerUnit);
    return ticks;
}

// The 95 % interval as [low, high]; null if it is unknown or of another iteration.
ordered_json intervalJson(const Run& run, int iteration)
{
    const auto interval = iterationInterval(run, iteration);
    return interval
        ? ordered_json{timeJson(run.info, interval->least), timeJson(run.info, interval->most)}
        : ordered_json();
}

ordered_json runJson(const Run& run, const RunMetrics& metrics)
{
    const Shape& shape = run.schedule.shape;
    const auto reported = run.timeline.iterations[static_cast<std::size_t>(metrics.iteration)].kind;
    ordered_json json{{"scheme", run.info.scheme},
                      {"mode", modeName(run.info.mode)},
                      {"devices", shape.devices},
                      {"micro_batches", ifKnown(shape.microBatches, knowsMicroBatches(run.info))},
                      {"stages", ifKnown(shape.stages, knowsStages(run.info))},
                      {"chunks", ifKnown(shape.chunks(), knowsStages(run.info))},
                      {"data_parallel", shape.dataParallel},
                      {"outcome", outcomeName(run.info.outcome)},
                      {"iteration", timeJson(run.info, metrics.duration)},
                      {"iteration_interval", intervalJson(run, metrics.iteration)},
                      {"span", timeJson(run.info, metrics.span)},
                      {"unit", run.info.inUnits() ? "forward" : "ns"},
                      {"bubble_ratio", numberOrNull(metrics.bubbleRatio)},
                      {"replay", reported == Iteration::Kind::Replay}};
    json["per_device"] = ordered_json::array();
    for (const DeviceMetrics& device : metrics.devices) {
        ordered_json one = deviceJson(run.info, device, metrics.exposedIsKnown);
        for (const auto& [key, value] : one.items())
            if (!hasTrace(run, device.device) && key != "device")
                value = nullptr;
        json["per_device"].push_back(std::move(one));
    }
    json["p2p_messages"] = metrics.messages;
    json["local_copies"] = metrics.localCopies;
    addIterations(run, json);
    json["tokens_per_second"] = numberOrNull(metrics.tokensPerSecond);
    json["mfu"] = numberOrNull(metrics.mfu);
    json["hfu"] = numberOrNull(metrics.hfu);
    json["peak_flops"] = run.info.peakFlops > 0 ? ordered_json(run.info.peakFlops) : ordered_json();
    json["peak_source"]
        = run.info.peakSource.empty() ? ordered_json() : ordered_json(run.info.peakSource);
    json["model"] = run.info.model.empty() ? ordered_json() : ordered_json(run.info.model);
    json["precision"]
        = run.info.precision.empty() ? ordered_json() : ordered_json(run.info.precision);
    if (run.info.threads > 0) {
        json["threads"] = run.info.threads;
        json["cores"] = run.info.cores;
        json["oversubscribed"] = run.info.isOversubscribed();
        json["cpu_share"] = run.info.cpuShare ? ordered_json(*run.info.cpuShare) : ordered_json();
        json["disturbed"] = run.info.isDisturbed();
    }
    addGpu(run.info, json);
    json["link"] = run.info.link;
    json["command"] = run.info.command;
    return json;
}

ordered_json bubblesJson(const Run& run, const std::vector<Bubble>& bubbles)
{
    const OpIndex index(run.schedule);
    ordered_json json = ordered_json::array();
    for (const Bubble& bubble : bubbles)
        json.push_back(
            {{"device", bubble.device.value},
             {"begin", timeJson(run.info, bubble.window.begin)},
             {"end", timeJson(run.info, bubble.window.end)},
             {"cause", bubbleKindName(bubble.kind)},
             {"next",
              bubble.next ? ordered_json(spelling(run, index, *bubble.next)) : ordered_json()},
             {"chain", linksJson(run, index, bubble.chain)}});
    return json;
}

ordered_json pathJson(const Run& run, const std::vector<CauseLink>& path)
{
    return linksJson(run, OpIndex(run.schedule), path);
}

} // namespace cli
