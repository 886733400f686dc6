#include "app/cli/text/run_text.h"

#include "app/cli/text/output.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/lanes.h"
#include "profiler/analysis/measure.h"
#include "profiler/why/why_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kHeadWidth = 13; // "device 0   | "

// Returns the two characters of an op: the letter of its kind and the digit of its micro-batch,
// such as "F0". With several chunks, the letter is in lower case for the first chunk.
std::string cellOf(const Op& op, const Shape& shape)
{
    char letter = kindShortName(op.kind).front();
    if (shape.chunks() > 1 && op.stage.value / shape.devices == 0)
        letter = static_cast<char>(std::tolower(letter));
    const char digit = op.microBatch.isValid() ? kDigits[op.microBatch.value] : ' ';
    return {letter, digit};
}

const char* colourOf(OpKind kind)
{
    return kind == OpKind::Forward                                  ? "\033[34m"
        : kind == OpKind::Backward || kind == OpKind::BackwardInput ? "\033[33m"
        : kind == OpKind::BackwardWeight                            ? "\033[32m"
                                                                    : "\033[35m";
}

// Returns the largest step of time that divides the start and the end of every compute span,
// relative to the start of the window.
std::int64_t stepOf(const Lanes& lanes)
{
    const Window window = lanes.window();
    std::int64_t step = window.duration();
    for (DeviceId d{0}; d.value < lanes.devices(); ++d.value)
        for (const Span& span : lanes.spans(d, Track::Kind::Compute))
            if (span.window().duration() > 0)
                step = std::gcd(step, std::gcd(span.begin - window.begin, span.end - window.begin));
    return step;
}

struct Painter
{
    const Run& run;
    const Lanes& lanes;
    std::int64_t step;
    Ink ink;

    std::string row(DeviceId device) const
    {
        std::string text = fmt::format("device {:<3} | ", device.value);
        std::int64_t now = lanes.window().begin;
        const OpIndex index(run.schedule);
        for (const Span& span : lanes.spans(device, Track::Kind::Compute)) {
            if (span.begin < now || span.window().duration() <= 0)
                continue;
            const Op& op = opAt(run.schedule, index, span.op);
            text += idle(span.begin - now)
                + painted(cells(span.window().duration(), cellOf(op, run.schedule.shape)),
                          op.replica == 1 ? "\033[4m" : "", colourOf(op.kind));
            now = span.end;
        }
        return text + idle(lanes.window().end - now) + "\n";
    }

    std::string cells(std::int64_t duration, const std::string& cell) const
    {
        std::string text;
        for (std::int64_t c = 0; c < duration / step; ++c)
            text += cell;
        return text;
    }
    std::string idle(std::int64_t duration) const
    {
        return duration > 0 ? painted(cells(duration, ".."), "", "\033[2m") : "";
    }
    std::string painted(const std::string& text, const char* style, const char* colour) const
    {
        return ink == Ink::Plain ? text : fmt::format("{}{}{}\033[0m", style, colour, text);
    }
};
} // namespace

std::string timelineText(const Run& run, int iteration, std::size_t columns, Ink ink)
{
    const Shape& shape = run.schedule.shape;
    if (!run.info.inUnits() || static_cast<std::size_t>(shape.allMicroBatches()) > kDigits.size())
        return {};
    const Lanes lanes(run, iteration);
    const std::int64_t step = stepOf(lanes);
    if (step <= 0
        || kHeadWidth + 2 * static_cast<std::size_t>(lanes.window().duration() / step) > columns)
        return {};
    const Painter painter{run, lanes, step, ink};
    std::string text;
    for (DeviceId d{0}; d.value < lanes.devices(); ++d.value)
        text += painter.row(d);
    return text
        + fmt::format("F: forward, B: backward, digit: micro-batch{}{}, ..: idle; one cell: {}\n",
                      shape.chunks() > 1 ? ", lower case: first chunk" : "",
                      shape.replicas > 1 && ink == Ink::Colours ? ", underlined: direction up" : "",
                      timeText(step, run.info.ticksPerUnit));
}

