#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/options/prediction_options.h"
#include "app/cli/text/output.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "engine/schedule/check/communication.h"
#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "profiler/report/sheet.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
using V = TransportVerdict;

// A field of the first failure; null if the transport is safe.
Reading ofFailure(const V& verdict, Reading value)
{
    return verdict.safe ? Reading() : value;
}

constexpr std::array kVerdict{
    Measure({"name"}, [](const V& v) { return transportName(v.transport); }),
    Measure(column("title", "transport"), [](const V& v) { return transportTitle(v.transport); }),
    Measure(column("safe"), Of<&V::safe>()),
    Measure({"device"}, [](const V& v) { return ofFailure(v, v.device.value); }),
    Measure({"index"}, [](const V& v) { return ofFailure(v, v.index); }),
    Measure({"op"}, [](const V& v) { return ofFailure(v, v.safe ? "" : toString(v.op)); }),
    Measure({"reason"}, [](const V& v) { return ofFailure(v, v.reason); }),
    Measure(column("", "first failure"), Of<&V::reason>()),
};

// The schedule must be valid. If it has no transfers, they are added first.
CommunicationReport checkTransports(const Schedule& schedule)
{
    return checkCommunication(hasTransfers(schedule) ? schedule : addP2P(schedule));
}

// A row for each transport: whether the schedule is safe with it, or the first failure.
Table transportTable(const CommunicationReport& report)
{
    return {kVerdict, report.verdicts};
}

Reading communicationData(const CommunicationReport& report)
{
    return Reading::Fields{{"messages", report.messages},
                           {"transports", transportTable(report).json()}};
}

// Returns one row of op names for each device, and the transports with which the schedule is safe.
std::string scheduleText(const Schedule& schedule)
{
    std::string text;
    for (const engine::DeviceId d : schedule.program.ids()) {
        text += fmt::format("device {:<3} |", d.value);
        for (const Op& op : schedule.program[d])
            text += " " + toString(op);
        text += "\n";
    }
    return text + "\n" + transportTable(checkTransports(schedule)).text();
}

std::string scheduleJson(const Schedule& schedule)
{
    Reading::List placement, programs;
    for (const auto& stages : schedule.deviceOf) // of each replica
        placement.emplace_back(stages | std::views::transform(&DeviceId::value));
    for (const auto& program : schedule.program)
        programs.emplace_back(program
                              | std::views::transform([](const Op& op) { return toString(op); }));
    const Shape& shape = schedule.shape;
    return jsonText(
        Reading::Fields{{"scheme", schedule.scheme},
                        {"devices", shape.devices},
                        {"stages", shape.stages},
                        {"micro_batches", shape.microBatches},
                        {"chunks", shape.chunks()},
                        {"replicas", shape.replicas},
                        {"slices", shape.slices},
                        {"device_of", placement},
                        {"asynchronous", isAsynchronous(schedule)},
                        {"program", programs},
                        {"communication", communicationData(checkTransports(schedule))}},
        JsonLines::One);
}

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

Schedule withOps(Schedule schedule, const PrintOptions& options)
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
    const auto text = TRY(written(withOps(std::move(built.front()), options), options.format));
    TRY(writeOutput(options.output, text));
    return 0;
}
struct ValidateOptions
{
    std::string file;
    double stashLimit = 0; // in M_a; 0: no limit
    bool json = false;
};

constexpr EnumArray<Violation::Kind, std::string_view, 8> kKindNames{
    {"missing", "duplicate", "out-of-range", "wrong-device", "order", "stash", "version",
     "deadlock"}};

struct Checked
{
    Schedule schedule;
    ScheduleFormat format = ScheduleFormat::Csv;
    std::vector<Violation> violations;
    std::optional<CommunicationReport> communication; // only if the schedule is valid
};

Reading dataOf(const Schedule& schedule, const Violation& violation)
{
    const bool placed = violation.index >= 0;
    return Reading::Fields{
        {"kind", kKindNames[violation.kind]},
        {"device", violation.device.isValid() ? Reading(violation.device.value) : Reading()},
        {"index", placed ? Reading(violation.index) : Reading()},
        {"op", toString(violation.op)},
        {"message", violation.message},
        {"grid",
         placed ? Reading(gridAround(schedule, violation.device, violation.index)) : Reading()}};
}

std::vector<std::uint32_t> devicesWithoutOps(const Schedule& schedule)
{
    std::vector<std::uint32_t> devices;
    for (const DeviceId device : schedule.program.ids())
        if (schedule.on(device).empty())
            devices.push_back(device.value);
    return devices;
}

