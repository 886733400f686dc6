#include "profiler/why/stragglers.h"

#include "engine/base/bootstrap.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/metrics.h"
#include "profiler/whatif/changes.h"
#include "profiler/whatif/own_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace profiler {

using namespace engine;

namespace {

constexpr std::size_t kJoint = kOpKinds; // the kind of joint ops
constexpr std::uint32_t kNone = 0xFFFFFFFF;

std::string_view nameOf(std::size_t kind)
{
    return kind == kJoint ? "joint" : kindShortName(static_cast<OpKind>(kind));
}

struct Sum
{
    double time = 0, size = 0; // ticks, and FLOPs or ops

    double pace() const { return size > 0 ? time / size : 0; }
};
struct Work
{
    std::array<Sum, kOpKinds + 1> byKind{};
    double busy = 0; // ticks of all ops of the device
};
using Works = IdVector<DeviceId, Work>; // of one iteration

bool statesLayers(const Run& run)
{
    return run.info.inUnits() || !stageFlops(run).empty();
}

// Collects the work of each device in each compared iteration.
class Collector
{
public:
    explicit Collector(const Run& run)
        : m_run(run)
        , m_index(run.schedule)
        , m_flops(stageFlops(run))
    {
        const auto& iterations = run.timeline.iterations;
        for (std::size_t i = 0; i < iterations.size(); ++i) {
            const bool counts = iterations[i].kind == Iteration::Kind::Measured
                && (i > 0 || run.info.mode == Mode::Simulate);
            m_numbers.push_back(counts ? static_cast<std::uint32_t>(m_works.size()) : kNone);
            if (counts) {
                m_works.emplace_back(run.schedule.program.size());
                m_durations.push_back(static_cast<double>(iterations[i].window.duration()));
                m_compared.push_back(iterations[i].number);
            }
        }
        for (const Track& track : run.timeline.tracks)
            if (track.kind == Track::Kind::Compute)
                add(track);
    }

    const std::vector<Works>& works() const { return m_works; }
    const std::vector<double>& durations() const { return m_durations; }
    const std::vector<int>& compared() const { return m_compared; }

private:
    void add(const Track& track)
    {
        const auto program = m_run.schedule.on(track.device);
        for (const Span& span : track.spans) {
            const std::uint32_t number = m_numbers[span.iteration];
            if (number == kNone)
                continue;
            const std::uint32_t at = m_index.positionOf(span.op);
            const bool follows = at > 0 && program[at - 1].flags == OpFlag::JointWithNext;
            const Op& op = program[at];
            const auto time = follows ? 0.0 : static_cast<double>(span.window().duration());
            Work& work = m_works[number][track.device];
            work.busy += time;
            if (op.kind == OpKind::OptimizerStep)
                continue;
            const bool isJoint = follows || op.flags == OpFlag::JointWithNext;
            Sum& sum = work.byKind[isJoint ? kJoint : static_cast<std::size_t>(op.kind)];
            sum.time += time;
            sum.size += sizeOf(op);
        }
    }

    // Only ratios of ops of one kind count, except that a joint B has twice the work of its F.
    double sizeOf(const Op& op) const
    {
        const double whole
            = (m_flops.empty() ? 1 : m_flops[op.stage]) * (op.kind == OpKind::Backward ? 2 : 1);
        return op.slice == Op::kWhole  ? whole
            : op.flags == OpFlag::Half ? whole / 2
                                       : whole / m_run.schedule.shape.slices;
    }

    const Run& m_run;
    OpIndex m_index;
    IdVector<StageId, double> m_flops;    // empty: unknown
    std::vector<std::uint32_t> m_numbers; // of each iteration among those compared, or kNone
    std::vector<Works> m_works;
    std::vector<double> m_durations;
    std::vector<int> m_compared;
};

using Paces = std::array<double, kOpKinds + 1>; // by kind; 0: no such ops

// The medians of the other devices, or of all if `own` is invalid.
Paces medianPaces(const Works& works, DeviceId own)
{
    Paces medians{};
    for (std::size_t kind = 0; kind <= kJoint; ++kind) {
        std::vector<double> paces;
        for (const DeviceId device : works.ids())
            if (device != own && works[device].byKind[kind].size > 0)
                paces.push_back(works[device].byKind[kind].pace());
        medians[kind] = medianOf(paces);
    }
    return medians;
}

// How much longer one device takes than at some paces, over the iterations.
struct Excesses
{
    std::vector<double> all, work, waits;
    std::array<std::vector<double>, kOpKinds + 1> byKind;
    Paces expected{}; // time at those paces, of all iterations

