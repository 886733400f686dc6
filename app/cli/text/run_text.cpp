#include "app/cli/text/run_text.h"

#include "app/cli/text/table.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
constexpr std::size_t kLongestBubbles = 5;

std::string replayText(const Run& run, int iteration)
{
    const auto& iterations = run.timeline.iterations;
    const auto of = [&](Iteration::Kind kind) {
        return std::ranges::count(iterations, kind, &Iteration::kind);
    };
    switch (iterations[static_cast<std::size_t>(iteration)].kind) {
    case Iteration::Kind::Replay: {
        const auto measured = of(Iteration::Kind::Measured);
        return fmt::format(" (from the median time of each op in {} iteration{})", measured,
                           measured == 1 ? "" : "s");
    }
    case Iteration::Kind::Warmup:
        return " (warm-up)";
    case Iteration::Kind::Measured:
        break;
    }
    if (iteration != reportedIteration(run.timeline))
        return "";
    const auto measured = of(Iteration::Kind::Measured);
    return measured > 2 ? fmt::format(" (median of {})", measured)
        : measured == 2 ? " (last of 2 iterations)"
                        : "";
}

std::string causeSentence(const Run& run, const OpIndex& index, const Bubble& bubble)
{
    const auto spell
        = [&](const CauseLink& link) { return toString(opAt(run.schedule, index, link.op)); };
    if (bubble.untilNextWindow)
        return "idle until the next window";
    if (!bubble.next && bubble.chain.empty())
        return "no work left";
    if (!bubble.next)
        return fmt::format("no work left; device {} ends the iteration with {}",
                           bubble.chain.front().device.value, spell(bubble.chain.front()));
    if (bubble.chain.size() < 2)
        return spell(bubble.chain.front()) + " starts late";
    const CauseLink& producer = bubble.chain.front();
    std::string text = fmt::format("{} waits for {} of device {}", spell(bubble.chain.back()),
                                   spell(producer), producer.device.value);
    if (bubble.chain.size() > 2 && bubble.chain[1].window.duration() > 0)
        text += fmt::format(", {} running",
                            timeText(bubble.chain[1].window.duration(), run.info.ticksPerUnit));
    return text;
}

std::string longestBubbles(const Run& run, std::vector<Bubble> bubbles)
{
    const OpIndex index(run.schedule);
    const std::size_t shown = std::min(bubbles.size(), kLongestBubbles);
    std::partial_sort(
        bubbles.begin(), bubbles.begin() + static_cast<std::ptrdiff_t>(shown), bubbles.end(),
        [](const Bubble& a, const Bubble& b) { return a.window.duration() > b.window.duration(); });
    Table table({{"device"},
                 {timeUnit(run.info.ticksPerUnit)},
                 {"kind", Table::Align::Left},
                 {"because", Table::Align::Left}});
    for (std::size_t i = 0; i < shown; ++i)
        table.add({std::to_string(bubbles[i].device.value),
                   timeNumber(bubbles[i].window.duration(), run.info.ticksPerUnit),
                   bubbleKindName(bubbles[i].kind), causeSentence(run, index, bubbles[i])});
    return table.text();
}
void addArena(const ArenaUse* use, std::vector<std::string>& cells)
{
    cells.push_back(use != nullptr ? bytesText(use->live) : "-");
    cells.push_back(use != nullptr ? bytesText(use->arena) : "-");
    cells.push_back(use != nullptr && use->touched ? bytesText(*use->touched) : "-");
}

// Returns the MFU with the peak to which it refers: "61.2 % (of 192 GFLOP/s per device, measured:
// sgemm of 512 x 512 x 512)".
std::string utilisation(const RunInfo& info, double mfu)
{
    if (info.peakSource.empty())
        return shareText(mfu);
    return fmt::format("{} (of {:.0f} GFLOP/s per device, {})", shareText(mfu),
                       info.peakFlops / 1e9, info.peakSource);
}

} // namespace

const char* bubbleKindName(Bubble::Kind kind)
{
    return kind == Bubble::Kind::Fill ? "fill" : kind == Bubble::Kind::Wait ? "wait" : "drain";
}

std::string headingOf(const Run& run)
{
    const Shape& shape = run.schedule.shape;
    std::string text
        = fmt::format("{}, {}: D = {}", run.info.label, modeDescription(run.info), shape.devices);
    text += knowsMicroBatches(run.info) ? fmt::format(", N = {}", shape.microBatches)
                                        : ", micro-batches unknown";
    text += knowsStages(run.info) ? fmt::format(", v = {}", shape.chunks()) : ", stages unknown";
    if (shape.dataParallel > 1)
        text += fmt::format(", W = {} copies (the first is shown)", shape.dataParallel);
    if (!run.info.model.empty())
        text += ", model " + run.info.model;
    if (!run.info.precision.empty())
        text += " in " + run.info.precision;
    if (!run.info.link.empty())
        text += ", link " + run.info.link;
    switch (run.info.outcome) {
    case Outcome::Finished:
        break;
    case Outcome::Running:
        text += " (not finished: running or killed)";
        break;
    case Outcome::Cancelled:
        text += " (cancelled)";
        break;
    case Outcome::Failed:
        text += " (failed: " + run.info.failure + ")";
        break;
    }
    return text;
}

