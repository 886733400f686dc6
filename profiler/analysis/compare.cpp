#include "profiler/analysis/compare.h"

#include "engine/base/bootstrap.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/cost/transformer.h"
#include "profiler/analysis/run_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace profiler {

using namespace engine;

namespace {
// The metrics of the measured iterations, or of about as many of them as take 0.1 s.
std::vector<RunMetrics> measuredMetrics(const Run& run)
{
    constexpr std::size_t kMost = 64, kFewest = 3, kMostOps = 2'000'000;
    std::vector<int> measured;
    for (int i = 0; i < std::ssize(run.timeline.iterations); ++i)
        if (run.timeline.iterations[i].kind == Iteration::Kind::Measured)
            measured.push_back(i);
    const std::size_t ops = std::max<std::size_t>(1, OpIndex(run.schedule).count());
    const std::size_t most = std::clamp(kMostOps / ops, kFewest, kMost);
    const std::size_t step = (measured.size() + most - 1) / most;
    std::vector<RunMetrics> all;
    for (std::size_t i = 0; i < measured.size(); i += step)
        if (auto one = metrics(run, measured[i]); one && one->mean(&DeviceMetrics::compute) > 0)
            all.push_back(*std::move(one));
    return all;
}

// A number that the schedule decides, such as messages, or that was planned.
bool isCounted(const MeasureInfo& measure, const Reading& value)
{
    return measure.unit == Unit::Bytes || measure.unit == Unit::Activations
        || (measure.unit == Unit::None && std::holds_alternative<std::int64_t>(value.data));
}

std::optional<Amount> amountOf(const Measure<ReportedRun>& measure, const ReportedRun& of,
                               const std::vector<RunMetrics>& iterations)
{
    constexpr double kParts = 1e6; // of a number that is not in ticks
    const Reading reported = measure(of);
    if (!reported.number())
        return std::nullopt;
    Amount amount{*reported.number(), Spread::Exact};
    std::optional<Interval> interval = reported.interval;
    const double parts = measure.unit == Unit::Time ? 1 : kParts;
    if (!interval && of.info().mode != Mode::Simulate) {
        std::vector<std::int64_t> values;
        for (const RunMetrics& one : iterations)
            values.push_back(std::llround(parts * measure({of.run, one}).number().value_or(0)));
        const auto isReported
            = [&](std::int64_t value) { return value == std::llround(parts * amount.value); };
        if (std::ranges::all_of(values, isReported)
            && (values.size() > 2 || isCounted(measure, reported)))
            return amount;
        interval = medianInterval(values);
        amount.spread = Spread::Unknown;
    }
    if (!interval)
        return amount;
    const double scale = reported.interval ? 1 : parts;
    return Amount{amount.value, Spread::Interval,
                  std::min(amount.value, static_cast<double>(interval->least) / scale),
                  std::max(amount.value, static_cast<double>(interval->most) / scale)};
}

void multiply(Amount& amount, double by)
{
    for (double* one : {&amount.value, &amount.least, &amount.most})
        *one *= by;
}

// The median of the measured iterations of every round; empty with fewer than three rounds.
std::vector<double> roundMedians(const Run& run)
{
    std::map<std::int64_t, std::vector<std::int64_t>> rounds;
    std::int64_t measured = 0;
    for (const Iteration& one : run.timeline.iterations)
        if (one.kind == Iteration::Kind::Measured && run.info.plannedIterations > 0)
            rounds[measured++ * run.info.rounds / run.info.plannedIterations].push_back(
                one.window.duration());
    std::vector<double> medians;
    for (auto& [round, times] : rounds)
        medians.push_back(static_cast<double>(medianOf(times)));
    return medians.size() < 3 ? std::vector<double>() : medians;
}

void addAmounts(const std::vector<const Run*>& runs, Comparison& comparison)
{
    const Run& base = *runs[comparison.baseline];
    for (std::size_t r = 0; r < runs.size(); ++r) {
        ComparedRun& compared = comparison.runs[r];
        const RunInfo& info = runs[r]->info;
        const bool sharesPeak = info.peakFlops > 0 && base.info.peakFlops > 0
            && info.deviceName == base.info.deviceName;
        if (sharesPeak)
            addRates(info, base.info.peakFlops, runs[r]->schedule.shape.dataParallel,
                     compared.metrics);
        std::vector<RunMetrics> iterations;
        if (runs.size() > 1 && info.mode != Mode::Simulate)
            iterations = measuredMetrics(*runs[r]);
        const double ticks = ratio(base.info.ticksPerUnit, info.ticksPerUnit)
            * (comparison.isPerToken ? 1000 / static_cast<double>(info.tokensPerIteration) : 1);
        compared.session = info.session;
        compared.rounds = roundMedians(*runs[r]);
        for (double& round : compared.rounds)
            round *= ticks;
        for (const Measure<ReportedRun>& measure : runMeasures()) {
            if ((measure.shown & (kDifference | kOperation)) == 0)
                continue;
            auto amount = amountOf(measure, {*runs[r], compared.metrics}, iterations);
            if (amount && measure.unit == Unit::Time)
                multiply(*amount, ticks);
            if (amount)
                compared.amounts.emplace(measure.key, *amount);
        }
        if (compared.amount("peak_stash") == nullptr)
            compared.peakStash.reset();
    }
}

Result<ComparedRun> comparedRun(const Run& run)
{
    auto numbers = TRY(metrics(run));
    ComparedRun compared;
    compared.mode = run.info.mode;
    compared.isOversubscribed = run.info.isOversubscribed();
    compared.hasOlderWeights = run.schedule.shape.windows > 1;
    compared.ticksPerUnit = run.info.ticksPerUnit;
    compared.tokensPerIteration = run.info.tokensPerIteration;
    if (knowsMicroBatches(run.info))
        compared.peakStash = numbers.peakStash();
    compared.peakBytes = numbers.peakBytes();
    compared.interval = iterationInterval(run, numbers.iteration);
    compared.metrics = std::move(numbers);
    return compared;
}

// "" for a run of ours.
std::string tracedBy(const Run& run)
{
    return run.info.import ? run.info.import->program : "";
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

// The default of an option of `bscope run` that a preset has; "" if unknown.
std::string valueOfModel(const std::string& model, std::string_view option)
{
    const auto sizes = loadTransformer(model);
    if (!sizes)
        return {};
    return option == "--layers"  ? std::to_string(sizes->layers)
        : option == "--width"    ? std::to_string(sizes->width)
        : option == "--heads"    ? std::to_string(sizes->heads)
        : option == "--sequence" ? std::to_string(sizes->sequence)
                                 : std::string();
}

// Whether two runs were given different values of an option of `bscope run`.
bool contradictIn(const std::vector<const Run*>& runs, std::string_view option)
{
    std::optional<std::string> known;
    for (const Run* run : runs) {
        if (run->info.command.empty() || run->info.model.empty())
            continue; // Only runs that this program trained have these options.
        std::string value = valueOfModel(run->info.model, option);
        for (const auto& [name, given] : settingsOf(*run))
            if (name == option)
                value = given;
        if (known && *known != value)
            return true;
        known = value;
    }
    return false;
}

constexpr const char* kOtherModels = "the runs train different models";

bool trainOtherModels(const std::vector<const Run*>& runs)
{
    return contradict(runs, [](const Run& r) { return r.info.model; })
        || contradictIn(runs, "--width") || contradictIn(runs, "--layers")
        || contradictIn(runs, "--heads");
}

// Notes on those differences between the runs that make a comparison less meaningful.
struct Notes
{
    enum class Kind : std::uint8_t {
        Condition,
        Stated // what is assumed, or what the numbers already allow for
    };
    std::vector<std::string> all, conditions;

    void addIf(bool holds, const std::string& note, Kind kind = Kind::Condition)
    {
        if (!holds)
            return;
        all.push_back(note);
        if (kind == Kind::Condition)
            conditions.push_back(note);
    }
};

// Adds notes on differing models and amounts of work.
void addNotesOnWork(const std::vector<const Run*>& runs, Notes& notes)
{
    const auto tokens = [](const Run& r) {
        return r.info.tokensPerIteration > 0 ? std::to_string(r.info.tokensPerIteration)
                                             : std::string();
    };
    const bool haveTokens
        = std::ranges::all_of(runs, [](const Run* r) { return r->info.tokensPerIteration > 0; });
    const bool areKnown
        = std::ranges::all_of(runs, [](const Run* run) { return knowsMicroBatches(run->info); });
    notes.addIf(!areKnown,
                "the micro-batches of an imported run are unknown, so its iterations may do "
                "a different amount of work");
    notes.addIf(!haveTokens && areKnown
                    && differ(runs, [](const Run& r) { return r.schedule.shape.microBatches; }),
                "the runs use different numbers of micro-batches, so their iterations do different "
                "amounts of work");
    notes.addIf(contradict(runs, tokens),
                "the iterations of the runs process different numbers of tokens",
                haveTokens ? Notes::Kind::Stated : Notes::Kind::Condition); // times are per token
    notes.addIf(trainOtherModels(runs), kOtherModels);
    notes.addIf(
        runs.size() > 1
            && std::ranges::any_of(runs,
                                   [](const Run* run) {
                                       return run->info.mode == Mode::Imported
                                           && run->info.model.empty();
                                   }),
        "a trace does not tell its model and batch, which are taken to be the same in all runs",
        Notes::Kind::Stated);
    notes.addIf(contradictIn(runs, "--sequence"), "the runs have different sequence lengths");
}

// Whether runs of this program were measured without taking turns.
bool areMeasuredApart(const std::vector<const Run*>& runs)
{
    const auto isMeasured = [](const Run* run) {
        return run->info.mode == Mode::Emulate || run->info.mode == Mode::Live;
    };
    return std::ranges::all_of(runs, isMeasured)
        && ((runs.size() > 1 && runs.front()->info.session.empty())
            || differ(runs, [](const Run& run) { return run.info.session; }));
}

bool haveOtherClocks(const std::vector<const Run*>& runs)
{
    int least = 0, most = 0; // MHz
    for (const Run* run : runs)
        if (const int clock = run->info.machine.clocks.median; clock > 0) {
            least = least == 0 ? clock : std::min(least, clock);
            most = std::max(most, clock);
        }
    return most > least * 1.05;
}

Notes notesOn(const std::vector<const Run*>& runs)
{
    Notes notes;
    notes.addIf(
        differ(runs, [](const Run& r) { return r.info.inUnits(); }),
        "abstract units cannot be compared with measured times, so no differences are shown");
    notes.addIf(differ(runs, [](const Run& r) { return r.info.mode; }),
                "the runs have different modes (simulated, emulated, live)");
    for (const Run* run : runs)
        notes.addIf(run->info.isOversubscribed() || run->info.isDisturbed(),
                    run->info.label + ": " + engine::modeDescription(run->info));
    notes.addIf(differ(runs, [](const Run& r) { return r.schedule.shape.devices; }),
                "the runs use different numbers of devices");
    notes.addIf(differ(runs, [](const Run& r) { return r.schedule.shape.windows > 1; }),
                "asynchronous schemes do not flush between iterations and train with older weights",
                Notes::Kind::Stated); // they are not ranked
    addNotesOnWork(runs, notes);
    notes.addIf(contradict(runs, [](const Run& r) { return r.info.deviceName; }),
                "the runs were measured on different hardware");
    notes.addIf(contradict(runs,
                           [](const Run& r) {
                               const bool ran
                                   = r.info.mode == Mode::Emulate || r.info.mode == Mode::Live;
                               return ran ? r.info.program : std::string();
                           }),
                "the runs were recorded by different builds of this program");
    notes.addIf(contradict(runs, tracedBy), "the runs were traced by different programs");
    notes.addIf(contradict(runs, [](const Run& r) { return r.info.timing; }),
                "the ops were timed with different clocks");
    notes.addIf(differ(runs, [](const Run& r) { return r.info.link; }),
                "the runs assume different links between devices");
    notes.addIf(contradictIn(runs, "--mapping"), "the runs map devices to nodes differently");
    notes.addIf(contradictIn(runs, "--device-memory") || contradictIn(runs, "--reserve"),
                "the runs have different memory limits");
    notes.addIf(haveOtherClocks(runs), "the clocks of the GPUs differ by over 5 %");
    return notes;
}

} // namespace

std::optional<Interval> iterationInterval(const Run& run, int iteration)
{
    const auto& iterations = run.timeline.iterations;
    if (run.info.mode == Mode::Simulate || iterations.empty()
        || iteration != reportedIteration(run.timeline))
        return std::nullopt;
    std::vector<std::int64_t> durations;
    for (const Iteration& one : iterations)
        if (one.kind == Iteration::Kind::Measured)
            durations.push_back(one.window.duration());
    auto interval = medianInterval(durations);
    const std::int64_t median = iterations[iteration].window.duration();
    if (interval) // of an even count the median lies between two iterations
        interval = Interval{std::min(interval->least, median), std::max(interval->most, median)};
    return interval;
}

Result<Comparison> compare(const std::vector<const Run*>& runs, std::size_t baseline)
{
    if (runs.empty() || baseline >= runs.size())
        return invalid("a comparison needs at least one run, and one of them as baseline");
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
    comparison.isPerToken = differ(runs, [](const Run& r) { return r.info.tokensPerIteration; })
        && std::ranges::all_of(runs, [](const Run* r) { return r->info.tokensPerIteration > 0; });
    Notes notes = notesOn(runs);
    comparison.notes = std::move(notes.all);
    comparison.conditions = std::move(notes.conditions);
    comparison.isMeasuredApart = areMeasuredApart(runs);
    if (trainOtherModels(runs))
        comparison.obstacle = kOtherModels;
    addAmounts(runs, comparison);
    return comparison;
}

bool Change::isDistinguishable() const
{
    return by.spread == Spread::Exact
        ? by.value != 0
        : by.spread == Spread::Interval && (by.least > 0 || by.most < 0);
}

bool Change::isMarked() const
{
    constexpr double kMarkedFrom = 0.01; // share of the baseline
    return isDistinguishable() && std::abs(by.value) > kMarkedFrom * std::abs(from);
}

Change change(const Amount& from, const Amount& to)
{
    Change change{from.value, {to.value - from.value, std::max(from.spread, to.spread)}};
    if (change.by.spread != Spread::Interval)
        return change;
    const auto below
        = [](const Amount& of) { return of.spread == Spread::Exact ? 0 : of.value - of.least; };
    const auto above
        = [](const Amount& of) { return of.spread == Spread::Exact ? 0 : of.most - of.value; };
    change.by.least = change.by.value - std::hypot(below(to), above(from));
    change.by.most = change.by.value + std::hypot(above(to), below(from));
    return change;
}

Amount meanAmount(const std::vector<double>& values)
{
    const double count = values.size();
    double mean = 0, squares = 0;
    for (const double value : values)
        mean += value / count;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const double half = studentQuantile(count - 1) * std::sqrt(squares / (count - 1) / count);
    return {mean, half > 0 ? Spread::Interval : Spread::Exact, mean - half, mean + half};
}

const Amount* ComparedRun::amount(std::string_view key) const
{
    const auto found = amounts.find(key);
    return found == amounts.end() ? nullptr : &found->second;
}

double ComparedRun::time() const
{
    const Amount* iteration = amount("iteration");
    return iteration == nullptr ? 0 : iteration->value;
}

std::optional<Change> Comparison::change(std::string_view key, std::size_t run,
                                         std::size_t other) const
{
    const Amount *from = runs[other].amount(key), *to = runs[run].amount(key);
    if (from == nullptr || to == nullptr || !haveOneUnit(run, other))
        return std::nullopt;
    Change change = profiler::change(*from, *to);
    const ComparedRun &a = runs[other], &b = runs[run];
    if (key != "iteration" || a.rounds.empty() || a.session != b.session
        || a.rounds.size() != b.rounds.size())
        return change;
    std::vector<double> perRound;
    std::ranges::transform(b.rounds, a.rounds, std::back_inserter(perRound), std::minus());
    const Amount mean = meanAmount(perRound);
    change.by = {change.by.value, Spread::Interval, std::min(change.by.value, mean.least),
                 std::max(change.by.value, mean.most)};
    return change;
}

namespace {

struct Setting
{
    const char* title;
    std::string (*value)(const Run& run);
};

// The value of a setting that the trace of another program does not state.
constexpr std::string_view kUnknown = "unknown";

std::string shapeText(int value, bool isKnown = true)
{
    return isKnown ? std::to_string(value) : std::string(kUnknown);
}

constexpr std::array kSettings{
    Setting{"D", [](const Run& run) { return shapeText(run.schedule.shape.devices); }},
    Setting{"N",
            [](const Run& run) {
                return shapeText(run.schedule.shape.microBatches, knowsMicroBatches(run.info));
            }},
    Setting{"v",
            [](const Run& run) {
                return shapeText(run.schedule.shape.chunks(), knowsStages(run.info));
            }},
    Setting{"slices", [](const Run& run) { return shapeText(run.schedule.shape.slices); }},
    Setting{"W", [](const Run& run) { return shapeText(run.schedule.shape.dataParallel); }},
    Setting{"mode", [](const Run& run) { return std::string(modeAdjective(run.info.mode)); }},
    Setting{"traced by", tracedBy},
    Setting{"model", [](const Run& run) { return run.info.model; }},
    Setting{"precision", [](const Run& run) { return run.info.precision; }},
    Setting{"hardware", [](const Run& run) { return run.info.deviceName; }},
    Setting{"link", [](const Run& run) { return run.info.link; }},
    Setting{"transport", [](const Run& run) { return run.info.transport; }},
};

// Options that other settings already cover, or that do not affect the comparison.
const std::set<std::string, std::less<>> kOtherOptions{
    "--scheme",        "--schedule",       "--devices",     "--micro-batches", "--chunks",
    "--data-parallel", "--mode",           "--model",       "--precision",     "--transport",
    "--trace",         "--iterations",     "--warmup",      "--calibrate",     "--p2p",
    "--latency",       "--link-bandwidth", "--link-latency"};

using Options = std::map<std::string, std::string, std::less<>>;

// Parses the options of a stored command, which has none at their defaults: "--seed 2 --blocking".
Options optionsOf(const std::string& command)
{
    Options options;
    std::size_t begin = command.find(" --");
    while (begin != std::string::npos) {
        const std::size_t end = command.find(" --", begin + 1);
        const std::string one = command.substr(begin + 1, end - begin - 1);
        const std::size_t blank = one.find(' ');
        const std::string name = one.substr(0, blank);
        if (!kOtherOptions.contains(name)) {
            std::string& value = options[name];
            value += (value.empty() ? "" : ", ")
                + (blank == std::string::npos ? "on" : one.substr(blank + 1));
        }
        begin = end;
    }
    return options;
}

void addIfDifferent(std::vector<Difference>& all, Difference one)
{
    const auto differs = [&](const std::string& value) { return value != one.values.front(); };
    if (std::ranges::any_of(one.values, differs))
        all.push_back(std::move(one));
}

std::string labelOf(const Run& run)
{
    return run.info.label.empty() ? run.info.scheme : run.info.label;
}

// The differing settings of run `index`: "D = 4, --seed 2". Long values, such as those of the
// hardware, are left out.
std::string suffixOf(const std::vector<Difference>& differences, std::size_t index)
{
    constexpr std::size_t kLongest = 24;
    std::string text;
    for (const auto& [title, values] : differences)
        // Options that were not given and unknown values are not named.
        if (!values[index].empty() && values[index] != kUnknown && values[index].size() <= kLongest)
            text += title == "--set" // "concat=early" names its option
                ? ", " + values[index]
                : fmt::format(", {}{}{}", title, title.starts_with('-') ? " " : " = ",
                              values[index]);
    return text;
}

} // namespace

std::vector<std::pair<std::string, std::string>> settingsOf(const Run& run)
{
    std::vector<std::pair<std::string, std::string>> settings;
    for (const Setting& setting : kSettings)
        settings.emplace_back(setting.title, setting.value(run));
    for (auto& [name, value] : optionsOf(run.info.command))
        settings.emplace_back(name, value);
    return settings;
}

std::vector<Difference> differences(const std::vector<const Run*>& runs)
{
    std::vector<std::map<std::string, std::string>> settings;
    std::set<std::string> options; // the options of all runs, sorted by name
    for (const Run* run : runs) {
        const auto of = settingsOf(*run);
        settings.emplace_back(of.begin(), of.end());
        for (std::size_t i = kSettings.size(); i < of.size(); ++i)
            options.insert(of[i].first);
    }
    std::vector<std::string> titles;
    for (const Setting& setting : kSettings)
        titles.emplace_back(setting.title);
    titles.insert(titles.end(), options.begin(), options.end());
    std::vector<Difference> all;
    for (const std::string& title : titles) {
        Difference one{title, {}};
        for (auto& of : settings)
            one.values.push_back(of[title]); // "" for an option that was not given
        if (!runs.empty())
            addIfDifferent(all, std::move(one));
    }
    return all;
}

std::vector<std::string> distinctLabels(const std::vector<const Run*>& runs)
{
    std::map<std::string, std::vector<std::size_t>> same; // label -> indices of the runs with it
    for (std::size_t i = 0; i < runs.size(); ++i)
        same[labelOf(*runs[i])].push_back(i);
    std::vector<std::string> labels(runs.size());
    for (const auto& [label, indices] : same) {
        std::vector<const Run*> group;
        for (const std::size_t i : indices)
            group.push_back(runs[i]);
        const auto found = differences(group);
        std::map<std::string, int> seen;
        for (std::size_t k = 0; k < indices.size(); ++k) {
            std::string& name = labels[indices[k]] = label + suffixOf(found, k);
            if (const int number = ++seen[name]; number > 1)
                name += fmt::format(" ({})", number);
        }
    }
    return labels;
}

std::vector<const Measure<ReportedRun>*> historyMeasures()
{
    std::vector<const Measure<ReportedRun>*> all;
    for (const Measure<ReportedRun>& measure : runMeasures())
        if ((measure.shown & kDifference) != 0)
            all.push_back(&measure);
    return all;
}

namespace {

std::string otherConditions(const Run& run, const Run& before, const Comparison& comparison)
{
    std::string text = run.info.scheme == before.info.scheme ? "" : "scheme";
    for (const Difference& one : comparison.differences)
        text += (text.empty() ? "" : ", ") + one.title;
    return text.empty() ? comparison.obstacle : text;
}

} // namespace

Result<HistoryPoint> historyPoint(const Run& run, const Run* before, std::string_view key)
{
    // With itself, because a comparison has the intervals of all numbers.
    const auto own = TRY(compare({&run, &run}));
    HistoryPoint point;
    if (const Amount* amount = own.base().amount(key))
        point.value = *amount;
    else
        for (const auto* measure : historyMeasures())
            if (measure->key == key)
                point.whyUnknown = (*measure)({run, own.base().metrics}).note;
    if (before == nullptr)
        return point;
    const auto both = TRY(compare({before, &run}));
    point.conditions = otherConditions(run, *before, both);
    if (point.conditions.empty())
        point.change = both.change(key, 1);
    point.isMeasuredApart = point.change && both.isMeasuredApart;
    return point;
}

} // namespace profiler