    void add(const Work& own, const Paces& usual)
    {
        double time = 0, atUsual = 0;
        for (std::size_t kind = 0; kind <= kJoint; ++kind) {
            const Sum& sum = own.byKind[kind];
            if (sum.size <= 0 || usual[kind] == 0)
                continue;
            time += sum.time;
            atUsual += sum.size * usual[kind];
            byKind[kind].push_back(sum.pace() / usual[kind] - 1);
            expected[kind] += sum.size * usual[kind];
        }
        all.push_back(atUsual > 0 ? time / atUsual - 1 : 0);
        work.push_back(time);
    }
};

// The excess of a device relative to another one.
double beside(double excess, double other)
{
    return (1 + excess) / (1 + other) - 1;
}

// The median with its interval. Times of a simulation are exact.
Amount medianAmount(std::vector<double> shares, bool isExact)
{
    constexpr double kPart = 1e-9; // medianInterval() needs integers, none of them negative
    std::vector<std::int64_t> parts;
    for (const double share : shares)
        parts.push_back(std::llround((1 + share) / kPart));
    const auto interval = medianInterval(parts);
    Amount amount{medianOf(shares), Spread::Exact};
    if (interval)
        amount = {amount.value, Spread::Interval, static_cast<double>(interval->least) * kPart - 1,
                  static_cast<double>(interval->most) * kPart - 1};
    else if (!isExact)
        amount.spread = Spread::Unknown;
    return amount;
}

// The standard deviation, estimated from the median absolute deviation.
double deviationOf(std::vector<double> values)
{
    constexpr double kNormal = 1.4826; // standard deviations in the median absolute deviation
    const double middle = medianOf(values);
    for (double& value : values)
        value = std::abs(value - middle);
    return kNormal * medianOf(values);
}

// What the other devices lead to expect of a device.
struct Expectation
{
    double excess = 0; // over their median pace, due to the stash of the device
    // Of the others from what is expected of them: the standard deviation and the largest.
    double deviation = 0, largest = 0;
};

// `excesses` are relative to one pace for all devices. If those of the others grow with their
// stashes, by a line of least squares, so does what is expected. With a smaller stash than all
// others, the device is expected to be as fast as at the smallest of theirs.
Expectation expectationOf(DeviceId own, const IdVector<DeviceId, double>& excesses,
                          const IdVector<DeviceId, double>& stashes)
{
    std::vector<double> shares, stash; // of the others
    for (const DeviceId device : excesses.ids())
        if (device != own) {
            shares.push_back(excesses[device]);
            stash.push_back(stashes[device]);
        }
    const double slope = std::max(0.0, slopeOf(stash, shares));
    std::vector<double> levels; // without what is due to the stashes
    for (std::size_t i = 0; i < shares.size(); ++i)
        levels.push_back(shares[i] - slope * stash[i]);
    const double level = medianOf(levels), largest = std::ranges::max(levels) - level;
    const double expected = level + slope * std::max(stashes[own], std::ranges::min(stash));
    return {beside(expected, medianOf(shares)), deviationOf(std::move(levels)), largest};
}

// Without the kind of op that exceeds most; 0 if there is only one.
double excessOfOtherKinds(const Excesses& of, double expected)
{
    std::size_t most = 0;
    Paces excess{};
    double all = 0, work = 0;
    for (std::size_t kind = 0; kind < of.byKind.size(); ++kind) {
        std::vector<double> shares = of.byKind[kind];
        excess[kind] = shares.empty() ? -1 : beside(medianOf(shares), expected);
        most = excess[kind] > excess[most] ? kind : most;
    }
    for (std::size_t kind = 0; kind < of.byKind.size(); ++kind)
        if (kind != most) {
            all += of.expected[kind] * excess[kind];
            work += of.expected[kind];
        }
    return work > 0 ? all / work : 0;
}

// Ranks with the same stages have the same work, so their times can be compared without a model.
std::vector<SlowRank> slowRanks(const ImportReport& report)
{
    constexpr std::size_t kFewest = 4; // ranks of which one can be called slow
    std::map<int, std::vector<const ImportReport::Rank*>> places;
    for (const ImportReport::Rank& rank : report.ranks)
        if (rank.work > 0)
            places[rank.place].push_back(&rank);
    std::vector<SlowRank> slow;
    for (const auto& [place, ranks] : places) {
        if (ranks.size() < kFewest)
            continue;
        std::vector<double> works;
        for (const ImportReport::Rank* rank : ranks)
            works.push_back(static_cast<double>(rank->work));
        const double deviation = deviationOf(works), usual = medianOf(works);
        for (const ImportReport::Rank* rank : ranks) {
            const double more = static_cast<double>(rank->work) - usual;
            if (!rank->device && more > std::max(kStragglerExcess * usual, 3 * deviation))
                slow.push_back({rank->rank, static_cast<int>(ranks.size()) - 1, more / usual,
                                std::llround(more)});
        }
    }
    std::ranges::stable_sort(slow, std::greater(), &SlowRank::excess);
    return slow;
}

bool isBeyondNoise(const Amount& excess)
{
    return excess.spread == Spread::Exact
        || (excess.spread == Spread::Interval && excess.least > excess.value / 4);
}

bool hasEnd(const Run& run, DeviceId device)
{
    return std::ranges::any_of(run.schedule.deviceOf, [&](const auto& stages) {
        return !stages.empty() && (stages.front() == device || stages.back() == device);
    });
}

// Sets what follows from the excesses of the device, which become those over the expected one.
void judge(const Run& run, bool knowsModel, const Expectation& expected, Excesses& of,
           DevicePace& pace)
{
    for (double& excess : of.all)
        excess = beside(excess, expected.excess);
    pace.excesses = of.all;
    pace.excess = medianAmount(of.all, run.info.mode == Mode::Simulate);
    for (std::size_t kind = 0; kind < of.byKind.size(); ++kind)
        if (!of.byKind[kind].empty())
            pace.excessByKind[nameOf(kind)] = beside(medianOf(of.byKind[kind]), expected.excess);
    const bool isSlow = pace.excess.value > kStragglerExcess / 2;
    pace.mayHaveMoreWork = hasEnd(run, pace.device)
        && (!knowsModel
            || (isSlow && excessOfOtherKinds(of, expected.excess) < kStragglerExcess / 2));
    pace.isStraggler = !pace.mayHaveMoreWork && isBeyondNoise(pace.excess)
        && pace.excess.value > kStragglerExcess
        && pace.excess.value
            > std::min(3 * expected.deviation, expected.largest + kStragglerExcess / 2);
}

// More work makes a device slower in every iteration alike, so where that may be, only the
// iterations above its own median count.
void countSlowest(const IdVector<DeviceId, Excesses>& excesses, Stragglers& all)
{
    int above = 0;
    for (int i = 0; i < all.iterations; ++i) {
        const auto excess = [&](const DevicePace& pace) {
            return excesses[pace.device].all[i] - (pace.mayHaveMoreWork ? pace.excess.value : 0);
        };
        DevicePace& slowest = *std::ranges::max_element(all.devices, {}, excess);
        std::vector<double> others;
        for (const DevicePace& pace : all.devices)
            if (pace.device != slowest.device)
                others.push_back(excess(pace));
        if (excess(slowest) > std::max(kStragglerExcess, 3 * deviationOf(std::move(others)))) {
            ++slowest.slowest;
            ++above;
        }
    }
    const bool isNamed = std::ranges::any_of(all.devices, &DevicePace::isStraggler);
    all.isRotating = !isNamed && 2 * above >= all.iterations && above > 1;
}

// How much shorter the iteration would be at the pace of the others.
std::optional<Amount> costOf(const OwnReplay& replay, DevicePace& pace)
{
    const double scale = replay.simulated() > 0 ? ratio(replay.recorded(), replay.simulated()) : 1;
    const auto saved = [&](double excess) -> std::optional<double> {
        const auto time = replay.with([&](OwnReplay::Programs& programs) {
            for (OwnReplay::Step& step : programs[pace.device])
                if (isCompute(step.op.kind) && step.op.kind != OpKind::OptimizerStep)
                    step.cost.duration
                        = roundedTicks(static_cast<double>(step.cost.duration) / (1 + excess));
        });
        return time ? std::optional(scale * static_cast<double>(replay.simulated() - *time))
                    : std::nullopt;
    };
    const auto value = saved(pace.excess.value);
    if (!value || pace.excess.spread != Spread::Interval)
        return value ? std::optional(Amount{*value, Spread::Exact}) : std::nullopt;
    const double least = saved(pace.excess.least).value_or(*value),
                 most = saved(pace.excess.most).value_or(*value);
    return Amount{*value, Spread::Interval, std::min(least, *value), std::max(most, *value)};
}

std::string hostOf(const Run& run, DeviceId device)
{
    const auto* rank = run.info.import ? run.info.import->rankOf(device.value) : nullptr;
    return rank == nullptr ? "" : rank->host;
}

// "All devices of node A are slow." or where a straggler is, if there are several nodes.
std::string nodeHint(const Run& run, const Stragglers& all, DeviceId device)
{
    const std::string host = hostOf(run, device);
    int devices = 0, slow = 0;
    for (const DevicePace& pace : all.devices)
        if (hostOf(run, pace.device) == host) {
            ++devices;
            slow += pace.isStraggler ? 1 : 0;
        }
    if (host.empty() || devices == std::ssize(all.devices))
        return {};
    return devices == slow && devices > 1
        ? fmt::format("All {} devices of node {} are slow.", devices, host)
        : fmt::format("It is on node {}.", host);
}

std::string memoryHint(const RunMetrics& numbers, DeviceId device)
{
    constexpr double kMore = 1.1;
    if (!numbers.devices[device].peakBytes)
        return {};
    std::vector<double> others;
    for (const DeviceMetrics& one : numbers.devices)
        if (one.device != device)
            others.push_back(static_cast<double>(one.peakBytes.value_or(0)));
    const double own = *numbers.devices[device].peakBytes;
    const double middle = medianOf(others);
    return middle > 0 && own > kMore * middle ? fmt::format(
               "Its peak memory is {:.0f} % above that of the others.", 100 * (own / middle - 1))
                                              : "";
}

void addHints(const Run& run, const RunMetrics& numbers, const Stragglers& all, bool knowsModel,
              DevicePace& pace)
{
    const auto add = [&](std::string hint) {
        if (!hint.empty())
            pace.hints.push_back(std::move(hint));
    };
    if (!knowsModel)
        add("It may have more layers than the others: the run does not state them.");
    add(nodeHint(run, all, pace.device));
    add(memoryHint(numbers, pace.device));
    if (const std::string throttled = throttleText(run.info.machine.clocks.throttle);
        !throttled.empty())
        add("The clocks of GPUs of this run were reduced: " + throttled + ".");
}

std::string whyNotCompared(const Run& run, int iterations)
{
    constexpr int kFewest = 3;
    if (std::string why = whyUnknown(run.info); !why.empty())
        return why;
    if (run.info.import && !run.info.import->workKnown)
        return "the kernels of some ops are missing";
    if (run.info.isOversubscribed())
        return fmt::format("the run had {} threads on {} cores, so its ops also waited for a core",
                           run.info.threads, run.info.cores);
    if (run.info.isDisturbed())
        return "other processes delayed the ops of the run";
    if (run.schedule.program.size() < 2)
        return "the run has one device";
    if (iterations == 0 || (iterations < kFewest && run.info.mode != Mode::Simulate))
        return fmt::format("{} measured iteration{} after the first; record at least {}",
                           iterations, iterations == 1 ? "" : "s", kFewest);
    return {};
}

} // namespace