std::string summaryLine(const Run& run, const RunMetrics& metrics)
{
    const auto time = [&run](std::int64_t ticks) { return timeText(ticks, run.info.ticksPerUnit); };
    const auto interval = iterationInterval(run, metrics.iteration);
    const std::string spread = interval
        ? fmt::format(", 95 % interval {} to {}", time(interval->least), time(interval->most))
        : "";
    std::string text = fmt::format("iteration {}{}{}, span {}, bubble {}", time(metrics.duration),
                                   replayText(run, metrics.iteration), spread, time(metrics.span),
                                   shareText(metrics.bubbleRatio));
    if (metrics.tokensPerSecond)
        text += fmt::format(", {:.0f} tokens/s", *metrics.tokensPerSecond);
    if (metrics.mfu)
        text += ", MFU " + utilisation(run.info, *metrics.mfu);
    if (metrics.hfu && metrics.hfu != metrics.mfu)
        text += ", HFU " + shareText(*metrics.hfu);
    if (run.info.cpuShare)
        text += ", CPU share of the ops " + shareText(*run.info.cpuShare);
    return text;
}

std::string lossText(const Timeline& timeline)
{
    std::vector<double> losses;
    for (const Iteration& iteration : timeline.iterations)
        if (iteration.loss && iteration.kind != Iteration::Kind::Replay)
            losses.push_back(*iteration.loss);
    if (losses.empty())
        return "-";
    return fmt::format("{:.3f} -> {:.3f} nats per token over {} iterations", losses.front(),
                       losses.back(), losses.size());
}

std::string gradientNormText(const Timeline& timeline)
{
    std::vector<double> norms;
    for (const Iteration& iteration : timeline.iterations)
        if (iteration.gradientNorm && iteration.kind != Iteration::Kind::Replay)
            norms.push_back(*iteration.gradientNorm);
    if (norms.empty())
        return "-";
    return fmt::format("{:.4g} -> {:.4g}, at most {:.4g}", norms.front(), norms.back(),
                       std::ranges::max(norms));
}

std::string timeUnitOf(const Run& run)
{
    return timeUnit(run.info.ticksPerUnit);
}

std::string deviceTable(const Run& run, const RunMetrics& metrics)
{
    std::vector<Table::Column> columns{{"device"}};
    for (const char* name : {"span", "compute", "exposed", "fill", "wait", "drain", "bubble"})
        columns.push_back({fmt::format("{} {}", name, timeUnitOf(run))});
    columns.insert(columns.end(), {{"bubble %"}, {"stash M_a"}});
    const bool recomputes = std::ranges::any_of(
        metrics.devices, [](const DeviceMetrics& d) { return d.peakKept > 0; });
    if (recomputes)
        columns.push_back({"kept for recompute"});
    for (const char* name : {"weights M_theta", "sent", "copies"})
        columns.push_back({name});
    const std::size_t width = columns.size();
    Table table(std::move(columns));
    const auto time
        = [&run](std::int64_t ticks) { return timeNumber(ticks, run.info.ticksPerUnit); };
    for (const DeviceMetrics& d : metrics.devices) {
        if (!hasTrace(run, d.device)) {
            std::vector<std::string> unknown(width, "-");
            unknown.front() = std::to_string(d.device.value);
            table.add(std::move(unknown));
            continue;
        }
        const double share = metrics.duration > 0
            ? static_cast<double>(d.bubble) / static_cast<double>(metrics.duration)
            : 0;
        std::vector<std::string> cells{std::to_string(d.device.value),
                                       time(d.span),
                                       time(d.compute),
                                       time(d.exposedCommunication),
                                       time(d.fill),
                                       time(d.wait),
                                       time(d.drain),
                                       time(d.bubble),
                                       fmt::format("{:.1f}", 100 * share),
                                       knowsMicroBatches(run.info) ? unitNumber(d.peakStash) : "-"};
        if (recomputes)
            cells.push_back(knowsMicroBatches(run.info) ? unitNumber(d.peakKept) : "-");
        for (std::string& cell :
             std::vector{knowsStages(run.info) ? unitNumber(d.weights) : "-",
                         std::to_string(d.messagesSent), std::to_string(d.localCopies)})
            cells.push_back(std::move(cell));
        table.add(std::move(cells));
    }
    return table.text();
}

