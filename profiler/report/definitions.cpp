#include "profiler/report/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace profiler {
namespace {

constexpr std::string_view kOwn = "Bubblescope, ARCHITECTURE.md, What every number means";
constexpr std::string_view kPtdp = "Narayanan et al., arXiv 2104.04473, section 2.2";
constexpr std::string_view kBitPipe = "Wu, Chen and Yu, BitPipe, arXiv 2410.19367";
constexpr std::string_view kKorthikanti = "Korthikanti et al., arXiv 2205.05198";
constexpr std::string_view kPalm = "Chowdhery et al., PaLM, arXiv 2204.02311, appendix B";

constexpr std::array kDefinitions{
    Definition{"Iteration", "end of the last OPT - start of the first F",
               "Time of one training step over all devices.", kOwn, "iteration|duration"},
    Definition{"Span", "last end - first start of a device",
               "Time between the first and the last op of a device.", kOwn, "span"},
    Definition{"Compute", "union of F, B, I, W, RECOMPUTE and OPT",
               "Time in which a device computes.", kOwn, "compute"},
    Definition{"Exposed communication", "transfers and all-reduces - compute",
               "Time in which a transfer or an all-reduce of the device runs and no compute does.",
               kOwn, "exposed communication|exposed comm.|exposed"},
    Definition{"Bubble", "iteration - compute - exposed communication",
               "Time in which a device neither computes nor communicates.", kPtdp, "bubble"},
    Definition{"Bubble ratio", "sum of bubbles / (D x iteration)",
               "Share of the device time. Some papers divide by the compute time.", kOwn,
               "bubble %|bubble ratio|bubble share"},
    Definition{"Fill", "start of the first op of the device - start of the iteration",
               "Bubble before the first op of a device.", kOwn, "fill"},
    Definition{"Wait", "bubble - fill - drain", "Bubble between two ops of a device.", kOwn,
               "wait"},
    Definition{"Drain", "end of the iteration - end of the last op of the device",
               "Bubble after the last op of a device.", kOwn, "drain"},
    Definition{"Peak stash", "largest sum of live activations / M_a",
               "Activations kept from F to B, in M_a: those of one micro-batch on one device.",
               kBitPipe, "peak stash|stash"},
    Definition{"Weights", "parameters of a device / M_theta",
               "Stored weights, in M_theta: the parameters of one device without replicas.",
               kBitPipe, "weights"},
    Definition{"Peak memory", "largest sum of weights, gradients, optimizer state, stash, buffers",
               "Most memory that is allocated on a device at one time.", kOwn, "peak|peak memory"},
    Definition{"Tokens per second", "W x N x micro-batch size x sequence length / iteration",
               "Throughput of all data-parallel copies.", kPalm,
               "tokens/s|k tokens/s|tokens per second"},
    Definition{"MFU", "model FLOPs / (iteration x W x D x peak FLOP/s)",
               "Share of the peak that the model needs, without recomputation.", kPalm, "mfu"},
    Definition{"HFU", "executed FLOPs / (iteration x W x D x peak FLOP/s)",
               "Share of the peak that the hardware executes, with recomputation.", kKorthikanti,
               "hfu"},
    Definition{"Messages", "activations and gradients sent per iteration",
               "P2P transfers between two devices. Values that stay on a device are local copies.",
               kOwn, "messages|messages sent|sent / received|sent"},
    Definition{"Local copies", "values whose producer and consumer are on one device",
               "Transfers that a V-shaped placement or chunks avoid.", kOwn, "local|copies"},
    Definition{"All-reduce", "sum of the durations of the device's all-reduces",
               "Includes the part that runs during compute.", kOwn, "all-reduce"},
    Definition{"95 % interval", "2.5th to 97.5th percentile of resampled medians",
               "Interval of the reported iteration, by bootstrap over the measured ones.",
               "Efron, 1979", "95 % interval"},
    Definition{"Speed-up", "time of the baseline / time of the run",
               "Above 1 the run is faster than the baseline.", kOwn, "speed-up"},
};

std::string lowered(std::string_view label)
{
    std::string key(label.substr(0, label.find(", ")));
    std::ranges::transform(key, key.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // Two numbers have the label "Bubble": the ratio in % and the time in ms. Only the unit
    // distinguishes them.
    if (label.ends_with(", %") && key == "bubble")
        key += " %";
    return key;
}

bool hasLabel(const Definition& definition, std::string_view key)
{
    for (std::string_view rest = definition.labels; !rest.empty();) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        if (rest.substr(0, end) == key)
            return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

} // namespace

std::span<const Definition> definitions()
{
    return kDefinitions;
}

const Definition* findDefinition(std::string_view label)
{
    const std::string key = lowered(label);
    const auto* found
        = std::ranges::find_if(kDefinitions, [&](const auto& one) { return hasLabel(one, key); });
    return found == kDefinitions.end() ? nullptr : found;
}

std::string definitionsText()
{
    std::string text;
    for (const Definition& one : kDefinitions)
        text += fmt::format("{} = {}\n    {}\n    Source: {}\n", one.term, one.formula, one.meaning,
                            one.source);
    return text;
}

} // namespace profiler
