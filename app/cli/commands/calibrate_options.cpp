#include "app/cli/commands/calibrate_options.h"

#include "app/cli/text/run_file.h"
#include "engine/base/try.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cli {

using namespace engine;

namespace {
constexpr const char* kCalibrateGroup = "Costs of a recorded run";

bool given(const CLI::App& app, const char* option)
{
    return app.get_option(option)->count() > 0;
}

Result<std::optional<Fraction>> shareOf(const std::string& text)
{
    if (text.empty())
        return std::optional<Fraction>();
    const auto share = parseFraction(text);
    if (share && share->numerator > 0 && share->numerator < share->denominator)
        return std::optional(*share);
    return fail(
        Error::Code::InvalidArgument,
        fmt::format("--split-backward {}: must be the share of I in B, between 0 and 1", text));
}
} // namespace

void addCalibrateOptions(CLI::App& app, CalibrateOptions& options)
{
    auto* file = app.add_option(
        "--calibrate", options.file,
        "Take all costs from a recorded run with the same stages, as medians of its iterations");
    file->type_name("RUN.sqlite")->group(kCalibrateGroup);
    for (const char* other : {"--forward",
                              "--backward",
                              "--input-gradient",
                              "--weight-gradient",
                              "--p2p",
                              "--latency",
                              "--allreduce",
                              "--optimizer",
                              "--transfer",
                              "--recompute-cost",
                              "--stage-cost",
                              "--p2p-across",
                              "--latency-across",
                              "--transfer-across",
                              "--allreduce-across",
                              "--nics-per-node",
                              "--joint",
                              "--model",
                              "--hardware",
                              "--tensor-parallel",
                              "--no-sequence-parallel",
                              "--attention",
                              "--recompute-all",
                              "--micro-batch-size"})
        file->excludes(app.get_option(other));
    app.add_option(
           "--split-backward", options.split,
           "Derive missing backward times: I is this share of B, W the rest, and B is I + W")
        ->type_name("SHARE")
        ->group(kCalibrateGroup)
        ->needs(file);
}

Result<std::optional<SimulationCosts::Recorded>> recorded(const CalibrateOptions& options)
{
    if (options.file.empty())
        return std::optional<SimulationCosts::Recorded>();
    const auto share = TRY(shareOf(options.split));
    auto run = TRY(openRun(options.file));
    return SimulationCosts::Recorded{std::make_shared<const Run>(std::move(run)), share};
}

bool usesRecordedSchedule(const CLI::App& app)
{
    for (const char* option : {"--scheme", "--devices", "--micro-batches", "--chunks", "--set",
                               "--schedule", "--evict", "--recompute", "--data-parallel"})
        if (given(app, option))
            return false;
    return true;
}

void fillFrom(const Schedule& run, const CLI::App& app, ScheduleOptions& options)
{
    if (!options.file.empty())
        return;
    if (options.schemes.empty() && findScheme(run.scheme) != nullptr)
        options.schemes = {run.scheme};
    if (!given(app, "--devices"))
        options.request.devices = run.shape.devices;
    if (!given(app, "--micro-batches"))
        options.request.microBatches = run.shape.microBatches;
    if (given(app, "--chunks") || options.request.devices < 1
        || run.shape.stages % options.request.devices != 0)
        return;
    ScheduleOptions withChunks = options;
    withChunks.request.chunks = run.shape.stages / options.request.devices;
    if (std::ranges::all_of(requests(withChunks), [](const ScheduleRequest& request) {
            return checkRequest(request).has_value();
        }))
        options = std::move(withChunks);
}

} // namespace cli
