#include "profiler/analysis/run_measures.h"

#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

using R = ReportedRun;
using D = ReportedDevice;

constexpr std::string_view kOwn; // defined in ARCHITECTURE.md
constexpr std::string_view kPtdp = "Narayanan et al., arXiv 2104.04473, section 2.2";
constexpr std::string_view kBitPipe = "Wu, Chen and Yu, BitPipe, arXiv 2410.19367";
constexpr std::string_view kKorthikanti = "Korthikanti et al., arXiv 2205.05198";
constexpr std::string_view kPalm = "Chowdhery et al., PaLM, arXiv 2204.02311, appendix B";
constexpr int kResult = kCompared | kSummary | kIfAny, kChange = kCompared | kDifference;
constexpr Better kLess = Better::Less, kMore = Better::More;

// What a trace of another program may not name.
Reading ofStages(const RunInfo& info, Reading value)
{
    return ifKnown(knowsStages(info), std::move(value), "the trace does not name the stages");
}
Reading ofMicroBatches(const RunInfo& info, Reading value)
{
    return ifKnown(knowsMicroBatches(info), std::move(value),
                   "the trace does not name the micro-batches");
}
std::int64_t correctedDurations(const RunInfo& info)
{
    for (const auto& one :
         info.import ? info.import->leftOut : std::vector<ImportReport::LeftOut>())
        if (one.what == kCorrectedDurations)
            return one.count;
    return 0;
}
Reading noteCorrections(const RunInfo& info, Reading value)
{
    if (const std::int64_t count = correctedDurations(info); count > 0)
        value.note += fmt::format("{}estimated: {} durations of the trace were corrected",
                                  value.note.empty() ? "" : "; ", count);
    return value;
}
// An imported trace may lack what bubbles need.
Reading ofBubble(const RunInfo& info, Reading value)
{
    std::string why = whyUnknown(info);
    return why.empty() ? noteCorrections(info, std::move(value)) : Reading::unknown(std::move(why));
}
Reading ofClocks(const RunInfo& info, Reading value)
{
    return !info.import || info.import->clocksKnown ? value : Reading::unknown(info.import->lack);
}
// Without the kernels of some ops, the work of a device is unknown.
Reading ofWork(const RunInfo& info, Reading value)
{
    if (!info.damage.empty())
        return Reading::unknown(info.damage);
    return !info.import || info.import->workKnown ? ofClocks(info, std::move(value))
                                                  : Reading::unknown(info.import->lack);
}
// Host times of a run that used GPUs are no compute.
Reading ofCompute(const RunInfo& info, Reading value)
{
    const bool isOfHost = info.import && !info.import->onGpu && !info.deviceName.empty();
    return isOfHost ? Reading::unknown(whyUnknown(info))
                    : ofWork(info, noteCorrections(info, std::move(value)));
}
Reading ofStash(const RunInfo& info, Reading value)
{
    return ofMicroBatches(info, ofWork(info, std::move(value)));
}
// What counts all devices is unknown if one of them has no ops, or a stage has none.
Reading ofAllDevices(const Run& run, Reading value)
{
    const std::string why = whyUnknown(run.info);
    if (why.empty())
        return value;
    std::set<StageId> stages;
    for (const auto& ops : run.schedule.program)
        for (const Op& op : ops)
            if (isPass(op.kind))
                stages.insert(op.stage);
    const bool hasAll = std::ranges::none_of(run.schedule.program, &std::vector<Op>::empty)
        && (!knowsStages(run.info) || std::cmp_equal(stages.size(), run.schedule.shape.stages));
    return hasAll ? value : Reading::unknown(why);
}
Reading ofIteration(const Run& run, Reading value)
{
    std::string why = whyIterationUnknown(run);
    return why.empty() ? value : Reading::unknown(std::move(why));
}
Reading idle(const Run& run, Reading value)
{
    if (!run.info.import || !run.info.import->onGpu)
        return Reading::absent();
    if (!run.info.import->showsIterations()) // of the whole trace
        return ofWork(run.info, std::move(value));
    return ofWork(run.info, ofIteration(run, std::move(value)));
}
Reading ofExposed(const RunInfo& info, const RunMetrics& metrics, Reading value)
{
    // On the host, a message lasts from its call to its arrival, which needs both of its ranks.
    if (info.import && !info.import->onGpu && !info.import->lack.empty())
        return Reading::unknown(info.import->lack);
    return ifKnown(metrics.exposedIsKnown, ofWork(info, std::move(value)),
                   info.import ? "the traces have no messages, so their time is in the bubbles"
                               : "the spans of the communication were not kept");
}
Reading ofMessages(const RunInfo& info, const RunMetrics& metrics, Reading count)
{
    return info.import ? ofExposed(info, metrics, std::move(count)) : count;
}

