#include "profiler/study/reproduce.h"

#include "engine/base/try.h"
#include "engine/cost/bpipe_gain.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/explain.h"
#include "profiler/predict/predict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace profiler {

using namespace engine;

bool Reproduced::isWithin() const
{
    constexpr double kRounding = 1e-9;
    return std::abs(computed - published) <= tolerance + kRounding;
}

namespace {

using Rows = std::vector<Reproduced>;

// An order of ops in cost units: F = 1, B = 2, and messages that are free by default.
struct UnitOrder
{
    const char* scheme;
    int devices, microBatches;
    std::map<std::string, std::string, std::less<>> options = {};
    Fraction message = {0};

    std::string text() const // the conditions of a row
    {
        return fmt::format("D = {}, N = {}{}", devices, microBatches,
                           options.contains("concat") ? ", " + options.at("concat") : "");
    }
};

Result<PredictedRun> unitRun(const UnitOrder& order)
{
    PredictionRequest request;
    request.schedule.scheme = order.scheme;
    request.schedule.devices = order.devices;
    request.schedule.microBatches = order.microBatches;
    request.schedule.options = order.options;
    request.costs.p2p = order.message;
    const auto costs = TRY(costsOf(request));
    return orderOf(request).and_then(
        [&](Schedule schedule) { return predict(std::move(schedule), costs); });
}

double bubblePercent(const PredictedRun& of)
{
    return 100 * of.metrics.bubbleRatio;
}

constexpr double kRoundedPercent = 0.005;

Result<void> addBitPipeSchedules(Rows& rows)
{
    struct Order
    {
        int devices, microBatches;
        double iteration;
    };
    for (const Order& order : {Order{4, 4, 14}, Order{4, 8, 27}, Order{8, 8, 30}, Order{8, 16, 57},
                               Order{16, 16, 62}, Order{16, 32, 117}, Order{32, 32, 126}}) {
        const auto [devices, microBatches, iteration] = order;
        const UnitOrder direct{"bitpipe", devices, microBatches, {{"concat", "direct"}}};
        const auto run = TRY(unitRun(direct));
        const RunMetrics& of = run.metrics;
        const auto add = [&](const char* what, double published, double computed) {
            rows.push_back({what, direct.text(), published, computed, 0, "code", ""});
        };
        add("BitPipe, iteration in units", iteration, run.length());
        add("BitPipe, messages 4N(D-1)", 4.0 * microBatches * (devices - 1), of.messages);
        add("BitPipe, local copies 2N", 2.0 * microBatches, of.localCopies);
        add("BitPipe, weights in M_theta", 2, of.weights());
        add("BitPipe, largest stash in M_a", devices, of.peakStash());
        add("BitPipe, smallest stash in M_a, (3D+2)/4", (3 * devices + 2) / 4.0,
            std::ranges::min(of.devices, {}, &DeviceMetrics::peakStash).peakStash);
    }
    return {};
}

// The published formula holds for N = D. For N > D it is compared with both concatenations.
Result<void> addBitPipeBubbles(Rows& rows)
{
    for (const int devices : {4, 8, 16, 32})
        for (int units = 1; units <= (devices <= 8 ? 8 : 2); units *= 2)
            for (const char* concat : {"direct", "early"}) {
                const UnitOrder order{"bitpipe", devices, units * devices, {{"concat", concat}}};
                const char* const cause = units == 1 ? ""
                    : order.options.at("concat") == "direct"
                    ? "The authors' code concatenates units of D micro-batches, which adds "
                      "(D-2)(N/D-1)/2 units; the formula holds for N = D."
                    : "This program's early concatenation is shorter than the formula, with up to "
                      "5D/4 - 1/2 stashes.";
                const auto run = TRY(unitRun(order));
                rows.push_back({"BitPipe, bubble (D-2)/(3N+D-2) in %", order.text(),
                                100.0 * (devices - 2) / (3 * units * devices + devices - 2),
                                bubblePercent(run), kRoundedPercent, "figure", cause});
            }
    return {};
}

Result<void> addBaselines(Rows& rows)
{
    struct Baseline
    {
        const char *scheme, *formula;
        double idle; // units, at D = 8
        int most;    // largest N for which the formula holds
    };
    constexpr int kDevices = 8;
    for (const auto& [scheme, formula, idle, most] :
         {Baseline{"gpipe", "(D-1)/(N+D-1)", 21, 32}, Baseline{"1f1b", "(D-1)/(N+D-1)", 21, 32},
          Baseline{"interleaved-1f1b", "(D-1)/(2N+D-1)", 10.5, 32},
          Baseline{"chimera", "(D-2)/(3N/2+D-2)", 12, kDevices}})
        for (int microBatches = kDevices; microBatches <= most; microBatches *= 2) {
            const UnitOrder order{scheme, kDevices, microBatches};
            const auto run = TRY(unitRun(order));
            rows.push_back({fmt::format("{}, bubble {} in %", labelOf(scheme), formula),
                            order.text(), 100 * idle / (3 * microBatches + idle),
                            bubblePercent(run), kRoundedPercent, "derived", ""});
        }
    return {};
}

// BitPipe against other schemes on four nodes of eight A800 GPUs: D = 8, four data-parallel copies
// (W = 4), micro-batches of b sequences. All schemes have the same reserve of memory, and either
// the same mapping or each the fastest one.
struct Throughput
{
    Rows& rows;

