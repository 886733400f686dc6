#include "engine/exec/memory_fit.h"

#include "engine/exec/experiment_schedule.h"
#include "engine/exec/token_batches.h"
#include "engine/exec/unit_spec.h"
#include "engine/model/transformer.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace engine {
namespace {

constexpr double kShare = 0.9; // some is left to the rest of the machine
constexpr std::size_t kMostOps
    = 100'000; // of an alternative: planning it takes no time to speak of

std::string gigabytes(double bytes)
{
    return fmt::format("{:.1f} GB", bytes / 1e9);
}

double recordOf(const Experiment& experiment, const Schedule& lowered)
{
    const std::int64_t iterations = experiment.warmup + experiment.iterations + 1; // the replay
    return recordBytes(opCount(lowered), iterations);
}

// What an experiment needs in all; nothing where it cannot run.
std::optional<double> needOf(const Experiment& experiment, const Kernels<float>& kernels)
{
    const auto lowered = scheduleOf(experiment);
    if (!lowered || opCount(*lowered) > kMostOps
        || !checkModel(experiment.model, lowered->shape.stages))
        return std::nullopt;
    const auto unit = unitSpec(experiment.model, *lowered);
    if (!unit)
        return std::nullopt;
    const Transformer<float> model(unit->model, lowered->shape.stages, kernels, unit->slices);
    const Bytes tokens = TokenBatches::bytes(experiment.model, lowered->shape.microBatches);
    return planExecution({*lowered, model, experiment.accumulate, tokens}).total()
        + recordOf(experiment, *lowered);
}

struct Alternative
{
    std::string words;
    Experiment experiment;
};

std::vector<Alternative> alternativesTo(const Experiment& experiment)
{
    std::vector<Alternative> all;
    const auto add = [&](std::string words, const auto& change) {
        all.push_back({std::move(words), experiment});
        change(all.back().experiment);
    };
    const int half = experiment.model.microBatchSize / 2;
    if (half > 0)
        add(fmt::format("--micro-batch-size {}", half),
            [&](Experiment& e) { e.model.microBatchSize = half; });
    if (experiment.scheduleFile.empty()) {
        const int fewer = experiment.schedule.microBatches / 2;
        if (fewer > 0)
            add(fmt::format("--micro-batches {}", fewer),
                [&](Experiment& e) { e.schedule.microBatches = fewer; });
        for (const char* scheme : {"1f1b", "bpipe"})
            if (experiment.schedule.scheme != scheme)
                add(fmt::format("--scheme {}", scheme), [&](Experiment& e) {
                    e.schedule.scheme = scheme;
                    e.schedule.chunks = 0;
                    e.schedule.options.clear();
                });
    }
    if (experiment.model.recompute == Recompute::None)
        add("--recompute attention",
            [](Experiment& e) { e.model.recompute = Recompute::Attention; });
    return all;
}

std::string whatWouldFit(const MemoryFit& fit, const Kernels<float>& kernels)
{
    std::string text;
    for (const Alternative& other : alternativesTo(fit.experiment)) {
        const auto need = needOf(other.experiment, kernels);
        if (need && *need <= kShare * static_cast<double>(fit.available))
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", other.words,
                                gigabytes(*need));
    }
    return text.empty() ? "use a smaller model, or fewer --devices" : "these would fit: " + text;
}

// "device 0 is the fullest, with 3.1 GB at 0F7".
std::string fullest(const MemoryFit& fit)
{
    const auto device = std::ranges::max_element(fit.plan.devices, {}, &DevicePlan::arena);
    const auto number = device - fit.plan.devices.begin();
    const auto program = fit.lowered.on(DeviceId{static_cast<std::int32_t>(number)});
    return fmt::format("device {} is the fullest, with {} at {}", number,
                       gigabytes(static_cast<double>(device->arena)),
                       toString(program[device->layout.peakAt]));
}

Result<void> refuse(double needed, Bytes available, const std::string& more)
{
    const double usable = kShare * static_cast<double>(available);
    return fail(Error::Code::Device,
                fmt::format("this run needs {} of memory and {} are free, {} too little; {}",
                            gigabytes(needed), gigabytes(static_cast<double>(available)),
                            gigabytes(needed - usable), more));
}

} // namespace

Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered, Bytes available)
{
    const double record = recordOf(experiment, lowered);
    if (available <= 0 || record <= kShare * static_cast<double>(available))
        return {};
    return refuse(record, available,
                  "most of it is the record: use fewer --iterations or --micro-batches");
}

Result<void> checkFits(const MemoryFit& fit, const Kernels<float>& kernels)
{
    const double needed = fit.plan.total() + recordOf(fit.experiment, fit.lowered);
    if (fit.available <= 0 || needed <= kShare * static_cast<double>(fit.available))
        return {};
    return refuse(needed, fit.available, fullest(fit) + "; " + whatWouldFit(fit, kernels));
}

} // namespace engine