// JSON leaves out a key whose value a run of this kind cannot have.
Reading onlyIf(bool can, Reading value)
{
    return can ? value : Reading::absent();
}

// A member of RunInfo; its key is left out if it is empty or 0.
template<auto Member>
Reading ifSet(const R& r)
{
    const auto& value = r.info().*Member;
    return onlyIf(value != std::remove_cvref_t<decltype(value)>(), value);
}

// A text of RunInfo; unknown if it is empty.
template<auto Member>
Reading text(const R& r)
{
    return textOrUnknown(r.info().*Member);
}

// The mean of the devices.
template<auto Member>
Reading meanTime(const R& r)
{
    return ofAllDevices(r.run, Reading::time(r.metrics.mean(Member), r.info()));
}

// The largest value of a device, with the device as the note.
template<auto Member>
Reading largest(const R& r)
{
    const DeviceMetrics* most = r.metrics.fullest(Member);
    return most == nullptr
        ? Reading()
        : Reading(most->*Member).with(fmt::format("device {}", most->device.value));
}

// Notes the device with the longest bubble.
Reading bubbleShare(const R& r)
{
    const DeviceMetrics* most = r.metrics.fullest(&DeviceMetrics::bubble);
    return ofBubble(r.info(),
                    Reading(r.metrics.bubbleRatio)
                        .with(most == nullptr || most->bubble == 0
                                  ? ""
                                  : fmt::format("at most {} on device {}",
                                                timeText(most->bubble, r.info().ticksPerUnit),
                                                most->device.value)));
}

// Notes the device with the largest peak, and its planned and touched bytes.
Reading peakMemory(const R& r)
{
    const DeviceMetrics* most = r.metrics.fullest(&DeviceMetrics::peakBytes);
    if (most == nullptr || !most->peakBytes)
        return {};
    Reading peak = largest<&DeviceMetrics::peakBytes>(r);
    for (const DeviceMetrics& device : r.metrics.devices)
        if (!device.peakBytes)
            return Reading::unknown(
                fmt::format("the memory of device {} was not recorded", device.device.value));
    const ArenaUse* use = arenaOf(r.info(), most->device);
    if (use != nullptr)
        peak.note += fmt::format(", {} planned", bytesText(use->arena));
    if (use != nullptr && use->touched)
        peak.note += fmt::format(", {} touched", bytesText(*use->touched));
    return peak;
}

// Says how the reported iteration was obtained: "median of 5".
std::string iterationNote(const R& r)
{
    const auto& iterations = r.run.timeline.iterations;
    const auto measured
        = std::ranges::count(iterations, Iteration::Kind::Measured, &Iteration::kind);
    switch (iterations[static_cast<std::size_t>(r.metrics.iteration)].kind) {
    case Iteration::Kind::Replay:
        return fmt::format("typical ops: the median time of each in {} iteration{}", measured,
                           measured == 1 ? "" : "s");
    case Iteration::Kind::Warmup:
        return "warm-up";
    case Iteration::Kind::Measured:
        break;
    }
    if (r.metrics.iteration != reportedIteration(r.run.timeline))
        return "";
    return measured > 2 ? fmt::format("median of {}", measured)
        : measured == 2 ? "shorter of 2 iterations"
                        : "";
}

Reading iterationTime(const R& r)
{
    Reading time = Reading::time(r.metrics.duration, r.info()).with(iterationNote(r));
    time.interval = iterationInterval(r.run, r.metrics.iteration);
    return ofIteration(r.run, std::move(time));
}

Reading modelUtilisation(const R& r)
{
    if (!r.metrics.whyNoMfu.empty())
        return Reading::unknown(r.metrics.whyNoMfu);
    return Reading(r.metrics.mfu)
        .with(r.info().peakSource.empty()
                  ? ""
                  : fmt::format("of {:.0f} GFLOP/s per device, {}", r.info().peakFlops / 1e9,
                                r.info().peakSource));
}