Result<Stragglers> stragglers(const Run& run)
{
    const Collector collector(run);
    const bool knowsModel = statesLayers(run);
    Stragglers all;
    all.iterations = static_cast<int>(collector.works().size());
    all.numbers = collector.compared();
    if (const std::string why = whyNotCompared(run, all.iterations); !why.empty())
        return fail(Error::Code::NotFound, why);
    const RunMetrics numbers = TRY(metrics(run));
    IdVector<DeviceId, Excesses> excesses(run.schedule.program.size()), overAll = excesses;
    for (std::size_t i = 0; i < collector.works().size(); ++i) {
        const Works& works = collector.works()[i];
        const Paces ofAll = medianPaces(works, DeviceId());
        for (const DeviceId device : works.ids()) {
            excesses[device].add(works[device], medianPaces(works, device));
            excesses[device].waits.push_back(collector.durations()[i] - works[device].busy);
            overAll[device].add(works[device], ofAll);
        }
    }
    IdVector<DeviceId, double> medians, stashes;
    for (const DeviceId device : excesses.ids()) {
        medians.push_back(medianOf(overAll[device].all));
        stashes.push_back(numbers.devices[device].peakStash);
    }
    const auto replay = OwnReplay::create(run, reportedIteration(run.timeline));
    for (const DeviceId device : excesses.ids()) {
        Excesses& of = excesses[device];
        DevicePace& pace = all.devices.emplace_back();
        pace.device = device;
        pace.work = medianOf(of.work);
        pace.waits = medianOf(of.waits);
        judge(run, knowsModel, expectationOf(device, medians, stashes), of, pace);
        if (pace.isStraggler && replay)
            pace.cost = costOf(*replay, pace);
    }
    countSlowest(excesses, all);
    if (run.info.import)
        all.ranks = slowRanks(*run.info.import);
    for (DevicePace& pace : all.devices)
        if (pace.isStraggler)
            addHints(run, numbers, all, knowsModel, pace);
    return all;
}

