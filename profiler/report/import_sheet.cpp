#include "engine/base/median.h"
#include "profiler/report/run_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>

namespace profiler {

using namespace engine;

namespace {

std::string milliseconds(std::int64_t ns)
{
    return fmt::format("{:.3f}", ns / 1e6);
}

std::string summary(const Run& run, const ImportReport& report)
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
    return text;
}

using Rule = std::pair<const ImportReport*, const ImportReport::Rule*>;
constexpr std::array kRules{
    Measure(column("", "rule"), [](const Rule& r) { return r.second->name; }),
    Measure(column("", "matches"), [](const Rule& r) { return r.second->matches; }),
    Measure(column("", "time", Unit::Time, 3), [](const Rule& r) { return r.second->time; }),
    Measure(column("", "share", Unit::Share),
            [](const Rule& r) { return r.first->share(r.second->time); }),
    Measure(column("", "confidence"), [](const Rule& r) { return r.second->confidence; }),
    Measure(column("", "what"), [](const Rule& r) { return r.second->title; }),
};

using LeftOut = ImportReport::LeftOut;
constexpr std::array kLeftOutWork{
    Measure(column("what", "left out"), Of<&LeftOut::what>()),
    Measure(column("count"), Of<&LeftOut::count>()),
    Measure(column("ns", "time", Unit::Time, 3), Of<&LeftOut::time>()),
};

using Clock = ImportReport::Clock;
constexpr std::array kClock{
    Measure(column("host"), Of<&Clock::host>()),
    Measure(column("offset_ns"), Of<&Clock::offset>()),
    Measure(column("drift_ppm"),
            [](const Clock& c) { return c.drift == 0 ? Reading() : Reading(c.drift); }),
    Measure(column("spread_ns"), Of<&Clock::spread>()),
    Measure(column("pairs"), Of<&Clock::pairs>()),
};

using Rank = ImportReport::Rank;
constexpr std::array kSource{
    Measure(column("rank"), Of<&Rank::rank>()),
    Measure(column("file"), Of<&Rank::file>()),
    Measure(column("host"), Of<&Rank::host>()),
    Measure(column("device"), Of<&Rank::deviceName>()),
};

// Describes how much the clocks of the hosts differ and how precisely they were aligned. Returns ""
// for one host.
std::string clockScatter(const ImportReport& report)
{
    if (report.clocks.empty())
        return {};
    std::vector<std::int64_t> offsets{0}, spreads; // the first rank's host has offset 0
    for (const Clock& clock : report.clocks) {
        offsets.push_back(clock.offset);
        spreads.push_back(clock.spread);
    }
    const auto [least, most] = std::ranges::minmax(offsets);
    return fmt::format(
        "clocks of {} hosts: before alignment, median offset from the first host {} ms, "
        "range {} ms; after alignment, median error {:.1f} µs, largest {:.1f} µs",
        offsets.size(), milliseconds(medianOf(offsets)), milliseconds(most - least),
        medianOf(spreads) / 1e3, std::ranges::max(spreads) / 1e3);
}

void addData(const Run& run, const ImportReport& report, Sheet& sheet)
{
    Reading::List ranks;
    Reading::Fields rules;
    for (const Rank& rank : report.ranks)
        ranks.emplace_back(rank.rank);
    for (const ImportReport::Rule& rule : report.rules)
        rules.emplace_back(rule.name, report.share(rule.time));
    const auto known
        = [](bool isKnown, std::int64_t count) { return isKnown ? Reading(count) : Reading(); };
    const Shape& shape = run.schedule.shape;
    sheet.data(Reading::Fields{
        {"ranks", ranks},
        {"missing_ranks", report.missingRanks},
        {"iterations", run.timeline.iterations.size()},
        {"kernels", report.kernels},
        {"classified", report.classified()},
        {"rules", rules},
        {"replay_error", report.replayError},
        {"warnings", report.warnings},
        {"lack", textOrUnknown(report.lack)},
        {"clocks_known", report.clocksKnown},
        {"work_known", report.workKnown},
        {"program", report.program},
        {"scheme", run.info.scheme},
        {"stages", known(report.stagesKnown, shape.stages)},
        {"micro_batches", known(report.microBatchesKnown, shape.microBatches)},
        {"tensor_parallel", known(report.tensorParallel > 0, report.tensorParallel)},
        {"context_parallel", known(report.contextParallel > 0, report.contextParallel)},
        {"left_out", Table(kLeftOutWork, report.leftOut).json()},
        {"clocks", Table(kClock, report.clocks).json()},
        {"sources", Table(kSource, report.ranks).json()}});
}

} // namespace

std::string categorizedMemory(const Run& run)
{
    double known = 0, all = 0;
    for (const MemoryEvent& event : run.timeline.memory)
        if (event.bytes > 0) {
            all += static_cast<double>(event.bytes);
            known
                += event.category == MemoryCategory::Unknown ? 0 : static_cast<double>(event.bytes);
        }
    return all == 0  ? ""
        : known == 0 ? "of unknown category"
                     : fmt::format("{:.0f} % by category", 100 * known / all);
}

Sheet importSheet(const Run& run)
{
    const ImportReport& report = *run.info.import;
    std::vector<Rule> rules;
    for (const ImportReport::Rule& rule : report.rules)
        rules.emplace_back(&report, &rule);
    Sheet sheet;
    addData(run, report, sheet);
    sheet.sentence(summary(run, report));
    sheet.table({kRules, rules});
    if (!report.leftOut.empty())
        sheet.table({kLeftOutWork, report.leftOut});
    for (const Clock& clock : report.clocks)
        sheet.note(fmt::format("clock of {}: {:+.3f} ms{}, spread {:.1f} µs ({} pairs)", clock.host,
                               clock.offset / 1e6,
                               clock.drift == 0 ? "" : fmt::format(", {:+.2f} ppm", clock.drift),
                               clock.spread / 1e3, clock.pairs));
    sheet.note(clockScatter(report));
    if (const std::string memory = categorizedMemory(run); !memory.empty())
        sheet.note("memory: " + memory);
    if (!report.missingRanks.empty())
        sheet.note(fmt::format("missing ranks: {}", fmt::join(report.missingRanks, ", ")));
    for (const std::string& warning : report.warnings)
        sheet.note("note: " + warning);
    return sheet;
}

} // namespace profiler