// The last value of a member of the iterations. The note has the first one.
template<auto Member>
Reading lastValue(const R& r)
{
    std::vector<double> values;
    for (const Iteration& one : r.run.timeline.iterations)
        if (one.*Member && one.kind != Iteration::Kind::Replay)
            values.push_back(*(one.*Member));
    if (values.empty())
        return Reading::unknown("nothing was trained");
    return Reading(values.back())
        .with(fmt::format("first {:.4g}, largest {:.4g}, {} iterations", values.front(),
                          std::ranges::max(values), values.size()));
}

Reading deviceList(const R& r)
{
    Reading::List all;
    for (const D& device : reportedDevices(r.run, r.metrics))
        all.push_back(fields(deviceMeasures(), device));
    return all;
}

Reading iterationList(const R& r)
{
    Reading::List all;
    for (const Iteration& one : r.run.timeline.iterations)
        if (one.kind != Iteration::Kind::Replay)
            all.emplace_back(Reading::Fields{
                {"index", all.size()},
                {"warmup", one.kind == Iteration::Kind::Warmup},
                {"duration", ofIteration(r.run, Reading::time(one.window.duration(), r.info()))},
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

Reading warningList(const R& r)
{
    Reading::List all;
    for (const std::string& warning : importWarnings(r.run))
        all.emplace_back(warning);
    return onlyIf(r.info().import || !all.empty(), all);
}

Reading gpuMemory(const R& r)
{
    const GpuMemory all = sumOf(r.info().gpuMemory);
    Reading::List each;
    for (const GpuMemory& gpu : r.info().gpuMemory)
        each.push_back(fields(gpuMemoryMeasures(), gpu));
    const std::int64_t contexts = all[GpuMemoryOwner::Contexts];
    return onlyIf(!each.empty(),
                  Reading::Fields{{"contexts", contexts},
                                  {"taken", all.taken()},
                                  {"others", all.used - contexts - all.taken()},
                                  {"used", all.used},
                                  {"gpus", each}});
}

Reading interferenceByKind(const R& r)
{
    Reading::Fields kinds;
    for (const Interference& kind : r.info().interference)
        kinds.emplace_back(kindShortName(kind.kind), kind.ratio());
    return onlyIf(!kinds.empty(), kinds);
}

// The time of some kinds of op, the mean of the devices; absent if no such op ran.
template<OpKind... Kinds>
Reading opTime(const R& r)
{
    const double ticks
        = r.metrics.mean([](const DeviceMetrics& device) { return (device.byKind[Kinds] + ...); });
    return onlyIf(ticks > 0,
                  ofAllDevices(r.run, ofCompute(r.info(), Reading::time(ticks, r.info()))));
}

// The share of the copies of stashes during which their device computes.
Reading hiddenCopies(const R& r)
{
    if (!holds(r.run.schedule, OpKind::Evict))
        return Reading::absent();
    const Lanes lanes(r.run, r.metrics.iteration);
    std::int64_t copied = 0, exposed = 0;
    for (const DeviceId device : Ids<DeviceId>(lanes.devices())) {
        Windows copies;
        for (const Span& span : lanes.spans(device, Track::Kind::Copy))
            copies.push_back(span.window());
        copies = unite(std::move(copies));
        copied += length(copies);
        exposed += length(subtract(copies, lanes.compute(device)));
    }
    return ifKnown(copied > 0, 1 - ratio(exposed, copied),
                   "evicts and loads take no time, or their spans were not kept");
}

constexpr MeasureInfo operation(std::string_view key, std::string_view title,
                                std::string_view meaning)
{
    return {key,        title, Unit::Time,
            kOperation, kLess, "sum of the durations, mean of the devices",
            meaning};
}

using M = Measure<R>;
constexpr std::array kRun{
    M({"scheme"}, [](const R& r) { return r.info().scheme; }),
    M({"mode"}, [](const R& r) { return modeName(r.info().mode); }),
    M({"", "mode", Unit::None, kCompared}, [](const R& r) { return modeAdjective(r.info().mode); }),
    M(column("devices", "D"), [](const R& r) { return r.shape().devices; }),
    M(column("micro_batches", "N"),
      [](const R& r) { return ofMicroBatches(r.info(), r.shape().microBatches); }),
    M({"stages"}, [](const R& r) { return ofStages(r.info(), r.shape().stages); }),
    M(column("chunks", "v"), [](const R& r) { return ofStages(r.info(), r.shape().chunks()); }),
    M({"data_parallel"}, [](const R& r) { return r.shape().dataParallel; }),
    M({"outcome"}, [](const R& r) { return outcomeName(r.info().outcome); }),
    M({"iteration", "Iteration", Unit::Time, kColumn | kSummary | kDifference, kLess,
       "end of the last OPT - start of the first F",
       "Time of one training step over all devices, in the median iteration.", kOwn, -1, true},
      iterationTime),
    M({"span", "Span", Unit::Time, kSimulated, kLess, "last end - first start of a device",
       "Time between the first and the last op of a device."},
      [](const R& r) { return Reading::time(r.metrics.span, r.info()); }),
    M({"unit"}, [](const R& r) { return r.info().inUnits() ? "forward" : "ns"; }),
    M({"compute", "Compute", Unit::Time, kChange, kLess, "union of F, B, I, W, RECOMPUTE and OPT",
       "Mean of the devices. In a trace with kernels: union of those that do not communicate."},
      [](const R& r) { return ofCompute(r.info(), meanTime<&DeviceMetrics::compute>(r)); }),
    M({"communication_exposed", "Exposed", Unit::Time, kChange, kLess,
       "transfers and all-reduces - compute",
       "Time in which a transfer or an all-reduce of the device runs and no compute does."},
      [](const R& r) {
          return ofExposed(r.info(), r.metrics, meanTime<&DeviceMetrics::exposedCommunication>(r));
      }),
    M({"bubble", "Bubble", Unit::Time, kChange, kLess, "iteration - compute - exposed",
       "Time in which a device neither computes nor communicates.", kPtdp},
      [](const R& r) { return ofBubble(r.info(), meanTime<&DeviceMetrics::bubble>(r)); }),
    M({"idle", "Idle", Unit::Time, kCompared | kIfAny, kLess,
       "time - union of compute kernels - NCCL kernels without compute",
       "Of an imported run: time without a kernel, within its span if bubbles are unknown."},
      [](const R& r) { return idle(r.run, meanTime<&DeviceMetrics::bubble>(r)); }),
    M({"bubble_ratio", "Bubble", Unit::Share, kColumn | kSummary | kDifference, kLess,
       "sum of bubbles / (D x iteration)",
       "Share of the device time. Some papers divide by the compute time."},
      bubbleShare),
    M(operation("time_by_op.forward", "Forward", "Time of the F of a device."),
      opTime<OpKind::Forward>),
    M(operation("time_by_op.backward", "Backward",
                "Time of B, I and W, so that schemes that split the backward are comparable."),
      opTime<OpKind::Backward, OpKind::BackwardInput, OpKind::BackwardWeight>),
    M(operation("time_by_op.weight_gradient", "Of which W", "Time of the W of a device."),
      opTime<OpKind::BackwardWeight>),
    M(operation("time_by_op.recompute", "Recompute", "Time in which forwards are repeated."),
      opTime<OpKind::Recompute>),
    M(operation("time_by_op.optimizer", "Optimizer", "Time of the optimizer steps of a device."),
      opTime<OpKind::OptimizerStep>),
    M({"copies_hidden", "Copies behind compute", Unit::Share, kSummary | kCompared | kIfAny, kMore,
       "time of evicts and loads with compute / time of evicts and loads",
       "Share of the copies to host memory or to a partner during which their device computes."},
      hiddenCopies),
    M({"replay"},
      [](const R& r) {
          return r.run.timeline.iterations[r.metrics.iteration].kind == Iteration::Kind::Replay;
      }),
    M({"per_device"}, deviceList),
    M({"peak_stash", "Peak stash", Unit::Activations, kColumn | kSummary | kDifference, kLess,
       "largest sum of live activations / M_a",
       "Activations kept from F to B, in M_a: those of one micro-batch on one device.", kBitPipe},
      [](const R& r) {
          return ofAllDevices(r.run, ofStash(r.info(), largest<&DeviceMetrics::peakStash>(r)));
      }),
    M({"weights", "Weights", Unit::Weights, kSimulated, kLess, "parameters of a device / M_theta",
       "Stored weights, in M_theta: the parameters of one device without replicas.", kBitPipe},
      [](const R& r) { return ofStages(r.info(), largest<&DeviceMetrics::weights>(r)); }),
    M({"peak_bytes", "Peak memory", Unit::Bytes, kColumn | kSummary | kIfAny | kDifference, kLess,
       "largest sum of weights, gradients, optimizer state, stash, buffers",
       "Most memory that is allocated on a device at one time."},
      peakMemory),
    M({"", "Peak memory", Unit::Bytes, kSummary}, // the reason why it is not above
      [](const R& r) {
          const Reading peak = peakMemory(r);
          return peak.isKnown() ? Reading() : peak;
      }),
    M({"memory_balance", "Memory balance", Unit::None, kSummary | kCompared | kIfAny, kLess,
       "largest peak memory of a device / mean of the devices",
       "1: every device needs as much memory as the fullest.", kOwn, 2},
      [](const R& r) { return r.metrics.memoryBalance(); }),
    M({"p2p_messages", "Messages", Unit::None, kSimulated | kDifference, kLess,
       "activations and gradients sent per iteration",
       "P2P transfers between two devices. Values that stay on a device are local copies."},
      [](const R& r) {
          return ofAllDevices(r.run, ofMessages(r.info(), r.metrics, r.metrics.messages));
      }),
    M({"local_copies", "Local copies", Unit::None, kSimulated, Better::Neither,
       "values whose producer and consumer are on one device",
       "Transfers that chunks or a V avoid: read in place, they take no time and no memory."},
      [](const R& r) { return r.metrics.localCopies; }),
    M({"iterations"}, iterationList),
    M({"losses"}, lossList),
    M({"loss", "Loss", Unit::Loss, kResult, kLess,
       "mean cross entropy of the last iteration, per predicted token or, of a ViT, image",
       "Warm-up iterations train as well, so the first loss is that of the first one."},
      lastValue<&Iteration::loss>),
    M({"gradient_norm", "Gradient norm", Unit::None, kSummary | kIfAny, Better::Neither,
       "square root of the sum of squares of all gradients, in the last iteration",
       "Norm of the gradient of the mean loss, before the optimizer step."},
      lastValue<&Iteration::gradientNorm>),
    M({"tokens_per_second", "Tokens/s", Unit::None, kResult | kDifference, kMore,
       "W x N x micro-batch size x sequence length / iteration",
       "Throughput of all data-parallel copies.", kPalm, 0},
      [](const R& r) { return r.metrics.tokensPerSecond; }),
    M({"iteration_per_token", "Iteration per token", Unit::Time, kResult, kLess,
       "iteration / tokens of an iteration",
       "Compares runs whose iterations process different numbers of tokens.", kOwn, 5},
      [](const R& r) {
          const std::int64_t tokens = r.info().tokensPerIteration;
          return tokens > 0 && !r.info().inUnits()
              ? ofIteration(r.run, Reading::time(ratio(r.metrics.duration, tokens), r.info()))
              : Reading::unknown("the tokens of an iteration are not known");
      }),
    M({"mfu", "MFU", Unit::Share, kColumn | kSummary | kIfAny | kDifference, kMore,
       "model FLOPs / (iteration x W x D x peak FLOP/s)",
       "Share of the peak that the model needs, without recomputation.", kPalm},
      modelUtilisation),
    M({"", "MFU", Unit::Share, kSummary}, // the reason why it is not above
      [](const R& r) {
          return r.metrics.whyNoMfu.empty() ? Reading() : Reading::unknown(r.metrics.whyNoMfu);
      }),
    M({"hfu"},
      [](const R& r) {
          return r.metrics.whyNoMfu.empty() ? Reading(r.metrics.hfu)
                                            : Reading::unknown(r.metrics.whyNoMfu);
      }),
    M({"", "HFU", Unit::Share, kSummary, kMore,
       "executed FLOPs / (iteration x W x D x peak FLOP/s)",
       "Share of the peak that the hardware executes, with recomputation.", kKorthikanti},
      [](const R& r) { // without recomputation it is the MFU
          return r.metrics.hfu == r.metrics.mfu ? Reading() : Reading(r.metrics.hfu);
      }),
    M({"peak_flops"},
      [](const R& r) {
          return ifKnown(r.info().peakFlops > 0, r.info().peakFlops, "not measured");
      }),
    M({"peak_source"}, text<&RunInfo::peakSource>),
    M({"model"}, text<&RunInfo::model>),
    M({"precision"}, text<&RunInfo::precision>),
    M({"threads"}, ifSet<&RunInfo::threads>),
    M({"cores"}, [](const R& r) { return onlyIf(r.info().threads > 0, r.info().cores); }),
    M({"oversubscribed"},
      [](const R& r) { return onlyIf(r.info().threads > 0, r.info().isOversubscribed()); }),
    M({"cpu_share", "CPU share of the ops", Unit::Share, kSummary, kMore,
       "CPU time of the ops / their wall time",
       "Below 90 %, other processes on the machine delayed the ops."},
      [](const R& r) { return onlyIf(r.info().threads > 0, r.info().cpuShare); }),
    M({"other_load", "Cores used by others", Unit::None, kSummary | kIfAny, kLess,
       "CPU time of other processes / time of the measured iterations",
       "Processes on the same machine slow the ops through caches, memory and clocks.", kOwn, 2},
      [](const R& r) { return onlyIf(r.info().otherLoad.has_value(), r.info().otherLoad); }),
    M({"session"}, ifSet<&RunInfo::session>),
    M({"rounds"}, ifSet<&RunInfo::rounds>),
    M({"disturbed"},
      [](const R& r) { return onlyIf(r.info().threads > 0, r.info().isDisturbed()); }),
    M({"interference", "Slow-down", Unit::None, kSummary, kLess,
       "time of concurrent ops / time of ops that run alone",
       "How much concurrent ops on the same GPU slow each other down.", kOwn, 2},
      [](const R& r) {
          const auto& kinds = r.info().interference;
          return onlyIf(!kinds.empty(),
                        Reading(interferenceRatio(kinds)).with(interferenceText(kinds)));
      }),
    M({"interference_by_kind"}, interferenceByKind),
    M({"iteration_alone"},
      [](const R& r) { return onlyIf(!r.info().interference.empty(), r.info().iterationAlone); }),
    M({"transport"}, ifSet<&RunInfo::transport>),
    M({"graph_ops"}, ifSet<&RunInfo::graphOps>),
    M({"gpu_memory"}, gpuMemory),
    M({"link"}, [](const R& r) { return r.info().link; }),
    M({"command"}, [](const R& r) { return r.info().command; }),
    M({"evidence.kind"}, [](const R& r) { return evidence(r.run).kind; }),
    M({"evidence.from"}, [](const R& r) { return evidence(r.run).from; }),
    M({"evidence.complete"}, [](const R& r) { return evidence(r.run).isComplete; }),
    M({"evidence.lack"}, [](const R& r) { return textOrUnknown(whyUnknown(r.info())); }),
    M({"warnings"}, warningList),
};

template<auto Member>
Reading time(const D& d)
{
    return Reading::time(d.of.*Member, d.info());
}

template<auto Member>
Reading bubbleTime(const D& d)
{
    return ofBubble(d.info(), time<Member>(d));
}

template<auto Member>
Reading value(const D& d)
{
    return d.of.*Member;
}

// The memory of a category at the peak of the device.
template<MemoryCategory Category>
Reading atPeak(const D& d)
{
    const bool isStated
        = d.of.bytesAtPeak[Category] > 0 || d.of.bytesAtPeak[MemoryCategory::Unknown] == 0;
    return ifKnown(d.of.peakBytes && isStated, d.of.bytesAtPeak[Category],
                   d.of.peakBytes ? "the traces do not state the category of the memory"
                                  : "no memory was recorded");
}

// A size that was planned before the run.
template<auto Member>
Reading planned(const D& d)
{
    const ArenaUse* use = arenaOf(d.info(), d.of.device);
    return use == nullptr ? Reading() : Reading(use->*Member);
}

constexpr MeasureInfo timeOf(std::string_view key, std::string_view title,
                             std::string_view formula = {}, std::string_view meaning = {})
{
    return {key, title, Unit::Time, kColumn, kLess, formula, meaning};
}

constexpr MeasureInfo memory(std::string_view key, std::string_view title,
                             std::string_view formula = {}, std::string_view meaning = {})
{
    return {key,   title,   Unit::Bytes, kMemory | (formula.empty() ? 0 : kIfAny),
            kLess, formula, meaning};
}

// Measures without a definition here have that of the run.
using N = Measure<D>;
constexpr std::array kDevice{
    N({"device", "device", Unit::None, kColumn | kMemory},
      [](const D& d) { return Reading(d.of.device.value).with(d.isRecorded() ? "" : "no trace"); }),
    N(timeOf("span", "Span"), time<&DeviceMetrics::span>),
    N(timeOf("compute", "Compute"),
      [](const D& d) { return ofCompute(d.info(), time<&DeviceMetrics::compute>(d)); }),
    N(timeOf("communication_exposed", "Exposed"),
      [](const D& d) {
          return ofExposed(d.info(), d.metrics, time<&DeviceMetrics::exposedCommunication>(d));
      }),
    N(timeOf("fill", "Fill", "start of the first op of the device - start of the iteration",
             "Bubble before the first op of a device."),
      bubbleTime<&DeviceMetrics::fill>),
    N(timeOf("wait", "Wait", "bubble - fill - drain", "Bubble between two ops of a device."),
      bubbleTime<&DeviceMetrics::wait>),
    N(timeOf("drain", "Drain", "end of the iteration - end of the last op of the device",
             "Bubble after the last op of a device."),
      bubbleTime<&DeviceMetrics::drain>),
    N({"idle", "Idle", Unit::Time, kColumn | kIfAny, kLess},
      [](const D& d) { return idle(d.run, time<&DeviceMetrics::bubble>(d)); }),
    N(timeOf("bubble", "Bubble"), bubbleTime<&DeviceMetrics::bubble>),
    N({"bubble_ratio", "Bubble", Unit::Share, kColumn, kLess},
      [](const D& d) {
          return ofBubble(d.info(),
                          d.metrics.duration > 0 ? ratio(d.of.bubble, d.metrics.duration) : 0.0);
      }),
    N({"peak_stash", "Peak stash", Unit::Activations, kColumn, kLess},
      [](const D& d) { return ofStash(d.info(), d.of.peakStash); }),
    N({"peak_kept", "Kept for recompute", Unit::None, kColumn | kIfAny, kLess,
       "largest number of activations between F and RECOMPUTE",
       "Activations of which the device keeps only the input, or a share."},
      [](const D& d) { return ofStash(d.info(), d.of.peakKept); }),
    N({"weights", "Weights", Unit::Weights, kColumn, kLess},
      [](const D& d) { return ofStages(d.info(), d.of.weights); }),
    N(memory("peak_bytes", "Peak memory"), value<&DeviceMetrics::peakBytes>),
    N({"peak_stash_bytes"}, value<&DeviceMetrics::peakStashBytes>),
    N(column("p2p_messages", "Messages"),
      [](const D& d) { return ofMessages(d.info(), d.metrics, d.of.messagesSent); }),
    N(column("local_copies", "Local copies"), value<&DeviceMetrics::localCopies>),
    N({"all_reduce", "All-reduce", Unit::Time, kData, kLess,
       "sum of the durations of the device's all-reduces",
       "Includes the part that runs during compute."},
      [](const D& d) {
          return ofMessages(d.info(), d.metrics,
                            Reading::time(d.of.byKind[OpKind::AllReduce], d.info()));
      }),
    N(memory("bytes_at_peak.weights", "Weights"), atPeak<MemoryCategory::Weights>),
    N(memory("bytes_at_peak.gradients", "Gradients"), atPeak<MemoryCategory::Gradients>),
    N(memory("bytes_at_peak.optimizer", "Optimizer state"), atPeak<MemoryCategory::Optimizer>),
    N(memory("bytes_at_peak.stash", "Stash"), atPeak<MemoryCategory::Stash>),
    N(memory("bytes_at_peak.buffers", "Buffers"), atPeak<MemoryCategory::Buffers>),
    N(memory("bytes_at_peak.unknown", "Unknown", "memory of no known category",
             "Neither the trace nor a stack frame states what it is for."),
      atPeak<MemoryCategory::Unknown>),
    N(memory("live_bytes", "Live", "largest sum of the bytes of live buffers",
             "Memory that the plan of the run needs on a device."),
      planned<&ArenaUse::live>),
    N(memory("arena_bytes", "Arena", "planned size of the memory of a device",
             "Exceeds the live bytes where buffers leave gaps."),
      planned<&ArenaUse::arena>),
    N(memory("touched_bytes", "Touched", "bytes of the arena that the run wrote",
             "Counted after the first iteration."),
      planned<&ArenaUse::touched>),
};

// Numbers that only comparisons and intervals have.
constexpr std::array kOther{
    MeasureInfo{"interval", "95 % interval", Unit::Time, kData, Better::Neither,
                "2.5th to 97.5th percentile of resampled medians",
                "Interval of the reported iteration, by bootstrap over the measured ones.",
                "Efron, 1979"},
    MeasureInfo{"speed_up", "Speed-up", Unit::None, kData, kMore,
                "time of the baseline / time of the run",
                "Above 1 the run is faster than the baseline."},
};

using B = ReportedBubble;
constexpr std::array kBubble{
    Measure(column("device"), [](const B& b) { return b.of.device.value; }),
    Measure(column("", "time", Unit::Time),
            [](const B& b) { return Reading::time(b.of.window.duration(), b.run.info); }),
    Measure({"begin"}, [](const B& b) { return Reading::time(b.of.window.begin, b.run.info); }),
    Measure({"end"}, [](const B& b) { return Reading::time(b.of.window.end, b.run.info); }),
    Measure(column("cause", "kind"), [](const B& b) { return bubbleKindName(b.of.kind); }),
    Measure({"next"},
            [](const B& b) {
                return b.of.next ? Reading(toString(opAt(b.run.schedule, b.index, *b.of.next)))
                                 : Reading();
            }),
    Measure({"chain"}, [](const B& b) { return opList(b.run, b.index, b.of.chain); }),
    Measure(column("", "because"), [](const B& b) { return bubbleReason(b.run, b.index, b.of); }),
};

using G = Measure<GpuMemory>;

template<std::size_t... I>
std::vector<G> ownerMeasures(std::index_sequence<I...>)
{
    return {G({gpuMemoryOwnerKey(static_cast<GpuMemoryOwner>(I)),
               gpuMemoryOwnerName(static_cast<GpuMemoryOwner>(I)), Unit::Bytes, kColumn | kIfAny},
              [](const GpuMemory& gpu) { return gpu[static_cast<GpuMemoryOwner>(I)]; })...};
}

std::vector<G> allGpuMemory()
{
    std::vector<G> all{G(column("gpu", "GPU"), Of<&GpuMemory::gpu>())};
    for (const G& owner : ownerMeasures(std::make_index_sequence<kGpuMemoryOwners>()))
        all.push_back(owner);
    for (const G& sum :
         {G({"communicators_reserved", "reserved for communicators", Unit::Bytes, kColumn | kIfAny},
            Of<&GpuMemory::reserved>()),
          G(column("", "total", Unit::Bytes), Of<&GpuMemory::known>()),
          G(column("used", "reported by the driver", Unit::Bytes), Of<&GpuMemory::used>()),
          G({"difference"}, Of<&GpuMemory::difference>()),
          G({"difference_share"}, Of<&GpuMemory::differenceShare>()),
          G(column("", "difference", Unit::Share),
            [](const GpuMemory& gpu) { return ratio(gpu.difference(), gpu.used); })})
        all.push_back(sum);
    return all;
}

} // namespace

std::span<const Measure<ReportedRun>> runMeasures()
{
    return kRun;
}

bool knowsTimes(const Run& run)
{
    return whyUnknown(run.info).empty() || idle(run, Reading(0)).isKnown();
}

bool knowsMeanTimes(const Run& run)
{
    return knowsTimes(run) && ofAllDevices(run, Reading(0)).isKnown();
}

std::span<const Measure<ReportedDevice>> deviceMeasures()
{
    return kDevice;
}

std::span<const Measure<ReportedBubble>> bubbleMeasures()
{
    return kBubble;
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
                            sourceOf(*one));
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
                                         {"source", sourceOf(*one)}});
    return all;
}

