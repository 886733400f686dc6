#include "profiler/predict/estimate.h"

#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/experiment/experiment.h"
#include "profiler/analysis/metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace profiler {

using namespace engine;

namespace {

using E = EstimateRequest;

constexpr int kMostSize = 1 << 20, kPercent = 100;

// Reads numbers that commas, semicolons, blanks or line ends separate.
template<class Number>
Result<std::vector<Number>> numbers(std::string_view flag, std::string_view text,
                                    std::string_view form, auto isValid)
{
    constexpr std::string_view kGaps = ",; \n\t";
    std::vector<Number> all;
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(kGaps), text.size()));
        if (text.empty() && !all.empty())
            return all;
        const std::string_view item = text.substr(0, text.find_first_of(kGaps));
        const auto number = parseNumber(item);
        if (!number || !isValid(*number))
            return invalid("{}{}{}: give {}", flag, item.empty() ? "" : " ", excerpt(item), form);
        all.push_back(static_cast<Number>(*number));
        text.remove_prefix(item.size());
    }
}

Field<E> sizes()
{
    FieldFacts facts = option("", "--micro-batch-size", "Micro-batches b",
                              "Micro-batch sizes to compare with the first", "b,...")
                           .essential();
    facts.kind = FieldKind::List;
    return {std::move(facts), [](const E& e) { return fmt::format("{}", fmt::join(e.sizes, ",")); },
            [](E& e, std::string_view text) -> Result<void> {
                e.sizes = TRY(numbers<int>(
                    "--micro-batch-size", text,
                    fmt::format("sequences from 1 to {}, as in 1,2,4", kMostSize),
                    [](double n) { return n >= 1 && n <= kMostSize && n == static_cast<int>(n); }));
                return {};
            }};
}

Field<E> stageMfu()
{
    FieldFacts facts = option("", "--stage-mfu", "Stage MFU, %",
                              "Measured MFU of one stage in percent, one value per micro-batch "
                              "size",
                              "%,...")
                           .withDefault("from the roofline");
    facts.kind = FieldKind::List;
    return {std::move(facts),
            [](const E& e) { return fmt::format("{}", fmt::join(e.stageMfu, ",")); },
            [](E& e, std::string_view text) -> Result<void> {
                e.stageMfu = TRY(numbers<double>(
                    "--stage-mfu", text,
                    "a percentage above 0 for each micro-batch size, as in 44.3,59.3",
                    [](double n) { return n >= 0.001 && n <= kPercent; }));
                e.hasStageMfu = true;
                return {};
            },
            [](const E& e) { return e.hasStageMfu ? "" : "the roofline predicts it"; }};
}

Field<E> dataParallel()
{
    const auto ofSetup = field<TrainingSetup>(
        option("", "--data-parallel", "Data-parallel", "Data-parallel copies of the pipeline", "W")
            .between(1, 65535),
        &TrainingSetup::dataParallel);
    return lifted(lifted(ofSetup, &CostSource::setup), &E::source);
}

Field<E> iterationTime()
{
    auto seconds = field<E>(
        option("", "--iteration-time", "Measured iteration, s",
               "Also print MFU and HFU of a measured iteration of this many seconds", "S")
            .between(1e-9, 1e9),
        &E::iterationSeconds);
    seconds.get = [](const E& e) {
        return e.iterationSeconds > 0 ? numberText(e.iterationSeconds) : std::string();
    };
    return seconds;
}

// Returns the mapping of BPipe's devices to the nodes of the hardware.
Result<Mapping> mappingOf(const E& request, const ModelOnHardware& on)
{
    ScheduleRequest bpipe = request.schedule;
    bpipe.scheme = "bpipe";
    bpipe.devices = request.devices;
    bpipe.microBatches = 1; // has no effect here
    auto schedule = buildSchedule(bpipe);
    if (!schedule && bpipe.mapping == kDefaultMapping)
        return Mapping(); // too few devices for BPipe, so there are no partners to map
    if (!schedule)
        return tl::unexpected(schedule.error());
    schedule->shape.dataParallel = on.setup.dataParallel;
    return Mapping::of(*schedule, bpipe.mapping, nodeShape(on.hardware, on.setup.tensorParallel));
}