namespace {

// The time of the NCCL kernels of which waiting and transfer are known, in ns.
struct NcclTime
{
    std::size_t kernels = 0;
    std::int64_t waiting = 0, transferring = 0;
};

NcclTime ncclTime(const Run& run, const GpuTrace& trace)
{
    NcclTime time;
    // Without the traces of all ranks, waiting and transfer cannot be distinguished.
    if (run.info.import && !run.info.import->missingRanks.empty())
        return time;
    for (const profiler::NcclSplit& split : profiler::splitNccl(trace, run.schedule)) {
        if (split.by == profiler::NcclSplit::By::None)
            continue;
        ++time.kernels;
        time.waiting += split.wait.duration();
        time.transferring += split.transfer.duration();
    }
    return time;
}

// "an iteration launches 3504 kernels, 876 per device"
std::string launchesText(const std::vector<double>& launches)
{
    const auto [least, most] = std::ranges::minmax(launches);
    const double all = std::accumulate(launches.begin(), launches.end(), 0.0);
    const std::string each = least == most
        ? fmt::format("{:.0f} per device", most)
        : fmt::format("{:.0f} to {:.0f} per device", least, most);
    return fmt::format("an iteration launches {:.0f} kernels, {}", all, each);
}

} // namespace

Reading addGpu(const Run& run, const GpuTrace& trace, Sheet& sheet)
{
    const GpuMachine& machine = run.info.machine;
    if (machine == GpuMachine{} && trace.isEmpty() && trace.health.isComplete())
        return {};
    const auto launches = kernelsPerIteration(run, trace);
    const NcclTime nccl = ncclTime(run, trace);
    const GpuClocks& clocks = machine.clocks;
    if (!trace.kernels.empty() || !trace.health.isComplete()) {
        const std::string missing = missingText(trace.kernels.size(), trace.health);
        sheet.sentence(
            fmt::format("{} kernels, {}", trace.kernels.size(),
                        missing.empty() ? "all linked to their ops" : "incomplete: " + missing));
    }
    if (!launches.empty())
        sheet.sentence(launchesText(launches));
    if (nccl.kernels > 0)
        sheet.sentence(fmt::format("{} NCCL kernels: {} waiting for other ranks, {} transferring",
                                   nccl.kernels, timeText(nccl.waiting, 1),
                                   timeText(nccl.transferring, 1)));
    sheet.sentence(clockText(clocks));
    Reading::Fields settings;
    for (const auto& [name, value] : machine.settings) {
        settings.emplace_back(name, value);
        if (name == "fallback")
            sheet.sentence(value);
    }
    return Reading::Fields{{"kernels", trace.kernels.size()},
                           {"kernels_without_op", trace.health.withoutOp},
                           {"records_dropped", trace.health.dropped},
                           {"kernels_per_iteration", launches},
                           {"nccl_wait", nccl.waiting},
                           {"nccl_transfer", nccl.transferring},
                           {"clocks",
                            clocks.samples == 0 ? Reading()
                                                : Reading(Reading::Fields{
                                                    {"least_mhz", clocks.least},
                                                    {"median_mhz", clocks.median},
                                                    {"most_mhz", clocks.most},
                                                    {"samples", clocks.samples},
                                                    {"throttled", throttleText(clocks.throttle)}})},
                           {"clocks_missing", textOrUnknown(clocks.reason)},
                           {"machine", settings}};
}

namespace {

// Shortens names of templates, which can have hundreds of characters. --json prints full names.
std::string shortened(const std::string& label)
{
    constexpr std::size_t kMost = 72;
    return label.size() <= kMost ? label : label.substr(0, kMost - 3) + "...";
}

using O = OpKindWork;
constexpr std::array kOps{
    Measure(column("op"), [](const O& o) { return kindShortName(o.op); }),
    Measure(column("executions"), Of<&O::executions>()),
    Measure(column("launches"), Of<&O::works>()),
    Measure(column("time", "time", Unit::Microseconds), Of<&O::time>()),
    Measure(column("busy", "busy", Unit::Microseconds), Of<&O::busy>()),
    Measure(column("gap_share", "gaps", Unit::Share), Of<&O::gapShare>()),
};

struct NamedRow
{
    const KernelName& name;
    const KernelRow& row;
};

template<auto Member>
Reading ofKernel(const NamedRow& kernel)
{
    return std::invoke(Member, kernel.row);
}

using K = NamedRow;
constexpr std::array kKernels{
    Measure(column("op"), [](const K& k) { return kindShortName(k.row.op); }),
    Measure({"kernel"}, [](const K& k) { return k.name.label; }),
    Measure(column("", "kernel"), [](const K& k) { return shortened(k.name.label); }),
    Measure({"name"}, [](const K& k) { return k.name.full; }),
    Measure(column("kind"), [](const K& k) { return kernelKindName(k.name.kind); }),
    Measure(column("count"), ofKernel<&KernelRow::count>),
    Measure(column("total", "total", Unit::Microseconds), ofKernel<&KernelRow::total>),
    Measure(column("mean", "mean", Unit::Microseconds), ofKernel<&KernelRow::mean>),
    Measure(column("min", "min", Unit::Microseconds), ofKernel<&KernelRow::shortest>),
    Measure(column("max", "max", Unit::Microseconds), ofKernel<&KernelRow::longest>),
    Measure(column("share", "of op", Unit::Share), ofKernel<&KernelRow::share>),
};

} // namespace

