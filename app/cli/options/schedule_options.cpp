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

Result<Schedule> withPasses(Schedule schedule, const PassOptions& passes)
{
    if (passes.evict) {
        auto evicting = addEvictLoad(schedule, *passes.evict);
        if (!evicting)
            return fail(evicting.error().code, evicting.error().message + "; leave out --evict");
        schedule = *std::move(evicting);
    }
    if (passes.recompute == Recompute::None)
        return schedule;
    return addRecompute(schedule);
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
    addFieldOption(app, scheme, options.request.scheme, [&options](std::string_view text) {
        for (const std::string_view name : items(text))
            options.schemes.emplace_back(name);
        return Result<void>();
    });
    addFieldOptions(app, requestFields(), options.request,
                    [](std::string_view flag) { return flag == "--scheme" || isOfCopies(flag); });
    CLI::Option* file
        = addFieldOption(app, experimentField("--schedule"), "", [&options](std::string_view text) {
              options.file = text;
              return Result<void>();
          });
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
    const auto& field = experimentField("--sync");
    addFieldOption(app, field, syncName(sync), [&field, &sync](std::string_view text) {
        Experiment experiment;
        auto done = field.set(experiment, text);
        sync = experiment.sync;
        return done;
    });
}

void addPassOptions(CLI::App& app, PassOptions& options)
{
    FieldFacts evict
        = option("", "--evict", "Evict", "Share stashes between devices d and D-1-d, as BPipe does")
              .oneOf({"none", "lazy", "steady"});
    evict.group = kScheduleGroup;
    addFieldOption(app, evict, "none", [&options](std::string_view text) {
        options.evict.reset();
        if (text != "none")
            options.evict = text == "lazy" ? EvictPolicy::Lazy : EvictPolicy::Steady;
        return Result<void>();
    });
    const auto& field = experimentField("--recompute");
    FieldFacts recompute = field.withDefault("none");
    recompute.group = kScheduleGroup;
    addFieldOption(app, recompute, "none", [&field, &options](std::string_view text) {
        Experiment experiment;
        auto done = field.set(experiment, text);
        options.recompute = experiment.model.recompute;
        return done;
    });
}

std::vector<ScheduleRequest> requests(const ScheduleOptions& options)
{
    ScheduleRequest request = options.request;
    std::vector<ScheduleRequest> all;
    for (const std::string& scheme :
         options.schemes.empty() ? std::vector{request.scheme} : options.schemes) {
        request.scheme = scheme;
        all.push_back(request);
    }
    return all;
}

Result<std::vector<Schedule>> schedules(const ScheduleOptions& options, const SizeLimit& limit)
{
    std::vector<Schedule> all;
    const auto add = [&](Schedule schedule) -> Result<void> {
        auto complete = withPasses(std::move(schedule), options.passes);
        if (!complete)
            return wrongUsage(complete.error());
        all.push_back(*std::move(complete));
        return {};
    };
    if (!options.file.empty()) {
        auto schedule = TRY(readScheduleFile(options.file));
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

std::string labelOf(const std::string& scheme)
{
    const Scheme* known = findScheme(scheme);
    const std::string_view title = known ? known->title : std::string_view(scheme);
    return std::string(title.substr(0, title.find(" (")));
}

} // namespace cli