std::vector<Field<E>> makeFields()
{
    std::vector<Field<E>> fields{
        field<E>(option("", "-D,--devices", "Devices D", "Pipeline devices", "D")
                     .between(1, 65534)
                     .essential(),
                 &E::devices),
        field<E>(option("", "--chunks", "Chunks v",
                        "Chunks per device of interleaved 1F1B; BPipe requires 1", "v")
                     .between(1, 65534),
                 &E::chunks),
        dataParallel(),
        field<E>(option("", "--global-batch", "Batch", "Sequences per iteration", "B")
                     .between(1, 1 << 30)
                     .essential(),
                 &E::globalBatch),
        sizes(),
        stageMfu(),
        iterationTime()};
    for (auto& field : fields)
        field.group = "Options";
    for (const auto& field : costSourceFields())
        if (field.flag == "--model" || field.flag == "--hardware")
            fields.push_back(lifted(field, &E::source));
    for (const auto& field : trainingSetupFields())
        // Sizes are listed above, and closed forms have no all-reduces.
        if (field.flag != "--micro-batch-size" && field.flag != "--allreduce-precision") {
            fields.push_back(lifted(lifted(field, &CostSource::setup), &E::source));
            fields.back().isEssential = field.flag == "--reserve";
        }
    fields.push_back(lifted(*findField(requestFields(), "--mapping"), &E::schedule));
    return fields;
}

} // namespace

Fields<EstimateRequest> estimateFields()
{
    static const std::vector<Field<E>> kFields = makeFields();
    return kFields;
}

Result<BpipeQuestion> questionOf(const EstimateRequest& request)
{
    auto on = TRY(modelOnHardware(request.source));
    BpipeQuestion question{
        {on, request.devices, request.chunks, static_cast<double>(request.globalBatch)},
        request.sizes,
        {},
        on.memory()};
    if (request.hasStageMfu)
        for (const double percent : request.stageMfu)
            question.stageMfu.push_back(percent / kPercent);
    question.mapping = TRY(mappingOf(request, on));
    return question;
}

Result<MeasuredEstimate> estimateFrom(const Run& run)
{
    static constexpr std::array<std::string_view, 4> kSchemes{"1f1b", "gpipe", "bpipe",
                                                              "interleaved-1f1b"};
    const RunInfo& info = run.info;
    if (std::ranges::find(kSchemes, info.scheme) == kSchemes.end())
        return invalid("{}: the estimate has no closed form for it; use runs of {}", info.scheme,
                       fmt::join(kSchemes, ", "));
    if (info.experiment.empty() || info.flopsPerIteration <= 0 || info.peakFlops <= 0)
        return invalid("no experiment, FLOPs or peak; use runs recorded by bscope run");
    const auto experiment = TRY(experimentFromToml(info.experiment));
    const RunMetrics times = TRY(metrics(run));
    std::int64_t slowest = 1;
    for (const DeviceMetrics& device : times.devices) {
        using enum OpKind;
        std::int64_t own = 0;
        for (const OpKind kind : {Forward, Backward, BackwardInput, BackwardWeight, Recompute})
            own += device.byKind[kind];
        slowest = std::max(slowest, own);
    }
    constexpr double kSecond = 1e9;
    const Shape& shape = run.schedule.shape;
    const double n = shape.microBatches, fill = (shape.devices - 1.0) / shape.chunks(),
                 busy = static_cast<double>(slowest) / kSecond;
    const double ideal
        = info.flopsPerIteration / (info.peakFlops * shape.devices * shape.dataParallel);
    if (!times.whyNoMfu.empty())
        return fail(Error::Code::InvalidArgument, times.whyNoMfu);
    MeasuredEstimate of{experiment.model.microBatchSize, shape.microBatches, ideal / busy};
    of.predicted = busy * (n + fill) / n;
    of.measured = static_cast<double>(times.duration) / kSecond;
    of.mfu = ideal / of.predicted;
    of.measuredMfu = ideal / of.measured;
    return of;
}

} // namespace profiler