// Names the devices without ops: "; device 1 has no ops", "; 3 devices have no ops: 1, 2, 5".
// Returns "" if there are none.
std::string idleText(std::vector<std::uint32_t> devices)
{
    constexpr std::size_t kMost = 8; // more devices are not listed
    if (devices.size() <= 1)
        return devices.empty() ? "" : fmt::format("; device {} has no ops", devices.front());
    const std::size_t count = devices.size();
    devices.resize(std::min(count, kMost));
    return fmt::format("; {} devices have no ops: {}{}", count, fmt::join(devices, ", "),
                       count > kMost ? ", ..." : "");
}

std::string asJson(const Checked& checked)
{
    Reading::List all;
    for (const Violation& violation : checked.violations)
        all.push_back(dataOf(checked.schedule, violation));
    return jsonText(Reading::Fields{
        {"valid", checked.violations.empty()},
        {"format", formatTitle(checked.format)},
        {"violations", all},
        {"devices_without_ops", devicesWithoutOps(checked.schedule)},
        {"communication",
         checked.communication ? communicationData(*checked.communication) : Reading()}});
}

std::string asText(const Checked& checked)
{
    constexpr std::size_t kMostGrids = 10; // limits the output for files with many errors
    const Shape& shape = checked.schedule.shape;
    if (checked.violations.empty())
        return fmt::format("valid: {} ops on {} devices, {} stages, {} micro-batches; complete, in "
                           "order, and no device waits forever{}\n",
                           opCount(checked.schedule), shape.devices, shape.stages,
                           shape.microBatches, idleText(devicesWithoutOps(checked.schedule)))
            + "\n" + transportTable(*checked.communication).text();
    std::string text;
    std::size_t grids = 0;
    for (const Violation& violation : checked.violations) {
        text += violation.message + "\n";
        if (violation.index >= 0 && grids++ < kMostGrids)
            text += "\n" + gridAround(checked.schedule, violation.device, violation.index) + "\n";
    }
    return text;
}

Result<Checked> checkFile(const ValidateOptions& options)
{
    const auto file = TRY(readFile(options.file));
    const auto format = scheduleFormat(file);
    auto schedule = readScheduleText(file);
    if (!schedule)
        return fail(Error::Code::Corrupt, options.file + ": " + schedule.error().message);
    Checked checked{std::move(*schedule), *format, {}, std::nullopt};
    checked.violations = validate(checked.schedule);
    if (checked.violations.empty())
        checked.communication = checkTransports(checked.schedule);
    if (options.stashLimit > 0) {
        const double parts = stashPartsPerActivation(checked.schedule.shape);
        for (Violation& violation : checkStashLimit(
                 checked.schedule, static_cast<std::int64_t>(options.stashLimit * parts)))
            checked.violations.push_back(std::move(violation));
    }
    return checked;
}

Result<int> check(const ValidateOptions& options)
{
    const auto checked = TRY(checkFile(options));
    printText(options.json ? asJson(checked) : asText(checked));
    const std::size_t count = checked.violations.size();
    if (count == 0)
        return 0;
    return fail(Error::Code::Corrupt, "{} has {} {}; correct the file and try again", options.file,
                count, count == 1 ? "violation" : "violations");
}
} // namespace

Action prepareSchedule(CLI::App& app)
{
    const auto options = std::make_shared<PrintOptions>();
    addScheduleOptions(app, options->schedule);
    addPassOptions(app, options->schedule.request);
    addOption(app, "--with {p2p,allreduce,opt}", options->with,
              "Ops to add, as a comma-separated list")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(oneOf({"p2p", "allreduce", "opt"}));
    addOption(app, "--format {csv,text,torch,json}", options->format, "Format (default: csv)")
        ->check(oneOf({"csv", "text", "torch", "json"}));
    addOutputOptions(app, options->output, "Write to a file (default: standard output)");
    return [options] { return printSchedule(*options); };
}

Action prepareValidate(CLI::App& app)
{
    const auto options = std::make_shared<ValidateOptions>();
    app.add_option("FILE", options->file,
                   "Schedule file: CSV of bscope or PyTorch, or sail-sg's text")
        ->required();
    addOption(app, "--stash-limit K", options->stashLimit,
              "Reject devices that hold more activations than this, including those of their "
              "partner, in M_a")
        ->check(positive());
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return check(*options); };
}

} // namespace cli
