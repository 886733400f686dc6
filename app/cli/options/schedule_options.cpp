#include "app/cli/options/schedule_options.h"

#include "app/cli/options/choice.h"
#include "app/cli/text/output.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/read_schedule.h"
#include "engine/schedule/passes/passes.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace cli {

using namespace engine;

namespace {
constexpr const char* kGroup = "Schedule";

Result<Schedule> withPasses(Schedule schedule, const PassOptions& passes)
{
    if (passes.evict != PassOptions::Evict::None) {
        auto evicting = addEvictLoad(
            schedule,
            passes.evict == PassOptions::Evict::Steady ? EvictPolicy::Steady : EvictPolicy::Lazy);
        if (!evicting)
            return fail(evicting.error().code, evicting.error().message + "; leave out --evict");
        schedule = *std::move(evicting);
    }
    if (passes.recompute == PassOptions::Recompute::None)
        return schedule;
    return addRecompute(schedule);
}
} // namespace

void addScheduleOptions(CLI::App& app, ScheduleOptions& options, Schemes schemes)
{
    const bool several = schemes == Schemes::Several;
    auto* scheme
        = app.add_option("--scheme", options.schemes,
                         several ? "Scheme, see bscope schemes; again for another one [bitpipe]"
                                 : "Scheme, see bscope schemes [bitpipe]");
    scheme->type_name("NAME")->allow_extra_args(false)->group(kGroup);
    if (!several)
        scheme->expected(1);
    auto* devices = app.add_option("-D,--devices", options.request.devices, "Pipeline devices [4]");
    auto* microBatches
        = app.add_option("-N,--micro-batches", options.request.microBatches,
                         "Micro-batches of an iteration, both directions together [8]");
    auto* chunks = app.add_option("--chunks", options.request.chunks,
                                  "Chunks v per device and direction [the scheme's]");
    auto* set = app.add_option("--set", options.set, "Option of the scheme; again for another one");
    for (auto* number :
         {devices->type_name("D"), microBatches->type_name("N"), chunks->type_name("v"),
          set->type_name("KEY=VALUE")->allow_extra_args(false)})
        number->group(kGroup);
    auto* file = app.add_option("--schedule", options.file,
                                "A schedule file instead of a scheme: bscope's CSV, PyTorch's or "
                                "sail-sg's text");
    file->type_name("FILE")->group(kGroup);
    for (auto* other : {scheme, devices, microBatches, chunks, set})
        file->excludes(other);
}

void addPassOptions(CLI::App& app, PassOptions& options)
{
    using Evict = PassOptions::Evict;
    using Recompute = PassOptions::Recompute;
    app.add_option("--evict", options.evict,
                   "Share stashes between devices d and D-1-d, as BPipe does [none]")
        ->type_name("none|lazy|steady")
        ->group(kGroup)
        ->transform(choice<Evict>(
            {{"none", Evict::None}, {"lazy", Evict::Lazy}, {"steady", Evict::Steady}}));
    app.add_option("--recompute", options.recompute,
                   "Repeat this much of the forward before each backward [none]")
        ->type_name("none|attention|full")
        ->group(kGroup)
        ->transform(choice<Recompute>({{"none", Recompute::None},
                                       {"attention", Recompute::Attention},
                                       {"full", Recompute::Full}}));
}

Result<std::vector<ScheduleRequest>> requests(const ScheduleOptions& options)
{
    ScheduleRequest request = options.request;
    if (request.chunks < 0)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("--chunks {} is not possible; give 1 or more", request.chunks));
    for (const std::string& pair : options.set) {
        const auto equals = pair.find('=');
        if (equals == 0 || equals == std::string::npos)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("--set {} has no key and value; write --set key=value", pair));
        request.options[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
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
        auto schedule = readScheduleFile(options.file);
        if (!schedule)
            return tl::unexpected(schedule.error());
        if (auto added = add(*std::move(schedule)); !added)
            return tl::unexpected(added.error());
        return all;
    }
    const auto asked = requests(options);
    if (!asked)
        return tl::unexpected(asked.error());
    for (const ScheduleRequest& request : *asked) {
        auto schedule = buildSchedule(request, limit);
        if (!schedule)
            return wrongUsage(schedule.error());
        if (auto added = add(*std::move(schedule)); !added)
            return tl::unexpected(added.error());
    }
    return all;
}

Result<Schedule> readScheduleFile(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return tl::unexpected(text.error());
    auto schedule = readScheduleText(*text);
    if (!schedule)
        return fail(Error::Code::Corrupt, path + ": " + schedule.error().message);
    const auto violations = validate(*schedule);
    if (!violations.empty())
        return fail(Error::Code::Corrupt,
                    fmt::format("{}: {}; bscope validate {} shows all {}", path,
                                violations.front().message, path, violations.size()));
    return schedule;
}

std::string labelOf(const std::string& scheme)
{
    const Scheme* known = findScheme(scheme);
    const std::string_view title = known ? known->title : std::string_view(scheme);
    return std::string(title.substr(0, title.find(" (")));
}

} // namespace cli
