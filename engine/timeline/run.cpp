#include "engine/timeline/run.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace engine {

double interferenceRatio(std::span<const Interference> kinds)
{
    Interference all;
    for (const Interference& kind : kinds) {
        all.alone += kind.alone;
        all.concurrent += kind.concurrent;
    }
    return all.alone > 0 ? all.ratio() : 0;
}

std::string interferenceText(std::span<const Interference> kinds)
{
    std::string list;
    for (const Interference& kind : kinds)
        list += fmt::format("{}{} {:.2f}", list.empty() ? "" : ", ", kindShortName(kind.kind),
                            kind.ratio());
    return fmt::format("interference slows ops down by a factor of {:.2f} ({})",
                       interferenceRatio(kinds), list);
}

namespace {

constexpr EnumArray<Mode, std::string_view, 4> kModes{"simulate", "emulate", "live", "imported"};
constexpr EnumArray<Outcome, std::string_view, 4> kOutcomes{"running", "finished", "cancelled",
                                                            "failed"};

} // namespace

std::string_view modeName(Mode mode)
{
    return kModes[mode];
}

std::optional<Mode> modeNamed(std::string_view name)
{
    return kModes.find(name);
}

std::string_view modeAdjective(Mode mode)
{
    static constexpr EnumArray<Mode, std::string_view, 4> kAdjectives{"simulated", "emulated",
                                                                      "live", "imported"};
    return kAdjectives[mode];
}

std::string modeDescription(const RunInfo& info)
{
    std::string text(modeAdjective(info.mode));
    if (info.isOversubscribed())
        text += ", oversubscribed (" + std::to_string(info.threads) + " threads, "
            + std::to_string(info.cores) + (info.cores == 1 ? " core)" : " cores)");
    if (info.isDisturbed())
        text += ", disturbed (CPU share " + std::to_string(std::lround(100 * *info.cpuShare))
            + " %)";
    return text;
}

std::string whyUnknown(const RunInfo& info)
{
    if (!info.import || (info.import->lack.empty() && info.import->stagesKnown))
        return info.damage;
    return info.import->lack.empty() ? "the traces show no pipeline" : info.import->lack;
}

std::string whyUnknownAndRemedy(const RunInfo& info)
{
    return whyUnknown(info)
        + (info.damage.empty() ? "; import complete traces" : "; use another copy of the file");
}

std::string whyIterationUnknown(const Run& run)
{
    const RunInfo& info = run.info;
    if (!info.damage.empty() || !info.import)
        return info.damage;
    // An iteration begins with an op of stage 0.
    const auto isFirst = [](const Op& op) { return isPass(op.kind) && op.stage == StageId{0}; };
    const bool isKnown
        = info.import->clocksKnown && (!info.import->stagesKnown || anyOp(run.schedule, isFirst));
    if (isKnown)
        return info.import->showsIterations() ? "" : "nothing in the traces shows an iteration";
    return info.import->lack.empty() ? "stage 0 has no trace" : info.import->lack;
}

std::string damageOf(const Run& run)
{
    const OpIndex index(run.schedule);
    const auto& tracks = run.timeline.tracks;
    if (run.info.mode == Mode::Simulate || run.timeline.iterations.empty() || tracks.empty())
        return {};
    for (const DeviceId device : run.schedule.program.ids())
        if (!run.schedule.program[device].empty()
            && std::ranges::none_of(tracks, [&](const Track& track) {
                   return track.device == device && !track.spans.empty();
               }))
            return "device " + std::to_string(device.value) + " has no recorded op";
    const bool isImported = run.info.mode == Mode::Imported;
    std::int64_t all = 0, none = 0;
    std::string example;
    std::vector<std::int64_t> ends(run.timeline.iterations.size()); // of the last ops
    std::vector<bool> hasBackward(ends.size());
    for (const Track& track : tracks)
        for (const Span& span : track.spans) {
            ends[span.iteration] = std::max(ends[span.iteration], span.end);
            const Op& op = opAt(run.schedule, index, span.op);
            if (!isPass(op.kind))
                continue;
            hasBackward[span.iteration] = hasBackward[span.iteration] || isBackward(op.kind);
            const Window whole = run.timeline.iterations[span.iteration].window;
            const std::int64_t rounding = whole.duration() / 1000;
            if (run.schedule.shape.windows == 1
                && (span.begin < whole.begin - rounding || span.end > whole.end + rounding))
                return toString(op) + " of device " + std::to_string(track.device.value)
                    + " is outside of its iteration";
            if (op.kind == OpKind::BackwardInput) // of stage 0 it may do nothing
                continue;
            ++all;
            if (span.begin == span.end && ++none == 1)
                example = toString(op) + " of device " + std::to_string(track.device.value);
        }
    for (std::size_t i = 0; i < ends.size(); ++i)
        if (const Window whole = run.timeline.iterations[i].window; run.schedule.shape.windows == 1
            && hasBackward[i] && whole.duration() / 2 > ends[i] - whole.begin)
            return "iteration " + std::to_string(i) + " lasts twice as long as its ops";
    constexpr std::int64_t kFew = 20; // traces may have rounded times
    if (isImported ? none * kFew > all : none > 0)
        return example + " takes 0 ns, which no op does";
    return {};
}

const ArenaUse* arenaOf(const RunInfo& info, DeviceId device)
{
    return info.arenas.has(device) ? &info.arenas[device] : nullptr;
}

std::string_view outcomeName(Outcome outcome)
{
    return kOutcomes[outcome];
}

std::optional<Outcome> outcomeNamed(std::string_view name)
{
    return kOutcomes.find(name);
}

std::int64_t nanosecondsOf(const RunInfo& info, std::int64_t ticks)
{
    if (!info.inUnits())
        return ticks;
    constexpr std::int64_t kSecond = 1'000'000'000;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t units = ticks / info.ticksPerUnit;
    if (units >= kMost / kSecond)
        return kMost;
    if (units <= -(kMost / kSecond))
        return -kMost;
    // `rest` is less than a second, so a double is precise enough to round it to nanoseconds.
    const double rest = ticks % info.ticksPerUnit;
    const double share = rest / info.ticksPerUnit;
    return units * kSecond + static_cast<std::int64_t>(share * kSecond + (share < 0 ? -0.5 : 0.5));
}

} // namespace engine
