#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/options/field_options.h"
#include "app/cli/options/model_options.h"
#include "app/cli/text/estimate_text.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "engine/schedules/request_fields.h"
#include "engine/schedules/scheme.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

namespace cli {

using namespace engine;

namespace {
ModelOptions defaults()
{
    ModelOptions model;
    model.model = "gpt3-96b";
    model.hardware = "a100-sxm-80";
    return model;
}

struct EstimateOptions
{
    ModelOptions model = defaults();
    int stages = 8, chunks = 1;
    int globalBatch = 128;
    std::vector<int> sizes{1, 2, 4};
    std::vector<double> stageMfu; // percent, one value per micro-batch size
    double reserve = 5, iterationSeconds = 0;
    bool json = false;
    std::string question;
    ScheduleRequest request; // only its mapping is used
};

// Returns the mapping of BPipe's devices to the nodes of the hardware.
Result<Mapping> mappingOf(const EstimateOptions& options, const ModelOnHardware& on)
{
    ScheduleRequest request = options.request;
    request.scheme = "bpipe";
    request.devices = options.stages;
    request.microBatches = 1; // has no effect here
    auto schedule = buildSchedule(request);
    if (!schedule && options.request.mapping.empty())
        return Mapping(); // too few devices for BPipe, so there are no partners to map
    if (!schedule)
        return tl::unexpected(schedule.error());
    schedule->shape.dataParallel = on.setup.dataParallel;
    return Mapping::of(*schedule, engine::mappingOf(*schedule, options.request.mapping),
                       nodeShape(on.hardware, on.setup.tensorParallel));
}

BpipeQuestion questionOf(const EstimateOptions& options, const ModelOnHardware& on)
{
    BpipeQuestion question{
        {on, options.stages, options.chunks, static_cast<double>(options.globalBatch)},
        options.sizes,
        {},
        on.hardware.memory * (1 - options.reserve / 100)};
    for (const double percent : options.stageMfu)
        question.stageMfu.push_back(percent / 100);
    return question;
}

Result<int> print(const EstimateOptions& options)
{
    const auto on = TRY(modelOnHardware(options.model));
    BpipeQuestion question = questionOf(options, on);
    question.mapping = TRY(mappingOf(options, on));
    const auto answer = TRY(bpipeGain(question));
    std::optional<UtilisationEstimate> use;
    if (options.iterationSeconds > 0)
        use = utilisation(question.input, options.iterationSeconds);
    cli::print(estimateSheet(question, answer, use), options.json);
    return 0;
}
} // namespace

Action prepareEstimate(CLI::App& app)
{
    const auto options = std::make_shared<EstimateOptions>();
    app.add_option("QUESTION", options->question,
                   "bpipe: whether BPipe with a larger micro-batch is faster (default)")
        ->check(oneOf({"bpipe"}));
    app.add_option("-D,--devices", options->stages, "Pipeline devices (default: 8)")
        ->type_name("D")
        ->check(between(1, 65534));
    app.add_option("--chunks", options->chunks,
                   "Chunks per device of interleaved 1F1B; BPipe requires 1 (default: 1)")
        ->type_name("v")
        ->check(between(1, 65534));
    app.add_option("--data-parallel", options->model.setup.dataParallel,
                   "Data-parallel copies of the pipeline (default: 1)")
        ->type_name("W")
        ->check(between(1, 65535));
    app.add_option("--global-batch", options->globalBatch, "Sequences per iteration (default: 128)")
        ->type_name("B")
        ->check(between(1, 1 << 30));
    app.add_option("--micro-batch-size", options->sizes,
                   "Micro-batch sizes to compare with the first (default: 1,2,4)")
        ->type_name("b,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(between(1, 1 << 20));
    addModelOptions(app, options->model);
    app.add_option("--stage-mfu", options->stageMfu,
                   "Measured MFU of one stage in percent, one value per micro-batch size (default: "
                   "from the roofline)")
        ->type_name("%,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(between(0.001, 100.0));
    app.add_option("--reserve", options->reserve,
                   "Percent of the memory reserved for contexts and buffers (default: 5)")
        ->type_name("%")
        ->check(between(0.0, 100.0));
    app.add_option("--iteration-time", options->iterationSeconds,
                   "Also print MFU and HFU of a measured iteration of this many seconds")
        ->type_name("S")
        ->check(between(1e-9, 1e9));
    addFieldOptions(app, requestFields(), options->request,
                    [](std::string_view flag) { return flag != "--mapping"; });
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return print(*options); };
}

} // namespace cli
