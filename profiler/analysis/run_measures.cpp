#include "profiler/analysis/run_measures.h"

#include "engine/schedule/notation.h"
#include "profiler/analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace profiler {

using namespace engine;

namespace {

using R = ReportedRun;
using D = ReportedDevice;

constexpr std::string_view kOwn = "Bubblescope, ARCHITECTURE.md, What every number means";
constexpr std::string_view kPtdp = "Narayanan et al., arXiv 2104.04473, section 2.2";
constexpr std::string_view kBitPipe = "Wu, Chen and Yu, BitPipe, arXiv 2410.19367";
constexpr std::string_view kKorthikanti = "Korthikanti et al., arXiv 2205.05198";
constexpr std::string_view kPalm = "Chowdhery et al., PaLM, arXiv 2204.02311, appendix B";
constexpr const char* kNoStages = "the trace does not name the stages";
constexpr const char* kNoMicroBatches = "the trace does not name the micro-batches";
constexpr const char* kNoExposed = "the spans of the communication were not kept";

// A member of RunInfo that only some runs have: others have no such key.
template<auto Member>
Reading ifSet(const R& r)
{
    const auto& value = r.run.info.*Member;
    return value == std::remove_cvref_t<decltype(value)>() ? Reading::absent() : Reading(value);
}

// Text of RunInfo; unknown if it is empty.
template<auto Member>
Reading text(const R& r)
{
    return textOrUnknown(r.run.info.*Member);
}

Reading meanTime(const R& r, std::int64_t DeviceMetrics::*member)
{
    return Reading::time(r.metrics.mean(member), r.run.info);
}

// The largest value of a device, with the device as the note.
Reading largest(const R& r, const auto& member)
{
    const DeviceMetrics* most = r.metrics.fullest(member);
    return most == nullptr
        ? Reading()
        : Reading(std::invoke(member, *most)).with(fmt::format("device {}", most->device.value));
}

// Says how the reported iteration was obtained: "median of 5".
std::string iterationNote(const R& r)
{
    const auto& iterations = r.run.timeline.iterations;
    const auto measured
        = std::ranges::count(iterations, Iteration::Kind::Measured, &Iteration::kind);
    switch (iterations[static_cast<std::size_t>(r.metrics.iteration)].kind) {
    case Iteration::Kind::Replay:
        return fmt::format("from the median time of each op in {} iteration{}", measured,
                           measured == 1 ? "" : "s");
    case Iteration::Kind::Warmup:
        return "warm-up";
    case Iteration::Kind::Measured:
        break;
    }
    if (r.metrics.iteration != reportedIteration(r.run.timeline))
        return "";
    return measured > 2 ? fmt::format("median of {}", measured)
        : measured == 2 ? "last of 2 iterations"
                        : "";
}

Reading iterationTime(const R& r)
{
    Reading time = Reading::time(r.metrics.duration, r.run.info).with(iterationNote(r));
    time.interval = iterationInterval(r.run, r.metrics.iteration);
    return time;
}

Reading modelUtilisation(const R& r)
{
    const RunInfo& info = r.run.info;
    return Reading(r.metrics.mfu)
        .with(info.peakSource.empty() ? ""
                                      : fmt::format("of {:.0f} GFLOP/s per device, {}",
                                                    info.peakFlops / 1e9, info.peakSource));
}

// The last value of a member of the iterations. The note has the first one.
Reading lastValue(const R& r, std::optional<double> Iteration::*member)
{
    std::vector<double> values;
    for (const Iteration& one : r.run.timeline.iterations)
        if (one.*member && one.kind != Iteration::Kind::Replay)
            values.push_back(*(one.*member));
    if (values.empty())
        return Reading::unknown("nothing was trained");
    return Reading(values.back())
        .with(fmt::format("first {:.4g}, largest {:.4g}, {} iterations", values.front(),
                          std::ranges::max(values), values.size()));
}

Reading iterationList(const R& r)
{
    Reading::List all;
    for (const Iteration& one : r.run.timeline.iterations)
        if (one.kind != Iteration::Kind::Replay)
            all.emplace_back(
                Reading::Fields{{"index", all.size()},
                                {"warmup", one.kind == Iteration::Kind::Warmup},
                                {"duration", Reading::time(one.window.duration(), r.run.info)},
                                {"loss", one.loss},
                                {"gradient_norm", one.gradientNorm}});
    return all;
}

Reading lossList(const R& r)
{
    Reading::List all;
    for (const Iteration& one : r.run.timeline.iterations)
        if (one.loss && one.kind != Iteration::Kind::Replay)
            all.emplace_back(*one.loss);
    return all;
}

Reading gpuMemory(const R& r)
{
    if (r.run.info.gpuMemory.empty())
        return Reading::absent();
    const GpuMemory all = sumOf(r.run.info.gpuMemory);
    Reading::List each;
    for (const GpuMemory& gpu : r.run.info.gpuMemory)
        each.push_back(fields(gpuMemoryMeasures(), gpu));
    return Reading::Fields{{"contexts", all[GpuMemoryOwner::Contexts]},
                           {"taken", all.taken()},
                           {"others", all.used - all[GpuMemoryOwner::Contexts] - all.taken()},
                           {"used", all.used},
                           {"gpus", each}};
}

Reading interference(const R& r)
{
    if (r.run.info.interference.empty())
        return Reading::absent();
    Reading::Fields kinds;
    for (const Interference& kind : r.run.info.interference)
        kinds.emplace_back(kindShortName(kind.kind), kind.ratio());
    return kinds;
}

// A field of a live run, whose threads are counted.
Reading ofThreads(const R& r, const Reading& value)
{
    return r.run.info.threads > 0 ? value : Reading::absent();
}

// As constants, because tables of measures refer to each other in JSON.
constexpr std::array kRun{
    Measure<R>({"scheme", ""}, text<&RunInfo::scheme>),
    Measure<R>({"mode", ""}, [](const R& r) { return modeName(r.run.info.mode); }),
    Measure<R>({"", "mode", Unit::None, kCompared},
               [](const R& r) { return modeAdjective(r.run.info.mode); }),
    Measure<R>({"devices", "D", Unit::None, kColumn},
               [](const R& r) { return r.run.schedule.shape.devices; }),
    Measure<R>({"micro_batches", "N", Unit::None, kColumn},
               [](const R& r) {
                   return ifKnown(knowsMicroBatches(r.run.info), r.run.schedule.shape.microBatches,
                                  kNoMicroBatches);
               }),
    Measure<R>({"stages", ""},
               [](const R& r) {
                   return ifKnown(knowsStages(r.run.info), r.run.schedule.shape.stages, kNoStages);
               }),
    Measure<R>({"chunks", "v", Unit::None, kColumn},
               [](const R& r) {
                   return ifKnown(knowsStages(r.run.info), r.run.schedule.shape.chunks(),
                                  kNoStages);
               }),
    Measure<R>({"data_parallel", ""}, [](const R& r) { return r.run.schedule.shape.dataParallel; }),
    Measure<R>({"outcome", ""}, [](const R& r) { return outcomeName(r.run.info.outcome); }),
    Measure<R>({"iteration", "Iteration", Unit::Time, kColumn | kSummary, Better::Less,
                "end of the last OPT - start of the first F",
                "Time of one training step over all devices.", kOwn, -1, true},
               iterationTime),
    Measure<R>({"span", "Span", Unit::Time, kSimulated, Better::Less,
                "last end - first start of a device",
                "Time between the first and the last op of a device.", kOwn},
               [](const R& r) { return Reading::time(r.metrics.span, r.run.info); }),
    Measure<R>({"unit", ""}, [](const R& r) { return r.run.info.inUnits() ? "forward" : "ns"; }),
    Measure<R>({"compute", "Compute", Unit::Time, kCompared, Better::Less,
                "union of F, B, I, W, RECOMPUTE and OPT",
                "Time in which a device computes, for a run the mean of the devices.", kOwn},
               [](const R& r) { return meanTime(r, &DeviceMetrics::compute); }),
    Measure<R>({"communication_exposed", "Exposed", Unit::Time, kCompared, Better::Less,
                "transfers and all-reduces - compute",
                "Time in which a transfer or an all-reduce of the device runs and no compute does.",
                kOwn},
               [](const R& r) {
                   return ifKnown(r.metrics.exposedIsKnown,
                                  meanTime(r, &DeviceMetrics::exposedCommunication), kNoExposed);
               }),
    Measure<R>({"bubble", "Bubble", Unit::Time, kCompared, Better::Less,
                "iteration - compute - exposed",
                "Time in which a device neither computes nor communicates.", kPtdp},
               [](const R& r) { return meanTime(r, &DeviceMetrics::bubble); }),
    Measure<R>({"bubble_ratio", "Bubble", Unit::Share, kColumn | kSummary, Better::Less,
                "sum of bubbles / (D x iteration)",
                "Share of the device time. Some papers divide by the compute time.", kOwn},
               [](const R& r) { return r.metrics.bubbleRatio; }),
    Measure<R>({"replay", ""},
               [](const R& r) {
                   return r.run.timeline.iterations[r.metrics.iteration].kind
                       == Iteration::Kind::Replay;
               }),
    Measure<R>({"per_device", ""},
               [](const R& r) {
                   Reading::List all;
                   for (const ReportedDevice& device : reportedDevices(r.run, r.metrics))
                       all.push_back(fields(deviceMeasures(), device));
                   return all;
               }),
    Measure<R>({"peak_stash", "Peak stash", Unit::Activations, kColumn | kSummary, Better::Less,
                "largest sum of live activations / M_a",
                "Activations kept from F to B, in M_a: those of one micro-batch on one device.",
                kBitPipe},
               [](const R& r) {
                   return ifKnown(knowsMicroBatches(r.run.info),
                                  largest(r, &DeviceMetrics::peakStash), kNoMicroBatches);
               }),
    Measure<R>(
        {"weights", "Weights", Unit::Weights, kSimulated, Better::Less,
         "parameters of a device / M_theta",
         "Stored weights, in M_theta: the parameters of one device without replicas.", kBitPipe},
        [](const R& r) {
            return ifKnown(knowsStages(r.run.info), largest(r, &DeviceMetrics::weights), kNoStages);
        }),
    Measure<R>({"peak_bytes", "Peak memory", Unit::Bytes, kColumn | kSummary | kIfAny, Better::Less,
                "largest sum of weights, gradients, optimizer state, stash, buffers",
                "Most memory that is allocated on a device at one time.", kOwn},
               [](const R& r) {
                   return r.metrics.peakBytes() ? largest(r,
                                                          [](const DeviceMetrics& device) {
                                                              return device.peakBytes.value_or(0);
                                                          })
                                                : Reading::unknown("no memory was recorded");
               }),
    Measure<R>({"p2p_messages", "Messages", Unit::None, kSimulated, Better::Less,
                "activations and gradients sent per iteration",
                "P2P transfers between two devices. Values that stay on a device are local copies.",
                kOwn},
               [](const R& r) { return r.metrics.messages; }),
    Measure<R>({"local_copies", "Local copies", Unit::None, kSimulated, Better::Neither,
                "values whose producer and consumer are on one device",
                "Transfers that a V-shaped placement or chunks avoid.", kOwn},
               [](const R& r) { return r.metrics.localCopies; }),
    Measure<R>({"iterations", ""}, iterationList),
    Measure<R>({"losses", ""}, lossList),
    Measure<R>({"loss", "Loss", Unit::Loss, kCompared | kSummary | kIfAny, Better::Less,
                "mean cross entropy of the last iteration, in nats per token",
                "Warm-up iterations train as well, so the first loss is that of the first one.",
                kOwn},
               [](const R& r) { return lastValue(r, &Iteration::loss); }),
    Measure<R>({"gradient_norm", "Gradient norm", Unit::None, kSummary, Better::Neither,
                "square root of the sum of squares of all gradients, in the last iteration",
                "Norm of the gradient of the mean loss, before the optimizer step.", kOwn},
               [](const R& r) { return lastValue(r, &Iteration::gradientNorm); }),
    Measure<R>({"tokens_per_second", "Tokens/s", Unit::None, kCompared | kSummary | kIfAny,
                Better::More, "W x N x micro-batch size x sequence length / iteration",
                "Throughput of all data-parallel copies.", kPalm, 0},
               [](const R& r) { return r.metrics.tokensPerSecond; }),
    Measure<R>({"mfu", "MFU", Unit::Share, kColumn | kSummary | kIfAny, Better::More,
                "model FLOPs / (iteration x W x D x peak FLOP/s)",
                "Share of the peak that the model needs, without recomputation.", kPalm},
               modelUtilisation),
    Measure<R>({"hfu"}, [](const R& r) { return r.metrics.hfu; }),
    Measure<R>({"", "HFU", Unit::Share, kSummary, Better::More,
                "executed FLOPs / (iteration x W x D x peak FLOP/s)",
                "Share of the peak that the hardware executes, with recomputation.", kKorthikanti},
               [](const R& r) { // without recomputation it is the MFU
                   return r.metrics.hfu == r.metrics.mfu ? Reading() : Reading(r.metrics.hfu);
               }),
    Measure<R>({"peak_flops", ""},
               [](const R& r) {
                   return ifKnown(r.run.info.peakFlops > 0, r.run.info.peakFlops, "not measured");
               }),
    Measure<R>({"peak_source", ""}, text<&RunInfo::peakSource>),
    Measure<R>({"model", ""}, text<&RunInfo::model>),
    Measure<R>({"precision", ""}, text<&RunInfo::precision>),
    Measure<R>({"threads", ""}, ifSet<&RunInfo::threads>),
    Measure<R>({"cores", ""}, [](const R& r) { return ofThreads(r, r.run.info.cores); }),
    Measure<R>({"oversubscribed", ""},
               [](const R& r) { return ofThreads(r, r.run.info.isOversubscribed()); }),
    Measure<R>({"cpu_share", "CPU share of the ops", Unit::Share, kSummary, Better::More,
                "CPU time of the ops / their wall time",
                "Below 90 %, other processes on the machine delayed the ops.", kOwn},
               [](const R& r) { return ofThreads(r, r.run.info.cpuShare); }),
    Measure<R>({"disturbed", ""},
               [](const R& r) { return ofThreads(r, r.run.info.isDisturbed()); }),
    Measure<R>({"interference", "Slow-down", Unit::None, kSummary, Better::Less,
                "time of concurrent ops / time of ops that run alone",
                "How much concurrent ops on the same GPU slow each other down.", kOwn, 2},
               [](const R& r) {
                   const auto& kinds = r.run.info.interference;
                   return kinds.empty()
                       ? Reading::absent()
                       : Reading(interferenceRatio(kinds)).with(interferenceText(kinds));
               }),
    Measure<R>({"interference_by_kind", ""}, interference),
    Measure<R>({"iteration_alone", ""},
               [](const R& r) {
                   return r.run.info.interference.empty() ? Reading::absent()
                                                          : Reading(r.run.info.iterationAlone);
               }),
    Measure<R>({"transport", ""}, ifSet<&RunInfo::transport>),
    Measure<R>({"graph_ops", ""}, ifSet<&RunInfo::graphOps>),
    Measure<R>({"gpu_memory", ""}, gpuMemory),
    Measure<R>({"link", ""}, [](const R& r) { return r.run.info.link; }),
    Measure<R>({"command", ""}, [](const R& r) { return r.run.info.command; }),
    Measure<R>({"evidence.kind", ""}, [](const R& r) { return evidence(r.run).kind; }),
    Measure<R>({"evidence.from", ""}, [](const R& r) { return evidence(r.run).from; }),
    Measure<R>({"evidence.complete", ""}, [](const R& r) { return evidence(r.run).isComplete; }),
};

template<auto Member>
Reading deviceTime(const D& d)
{
    return Reading::time(d.of.*Member, d.run.info);
}

// Memory of a category at the peak of the device.
template<MemoryCategory Category>
Reading atPeak(const D& d)
{
    return ifKnown(d.of.peakBytes.has_value(), d.of.bytesAtPeak[Category],
                   "no memory was recorded");
}

// A size that was planned before the run.
template<auto Member>
Reading planned(const D& d)
{
    const ArenaUse* use = arenaOf(d.run.info, d.of.device);
    return use == nullptr ? Reading() : Reading(use->*Member);
}

constexpr MeasureInfo memory(std::string_view key, std::string_view title,
                             std::string_view formula = {}, std::string_view meaning = {})
{
    return {key,          title,   Unit::Bytes, kMemory | (formula.empty() ? 0 : kIfAny),
            Better::Less, formula, meaning,     formula.empty() ? std::string_view() : kOwn};
}

// The definitions of measures without one here are those of the run.
constexpr std::array kDevice{
    Measure<D>({"device", "device", Unit::None, kColumn | kMemory},
               [](const D& d) {
                   return Reading(d.of.device.value).with(d.isRecorded() ? "" : "no trace");
               }),
    Measure<D>({"span", "Span", Unit::Time, kColumn}, deviceTime<&DeviceMetrics::span>),
    Measure<D>({"compute", "Compute", Unit::Time, kColumn}, deviceTime<&DeviceMetrics::compute>),
    Measure<D>({"communication_exposed", "Exposed", Unit::Time, kColumn},
               [](const D& d) {
                   return ifKnown(d.metrics.exposedIsKnown,
                                  Reading::time(d.of.exposedCommunication, d.run.info), kNoExposed);
               }),
    Measure<D>({"fill", "Fill", Unit::Time, kColumn, Better::Less,
                "start of the first op of the device - start of the iteration",
                "Bubble before the first op of a device.", kOwn},
               deviceTime<&DeviceMetrics::fill>),
    Measure<D>({"wait", "Wait", Unit::Time, kColumn, Better::Less, "bubble - fill - drain",
                "Bubble between two ops of a device.", kOwn},
               deviceTime<&DeviceMetrics::wait>),
    Measure<D>({"drain", "Drain", Unit::Time, kColumn, Better::Less,
                "end of the iteration - end of the last op of the device",
                "Bubble after the last op of a device.", kOwn},
               deviceTime<&DeviceMetrics::drain>),
    Measure<D>({"bubble", "Bubble", Unit::Time, kColumn}, deviceTime<&DeviceMetrics::bubble>),
    Measure<D>(
        {"all_reduce", "All-reduce", Unit::Time, kData, Better::Less,
         "sum of the durations of the device's all-reduces",
         "Includes the part that runs during compute.", kOwn},
        [](const D& d) { return Reading::time(d.of.byKind[OpKind::AllReduce], d.run.info); }),
    Measure<D>({"bubble_ratio", "Bubble", Unit::Share, kColumn},
               [](const D& d) {
                   return d.metrics.duration > 0 ? ratio(d.of.bubble, d.metrics.duration) : 0.0;
               }),
    Measure<D>({"peak_stash", "Peak stash", Unit::Activations, kColumn},
               [](const D& d) {
                   return ifKnown(knowsMicroBatches(d.run.info), d.of.peakStash, kNoMicroBatches);
               }),
    Measure<D>({"peak_kept", "Kept for recompute", Unit::None, kColumn | kIfAny, Better::Less,
                "largest number of activations between F and RECOMPUTE",
                "Activations of which the device keeps only the input, or a share.", kOwn},
               [](const D& d) {
                   return ifKnown(knowsMicroBatches(d.run.info), d.of.peakKept, kNoMicroBatches);
               }),
    Measure<D>(
        {"weights", "Weights", Unit::Weights, kColumn},
        [](const D& d) { return ifKnown(knowsStages(d.run.info), d.of.weights, kNoStages); }),
    Measure<D>({"peak_bytes", "Peak memory", Unit::Bytes, kMemory},
               [](const D& d) { return d.of.peakBytes; }),
    Measure<D>({"peak_stash_bytes", ""}, [](const D& d) { return d.of.peakStashBytes; }),
    Measure<D>({"p2p_messages", "Messages", Unit::None, kColumn},
               [](const D& d) { return d.of.messagesSent; }),
    Measure<D>({"local_copies", "Local copies", Unit::None, kColumn},
               [](const D& d) { return d.of.localCopies; }),
    Measure<D>(memory("bytes_at_peak.weights", "Weights"), atPeak<MemoryCategory::Weights>),
    Measure<D>(memory("bytes_at_peak.gradients", "Gradients"), atPeak<MemoryCategory::Gradients>),
    Measure<D>(memory("bytes_at_peak.optimizer", "Optimizer state"),
               atPeak<MemoryCategory::Optimizer>),
    Measure<D>(memory("bytes_at_peak.stash", "Stash"), atPeak<MemoryCategory::Stash>),
    Measure<D>(memory("bytes_at_peak.buffers", "Buffers"), atPeak<MemoryCategory::Buffers>),
    Measure<D>(memory("live_bytes", "Live", "largest sum of the bytes of live buffers",
                      "Memory that the plan of the run needs on a device."),
               planned<&ArenaUse::live>),
    Measure<D>(memory("arena_bytes", "Arena", "planned size of the memory of a device",
                      "Exceeds the live bytes where buffers leave gaps."),
               planned<&ArenaUse::arena>),
    Measure<D>(memory("touched_bytes", "Touched", "bytes of the arena that the run wrote",
                      "Counted after the first iteration."),
               planned<&ArenaUse::touched>),
};

// Numbers that only comparisons and intervals have.
constexpr std::array kOther{
    MeasureInfo{"interval", "95 % interval", Unit::Time, kData, Better::Neither,
                "2.5th to 97.5th percentile of resampled medians",
                "Interval of the reported iteration, by bootstrap over the measured ones.",
                "Efron, 1979"},
    MeasureInfo{"speed_up", "Speed-up", Unit::None, kData, Better::More,
                "time of the baseline / time of the run",
                "Above 1 the run is faster than the baseline.", kOwn},
};

using B = ReportedBubble;
constexpr std::array kBubble{
    Measure<B>({"device", "device", Unit::None, kColumn},
               [](const B& b) { return b.of.device.value; }),
    Measure<B>({"", "time", Unit::Time, kColumn},
               [](const B& b) { return Reading::time(b.of.window.duration(), b.run.info); }),
    Measure<B>({"begin", ""},
               [](const B& b) { return Reading::time(b.of.window.begin, b.run.info); }),
    Measure<B>({"end", ""}, [](const B& b) { return Reading::time(b.of.window.end, b.run.info); }),
    Measure<B>({"cause", "kind", Unit::None, kColumn},
               [](const B& b) { return bubbleKindName(b.of.kind); }),
    Measure<B>({"next", ""},
               [](const B& b) {
                   return b.of.next ? Reading(toString(opAt(b.run.schedule, b.index, *b.of.next)))
                                    : Reading();
               }),
    Measure<B>({"chain", ""}, [](const B& b) { return opList(b.run, b.index, b.of.chain); }),
    Measure<B>({"", "because", Unit::None, kColumn},
               [](const B& b) { return bubbleReason(b.run, b.index, b.of); }),
};

constexpr std::array kBubbleSum{
    Measure<BubbleSum>({"cause", "kind", Unit::None, kColumn},
                       [](const BubbleSum& sum) { return sum.kind; }),
    Measure<BubbleSum>({"time", "time over all devices", Unit::Time, kColumn},
                       [](const BubbleSum& sum) { return Reading::time(sum.time, sum.run.info); }),
    Measure<BubbleSum>(
        {"share", "share", Unit::Share, kColumn},
        [](const BubbleSum& sum) { return sum.all > 0 ? ratio(sum.time, sum.all) : 0.0; }),
};

constexpr std::array kOp{
    Measure<ReportedOp>(
        {"op", "op", Unit::None, kColumn},
        [](const ReportedOp& op) { return toString(opAt(op.run.schedule, op.index, op.of.op)); }),
    Measure<ReportedOp>({"device", "device", Unit::None, kColumn},
                        [](const ReportedOp& op) { return op.of.device.value; }),
    Measure<ReportedOp>(
        {"begin", "begin", Unit::Time, kColumn},
        [](const ReportedOp& op) { return Reading::time(op.of.window.begin, op.run.info); }),
    Measure<ReportedOp>(
        {"end", "end", Unit::Time, kColumn},
        [](const ReportedOp& op) { return Reading::time(op.of.window.end, op.run.info); }),
};

template<std::size_t... I>
std::vector<Measure<GpuMemory>> ownerMeasures(std::index_sequence<I...>)
{
    return {Measure<GpuMemory>(
        {gpuMemoryOwnerKey(static_cast<GpuMemoryOwner>(I)),
         gpuMemoryOwnerName(static_cast<GpuMemoryOwner>(I)), Unit::Bytes, kColumn | kIfAny},
        [](const GpuMemory& gpu) { return gpu[static_cast<GpuMemoryOwner>(I)]; })...};
}

std::vector<Measure<GpuMemory>> allGpuMemory()
{
    using M = Measure<GpuMemory>;
    std::vector<M> all = ownerMeasures(std::make_index_sequence<kGpuMemoryOwners>());
    all.insert(all.begin(), M({"gpu", "GPU", Unit::None, kColumn}, [](const GpuMemory& gpu) {
                   return gpu.gpu;
               }));
    all.push_back(
        M({"communicators_reserved", "reserved for communicators", Unit::Bytes, kColumn | kIfAny},
          [](const GpuMemory& gpu) { return gpu.reserved; }));
    all.push_back(
        M({"", "total", Unit::Bytes, kColumn}, [](const GpuMemory& gpu) { return gpu.known(); }));
    all.push_back(M({"used", "reported by the driver", Unit::Bytes, kColumn},
                    [](const GpuMemory& gpu) { return gpu.used; }));
    all.push_back(M({"difference", ""}, [](const GpuMemory& gpu) { return gpu.difference(); }));
    all.push_back(
        M({"difference_share", ""}, [](const GpuMemory& gpu) { return gpu.differenceShare(); }));
    all.push_back(M({"", "difference", Unit::Share, kColumn}, [](const GpuMemory& gpu) {
        return gpu.difference() < 0 ? -gpu.differenceShare() : gpu.differenceShare();
    }));
    return all;
}

} // namespace

