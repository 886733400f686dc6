#include "profiler/analysis/compare.h"

#include "engine/base/bootstrap.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "profiler/analysis/measure.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace profiler {

using namespace engine;

namespace {
void addLosses(const Timeline& timeline, ComparedRun& compared)
{
    for (const Iteration& iteration : timeline.iterations) {
        if (!iteration.loss || iteration.kind == Iteration::Kind::Replay)
            continue;
        if (!compared.lossFirst)
            compared.lossFirst = iteration.loss;
        compared.lossLast = iteration.loss;
    }
}

Result<ComparedRun> comparedRun(const Run& run)
{
    auto numbers = TRY(metrics(run));
    ComparedRun compared;
    compared.mode = run.info.mode;
    compared.isOversubscribed = run.info.isOversubscribed();
    compared.ticksPerUnit = run.info.ticksPerUnit;
    compared.tokensPerIteration = run.info.tokensPerIteration;
    compared.meanCompute = numbers.mean(&DeviceMetrics::compute);
    compared.meanExposed = numbers.mean(&DeviceMetrics::exposedCommunication);
    compared.meanBubble = numbers.mean(&DeviceMetrics::bubble);
    compared.meanOptimizer = numbers.mean(
        [](const DeviceMetrics& device) { return device.byKind[OpKind::OptimizerStep]; });
    if (knowsMicroBatches(run.info))
        compared.peakStash = numbers.peakStash();
    compared.peakBytes = numbers.peakBytes();
    addLosses(run.timeline, compared);
    compared.interval = iterationInterval(run, numbers.iteration);
    compared.metrics = std::move(numbers);
    return compared;
}

template<class Field>
bool differ(const std::vector<const Run*>& runs, Field field)
{
    return std::ranges::any_of(runs,
                               [&](const Run* run) { return field(*run) != field(*runs.front()); });
}

// Whether two runs have different values of a field. Ignores runs that lack the field: a simulated
// run has no hardware and no model.
template<class Field>
bool contradict(const std::vector<const Run*>& runs, Field field)
{
    std::string known;
    for (const Run* run : runs) {
        const std::string said = field(*run);
        if (!known.empty() && !said.empty() && said != known)
            return true;
        known = said.empty() ? known : said;
    }
    return false;
}

// Whether two runs were given different values of an option of `bscope run`.
bool contradictIn(const std::vector<const Run*>& runs, std::string_view option)
{
    std::optional<std::string> known;
    for (const Run* run : runs) {
        if (run->info.command.empty() || run->info.model.empty())
            continue; // Only runs that this program trained have these options.
        std::string value;
        for (const auto& [name, given] : settingsOf(*run))
            if (name == option)
                value = given;
        if (known && *known != value)
            return true;
        known = value;
    }
    return false;
}

// Adds notes on differing models and amounts of work.
void addNotesOnWork(const std::vector<const Run*>& runs, std::vector<std::string>& notes)
{
    const auto noteIf = [&notes](bool holds, const char* note) {
        if (holds)
            notes.emplace_back(note);
    };
    const auto tokens = [](const Run& r) {
        return r.info.tokensPerIteration > 0 ? std::to_string(r.info.tokensPerIteration)
                                             : std::string();
    };
    const bool haveTokens
        = std::ranges::all_of(runs, [](const Run* r) { return r->info.tokensPerIteration > 0; });
    const bool areKnown
        = std::ranges::all_of(runs, [](const Run* run) { return knowsMicroBatches(run->info); });
    noteIf(!areKnown,
           "the micro-batches of an imported run are unknown, so its iterations may do "
           "a different amount of work");
    noteIf(!haveTokens && areKnown
               && differ(runs, [](const Run& r) { return r.schedule.shape.microBatches; }),
           "the runs use different numbers of micro-batches, so their iterations do different "
           "amounts of work");
    noteIf(contradict(runs, tokens),
           "the iterations of the runs process different numbers of tokens");
    noteIf(contradict(runs, [](const Run& r) { return r.info.model; })
               || contradictIn(runs, "--width") || contradictIn(runs, "--layers")
               || contradictIn(runs, "--heads"),
           "the runs train different models");
    noteIf(contradictIn(runs, "--sequence"), "the runs have different sequence lengths");
}

// Returns notes on those differences between the runs that make a comparison less meaningful.
std::vector<std::string> notesOn(const std::vector<const Run*>& runs)
{
    std::vector<std::string> notes;
    const auto noteIf = [&notes](bool holds, const char* note) {
        if (holds)
            notes.emplace_back(note);
    };
    noteIf(differ(runs, [](const Run& r) { return r.info.inUnits(); }),
           "abstract units cannot be compared with measured times, so no differences are shown");
    noteIf(differ(runs, [](const Run& r) { return r.info.mode; }),
           "the runs have different modes (simulated, emulated, live)");
    for (const Run* run : runs)
        if (run->info.isOversubscribed() || run->info.isDisturbed())
            notes.push_back(run->info.label + ": " + engine::modeDescription(run->info));
    noteIf(differ(runs, [](const Run& r) { return r.schedule.shape.devices; }),
           "the runs use different numbers of devices");
    noteIf(differ(runs, [](const Run& r) { return r.schedule.shape.windows > 1; }),
           "asynchronous schemes do not flush between iterations and train with older weights");
    addNotesOnWork(runs, notes);
    noteIf(contradict(runs, [](const Run& r) { return r.info.deviceName; }),
           "the runs were measured on different hardware");
    noteIf(differ(runs, [](const Run& r) { return r.info.link; }),
           "the runs assume different links between devices");
    return notes;
}

// "23.5 ms less bubble"; "" if the difference is printed as 0.
std::string part(double difference, std::int64_t ticksPerUnit, const std::string& what)
{
    const std::string number = meanNumber(std::fabs(difference), ticksPerUnit);
    if (number == "0.0")
        return {};
    return number + " " + timeUnit(ticksPerUnit) + (difference < 0 ? " less " : " more ") + what;
}

std::string join(const std::vector<std::string>& parts)
{
    std::string text;
    for (const std::string& one : parts)
        if (!one.empty())
            text += (text.empty() ? "" : ", ") + one;
    return text;
}
} // namespace