    // Adds the rows of a model and returns their answers.
    Result<std::vector<std::string>> add(const char* model, int size)
    {
        std::vector<std::string> answers;
        for (const bool isEqual : {true, false}) {
            std::vector<std::string> parts;
            for (const char* concat : {"direct", "early"}) {
                std::string numbers;
                for (const int microBatches : {8, 16, 32}) {
                    const SetUp setUp{model, size, microBatches, concat};
                    const double ratio = TRY(addRatios(setUp, isEqual));
                    numbers += fmt::format("{}{:.3f}", numbers.empty() ? "" : " / ", ratio);
                }
                parts.push_back(fmt::format("{} ({})", numbers, concat));
            }
            answers.push_back(fmt::format(
                "{}, BitPipe has {} times the throughput of the best other scheme at N = 8 / 16 / "
                "32 ({}, b = {}, D = 8, W = 4, 32 A800 in nodes of 8, reserve 5 %, simulated; "
                "published: 1.05 to 1.28)",
                isEqual ? fmt::format("At equal placement ({})", kDefaultMapping)
                        : "With the fastest mapping of each scheme",
                fmt::join(parts, " and "), model, size));
            nameCauses();
        }
        return answers;
    }

    struct SetUp
    {
        const char* model;
        int size, microBatches;
        const char* concat; // of BitPipe
    };
    struct Ratio
    {
        SetUp setUp;
        std::size_t row;
    };
    struct Timed
    {
        std::string scheme;
        double time = 0; // ns
        std::string mapping;
    };
    static constexpr int kDevices = 8, kCopies = 4;
    static constexpr const char* kSelf = "bitpipe";

    // nullopt if the set-up does not fit in memory
    static Result<std::optional<Timed>> timed(const SetUp& setUp, const std::string& scheme,
                                              std::string_view mapping)
    {
        PredictionRequest request;
        request.schedule.scheme = scheme;
        request.schedule.devices = kDevices;
        request.schedule.microBatches = setUp.microBatches;
        request.schedule.dataParallel = kCopies;
        if (scheme == kSelf)
            request.schedule.options["concat"] = setUp.concat;
        request.source.kind = CostSource::Kind::Hardware;
        request.source.model = setUp.model;
        request.source.hardware = "a800-sxm-80";
        request.source.setup.microBatchSize = setUp.size;
        const auto costs = TRY(costsOf(request));
        PredictOptions options;
        options.mapping = mapping;
        const auto one = TRY(orderOf(request).and_then(
            [&](Schedule order) { return predict(std::move(order), costs, options); }));
        if (const auto peak = one.metrics.peakBytes(); peak && !deviceMemory(one.run).holds(*peak))
            return std::nullopt;
        return Timed{scheme, static_cast<double>(one.metrics.duration), std::string(mapping)};
    }
    static Result<std::optional<Timed>> fastest(const SetUp& setUp, const std::string& scheme,
                                                bool isEqual)
    {
        std::optional<Timed> best;
        for (const std::string_view mapping : kMappingNames)
            if (!isEqual || mapping == kDefaultMapping)
                if (auto one = TRY(timed(setUp, scheme, mapping));
                    one && (!best || one->time < best->time))
                    best = std::move(one);
        return best;
    }