std::span<const Measure<ReportedRun>> runMeasures()
{
    return kRun;
}

std::span<const Measure<ReportedDevice>> deviceMeasures()
{
    return kDevice;
}

std::span<const Measure<ReportedBubble>> bubbleMeasures()
{
    return kBubble;
}

std::span<const Measure<BubbleSum>> bubbleSumMeasures()
{
    return kBubbleSum;
}

std::span<const Measure<ReportedOp>> opMeasures()
{
    return kOp;
}

std::span<const Measure<GpuMemory>> gpuMemoryMeasures()
{
    static const std::vector<Measure<GpuMemory>> kMeasures = allGpuMemory();
    return kMeasures;
}

std::vector<const MeasureInfo*> definitions()
{
    std::vector<const MeasureInfo*> all;
    const auto add = [&all](const auto& measures) {
        for (const MeasureInfo& measure : measures)
            if (!measure.formula.empty())
                all.push_back(&measure);
    };
    add(kRun);
    add(kDevice);
    add(kOther);
    return all;
}

const MeasureInfo* definitionTitled(std::string_view title)
{
    const auto all = definitions();
    const auto found = std::ranges::find_if(all, [&](const MeasureInfo* one) {
        const bool isShare = one->unit == Unit::Share && one->title == "Bubble"; // also a time
        const std::string own = std::string(one->title) + (isShare ? ", %" : "");
        return std::ranges::equal(own, title, [](unsigned char a, unsigned char b) {
            return std::tolower(a) == std::tolower(b);
        });
    });
    return found == all.end() ? nullptr : *found;
}