std::string memoryTable(const Run& run, const RunMetrics& metrics)
{
    const bool recorded = std::ranges::any_of(
        metrics.devices, [](const DeviceMetrics& d) { return d.peakBytes.has_value(); });
    if (!recorded)
        return {};
    std::vector<Table::Column> columns{{"device"}, {"peak"}};
    for (const MemoryCategory category : Ids<MemoryCategory>(kMemoryCategories))
        columns.push_back({std::string(memoryCategoryName(category))});
    const bool laidOut = !run.info.arenas.empty();
    if (laidOut)
        for (const char* name : {"live", "arena", "touched"})
            columns.push_back({name});
    Table table(std::move(columns));
    for (const DeviceMetrics& d : metrics.devices) {
        std::vector<std::string> cells{std::to_string(d.device.value),
                                       d.peakBytes ? bytesText(*d.peakBytes) : "-"};
        for (const std::int64_t bytes : d.bytesAtPeak)
            cells.push_back(d.peakBytes ? bytesText(bytes) : "-");
        if (laidOut)
            addArena(arenaOf(run.info, d.device), cells);
        table.add(std::move(cells));
    }
    return table.text();
}

std::string gpuMemoryTable(const RunInfo& info)
{
    if (info.gpuMemory.empty())
        return {};
    std::vector<Table::Column> columns{{"memory", Table::Align::Left}};
    for (const GpuMemory& gpu : info.gpuMemory)
        columns.push_back({fmt::format("GPU {}", gpu.gpu)});
    Table table(std::move(columns));
    const auto add = [&](std::string name, const auto& textOf) {
        std::vector<std::string> cells{std::move(name)};
        for (const GpuMemory& gpu : info.gpuMemory)
            cells.push_back(textOf(gpu));
        table.add(std::move(cells));
    };
    const GpuMemory all = sumOf(info.gpuMemory);
    for (int i = 0; i < kGpuMemoryOwners; ++i)
        if (const auto owner = static_cast<GpuMemoryOwner>(i); all[owner] != 0)
            add(std::string(gpuMemoryOwnerName(owner)),
                [&](const GpuMemory& gpu) { return bytesText(gpu[owner]); });
    if (all.reserved != 0)
        add("(reserved for communicators)",
            [](const GpuMemory& gpu) { return bytesText(gpu.reserved); });
    add("total", [](const GpuMemory& gpu) { return bytesText(gpu.known()); });
    add("reported by the driver", [](const GpuMemory& gpu) { return bytesText(gpu.used); });
    add("difference", [](const GpuMemory& gpu) {
        return (gpu.difference() < 0 ? "-" : "") + shareText(gpu.differenceShare());
    });
    const std::string note = memoryNote(info.gpuMemory);
    return table.text() + (note.empty() ? "" : note + "\n");
}

std::string bubbleText(const Run& run, const std::vector<Bubble>& bubbles)
{
    if (bubbles.empty())
        return "no bubbles\n";
    std::array<std::int64_t, 3> sums{};
    std::int64_t all = 0;
    for (const Bubble& bubble : bubbles) {
        sums[static_cast<std::size_t>(bubble.kind)] += bubble.window.duration();
        all += bubble.window.duration();
    }
    std::string text = "bubbles by cause, all devices:";
    for (const auto kind : {Bubble::Kind::Fill, Bubble::Kind::Wait, Bubble::Kind::Drain}) {
        const std::int64_t sum = sums[static_cast<std::size_t>(kind)];
        text += fmt::format("{} {} {} ({})", kind == Bubble::Kind::Fill ? "" : ",",
                            bubbleKindName(kind), timeText(sum, run.info.ticksPerUnit),
                            shareText(static_cast<double>(sum) / static_cast<double>(all)));
    }
    return text + "\n\nlongest bubbles:\n" + longestBubbles(run, bubbles);
}

std::string pathText(const Run& run, const std::vector<CauseLink>& path)
{
    if (path.empty())
        return {};
    const OpIndex index(run.schedule);
    EnumArray<OpKind, std::int64_t, kOpKinds> byKind{};
    std::int64_t busy = 0;
    for (const CauseLink& link : path) {
        byKind[opAt(run.schedule, index, link.op).kind] += link.window.duration();
        busy += link.window.duration();
    }
    const auto time = [&run](std::int64_t ticks) { return timeText(ticks, run.info.ticksPerUnit); };
    std::string parts;
    for (const OpKind kind : byKind.enumerators())
        if (const std::int64_t sum = byKind[kind])
            parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", kindTitle(kind), time(sum));
    const std::int64_t idle = path.back().window.end - path.front().window.begin - busy;
    return fmt::format("critical path: {} ops, {}{}\n", path.size(), parts,
                       idle > 0 ? ", idle " + time(idle) : "");
}

} // namespace cli