    // Adds the ratio to the best other scheme, which it returns, and at equal placement to each.
    Result<double> addRatios(const SetUp& setUp, bool isEqual)
    {
        const auto own = TRY(fastest(setUp, kSelf, isEqual));
        std::optional<Timed> best;
        for (const char* scheme : {"1f1b", "interleaved-1f1b", "chimera", "mixpipe"}) {
            const auto other = TRY(fastest(setUp, scheme, isEqual));
            if (!own || !other)
                continue;
            if (isEqual)
                TRY(addRow(setUp, isEqual, *own, *other, labelOf(scheme)));
            if (!best || other->time < best->time)
                best = other;
        }
        if (!best)
            return invalid("{} does not fit in memory", setUp.model);
        TRY(addRow(setUp, isEqual, *own, *best, "the best other scheme, " + labelOf(best->scheme)));
        return best->time / own->time;
    }

    Result<void> addRow(const SetUp& setUp, bool isEqual, const Timed& own, const Timed& other,
                        const std::string& against)
    {
        constexpr double kLeast = 1.05, kMost = 1.28; // range that the abstract states
        const UnitOrder bitpipe{kSelf, kDevices, setUp.microBatches, {{"concat", setUp.concat}}};
        const auto ownUnits = TRY(unitRun(bitpipe)),
                   units = TRY(unitRun({other.scheme.c_str(), kDevices, setUp.microBatches}));
        rows.push_back(
            {"BitPipe, speed-up over " + against + " (1.05 to 1.28)",
             fmt::format("{}, b = {}, D = 8, N = {}, {}, W = 4, 32 A800", setUp.model, setUp.size,
                         setUp.microBatches, setUp.concat),
             (kLeast + kMost) / 2, other.time / own.time, (kMost - kLeast) / 2, "abstract",
             fmt::format("With free communication the ratio is {:.3f}. The batches and the "
                         "network of the paper are known only in part.",
                         units.length() / ownUnits.length()),
             isEqual ? own.mapping
                     : fmt::format("fastest of each scheme: {}, {}", own.mapping, other.mapping)});
        ratios.push_back({setUp, rows.size() - 1});
        return {};
    }

    // The cause of a ratio outside the published range is the condition, concatenation or else N,
    // that alone brings it inside.
    void nameCauses()
    {
        const auto isSame = [](const char* a, const char* b) { return std::string_view(a) == b; };
        for (const Ratio& one : ratios) {
            Reproduced& row = rows[one.row];
            const SetUp& own = one.setUp;
            const Ratio* inside = nullptr;
            for (const Ratio& other : ratios) {
                const bool sameConcat = isSame(own.concat, other.setUp.concat);
                const bool sameSize = own.microBatches == other.setUp.microBatches;
                if (rows[other.row].what == row.what && rows[other.row].isWithin()
                    && sameConcat != sameSize && (inside == nullptr || sameSize))
                    inside = &other;
            }
            if (row.isWithin() || inside == nullptr)
                continue;
            const bool isSize = isSame(own.concat, inside->setUp.concat);
            row.cause = fmt::format(
                "{} {} the ratio is {:.3f}; the abstract does not state {}. {}",
                isSize ? "With N =" : "With concat =",
                isSize ? std::to_string(inside->setUp.microBatches) : inside->setUp.concat,
                rows[inside->row].computed, isSize ? "N" : "the concatenation", row.cause);
        }
        ratios.clear();
    }

