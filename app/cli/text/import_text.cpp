#include "app/cli/text/import_text.h"

#include "app/cli/text/run_file.h"
#include "engine/base/median.h"
#include "profiler/report/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
double shareOf(const ImportReport& report, std::int64_t time)
{
    return report.time > 0 ? static_cast<double>(time) / static_cast<double>(report.time) : 0;
}

std::string milliseconds(std::int64_t ns)
{
    return fmt::format("{:.3f}", static_cast<double>(ns) / 1e6);
}

std::string summaryOf(const Run& run, const ImportReport& report)
{
    std::string text = fmt::format("{}: {} rank{}, {} iteration{}, {} kernels", report.program,
                                   report.ranks.size(), report.ranks.size() == 1 ? "" : "s",
                                   run.timeline.iterations.size(),
                                   run.timeline.iterations.size() == 1 ? "" : "s", report.kernels);
    if (!report.iterationsFrom.empty())
        text += fmt::format(" (iterations by {})", report.iterationsFrom);
    text += fmt::format("\n{:.1f} % of the {} time is classified", 100 * report.classified(),
                        report.onGpu ? "GPU" : "op");
    text += report.stagesKnown ? fmt::format("; {} stages", run.schedule.shape.stages)
                               : std::string("; stages unknown");
    const std::int64_t together = std::max<std::int64_t>(1, report.tensorParallel)
        * std::max<std::int64_t>(1, report.contextParallel);
    if (together > 1)
        text += fmt::format("; {} ranks compute each stage together (one is shown)", together);
    if (report.stagesKnown && run.info.scheme != "imported")
        text += fmt::format("; ops in the order of {}", run.info.label);
    if (report.replayError)
        text += fmt::format("\nsimulated with its median op times: error {:+.1f} %",
                            100 * *report.replayError);
    return text + "\n";
}

using Rule = std::pair<const ImportReport*, const ImportReport::Rule*>;
constexpr std::array kRules{
    Measure<Rule>({"", "rule", Unit::None, kColumn}, [](const Rule& r) { return r.second->name; }),
    Measure<Rule>({"", "matches", Unit::None, kColumn},
                  [](const Rule& r) { return r.second->matches; }),
    Measure<Rule>({"", "time", Unit::Time, kColumn, Better::Neither, {}, {}, {}, 3},
                  [](const Rule& r) { return r.second->time; }),
    Measure<Rule>({"", "share", Unit::Share, kColumn},
                  [](const Rule& r) { return shareOf(*r.first, r.second->time); }),
    Measure<Rule>({"", "confidence", Unit::None, kColumn},
                  [](const Rule& r) { return r.second->confidence; }),
    Measure<Rule>({"", "what", Unit::None, kColumn}, [](const Rule& r) { return r.second->title; }),
};

using LeftOut = ImportReport::LeftOut;
constexpr std::array kLeftOutWork{
    Measure<LeftOut>({"", "left out", Unit::None, kColumn}, Of<&LeftOut::what>()),
    Measure<LeftOut>({"", "count", Unit::None, kColumn}, Of<&LeftOut::count>()),
    Measure<LeftOut>({"", "time", Unit::Time, kColumn, Better::Neither, {}, {}, {}, 3},
                     Of<&LeftOut::time>()),
};

// Describes how much the clocks of the hosts differ and how precisely they were aligned. Returns ""
// for one host.
std::string clockScatter(const ImportReport& report)
{
    if (report.clocks.empty())
        return {};
    std::vector<std::int64_t> offsets{0}, spreads; // the first rank's host has offset 0
    for (const ImportReport::Clock& clock : report.clocks) {
        offsets.push_back(clock.offset);
        spreads.push_back(clock.spread);
    }
    const auto [least, most] = std::ranges::minmax(offsets);
    return fmt::format(
        "clocks of {} hosts: before alignment, median offset from the first host {} ms, "
        "range {} ms; after alignment, median error {:.1f} µs, largest {:.1f} µs\n",
        offsets.size(), milliseconds(medianOf(offsets)), milliseconds(most - least),
        static_cast<double>(medianOf(spreads)) / 1e3,
        static_cast<double>(std::ranges::max(spreads)) / 1e3);
}
} // namespace

std::string importText(const Run& run, const std::string& file)
{
    const ImportReport& report = *run.info.import;
    std::vector<Rule> rules;
    for (const ImportReport::Rule& rule : report.rules)
        rules.emplace_back(&report, &rule);
    std::string text = summaryOf(run, report) + "\n" + Table(kRules, rules).text();
    if (!report.leftOut.empty())
        text += "\n" + Table(kLeftOutWork, report.leftOut).text();
    for (const ImportReport::Clock& clock : report.clocks)
        text += fmt::format("clock of {}: {:+.3f} ms, {:+.2f} ppm, spread {:.1f} µs ({} pairs)\n",
                            clock.host, static_cast<double>(clock.offset) / 1e6, clock.drift,
                            static_cast<double>(clock.spread) / 1e3, clock.pairs);
    text += clockScatter(report);
    if (!report.missingRanks.empty())
        text += fmt::format("missing ranks: {}\n", fmt::join(report.missingRanks, ", "));
    for (const std::string& warning : report.warnings)
        text += "note: " + warning + "\n";
    if (!file.empty()) {
        const std::string open = openCommand(file);
        text += fmt::format("\nwritten to {}{}\n", file,
                            open.empty() ? "" : "; open it with " + open);
    }
    return text;
}

} // namespace cli
