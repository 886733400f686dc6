#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/options/output_options.h"
#include "app/cli/options/schedule_options.h"
#include "app/cli/text/schedule_text.h"
#include "engine/base/try.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/passes/passes.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace cli {

using namespace engine;

namespace {
struct PrintOptions
{
    ScheduleOptions schedule;
    std::vector<std::string> with;
    std::string format = "csv";
    OutputOptions output;
};

// Adds an all-reduce for each stage even if there is only one data-parallel copy. PyTorch needs it,
// because this step also divides the gradients by the number of micro-batches.
Schedule addReductions(Schedule schedule)
{
    const int copies = std::exchange(schedule.shape.dataParallel, 2);
    schedule = addAllReduce(std::move(schedule), SyncPolicy::Eager);
    schedule.shape.dataParallel = copies;
    return schedule;
}

Schedule withPasses(Schedule schedule, const PrintOptions& options)
{
    const auto asked
        = [&options](const char* pass) { return std::ranges::count(options.with, pass) > 0; };
    const bool isTorch = options.format == "torch";
    if (asked("p2p"))
        schedule = addP2P(schedule);
    if (asked("allreduce"))
        schedule = isTorch ? addReductions(std::move(schedule))
                           : addAllReduce(std::move(schedule), SyncPolicy::Eager);
    if (asked("opt"))
        schedule = addOptimizer(schedule);
    return schedule;
}

Result<std::string> written(const Schedule& schedule, const std::string& format)
{
    if (format == "csv")
        return writeCsv(schedule);
    if (format == "json")
        return scheduleJson(schedule);
    return format == "torch" ? writeTorch(schedule) : scheduleText(schedule);
}

Result<int> printSchedule(const PrintOptions& options)
{
    auto built = TRY(schedules(options.schedule));
    const auto text = TRY(written(withPasses(std::move(built.front()), options), options.format));
    TRY(writeOutput(options.output, text));
    return 0;
}
} // namespace

Action prepareSchedule(CLI::App& app)
{
    const auto options = std::make_shared<PrintOptions>();
    addScheduleOptions(app, options->schedule);
    addPassOptions(app, options->schedule.request);
    app.add_option("--with", options->with, "Ops to add, as a comma-separated list")
        ->type_name("{p2p,allreduce,opt}")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(oneOf({"p2p", "allreduce", "opt"}));
    app.add_option("--format", options->format, "Format (default: csv)")
        ->type_name("{csv,text,torch,json}")
        ->check(oneOf({"csv", "text", "torch", "json"}));
    addOutputOptions(app, options->output, "Write to a file (default: standard output)");
    return [options] { return printSchedule(*options); };
}

} // namespace cli
