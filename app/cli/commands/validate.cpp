#include "engine/schedule/check/validate.h"

#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/text/output.h"
#include "app/cli/text/schedule_text.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "engine/schedule/check/stash.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace cli {

using namespace engine;
using nlohmann::ordered_json;

namespace {
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

ordered_json toJson(const Schedule& schedule, const Violation& violation)
{
    const bool placed = violation.index >= 0;
    return {{"kind", kKindNames[violation.kind]},
            {"device",
             violation.device.isValid() ? ordered_json(violation.device.value) : ordered_json()},
            {"index", placed ? ordered_json(violation.index) : ordered_json()},
            {"op", toString(violation.op)},
            {"message", violation.message},
            {"grid",
             placed ? ordered_json(gridAround(schedule, violation.device, violation.index))
                    : ordered_json()}};
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
    ordered_json all = ordered_json::array();
    for (const Violation& violation : checked.violations)
        all.push_back(toJson(checked.schedule, violation));
    return jsonText(
        {{"valid", checked.violations.empty()},
         {"format", formatTitle(checked.format)},
         {"violations", all},
         {"devices_without_ops", devicesWithoutOps(checked.schedule)},
         {"communication",
          checked.communication ? profiler::toJson(communicationData(*checked.communication))
                                : ordered_json()}});
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
        const auto parts = static_cast<double>(stashPartsPerActivation(checked.schedule.shape));
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
    return fail(Error::Code::Corrupt,
                fmt::format("{} has {} {}; correct the file and try again", options.file, count,
                            count == 1 ? "violation" : "violations"));
}
} // namespace

Action prepareValidate(CLI::App& app)
{
    const auto options = std::make_shared<ValidateOptions>();
    app.add_option("FILE", options->file,
                   "Schedule file: CSV of bscope or PyTorch, or sail-sg's text")
        ->required();
    app.add_option("--stash-limit", options->stashLimit,
                   "Reject devices that hold more activations than this, including those of their "
                   "partner, in M_a")
        ->type_name("K")
        ->check(positive());
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return check(*options); };
}

} // namespace cli