std::string definitionsText()
{
    std::string text;
    for (const MeasureInfo* one : definitions()) {
        const std::string unit = unitText(one->unit, 1);
        text += fmt::format("{}{} = {}\n    {}\n    Source: {}\n", one->title,
                            unit.empty() ? "" : ", " + unit, one->formula, one->meaning,
                            one->source);
    }
    return text;
}

Reading definitionsData()
{
    Reading::List all;
    for (const MeasureInfo* one : definitions())
        all.emplace_back(Reading::Fields{{"key", one->key},
                                         {"term", one->title},
                                         {"unit", unitText(one->unit, 1)},
                                         {"formula", one->formula},
                                         {"meaning", one->meaning},
                                         {"source", one->source}});
    return all;
}

std::vector<ReportedDevice> reportedDevices(const Run& run, const RunMetrics& metrics)
{
    std::vector<ReportedDevice> all;
    for (const DeviceMetrics& device : metrics.devices)
        all.push_back({run, metrics, device});
    return all;
}

std::vector<BubbleSum> bubbleSums(const Run& run, const std::vector<Bubble>& bubbles)
{
    std::vector<BubbleSum> sums;
    for (const auto kind : {Bubble::Kind::Fill, Bubble::Kind::Wait, Bubble::Kind::Drain}) {
        BubbleSum& sum = sums.emplace_back(BubbleSum{run, bubbleKindName(kind)});
        for (const Bubble& bubble : bubbles) {
            sum.time += bubble.kind == kind ? bubble.window.duration() : 0;
            sum.all += bubble.window.duration();
        }
    }
    return sums;
}

