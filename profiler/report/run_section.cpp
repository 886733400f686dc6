#include "profiler/report/run_section.h"

#include "engine/base/units.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/explainer.h"
#include "profiler/analysis/words.h"
#include "profiler/figure/scene.h"
#include "profiler/report/html_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace profiler {

using namespace engine;

namespace {

std::string_view kindName(Bubble::Kind kind)
{
    return kind == Bubble::Kind::Fill ? "fill" : kind == Bubble::Kind::Wait ? "wait" : "drain";
}

std::string reasonOf(const Run& run, const OpIndex& index, const Bubble& bubble)
{
    const auto spell = [&](std::uint32_t op) { return toString(opAt(run.schedule, index, op)); };
    if (bubble.untilNextWindow)
        return "idle until the next window";
    if (!bubble.next && bubble.chain.empty())
        return "no work left";
    if (!bubble.next)
        return fmt::format("no work left; device {} ends the iteration with {}",
                           bubble.chain.front().device.value, spell(bubble.chain.front().op));
    if (bubble.chain.size() < 2)
        return spell(*bubble.next) + " starts late";
    const CauseLink& producer = bubble.chain.front();
    return fmt::format("{} waits for {} of device {}", spell(*bubble.next), spell(producer.op),
                       producer.device.value);
}

// "5.569 → 4.883"; "" without training.
std::string lossOf(const Timeline& timeline)
{
    std::vector<double> losses;
    for (const Iteration& iteration : timeline.iterations)
        if (iteration.loss && iteration.kind != Iteration::Kind::Replay)
            losses.push_back(*iteration.loss);
    return losses.empty() ? "" : fmt::format("{:.3f} \u2192 {:.3f}", losses.front(), losses.back());
}

std::string nameOf(const Run& run, DeviceId device)
{
    return fmt::format("Device {}{}", device.value, hasTrace(run, device) ? "" : ", no trace");
}

std::string numberCard(std::string_view value, std::string_view label)
{
    return value.empty() ? ""
                         : fmt::format("<div><b>{}</b><span>{}</span></div>\n", markupText(value),
                                       markupText(label));
}

} // namespace

std::string factsLine(const Run& run)
{
    const Shape& shape = run.schedule.shape;
    const RunInfo& info = run.info;
    std::string text = fmt::format("{}, D = {}", modeDescription(info), shape.devices);
    text += knowsMicroBatches(info) ? fmt::format(", N = {}", shape.microBatches)
                                    : ", micro-batches unknown";
    text += knowsStages(info) ? fmt::format(", v = {}", shape.chunks()) : ", stages unknown";
    if (shape.dataParallel > 1)
        text += fmt::format(", W = {} copies (the first is shown)", shape.dataParallel);
    if (!info.model.empty())
        text += ", model " + info.model;
    if (!info.precision.empty())
        text += " in " + info.precision;
    if (info.outcome != Outcome::Finished)
        text += fmt::format(", {}", outcomeName(info.outcome));
    return text;
}

std::string keyNumbers(const Run& run, const RunMetrics& metrics)
{
    std::optional<std::int64_t> peak;
    double stash = 0;
    for (const DeviceMetrics& device : metrics.devices) {
        stash = std::max(stash, device.peakStash);
        if (device.peakBytes)
            peak = std::max(peak.value_or(0), *device.peakBytes);
    }
    const bool isMedian
        = run.timeline.iterations[metrics.iteration].kind == Iteration::Kind::Replay;
    std::string text = "<div class=\"numbers\">\n"
        + numberCard(timeText(metrics.duration, run.info.ticksPerUnit),
                     isMedian ? "iteration (median time of each op)" : "iteration")
        + numberCard(shareText(metrics.bubbleRatio), "bubble")
        + numberCard(peak ? bytesText(*peak) : "", "peak memory of a device")
        + numberCard(knowsMicroBatches(run.info) ? unitNumber(stash) + " M_a" : "",
                     "peak stash of a device");
    if (metrics.tokensPerSecond)
        text += numberCard(fmt::format("{:.0f}", *metrics.tokensPerSecond), "tokens/s");
    if (metrics.mfu)
        text += numberCard(shareText(*metrics.mfu), "MFU");
    return text + numberCard(lossOf(run.timeline), "loss, nats per token") + "</div>\n";
}

std::string deviceSection(const Run& run, const RunMetrics& metrics)
{
    const auto time
        = [&run](std::int64_t ticks) { return timeNumber(ticks, run.info.ticksPerUnit); };
    const std::vector<std::string> columns{
        "Device", "Span",   "Compute",  "Exposed communication", "Fill",         "Wait",
        "Drain",  "Bubble", "Bubble %", "Peak stash, M_a",       "Messages sent"};
    HtmlTable table(columns);
    for (const DeviceMetrics& d : metrics.devices) {
        if (!hasTrace(run, d.device)) {
            std::vector<std::string> cells(columns.size(), "-");
            cells.front() = nameOf(run, d.device);
            table.add(cells);
            continue;
        }
        table.add({nameOf(run, d.device), time(d.span), time(d.compute),
                   metrics.exposedIsKnown ? time(d.exposedCommunication) : "-", time(d.fill),
                   time(d.wait), time(d.drain), time(d.bubble),
                   fmt::format("{:.1f}",
                               metrics.duration > 0 ? 100 * ratio(d.bubble, metrics.duration) : 0),
                   knowsMicroBatches(run.info) ? unitNumber(d.peakStash) : "-",
                   std::to_string(d.messagesSent)});
    }
    return fmt::format("<h2>Devices</h2>\n<p>Times in {}.</p>\n{}",
                       markupText(timeUnit(run.info.ticksPerUnit)), table.text());
}

