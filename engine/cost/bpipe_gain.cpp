#include "engine/cost/bpipe_gain.h"

#include "engine/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace engine {
namespace {

double devices(const EstimateInput& input)
{
    const TrainingSetup& setup = input.on.setup;
    return static_cast<double>(input.stages) * setup.tensorParallel * setup.dataParallel;
}

// The forward of all layers if everything is recomputed, or `times` x the attention of all layers
// if only attention is.
double recomputedFlops(const EstimateInput& input, double times)
{
    const ModelOnHardware& on = input.on;
    if (on.setup.recomputesAll)
        return on.model.layers
            * (layerFlops(on.model, input.globalBatch)
               + attentionFlops(on.model, input.globalBatch));
    if (on.setup.attention == AttentionMode::Recompute)
        return times * on.model.layers * attentionFlops(on.model, input.globalBatch);
    return 0;
}

// Bytes of one device. `stash` is the stash of one micro-batch in all stages of the device;
// `layers` is `stash` without embedding and head.
struct DeviceMemory
{
    double state = 0, stash = 0, layers = 0;
};

DeviceMemory memoryOf(const EstimateInput& input, int device)
{
    const auto& [model, hardware, setup] = input.on;
    const int stages = input.stages * input.chunks;
    DeviceMemory memory;
    for (int stage = device; stage < stages; stage += input.stages) {
        memory.state += stageParameters(model, setup, stages, stage) * setup.stateBytes();
        memory.stash += stageStashBytes(model, setup, stages, stage);
        memory.layers += layersOf(model, setup, stages, stage) * layerStashBytes(model, setup);
    }
    return memory;
}

// The largest number of micro-batches whose stashes a device holds at once in 1F1B. With one chunk
// it is D - d. With v chunks a device holds the stashes of 2 (D-1-d) + (v-1) D warm-up forwards
// (Megatron-LM) and of one more forward; each is a v-th of a micro-batch. The result is at most the
// number of micro-batches.
double heldBy1F1B(const EstimateInput& input, int device)
{
    const double p = input.stages, v = input.chunks, left = p - device;
    return std::min(microBatchesOf(input), v == 1 ? left : (2 * (left - 1) + (v - 1) * p + 1) / v);
}

// The layers of all devices except the one with the most, divided by the layers of that one: D - 1
// if all devices have equally many.
double otherDevices(const EstimateInput& input)
{
    std::vector<double> layers(static_cast<std::size_t>(input.stages), 0);
    const int stages = input.stages * input.chunks;
    for (int stage = 0; stage < stages; ++stage)
        layers[stage % input.stages] += layersOf(input.on.model, input.on.setup, stages, stage);
    return input.on.model.layers / std::ranges::max(layers) - 1;
}

// Each device keeps at most ceil((D+2)/2) stashes. Device d < D/2 evicts the rest to device D-1-d.
double bpipeMemory(const EstimateInput& input, const std::vector<DeviceMemory>& devices)
{
    const auto bound = static_cast<double>((input.stages + 3) / 2);
    double most = 0;
    for (int d = 0; d < input.stages; ++d) {
        const int partner = input.stages - 1 - d;
        const double own = std::min(heldBy1F1B(input, d), bound);
        const double guests = std::max(0.0, heldBy1F1B(input, partner) - bound);
        most = std::max(most,
                        devices[d].state + own * devices[d].stash
                            + (partner < d ? guests * devices[partner].stash : 0));
    }
    return most;
}

Result<void> check(const BpipeQuestion& question)
{
    constexpr std::int64_t kMostStages = 65535, kMostBatch = std::int64_t{1} << 40;
    const EstimateInput& input = question.input;
    const std::int64_t stages = std::int64_t{input.stages} * input.chunks;
    if (stages > kMostStages)
        return invalid("--devices {} with --chunks {} has {} stages; use at most {}", input.stages,
                       input.chunks, stages, kMostStages);
    if (!question.stageMfu.empty() && question.stageMfu.size() != question.sizes.size())
        return invalid("--stage-mfu has {} values for {} micro-batch sizes; give one for each size",
                       question.stageMfu.size(), question.sizes.size());
    const int copies = input.on.setup.dataParallel;
    std::int64_t step = copies; // the batches that all sizes divide are its multiples
    for (const int size : question.sizes)
        step = std::min(std::lcm(step, std::int64_t{size} * copies), kMostBatch);
    const auto below
        = static_cast<std::int64_t>(input.globalBatch / static_cast<double>(step)) * step;
    for (const int size : question.sizes)
        if (std::fmod(input.globalBatch, static_cast<double>(size) * copies) != 0)
            return invalid("--global-batch {} is not divisible by micro-batches of {} "
                           "sequences on {} copies; use --global-batch {}{}",
                           input.globalBatch, size, copies,
                           below > 0 ? fmt::format("{} or ", below) : "", below + step);
    return checkParallel(input.on.model, input.on.setup, static_cast<int>(stages));
}

// MFU of one stage: its model FLOPs / (peak FLOP/s of its devices x time of F and B). The time
// comes from the roofline model and includes recomputation.
double rooflineStageMfu(const EstimateInput& input)
{
    const ModelOnHardware& on = input.on;
    const LayerTimes layer = layerTimes(on);
    const double b = on.setup.microBatchSize;
    const double flops = 3 * (layerFlops(on.model, b) + attentionFlops(on.model, b));
    const double seconds
        = layer.forward + layer.inputGradient + layer.weightGradient + layer.recompute;
    return flops / (on.setup.tensorParallel * on.hardware.peakFlops * seconds);
}

void setFit(BpipeRow& row, const MemoryCapacity& memory)
{
    row.fitsWithout = memory.holds(row.memory.oneFOneB);
    row.fitsWith = row.memory.bpipe && memory.holds(*row.memory.bpipe);
}

BpipeRow rowOf(const BpipeQuestion& question, std::size_t index)
{
    EstimateInput input = question.input;
    const ModelOnHardware& on = input.on;
    input.on.setup.microBatchSize = question.sizes[index];
    BpipeRow row;
    row.microBatchSize = question.sizes[index];
    row.microBatches = microBatchesOf(input);
    row.stageMfu = question.stageMfu.empty() ? rooflineStageMfu(input) : question.stageMfu[index];
    row.mfu = pipelineMfu(input, row.stageMfu);
    row.breakEven = breakEven(input, question.sizes.front(), row.microBatchSize);
    row.memory = estimateMemory(input);
    setFit(row, question.memory);
    row.kernels = attentionKernels(on.model, on.setup);
    row.headsPerRank = headsPerRank(on.model, on.setup);
    row.forward
        = layersOf(on.model, on.setup, input.stages, row.memory.device) * layerTimes(on).forward;
    const LinkSpec link = partnerLink(question);
    row.transfer
        = LinkSpec{link.latency, link.bandwidth * on.hardware.linkShare}.time(row.memory.stash);
    return row;
}

// Explains why the MFU of a stage changes.
std::string reason(const BpipeRow& from, const BpipeRow& to)
{
    const double growth = to.stageMfu / from.stageMfu, needed = to.breakEven / from.breakEven;
    const std::string change
        = fmt::format("the stage MFU {} from {:.1f} to {:.1f} %", growth >= 1 ? "rises" : "falls",
                      100 * from.stageMfu, 100 * to.stageMfu);
    const std::string bubble = fmt::format("the larger bubble costs {:.1f} %", 100 * (needed - 1));
    if (from.kernels.name != to.kernels.name)
        return fmt::format("Attention changes from {} to {} ({:g} -> {:g} heads per rank): {}; {}.",
                           from.kernels.name, to.kernels.name, from.headsPerRank, to.headsPerRank,
                           change, bubble);
    return fmt::format("Attention uses {} at both sizes: {}; {}.", to.kernels.name, change, bubble);
}

bool isSlower(const BpipeRow& a, const BpipeRow& b)
{
    return a.mfu < b.mfu;
}

void judge(BpipeAnswer& answer)
{
    std::vector<BpipeRow> without, with;
    for (const BpipeRow& row : answer.rows)
        if (row.fitsWithout)
            without.push_back(row);
        else if (row.fitsWith)
            with.push_back(row);
    if (without.empty() && with.empty()) {
        answer.verdict = "No: no micro-batch size fits, even with BPipe. Use more devices, "
                         "recomputation or smaller micro-batches.";
        return;
    }
    if (with.empty()) {
        const bool allFit = without.size() == answer.rows.size();
        answer.verdict = fmt::format(
            "No: BPipe does not make a larger size fit. {}",
            allFit ? "All sizes fit without BPipe."
                   : fmt::format(
                       "b = {} fits without BPipe, and larger sizes do not fit with it.",
                       std::ranges::max(without, {}, &BpipeRow::microBatchSize).microBatchSize));
        return;
    }
    const BpipeRow& larger = *std::ranges::max_element(with, isSlower);
    if (without.empty()) {
        answer.isWorthIt = true;
        answer.verdict = fmt::format(
            "Yes: the model fits only with BPipe, with b = {}. "
            "Without it, the smallest size needs {:.1f} GiB.",
            larger.microBatchSize,
            std::ranges::min(answer.rows, {}, &BpipeRow::microBatchSize).memory.oneFOneB
                / (1 << 30));
        return;
    }
    const BpipeRow& base = *std::ranges::max_element(without, isSlower);
    const double speedUp = larger.mfu / base.mfu;
    answer.isWorthIt = speedUp > 1;
    answer.verdict
        = fmt::format("{}: b = {} with BPipe is {:.2f} times as fast as b = {} without. ",
                      answer.isWorthIt ? "Yes" : "No", larger.microBatchSize, speedUp,
                      base.microBatchSize)
        + reason(base, larger);
    if (larger.transfer > larger.forward)
        answer.verdict += fmt::format(" The transfer of a stash takes {:.1f} ms, longer than the "
                                      "forward of {:.1f} ms that should hide it.",
                                      1e3 * larger.transfer, 1e3 * larger.forward);
}

// The reserves at which one of the sizes stops to fit, in ascending order.
std::vector<double> limits(const BpipeAnswer& answer, const MemoryCapacity& memory)
{
    std::vector<double> all;
    for (const BpipeRow& row : answer.rows)
        for (const double needed : {row.memory.oneFOneB, row.memory.bpipe.value_or(0)})
            if (needed > 0 && needed < static_cast<double>(memory.bytes))
                all.push_back(100 * (1 - needed / static_cast<double>(memory.bytes)));
    std::ranges::sort(all);
    return all;
}

// Returns the reserves with the verdict of `answer`, by judging between all limits().
ReserveRange reservesOf(const BpipeAnswer& answer, MemoryCapacity memory)
{
    const double own = memory.reserve;
    ReserveRange range;
    std::vector<double> ends = limits(answer, memory);
    ends.push_back(range.upTo);
    double from = range.above;
    bool isBehind = false; // whether `own` is in an earlier interval than the current one
    for (const double to : ends) {
        if (to <= from)
            continue;
        BpipeAnswer other = answer;
        memory.reserve = (std::max(from, 0.0) + to) / 2;
        for (BpipeRow& row : other.rows)
            setFit(row, memory);
        judge(other);
        const bool isSame = other.verdict == answer.verdict;
        if (!isSame && isBehind)
            return range;
        if (isSame)
            range.upTo = to;
        else
            range.above = to;
        isBehind = isBehind || own <= to;
        from = to;
    }
    return range;
}

} // namespace