Reading opList(const Run& run, const OpIndex& index, const std::vector<CauseLink>& ops)
{
    Reading::List all;
    for (const CauseLink& op : ops)
        all.push_back(fields(opMeasures(), ReportedOp{run, index, op}));
    return all;
}

const char* bubbleKindName(Bubble::Kind kind)
{
    return kind == Bubble::Kind::Fill ? "fill" : kind == Bubble::Kind::Wait ? "wait" : "drain";
}

std::string bubbleReason(const Run& run, const OpIndex& index, const Bubble& bubble)
{
    const auto spell
        = [&](const CauseLink& link) { return toString(opAt(run.schedule, index, link.op)); };
    if (bubble.untilNextWindow)
        return "idle until the next window";
    if (!bubble.next && bubble.chain.empty())
        return "no work left";
    if (!bubble.next)
        return fmt::format("no work left; device {} ends the iteration with {}",
                           bubble.chain.front().device.value, spell(bubble.chain.front()));
    if (bubble.chain.size() < 2)
        return spell(bubble.chain.front()) + " starts late";
    const CauseLink& producer = bubble.chain.front();
    std::string text = fmt::format("{} waits for {} of device {}", spell(bubble.chain.back()),
                                   spell(producer), producer.device.value);
    if (bubble.chain.size() > 2 && bubble.chain[1].window.duration() > 0)
        text += fmt::format(", {} running",
                            timeText(bubble.chain[1].window.duration(), run.info.ticksPerUnit));
    return text;
}

Evidence evidence(const Run& run)
{
    const RunInfo& info = run.info;
    const char* const kind = info.mode == Mode::Simulate ? "simulated"
        : info.mode == Mode::Emulate                     ? "estimated"
                                                         : "recorded";
    const char* const from = !info.import ? "ops" : info.import->onGpu ? "kernels" : "ranges";
    return {kind, from,
            info.outcome == Outcome::Finished
                && (!info.import || info.import->missingRanks.empty())};
}

} // namespace profiler