namespace {

std::string percent(double share)
{
    return fmt::format("{:.1f}", 100 * share);
}

std::string intervalOf(const Amount& amount, const auto& text)
{
    return amount.spread == Spread::Interval
        ? fmt::format(" (95 % interval {} to {})", text(amount.least), text(amount.most))
        : "";
}

std::string sentenceOf(const Run& run, const Stragglers& all, const DevicePace& pace)
{
    const auto share = [](double value) { return percent(value) + " %"; };
    const auto time
        = [&](double ticks) { return timeText(std::llround(ticks), run.info.ticksPerUnit); };
    std::string text = fmt::format(
        "Device {} takes {} longer for its work than the other devices{}; it is the slowest in {} "
        "of {} iteration{} and waits {} per iteration.",
        pace.device.value, share(pace.excess.value), intervalOf(pace.excess, share), pace.slowest,
        all.iterations, all.iterations == 1 ? "" : "s", time(pace.waits));
    if (pace.cost)
        text += fmt::format(" At the pace of the others, the iteration would be {} shorter{}.",
                            time(pace.cost->value), intervalOf(*pace.cost, time));
    return text;
}

std::string sentenceOf(const SlowRank& rank)
{
    return fmt::format("Rank {} takes {} % longer for its ops than the other {} ranks with the "
                       "same stages, {} per iteration; the run shows another copy of the pipeline.",
                       rank.rank, percent(rank.excess), rank.peers, timeText(rank.more, 1));
}

std::string rotationText(const Stragglers& all)
{
    std::string text;
    const DevicePace* one = nullptr;
    for (const DevicePace& pace : all.devices)
        if (pace.slowest > 0) {
            one = text.empty() ? &pace : nullptr;
            text += fmt::format("{}device {} in {}", text.empty() ? "" : ", ", pace.device.value,
                                pace.slowest);
        }
    return one != nullptr
        ? fmt::format("Device {} is slow in {} of {} iterations and not in the others.",
                      one->device.value, one->slowest, all.iterations)
        : fmt::format("The slowest device changes: {} of {} iterations.", text, all.iterations);
}

std::string noneText(const Run& run, const Stragglers& all)
{
    const bool knowsModel = statesLayers(run);
    const auto judged = [knowsModel](const DevicePace& pace) {
        return !knowsModel && pace.mayHaveMoreWork ? -2.0 : pace.excess.value;
    };
    const DevicePace& most = *std::ranges::max_element(all.devices, {}, judged);
    if (!knowsModel && most.mayHaveMoreWork)
        return "Which device is slow is unknown: every device has a stage with the embedding or "
               "the output layer, and the run does not state its layers.";
    return fmt::format("No device is a straggler: the slowest, device {}, takes {} % longer for "
                       "its work than the others. A straggler takes over {:.0f} % longer, beyond "
                       "the noise.",
                       most.device.value, percent(std::max(0.0, most.excess.value)),
                       100 * kStragglerExcess);
}

} // namespace