std::optional<Interval> medianInterval(std::vector<std::int64_t> times)
{
    std::vector<std::int64_t> sample(times.size());
    return bootstrapInterval(times.size(), 1000, [&](auto drawn) {
        std::ranges::transform(drawn, sample.begin(), [&](std::size_t i) { return times[i]; });
        return medianOf(sample);
    });
}

std::optional<Interval> iterationInterval(const Run& run, int iteration)
{
    const auto& iterations = run.timeline.iterations;
    if (run.info.mode == Mode::Simulate || iterations.empty()
        || iteration != reportedIteration(run.timeline))
        return std::nullopt;
    const Iteration& reported = iterations[static_cast<std::size_t>(iteration)];
    std::optional<Interval> interval;
    if (reported.kind == Iteration::Kind::Replay) {
        if (reported.interval != Interval())
            interval = reported.interval;
    } else {
        std::vector<std::int64_t> durations;
        for (const Iteration& one : iterations)
            if (one.kind == Iteration::Kind::Measured)
                durations.push_back(one.window.duration());
        interval = medianInterval(std::move(durations));
    }
    if (interval)
        interval = Interval{std::min(interval->least, reported.window.duration()),
                            std::max(interval->most, reported.window.duration())};
    return interval;
}

Result<Comparison> compare(const std::vector<const Run*>& runs, std::size_t baseline)
{
    if (runs.empty() || baseline >= runs.size())
        return fail(Error::Code::InvalidArgument,
                    "a comparison needs at least one run, and one of them as baseline");
    Comparison comparison;
    comparison.baseline = baseline;
    comparison.differences = differences(runs);
    const std::vector<std::string> labels = distinctLabels(runs);
    for (const Run* run : runs) {
        auto compared = TRY(comparedRun(*run));
        compared.label = labels[comparison.runs.size()];
        comparison.runs.push_back(std::move(compared));
    }
    comparison.comparable = !differ(runs, [](const Run& r) { return r.info.inUnits(); });
    comparison.notes = notesOn(runs);
    return comparison;
}

// Explains the difference in iteration time by compute, exposed communication and bubble. On every
// device these three add up to the iteration, so the differences of their means add up to the
// difference of the iterations.
std::string summarize(const Comparison& comparison, std::size_t run)
{
    const ComparedRun& base = comparison.runs[comparison.baseline];
    const ComparedRun& one = comparison.runs[run];
    if (run == comparison.baseline)
        return one.label + " is the baseline";
    if ((one.ticksPerUnit == 1) != (base.ticksPerUnit == 1))
        return one.label + " and " + base.label
            + " cannot be compared: one is in abstract units, the other in nanoseconds";
    const double scale = engine::ratio(base.ticksPerUnit, one.ticksPerUnit);
    const auto difference
        // Converts to ticks of the baseline before subtracting.
        = [&](double of, double than) { return of * scale - than; };
    const double whole = difference(one.metrics.duration, base.metrics.duration);
    const std::string parts
        = join({part(difference(one.meanBubble, base.meanBubble), base.ticksPerUnit, "bubble"),
                part(difference(one.meanExposed, base.meanExposed), base.ticksPerUnit,
                     "exposed communication"),
                part(difference(one.meanCompute, base.meanCompute), base.ticksPerUnit, "compute")});
    const std::string gap = meanNumber(std::fabs(whole), base.ticksPerUnit);
    const std::string reasons = parts.empty() ? "" : ": " + parts;
    if (gap == "0.0")
        return one.label + " takes as long as " + base.label + reasons;
    const bool isUnclear = one.interval && base.interval && one.interval->overlaps(*base.interval);
    return one.label + " is " + gap + " " + timeUnit(base.ticksPerUnit)
        + (whole < 0 ? " shorter than " : " longer than ") + base.label
        + (isUnclear ? ", not distinguishable (the 95 % intervals overlap)" : "") + reasons;
}

} // namespace profiler