std::vector<ReportedDevice> reportedDevices(const Run& run, const RunMetrics& metrics)
{
    std::vector<ReportedDevice> all;
    for (const DeviceMetrics& device : metrics.devices)
        all.push_back({run, metrics, device});
    return all;
}

Reading opList(const Run& run, const OpIndex& index, const std::vector<CauseLink>& ops)
{
    Reading::List all;
    for (const CauseLink& op : ops)
        all.emplace_back(Reading::Fields{{"op", toString(opAt(run.schedule, index, op.op))},
                                         {"device", op.device.value},
                                         {"begin", Reading::time(op.window.begin, run.info)},
                                         {"end", Reading::time(op.window.end, run.info)}});
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
    if (bubble.within)
        return fmt::format("{} executes no kernel", spell(bubble.chain.front()));
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

std::vector<std::string> importWarnings(const Run& run)
{
    std::vector<std::string> all;
    if (const std::string why = whyUnknown(run.info); !why.empty())
        all.push_back("Bubbles, replay and predictions are unknown: " + why + ".");
    if (run.info.import)
        all.insert(all.end(), run.info.import->warnings.begin(), run.info.import->warnings.end());
    return all;
}

Evidence evidence(const Run& run)
{
    const RunInfo& info = run.info;
    const char* const kind = info.mode == Mode::Simulate ? "simulated"
        : info.mode == Mode::Emulate                     ? "estimated"
                                                         : "recorded";
    const char* const from = !info.import ? "ops" : info.import->onGpu ? "kernels" : "ranges";
    return {kind, from,
            info.outcome == Outcome::Finished && info.damage.empty()
                && (!info.import
                    || (info.import->missingRanks.empty() && info.import->lack.empty()
                        && correctedDurations(info) == 0))};
}

} // namespace profiler