std::vector<std::string> stragglersText(const Run& run, const Stragglers& found)
{
    std::vector<std::string> text;
    for (const DevicePace& pace : found.devices)
        if (pace.isStraggler) {
            text.push_back(sentenceOf(run, found, pace));
            text.insert(text.end(), pace.hints.begin(), pace.hints.end());
        }
    constexpr std::size_t kMost = 8;
    for (std::size_t i = 0; i < std::min(kMost, found.ranks.size()); ++i)
        text.push_back(sentenceOf(found.ranks[i]));
    if (found.ranks.size() > kMost)
        text.push_back(fmt::format("{} more ranks are slow.", found.ranks.size() - kMost));
    if (found.isRotating)
        text.push_back(rotationText(found));
    else if (text.empty())
        text.push_back(noneText(run, found));
    for (const DevicePace& pace : found.devices)
        if (pace.mayHaveMoreWork && pace.excess.value > kStragglerExcess)
            text.push_back(fmt::format(
                "Device {} takes {} % longer, which the embedding or the output layer of its stage "
                "may explain: {}, so the device does not count as a straggler.",
                pace.device.value, percent(pace.excess.value),
                statesLayers(run) ? "only one kind of its ops takes longer"
                                  : "the run does not state its layers"));
    return text;
}

std::vector<Finding> stragglerFindings(const Run& run, const Stragglers& found)
{
    std::vector<Finding> all;
    for (const DevicePace& pace : found.devices)
        if (pace.isStraggler)
            all.push_back({"straggler", pace.cost, evidenceText(run) + ", replayed without it",
                           sentenceOf(run, found, pace),
                           fmt::format("check the clocks, the memory and the node of device {}, or "
                                       "move layers away from it",
                                       pace.device.value)});
    for (const SlowRank& rank : found.ranks)
        all.push_back(
            {"straggler", std::nullopt,
             fmt::format("medians over the iterations of {} ranks", rank.peers + 1),
             sentenceOf(rank),
             fmt::format("check the clocks, the memory and the node of rank {}", rank.rank)});
    return all;
}

