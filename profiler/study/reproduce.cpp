#include "profiler/study/reproduce.h"

#include "engine/base/try.h"
#include "engine/cost/bpipe_gain.h"
#include "profiler/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

using namespace engine;

bool Reproduced::isWithin() const
{
    constexpr double kRounding = 1e-9;
    return std::abs(computed - published) <= tolerance + kRounding;
}

namespace {

using Predicted = Result<PredictedRun>;

// Predicts an iteration in cost units, with F = 1, B = 2 and free communication.
Predicted unitRun(const std::string& scheme, int devices, int microBatches,
                  const std::string& concatenation = "")
{
    PredictionRequest request;
    request.schedule.scheme = scheme;
    request.schedule.devices = devices;
    request.schedule.microBatches = microBatches;
    if (!concatenation.empty())
        request.schedule.options["concat"] = concatenation;
    return orderOf(request).and_then([](Schedule order) { return predict(std::move(order), {}); });
}

// Collects rows until the first error.
class Rows
{
public:
    void add(Reproduced row) { m_rows.push_back(std::move(row)); }
    // Adds a row whose computed value is `number(run)`, or keeps the error if `run` is an error.
    template<class Number>
    void addRun(const Predicted& run, Reproduced row, Number number)
    {
        if (!run) {
            m_error = m_error ? m_error : run.error();
            return;
        }
        row.computed = number(*run);
        add(std::move(row));
    }
    Result<std::vector<Reproduced>> done()
    {
        return m_error ? Result<std::vector<Reproduced>>(tl::unexpected(*m_error)) : m_rows;
    }

private:
    std::vector<Reproduced> m_rows;
    std::optional<Error> m_error;
};

double iterationOf(const PredictedRun& of)
{
    return static_cast<double>(of.metrics.duration) / static_cast<double>(of.run.info.ticksPerUnit);
}

double largestStash(const PredictedRun& of)
{
    return of.metrics.peakStash();
}

void addBitPipeSchedules(Rows& rows)
{
    struct Order
    {
        int devices, microBatches;
        double iteration;
        int messages;
    };
    for (const Order& order :
         {Order{4, 4, 14, 48}, Order{4, 8, 27, 96}, Order{8, 8, 30, 224}, Order{8, 16, 57, 448},
          Order{16, 16, 62, 960}, Order{16, 32, 117, 1920}, Order{32, 32, 126, 3968}}) {
        const auto run = unitRun("bitpipe", order.devices, order.microBatches, "direct");
        const std::string setup = fmt::format("D = {}, N = {}", order.devices, order.microBatches);
        rows.addRun(run,
                    {"BitPipe, iteration in units, " + setup, order.iteration, 0, 0, "code", ""},
                    iterationOf);
        rows.addRun(run,
                    {"BitPipe, messages 4N(D-1), " + setup, static_cast<double>(order.messages), 0,
                     0, "code", ""},
                    [](const PredictedRun& of) { return of.metrics.messages; });
        rows.addRun(run,
                    {"BitPipe, largest stash in M_a, " + setup, static_cast<double>(order.devices),
                     0, 0, "code", ""},
                    largestStash);
        const bool isOneUnit = order.devices == order.microBatches;
        rows.addRun(run,
                    {"BitPipe, bubble (D-2)/(3N+D-2) in %, " + setup,
                     100.0 * (order.devices - 2) / (3 * order.microBatches + order.devices - 2), 0,
                     0.005, "figure",
                     isOneUnit ? ""
                               : "The authors' code concatenates units of D micro-batches, which "
                                 "adds (D-2)(N/D-1)/2 units; the formula holds for N = D."},
                    [](const PredictedRun& of) { return 100 * of.metrics.bubbleRatio; });
    }
    rows.addRun(unitRun("bitpipe", 8, 16, "early"),
                {"BitPipe with this program's early concatenation, iteration in units, "
                 "D = 8, N = 16",
                 54, 0, 1.5, "derived", ""},
                iterationOf);
}

// Returns the time of an iteration in ns, on four nodes of eight A800 GPUs, with the default
// mapping.
Result<double> iterationOnA800(const std::string& scheme, const char* model, int size,
                               int microBatches)
{
    PredictionRequest request;
    request.schedule.scheme = scheme;
    request.schedule.devices = 8;
    request.schedule.microBatches = microBatches;
    request.schedule.dataParallel = 4;
    request.source.kind = CostSource::Kind::Hardware;
    request.source.model = model;
    request.source.hardware = "a800-sxm-80";
    request.source.setup.microBatchSize = size;
    const auto costs = TRY(costsOf(request));
    return orderOf(request)
        .and_then([&](Schedule order) { return predict(std::move(order), costs); })
        .map([](const PredictedRun& of) { return static_cast<double>(of.metrics.duration); });
}

// Adds the throughput relative to other schemes, at equal placement, with micro-batches of b
// sequences and four data-parallel copies (W = 4) as in the authors' repository.
Result<void> addThroughput(Rows& rows)
{
    struct SetUp
    {
        const char* model;
        int size, microBatches;
    };
    constexpr double kLeast = 1.05, kMost = 1.28; // range that the abstract states
    for (const SetUp& setUp : {SetUp{"bert-64", 4, 8}, SetUp{"bert-64", 4, 16},
                               SetUp{"bert-64", 1, 16}, SetUp{"gpt-96", 1, 16}}) {
        const auto own
            = TRY(iterationOnA800("bitpipe", setUp.model, setUp.size, setUp.microBatches));
        for (const char* scheme : {"1f1b", "interleaved-1f1b", "chimera", "mixpipe"}) {
            const auto other
                = TRY(iterationOnA800(scheme, setUp.model, setUp.size, setUp.microBatches));
            rows.add({fmt::format("BitPipe, speed-up over {} (1.05 to 1.28), {}, b = {}, N = {}, "
                                  "D = 8, W = 4, 32 A800",
                                  scheme, setUp.model, setUp.size, setUp.microBatches),
                      (kLeast + kMost) / 2, other / own, (kMost - kLeast) / 2, "abstract",
                      "The batches and the network of the paper are known only in part.",
                      std::string(kDefaultMapping)});
        }
    }
    return {};
}

void addBaselines(Rows& rows)
{
    constexpr int kDevices = 8, kMicroBatches = 8;
    struct Baseline
    {
        const char* scheme;
        double iteration;
    };
    for (const Baseline& baseline : {Baseline{"gpipe", 45}, Baseline{"1f1b", 45},
                                     Baseline{"interleaved-1f1b", 34.5}, Baseline{"chimera", 36}})
        rows.addRun(unitRun(baseline.scheme, kDevices, kMicroBatches),
                    {fmt::format("{}, iteration in units, D = 8, N = 8", baseline.scheme),
                     baseline.iteration, 0, 0, "derived", ""},
                    iterationOf);
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

void addBpipeGains(Rows& rows)
{
    for (const PublishedGain& gain : publishedGains()) {
        const auto answer
            = bpipeGain({inputOf(gain.model, 4, 8, gain.attention), {gain.from, gain.to}, {}, {}});
        const bool flash = gain.attention == AttentionMode::Flash;
        if (answer)
            rows.add({fmt::format("{}, {}, b {} -> {}: speed-up{}", gain.title,
                                  flash ? "flash attention" : "attention recomputed", gain.from,
                                  gain.to, flash ? " (\"negligible\")" : ""),
                      gain.speedUp, answer->rows[1].speedUp, gain.tolerance,
                      std::string(gain.grade), kRoofline});
    }
    for (const int devices : {4, 8, 16})
        rows.addRun(
            unitRun("bpipe", devices, 2 * devices),
            {fmt::format("BPipe, largest number of stashes of a device, ceil((D+2)/2), D = {}",
                         devices),
             std::ceil((devices + 2) / 2.0), 0, 0, "code", ""},
            largestStash);
    for (const int devices : {4, 8, 16})
        rows.addRun(
            unitRun("bpipe", devices, 2 * devices),
            {fmt::format("BPipe with free transfers, iteration in units (= 1F1B), D = {}", devices),
             3.0 * (3 * devices - 1), 0, 0, "derived", ""},
            iterationOf);
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
        const auto bytes = [&](const char* what, double published, double computed) {
            rows.add({fmt::format("{}, {}, GiB", one.title, what), published, computed / kGibi,
                      one.tolerance, "figure", "Read off the height of a bar."});
        };
        bytes("weights, gradients and optimizer", one.state, all.state);
        bytes("activations", one.all, all.oneFOneB - all.state);
        bytes("activations, sequence parallel and selective recomputation", one.selective,
              selective.oneFOneB - selective.state);
        const auto use = utilisation(input(AttentionMode::Recompute, true), one.seconds);
        const std::string given = fmt::format(" at {} s per iteration, %", one.seconds);
        rows.add(
            {one.title + std::string(", MFU") + given, one.mfu, 100 * use.mfu, 0.2, "table", ""});
        rows.add(
            {one.title + std::string(", HFU") + given, one.hfu, 100 * use.hfu, 0.2, "table", ""});
    }
}

} // namespace

Result<std::vector<Reproduced>> reproduce(Paper paper)
{
    Rows rows;
    if (paper == Paper::BitPipe) {
        addBitPipeSchedules(rows);
        addBaselines(rows);
        TRY(addThroughput(rows));
    } else {
        addBpipeGains(rows);
        addMegatron(rows);
    }
    return rows.done();
}

} // namespace profiler
