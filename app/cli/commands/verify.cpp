#include "engine/verify/verify.h"

#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/report/sheet.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
constexpr std::string_view kTime = "time", kLeftOut = "left out";

struct VerificationOptions
{
    std::string backend = "auto";
    std::vector<std::string> schemes;
    std::string scheduleFile;
    LayerLayout layout;
    bool full = false, json = false;
};

constexpr std::array kCheck{
    Measure({"fact"}, Of<&VerifyCheck::fact>()),
    Measure({"scheme"}, Of<&VerifyCheck::scheme>()),
    Measure({"devices"}, Of<&VerifyCheck::devices>()),
    Measure({"micro_batches"}, Of<&VerifyCheck::microBatches>()),
    Measure({"mode"}, [](const VerifyCheck& check) { return modeName(check.mode); }),
    Measure({"passed"}, Of<&VerifyCheck::passed>()),
    Measure({"detail"}, Of<&VerifyCheck::detail>()),
};

// Returns a table with a row for each schedule and a column for each check.
std::string asText(const std::vector<VerifyCheck>& checks)
{
    using Key = std::tuple<std::string, int, int>;
    const auto keyOf
        = [](const VerifyCheck& c) { return Key(c.scheme, c.devices, c.microBatches); };
    std::map<Key, std::map<std::string, const char*>> words;
    std::vector<Key> order;
    for (const VerifyCheck& check : checks) {
        if (check.fact == kTime)
            continue;
        if (!words.contains(keyOf(check)))
            order.push_back(keyOf(check));
        words[keyOf(check)][check.fact + " " + std::string(modeName(check.mode))] = !check.passed
            ? "DIFFERENT"
            : check.rounded ? "to rounding"
                            : "equal";
    }
    const std::vector<std::string> facts{"integer gradients emulate",
                                         "integer gradients live",
                                         "exact gradients emulate",
                                         "exact gradients live",
                                         "losses live",
                                         "placement emulate"};
    std::vector<std::vector<Reading>> rows;
    for (const Key& key : order) {
        const auto& [scheme, devices, microBatches] = key;
        std::vector<Reading>& cells = rows.emplace_back();
        cells = {scheme, devices, microBatches};
        for (const std::string& fact : facts) // unknown: the check does not apply to this row
            cells.push_back(words[key].contains(fact) ? Reading(words[key][fact]) : Reading());
    }
    return Table({"scheme", "D", "N", "integers", "integers live", "exact", "exact live", "losses",
                  "placement"},
                 std::move(rows))
        .text();
}

// Describes the measurements that succeeded and the checks that were skipped.
std::string measured(const std::vector<VerifyCheck>& checks)
{
    std::string text;
    for (const VerifyCheck& check : checks)
        if (check.fact == kTime && check.passed)
            text += fmt::format("measured with {}, D = {}, N = {}: {}\n", check.scheme,
                                check.devices, check.microBatches, check.detail);
        else if (check.fact == kLeftOut)
            text += fmt::format("skipped, live: {}\n", check.detail);
    return text;
}

std::string failures(const std::vector<VerifyCheck>& checks)
{
    std::string text;
    std::size_t failed = 0;
    for (const VerifyCheck& check : checks)
        if (!check.passed) {
            ++failed;
            text += fmt::format("{} of {}, D = {}, N = {}, {}: {}\n", check.fact, check.scheme,
                                check.devices, check.microBatches, modeName(check.mode),
                                check.detail);
        }
    return text
        + (failed == 0 ? fmt::format("all {} checks passed\n", checks.size())
                       : fmt::format("{} of {} checks failed\n", failed, checks.size()));
}

Result<int> verify(const VerificationOptions& options)
{
    const Interrupt interrupt;
    const Backend backend = options.backend == "cuda" ? Backend::Cuda : Backend::Cpu;
    std::size_t done = 0;
    const auto tell = [&](const VerifyCheck&) {
        if (errorIsTerminal())
            printError(fmt::format("\r{} checks", ++done));
    };
    const auto checks = verifyEngine({.full = options.full,
                                      .backend = backend,
                                      .schemes = options.schemes,
                                      .scheduleFile = options.scheduleFile,
                                      .layout = options.layout},
                                     tell, interrupt.requested());
    if (done > 0)
        printError("\r                \r");
    if (!checks)
        return checks.error().code == Error::Code::NotFound ? wrongUsage(checks.error())
                                                            : tl::unexpected(checks.error());
    const bool passed = std::ranges::all_of(*checks, &VerifyCheck::passed);
    const Reading::Fields data{{"passed", passed}, {"checks", Table(kCheck, *checks).json()}};
    printText(options.json ? jsonText(data)
                           : asText(*checks) + measured(*checks) + failures(*checks));
    return passed ? 0 : 1;
}
} // namespace

Action prepareVerify(CLI::App& app)
{
    const auto options = std::make_shared<VerificationOptions>();
    auto* backend
        = addOption(
              app, "--backend {auto,cpu,cuda}", options->backend,
              "Backend; cuda runs only the integer-exact check, at D = 2 and 4 (default: cpu)")
              ->check(oneOf({"auto", "cpu", "cuda"}));
    auto* scheme = addOption(app, "--scheme NAME", options->schemes,
                             "Only this scheme; may be repeated (default: all)");
    auto* full = app.add_flag("--full", options->full,
                              "Test every size and option instead of one of each");
    addOption(app, "--schedule FILE", options->scheduleFile,
              "Only the gradients of the order in this file, on the CPU, as of bscope search")
        ->excludes(backend)
        ->excludes(scheme)
        ->excludes(full);
    addExperimentOption(app, experimentField("--layout"), "even", [options](const Experiment& e) {
        options->layout = e.model.layout;
    })->excludes(backend);
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return verify(*options); };
}

} // namespace cli