std::string ReserveRange::text() const
{
    if (above < 0 && upTo >= 100)
        return "every reserve";
    if (above < 0)
        return fmt::format("a reserve up to {:.1f} %", upTo);
    return upTo >= 100 ? fmt::format("a reserve above {:.1f} %", above)
                       : fmt::format("a reserve above {:.1f} % and up to {:.1f} %", above, upTo);
}

MemoryEstimate estimateMemory(const EstimateInput& input)
{
    std::vector<DeviceMemory> devices;
    for (int d = 0; d < input.stages; ++d)
        devices.push_back(memoryOf(input, d));
    MemoryEstimate memory;
    for (int d = 0; d < input.stages; ++d) {
        const double held = devices[d].state + heldBy1F1B(input, d) * devices[d].stash;
        if (held <= memory.oneFOneB)
            continue;
        memory.device = d;
        memory.state = devices[d].state;
        memory.stash = devices[d].layers;
        memory.oneFOneB = held;
    }
    if (input.chunks == 1)
        memory.bpipe = bpipeMemory(input, devices);
    return memory;
}

double microBatchesOf(const EstimateInput& input)
{
    return input.globalBatch / (input.on.setup.dataParallel * input.on.setup.microBatchSize);
}

double pipelineMfu(const EstimateInput& input, double stageMfu)
{
    const double n = microBatchesOf(input);
    const double others = otherDevices(input);
    return stageMfu * (others + 1) / input.stages * n / (n + others / input.chunks);
}

