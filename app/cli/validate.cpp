#include "engine/schedule/validate.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "engine/schedule/csv.h"
#include "engine/schedule/notation.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace cli {

using namespace engine;
using nlohmann::ordered_json;

namespace {
struct Options
{
    std::string file;
    bool json = false;
};

std::string_view kindName(Violation::Kind kind)
{
    switch (kind) {
    case Violation::Kind::Missing:
        return "missing";
    case Violation::Kind::Duplicate:
        return "duplicate";
    case Violation::Kind::OutOfRange:
        return "out-of-range";
    case Violation::Kind::WrongDevice:
        return "wrong-device";
    case Violation::Kind::Order:
        return "order";
    case Violation::Kind::Deadlock:
        return "deadlock";
    }
    return "";
}

std::string asJson(const std::vector<Violation>& violations)
{
    ordered_json all = ordered_json::array();
    for (const Violation& violation : violations)
        all.push_back(
            {{"kind", kindName(violation.kind)},
             {"device",
              violation.device.isValid() ? ordered_json(violation.device.value) : ordered_json()},
             {"index", violation.index >= 0 ? ordered_json(violation.index) : ordered_json()},
             {"op", toString(violation.op)},
             {"message", violation.message}});
    return ordered_json{{"valid", violations.empty()}, {"violations", all}}.dump(2) + "\n";
}

std::string asText(const Schedule& schedule, const std::vector<Violation>& violations)
{
    const Shape& shape = schedule.shape;
    if (violations.empty())
        return fmt::format("valid: {} ops on {} devices, {} stages, {} micro-batches; complete, in "
                           "order, and no device waits for ever\n",
                           opCount(schedule), shape.devices, shape.stages, shape.microBatches);
    std::string text;
    for (const Violation& violation : violations)
        text += violation.message + "\n";
    const Violation& first = violations.front();
    if (first.index >= 0)
        text += "\n" + gridAround(schedule, first.device, first.index);
    return text;
}

Result<int> check(const Options& options)
{
    const auto file = readFile(options.file);
    if (!file)
        return tl::unexpected(file.error());
    const auto schedule = readCsv(*file);
    if (!schedule)
        return fail(Error::Code::Corrupt, options.file + ": " + schedule.error().message);
    const auto violations = validate(*schedule);
    printText(options.json ? asJson(violations) : asText(*schedule, violations));
    if (violations.empty())
        return 0;
    return fail(Error::Code::Corrupt,
                fmt::format("{} has {} {}; correct the file and try again", options.file,
                            violations.size(),
                            violations.size() == 1 ? "violation" : "violations"));
}
} // namespace

Action prepareValidate(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->file, "Schedule file, as bscope schedule writes it")
        ->required();
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return check(*options); };
}

} // namespace cli
