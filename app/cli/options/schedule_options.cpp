#include "app/cli/options/schedule_options.h"

#include "app/cli/options/choice.h"
#include "app/cli/options/field_options.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedules/scheme.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace cli {

using namespace engine;

namespace {
constexpr const char* kScheduleGroup = "Schedule";

bool isOfCopies(std::string_view flag)
{
    return flag == "--data-parallel" || flag == "--mapping";
}

} // namespace

void addScheduleOptions(CLI::App& app, ScheduleOptions& options, Schemes schemes)
{
    const bool several = schemes == Schemes::Several;
    FieldFacts scheme = *findField(requestFields(), "--scheme");
    if (several) {
        scheme.kind = FieldKind::List;
        scheme.help = "Pipeline scheme, see bscope schemes; repeat it to compare schemes";
    }
    addFieldOption(app, scheme, options.request.schedule.scheme, [&options](std::string_view text) {
        for (const std::string_view name : items(text))
            options.schemes.emplace_back(name);
        return Result<void>();
    });
    addFieldOptions(app, requestFields(), options.request.schedule,
                    [](std::string_view flag) { return flag == "--scheme" || isOfCopies(flag); });
    CLI::Option* file = addExperimentOption(
        app, experimentField("--schedule"), "",
        [&options](const Experiment& e) { options.request.scheduleFile = e.scheduleFile; });
    for (const char* other : {"--scheme", "--devices", "--micro-batches", "--chunks", "--set"})
        file->excludes(app.get_option(other));
}

void addCopyOptions(CLI::App& app, ScheduleRequest& request)
{
    addFieldOptions(app, requestFields(), request,
                    [](std::string_view flag) { return !isOfCopies(flag); });
}

void addSyncOption(CLI::App& app, SyncPolicy& sync)
{
    addExperimentOption(app, experimentField("--sync"), syncName(sync),
                        [&sync](const Experiment& typed) { sync = typed.sync; });
}

void addPassOptions(CLI::App& app, profiler::PredictionRequest& request)
{
    FieldFacts evict
        = option("", "--evict", "Evict", "Share stashes between devices d and D-1-d, as BPipe does")
              .oneOf({"none", "lazy", "steady"});
    evict.group = kScheduleGroup;
    addFieldOption(app, evict, "none", [&request](std::string_view text) {
        request.evict.reset();
        if (text != "none")
            request.evict = text == "lazy" ? EvictPolicy::Lazy : EvictPolicy::Steady;
        return Result<void>();
    });
    FieldFacts recompute = experimentField("--recompute").withDefault("none");
    recompute.group = kScheduleGroup;
    addExperimentOption(app, recompute, "none", [&request](const Experiment& typed) {
        request.recompute = typed.model.recompute;
    });
}

std::vector<ScheduleRequest> requests(const ScheduleOptions& options)
{
    ScheduleRequest request = options.request.schedule;
    std::vector<ScheduleRequest> all;
    for (const std::string& scheme :
         options.schemes.empty() ? std::vector{request.scheme} : options.schemes) {
        request.scheme = scheme;
        all.push_back(options.stages > 0 ? profiler::withStages(request, options.stages) : request);
    }
    return all;
}

Result<std::vector<Schedule>> schedules(const ScheduleOptions& options, const SizeLimit& limit)
{
    const auto& of = options.request;
    std::vector<Schedule> all;
    const auto add = [&](Schedule schedule) -> Result<void> {
        auto complete = profiler::withPasses(std::move(schedule), of.evict, of.recompute);
        if (!complete)
            return wrongUsage(complete.error());
        all.push_back(*std::move(complete));
        return {};
    };
    if (!of.scheduleFile.empty()) {
        auto schedule = TRY(readScheduleFile(of.scheduleFile));
        TRY(add(std::move(schedule)));
        return all;
    }
    for (const ScheduleRequest& request : requests(options)) {
        auto schedule = buildSchedule(
            options.stream ? asStream(request, *options.stream, limit) : request, limit);
        if (!schedule)
            return wrongUsage(schedule.error());
        TRY(add(*std::move(schedule)));
    }
    return all;
}

} // namespace cli