std::string bubbleSection(const Run& run, const RunMetrics& metrics)
{
    constexpr std::size_t kMost = 10;
    std::vector<Bubble> bubbles = Explainer(run, metrics.iteration).bubbles();
    if (bubbles.empty())
        return "<h2>Bubbles</h2>\n<p>No device was idle.</p>\n";
    const auto time = [&run](std::int64_t ticks) { return timeText(ticks, run.info.ticksPerUnit); };
    std::array<std::int64_t, 3> sums{};
    std::int64_t all = 0;
    for (const Bubble& bubble : bubbles) {
        sums[static_cast<std::size_t>(bubble.kind)] += bubble.window.duration();
        all += bubble.window.duration();
    }
    HtmlTable kinds({"Cause", "Time over all devices", "Share"});
    constexpr std::array<std::string_view, 3> kMeanings{
        "Fill: before the first op", "Wait: between ops", "Drain: after the last op"};
    for (std::size_t kind = 0; kind < sums.size(); ++kind)
        kinds.add({std::string(kMeanings[kind]), time(sums[kind]),
                   shareText(all > 0 ? ratio(sums[kind], all) : 0)});
    std::ranges::stable_sort(bubbles, std::greater<>(),
                             [](const Bubble& bubble) { return bubble.window.duration(); });
    bubbles.resize(std::min(bubbles.size(), kMost));
    const OpIndex index(run.schedule);
    HtmlTable longest({"Device", "Time", "Kind", "Because"});
    for (const Bubble& bubble : bubbles)
        longest.add({fmt::format("Device {}", bubble.device.value), time(bubble.window.duration()),
                     std::string(kindName(bubble.kind)), reasonOf(run, index, bubble)},
                    HtmlTable::Cell::Text);
    return "<h2>Bubbles</h2>\n" + kinds.text() + "<h3>The longest</h3>\n" + longest.text();
}

std::string memorySection(const Run& run, const RunMetrics& metrics)
{
    if (std::ranges::none_of(metrics.devices,
                             [](const DeviceMetrics& d) { return d.peakBytes.has_value(); }))
        return {};
    std::vector<std::string> columns{"Device", "Peak"};
    for (const MemoryCategory category : Ids<MemoryCategory>(kMemoryCategories))
        columns.emplace_back(memoryCategoryName(category));
    columns.emplace_back("Arena");
    HtmlTable table(columns);
    for (const DeviceMetrics& d : metrics.devices) {
        std::vector<std::string> cells{nameOf(run, d.device),
                                       d.peakBytes ? bytesText(*d.peakBytes) : "-"};
        for (const std::int64_t bytes : d.bytesAtPeak)
            cells.push_back(d.peakBytes ? bytesText(bytes) : "-");
        const ArenaUse* const arena = arenaOf(run.info, d.device);
        cells.push_back(arena != nullptr ? bytesText(arena->arena) : "-");
        table.add(cells);
    }
    return "<h2>Memory</h2>\n<p>At the peak of each device, by category; the arena is the planned "
           "size.</p>\n"
        + table.text();
}

std::string setupSection(const Run& run)
{
    const RunInfo& info = run.info;
    std::string rows;
    const auto add = [&rows](std::string_view name, const std::string& value) {
        if (!value.empty())
            rows += fmt::format("<tr><th>{}</th><td class=\"text\">{}</td></tr>\n", name,
                                markupText(value));
    };
    add("Scheme", info.label);
    add("Mode", modeDescription(info));
    add("Model", info.model);
    add("Device", info.deviceName);
    add("Host", info.hostName);
    add("Timing", info.timing);
    add("Links", info.link);
    add("Transport", info.transport);
    add("Peak FLOP/s",
        info.peakFlops > 0 ? fmt::format("{:.4g} per device{}", info.peakFlops,
                                         info.peakSource.empty() ? "" : ", " + info.peakSource)
                           : "");
    add("Clocks", clockText(info.machine.clocks));
    add("Started", info.started);
    add("Program", info.program);
    std::string text = "<h2>Set-up</h2>\n<div class=\"wide\"><table class=\"facts\">" + rows
        + "</table></div>\n";
    if (!info.command.empty())
        text += "<pre>" + markupText(info.command) + "</pre>\n";
    if (!info.experiment.empty())
        text += "<details><summary>Experiment (TOML)</summary><pre>" + markupText(info.experiment)
            + "</pre></details>\n";
    return text;
}

} // namespace profiler