void addKernels(const GpuActivity& activity, const KernelTable& table, Sheet& sheet)
{
    std::vector<NamedRow> rows;
    for (const KernelRow& row : table.rows)
        rows.push_back({activity.names()[row.name], row});
    sheet.heading("Kernels by op type");
    sheet.table(Table(kOps, table.ops), "op_kinds");
    sheet.table(Table(kKernels, rows), "kernels");
}

namespace {

std::string subjectOf(const Run& run, const Note& note)
{
    const std::string where
        = note.device.isValid() ? fmt::format("device {}", note.device.value) : "all devices";
    return note.op ? opName(run, *note.op) + " on " + where : where;
}

const Iteration* iterationOf(const Run& run, const Note& note)
{
    return note.iteration < 0 ? nullptr : &run.timeline.iterations[note.iteration];
}

std::string iterationLabel(const Iteration* iteration)
{
    if (iteration == nullptr)
        return "-";
    if (iteration->kind == Iteration::Kind::Replay)
        return "typical ops";
    return fmt::format("{}{}", iteration->kind == Iteration::Kind::Warmup ? "warm-up " : "",
                       iteration->number);
}

struct ListedNote
{
    const Run& run;
    const Note& of;
    std::size_t number = 0;
};
using N = ListedNote;

template<auto Member>
Reading edge(const N& n)
{
    return Reading::time(n.of.window.*Member, n.run.info);
}

constexpr std::array kNote{
    Measure(column("", "note"), Of<&N::number>()),
    Measure({"text"}, [](const N& n) { return n.of.text; }),
    Measure({"op"},
            [](const N& n) { return n.of.op ? Reading(opName(n.run, *n.of.op)) : Reading(); }),
    Measure(
        {"device"},
        [](const N& n) { return n.of.device.isValid() ? Reading(n.of.device.value) : Reading(); }),
    Measure({"iteration"},
            [](const N& n) { return n.of.iteration >= 0 ? Reading(n.of.iteration) : Reading(); }),
    Measure({"begin"}, edge<&Window::begin>),
    Measure({"end"}, edge<&Window::end>),
    Measure({"created"}, [](const N& n) { return n.of.created; }),
    Measure(column("", "subject"), [](const N& n) { return subjectOf(n.run, n.of); }),
    Measure(column("", "iteration"),
            [](const N& n) { return iterationLabel(iterationOf(n.run, n.of)); }),
    Measure(column("", "start", Unit::Time),
            [](const N& n) {
                const Iteration* const iteration = iterationOf(n.run, n.of);
                return Reading::time(n.of.window.begin
                                         - (iteration == nullptr ? 0 : iteration->window.begin),
                                     n.run.info);
            }),
    Measure(column("", "length", Unit::Time),
            [](const N& n) { return Reading::time(n.of.window.duration(), n.run.info); }),
    Measure(column("", "text"),
            [](const N& n) { return n.of.text.empty() ? "(bookmark)" : n.of.text; }),
};
} // namespace

void addNotes(const Run& run, std::span<const Note> notes, Sheet& sheet)
{
    std::vector<N> rows;
    for (const Note& note : notes)
        rows.push_back({run, note, rows.size() + 1});
    const Table table(kNote, rows);
    if (!notes.empty())
        return sheet.table(table, "notes");
    sheet.data("notes", table.json());
    sheet.lines("no notes; press N in the window to add one\n");
}

} // namespace cli