namespace {

using P = ReportedPace;

template<int Kind> // -1: joint ops
Reading kindExcess(const P& p)
{
    const auto found = p.of.excessByKind.find(nameOf(Kind < 0 ? kJoint : Kind));
    return found == p.of.excessByKind.end() ? Reading() : Reading(found->second);
}

constexpr MeasureInfo ofKind(std::string_view key, std::string_view title)
{
    return {key, title, Unit::Change, kColumn | kIfAny};
}

Reading bounds(const Amount& amount, double scale = 1)
{
    return amount.spread == Spread::Interval
        ? Reading(Reading::List{amount.least * scale, amount.most * scale})
        : Reading();
}

Reading ticks(const P& p, double value)
{
    return Reading::time(std::llround(value), p.run.info);
}

constexpr std::array kPace{
    Measure(column("device"), [](const P& p) { return p.of.device.value; }),
    Measure(column("straggler"), [](const P& p) { return p.of.isStraggler; }),
    Measure(column("work", "own work", Unit::Time), [](const P& p) { return ticks(p, p.of.work); }),
    Measure(column("excess", "longer", Unit::Change), [](const P& p) { return p.of.excess.value; }),
    Measure({"excess_interval"}, [](const P& p) { return bounds(p.of.excess); }),
    Measure({"", "95 % interval", Unit::None, kColumn | kIfAny},
            [](const P& p) {
                return p.of.excess.spread == Spread::Interval
                    ? Reading(percent(p.of.excess.least) + " .. " + percent(p.of.excess.most))
                    : Reading();
            }),
    Measure(ofKind("by_kind.F", "F"), kindExcess<static_cast<int>(OpKind::Forward)>),
    Measure(ofKind("by_kind.B", "B"), kindExcess<static_cast<int>(OpKind::Backward)>),
    Measure(ofKind("by_kind.I", "I"), kindExcess<static_cast<int>(OpKind::BackwardInput)>),
    Measure(ofKind("by_kind.W", "W"), kindExcess<static_cast<int>(OpKind::BackwardWeight)>),
    Measure(ofKind("by_kind.RC", "RC"), kindExcess<static_cast<int>(OpKind::Recompute)>),
    Measure(ofKind("by_kind.joint", "joint"), kindExcess<-1>),
    Measure(column("waits", "waits", Unit::Time), [](const P& p) { return ticks(p, p.of.waits); }),
    Measure(column("slowest", "slowest in"), [](const P& p) { return p.of.slowest; }),
    Measure({"may_have_more_work"}, [](const P& p) { return p.of.mayHaveMoreWork; }),
    Measure({"cost"},
            [](const P& p) { return p.of.cost ? ticks(p, p.of.cost->value) : Reading(); }),
    Measure({"cost_interval"},
            [](const P& p) {
                return p.of.cost && p.of.cost->spread == Spread::Interval
                    ? Reading(Reading::List{ticks(p, p.of.cost->least), ticks(p, p.of.cost->most)})
                    : Reading();
            }),
    Measure({"hints"}, [](const P& p) { return Reading(p.of.hints); }),
};

} // namespace

std::span<const Measure<ReportedPace>> paceMeasures()
{
    return kPace;
}

} // namespace profiler