    std::vector<Ratio> ratios{}; // of one model and placement
};

// Why the looping placement with early concatenation is faster than the V, which sends fewer
// messages: both have the same order only without basic units.
Result<std::string> placementAnswer()
{
    struct Path
    {
        double iteration = 0, compute = 0; // units
        std::ptrdiff_t messages = 0;       // on the critical path
        int all = 0;
    };
    const auto path = [](const char* placement, const char* concat) -> Result<Path> {
        const auto one = TRY(unitRun(
            {"bitpipe", 8, 32, {{"placement", placement}, {"concat", concat}}, Fraction{1, 2}}));
        Path found{one.length(), 0, 0, one.metrics.messages};
        const OpIndex index(one.run.schedule);
        for (const CauseLink& link : Explainer(one.run, one.metrics.iteration).criticalPath()) {
            const bool isMessage = isTransfer(opAt(one.run.schedule, index, link.op).kind);
            found.messages += isMessage ? 1 : 0;
            found.compute
                += isMessage ? 0 : ratio(link.window.duration(), one.run.info.ticksPerUnit);
        }
        return found;
    };
    const auto early = TRY(path("v", "early")), same = TRY(path("v", "alternate")),
               looping = TRY(path("looping", "early"));
    return fmt::format(
        "In one order of ops (alternate), the V takes {:.1f} units and looping {:.1f}: fewer "
        "messages ({} against {}) gain {:.1f}; the order of early costs the V {:.1f} units, so "
        "that it takes {:.1f}, because its critical path passes {} messages and {:.1f} units of "
        "compute, that of looping {} messages and {:.1f} units (D = 8, N = 32, message 0.5 units, "
        "simulated)",
        same.iteration, looping.iteration, same.all, looping.all,
        looping.iteration - same.iteration, early.iteration - same.iteration, early.iteration,
        early.messages, early.compute, looping.messages, looping.compute);
}

EstimateInput inputOf(std::string_view model, int tensorParallel, int stages,
                      AttentionMode attention)
{
    EstimateInput input;
    input.on = {loadTransformer(model).value(), loadHardware("a100-sxm-80").value(), {}};
    input.on.setup.tensorParallel = tensorParallel;
    input.on.setup.attention = attention;
    input.stages = stages;
    return input;
}

constexpr const char* kRoofline
    = "The stage MFU comes from a roofline with planning constants, not from a measurement.";

constexpr const char* kGainConditions = "D = 8, t = 4, B = 128, 32 A100-80";

// Adds the row of a speed-up, and returns how it compares with the published one.
std::string addGain(Rows& rows, const PublishedGain& gain, const char* cause)
{
    const auto answer
        = bpipeGain({inputOf(gain.model, 4, 8, gain.attention), {gain.from, gain.to}, {}, {}});
    const bool flash = gain.attention == AttentionMode::Flash;
    const Reproduced row{fmt::format("{}, {}, b {} -> {}: speed-up", gain.title,
                                     flash ? "flash attention" : "attention recomputed", gain.from,
                                     gain.to),
                         kGainConditions,
                         gain.speedUp,
                         answer.value().rows[1].speedUp,
                         gain.tolerance,
                         std::string(gain.grade),
                         cause};
    rows.push_back(row);
    return fmt::format("{}, {}, b {} -> {}: {:.2f} against {:.2f}, {:+.0f} %", gain.title,
                       flash ? "flash" : "attention recomputed", gain.from, gain.to, row.computed,
                       row.published, 100 * row.deviation());
}

std::string addBpipeGains(Rows& rows)
{
    std::vector<std::string> texts;
    for (const PublishedGain& gain : publishedGains())
        texts.push_back(addGain(
            rows, gain,
            gain.speedUp == 1 ? "The paper calls the gain negligible. The stage MFU comes from a "
                                "roofline with planning constants, not from a measurement."
                              : kRoofline));
    const double flat = 1 / breakEven(inputOf("llama-65b", 4, 8, AttentionMode::Flash), 2, 4);
    texts.push_back(addGain(
        rows, {"LLaMA 65B", "llama-65b", AttentionMode::Flash, 2, 4, flat, "derived", 0.03},
        "No size of the loss is published: the formula of the paper at an unchanged stage MFU. "
        "The roofline lets the stage MFU grow with b."));
    return fmt::format(
        "BPipe's larger micro-batch, from the roofline against the published speed-up: {} ({}; an "
        "upper bound with free transfers; tolerance 8 % for the first)",
        fmt::join(texts, "; "), kGainConditions);
}

Result<void> addBpipeSchedules(Rows& rows)
{
    for (const int devices : {4, 8, 16}) {
        const UnitOrder order{"bpipe", devices, 2 * devices};
        const auto run = TRY(unitRun(order));
        rows.push_back({"BPipe, largest number of stashes of a device, ceil((D+2)/2)", order.text(),
                        std::ceil((devices + 2) / 2.0), run.metrics.peakStash(), 0, "code", ""});
        rows.push_back({"BPipe with free transfers, iteration in units (= 1F1B)", order.text(),
                        3.0 * (3 * devices - 1), run.length(), 0, "derived", ""});
    }
    return {};
}

// A model of arXiv 2205.05198 with tensor-parallel size 8, and the numbers that the paper
// publishes.
struct Megatron
{
    const char *title, *model;
    int stages, chunks, size, batch;
    double state, all, selective, tolerance; // memory in GiB
    double seconds, mfu, hfu;                // time of an iteration; MFU and HFU in %
};
constexpr Megatron kMegatron[]
    = {{"GPT 22B", "gpt-22b", 1, 1, 4, 4, 46, 59, 10, 2, 1.10, 41.5, 43.7},
       {"GPT-3 175B", "gpt3-175b", 8, 3, 1, 64, 45, 67, 13, 2, 13.75, 51.4, 52.8},
       {"MT-NLG 530B", "mt-nlg-530b", 35, 3, 1, 280, 32, 113, 22, 2, 37.83, 56.0, 57.0},
       {"GPT 1T", "gpt-1t", 64, 1, 1, 512, 34, 129, 25, 3, 71.49, 56.3, 57.0}};

void addMegatron(Rows& rows)
{
    constexpr double kGibi = 1 << 30;
    for (const Megatron& one : kMegatron) {
        const auto input = [&](AttentionMode attention, bool sequenceParallel) {
            EstimateInput of = inputOf(one.model, 8, one.stages, attention);
            of.on.setup.sequenceParallel = sequenceParallel;
            of.on.setup.microBatchSize = one.size;
            of.chunks = one.chunks;
            of.globalBatch = one.batch;
            return of;
        };
        const auto all = estimateMemory(input(AttentionMode::Standard, false));
        const auto selective = estimateMemory(input(AttentionMode::Recompute, true));
        const std::string setUp = fmt::format("D = {}, t = 8, v = {}, b = {}, B = {}, A100-80",
                                              one.stages, one.chunks, one.size, one.batch);
        const auto bytes = [&](const char* what, double published, double computed) {
            rows.push_back({fmt::format("{}, {}, GiB", one.title, what), setUp, published,
                            computed / kGibi, one.tolerance, "figure",
                            "Read off the height of a bar."});
        };
        bytes("weights, gradients and optimizer", one.state, all.state);
        bytes("activations", one.all, all.oneFOneB - all.state);
        bytes("activations, sequence parallel and selective recomputation", one.selective,
              selective.oneFOneB - selective.state);
        const auto use = utilisation(input(AttentionMode::Recompute, true), one.seconds);
        const std::string given = fmt::format("{}, {} s per iteration", setUp, one.seconds);
        rows.push_back({one.title + std::string(", MFU in %"), given, one.mfu, 100 * use.mfu, 0.2,
                        "table", ""});
        rows.push_back({one.title + std::string(", HFU in %"), given, one.hfu, 100 * use.hfu, 0.2,
                        "table", ""});
    }
}

} // namespace

Result<Reproduction> reproduce(Paper paper)
{
    Rows rows;
    std::vector<std::string> answers;
    if (paper == Paper::BitPipe) {
        TRY(addBitPipeSchedules(rows));
        TRY(addBitPipeBubbles(rows));
        TRY(addBaselines(rows));
        Throughput throughput{rows};
        answers = TRY(throughput.add("bert-64", 4));
        std::ranges::copy(TRY(throughput.add("gpt-96", 1)), std::back_inserter(answers));
        answers.push_back(TRY(placementAnswer()));
    } else {
        answers = {addBpipeGains(rows),
                   "Not computed: the 1.25 to 2.17 of BPipe's own paper, whose set-ups are not "
                   "known"};
        TRY(addBpipeSchedules(rows));
        addMegatron(rows);
    }
    return Reproduction{std::move(answers), std::move(rows)};
}

} // namespace profiler