double breakEven(const EstimateInput& input, int from, int to)
{
    const auto slots = [&](int size) {
        return input.globalBatch
            + input.on.setup.dataParallel * size * otherDevices(input) / input.chunks;
    };
    return slots(to) / slots(from);
}

UtilisationEstimate utilisation(const EstimateInput& input, double iterationSeconds)
{
    // The papers count the attention of F three times: once for F and twice for B.
    constexpr double kPublished = 3;
    const double model = modelFlops(input.on.model, input.globalBatch);
    const double could = devices(input) * input.on.hardware.peakFlops * iterationSeconds;
    return {model / could, (model + recomputedFlops(input, kPublished)) / could,
            (model + recomputedFlops(input, 1)) / could};
}

std::span<const PublishedGain> publishedGains()
{
    using enum AttentionMode;
    static constexpr std::array<PublishedGain, 3> kGains{{
        {"GPT-3 96B", "gpt3-96b", Recompute, 1, 2, 1.35, "table", 0.08 * 1.35},
        {"LLaMA 65B", "llama-65b", Recompute, 2, 4, 1 - 0.087, "table", 0.02},
        {"GPT-3 96B", "gpt3-96b", Flash, 1, 2, 1, "abstract", 0.03},
    }};
    return kGains;
}

LinkSpec partnerLink(const BpipeQuestion& question)
{
    const HardwareSpec& hardware = question.input.on.hardware;
    LinkTier slowest = question.mapping.isOneNode() ? LinkTier::InNode : LinkTier::InIsland;
    const int devices = question.input.stages;
    for (int d = 0; d < devices / 2; ++d)
        slowest = std::max(slowest, question.mapping.tier(d, devices - 1 - d));
    return slowest == LinkTier::InIsland ? hardware.island
        : slowest == LinkTier::InNode    ? hardware.node
                                         : hardware.network;
}

Result<BpipeAnswer> bpipeGain(const BpipeQuestion& question)
{
    TRY(check(question));
    BpipeAnswer answer;
    for (std::size_t i = 0; i < question.sizes.size(); ++i) {
        answer.rows.push_back(rowOf(question, i));
        answer.rows.back().speedUp = answer.rows.back().mfu / answer.rows.front().mfu;
    }
    judge(answer);
    if (question.memory.isKnown()) {
        answer.holdsFor = reservesOf(answer, question.memory);
        answer.verdict += fmt::format(" With {}; the answer holds for {}.", question.memory.text(),
                                      answer.holdsFor.text());
    }
    return answer;
}

} // namespace engine
