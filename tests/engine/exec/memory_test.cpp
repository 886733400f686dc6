#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/emulation.h"
#include "engine/model/transformer.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

using namespace engine;

namespace {

ModelSpec miniature(Precision precision)
{
    ModelSpec model = tests::narrowModel(8);
    model.precision = precision;
    return model;
}

Schedule schedule(std::string scheme, int microBatches)
{
    ScheduleRequest request;
    request.scheme = std::move(scheme);
    request.microBatches = microBatches;
    return lower(buildSchedule(request).value());
}

Bytes tokenBytes(int microBatches)
{
    return TokenBatches::bytes(tests::narrowModel(8), microBatches);
}

using LiveBytes = EnumArray<MemoryCategory, Bytes, kMemoryCategories>;

Bytes& of(LiveBytes& live, MemoryCategory category)
{
    return live[category];
}

// A run of the narrow model iteration by iteration.
struct Training
{
    Training(std::string scheme, int microBatches, Accumulate accumulate = Accumulate::Float,
             LinkCost link = {}, Precision precision = Precision::Fp32)
        : device(openCpuDevice().value())
        , tokens(tests::narrowModel(8), microBatches)
    {
        run.schedule = schedule(std::move(scheme), microBatches);
        model = makeTransformer(miniature(precision), run.schedule.shape.stages, *device);
        emulation.emplace(ExecutorSetup{.pipeline = {run.schedule, *model, device->kernels(), 1,
                                                     accumulate, tokenBytes(microBatches)},
                                        .links = {link, link}},
                          run);
        tokens.load(TextData::builtIn(1), 0);
    }

    Result<void> iterate()
    {
        return emulation->iterate(
            {}, tokens, [](auto, auto) {}, cancel);
    }

    // Replays everything that was alive, event by event.
    void replayEvents()
    {
        live.assign(4, {});
        peak.assign(4, {});
        std::int64_t before = 0;
        for (const MemoryEvent& event : run.timeline.memory) {
            REQUIRE(event.time >= before);
            before = event.time;
            Bytes& now = of(live[event.device], event.category);
            now += event.bytes;
            REQUIRE(now >= 0);
            Bytes& most = of(peak[event.device], event.category);
            most = std::max(most, now);
        }
    }

    std::shared_ptr<const CpuDevice> device;
    TokenBatches tokens;
    std::atomic<bool> cancel{false};
    Run run;
    std::unique_ptr<PipelineModel<float>> model;
    std::optional<Emulation> emulation;
    std::vector<LiveBytes> live, peak; // [device]
};

// Two iterations and their median.
struct Trained : Training
{
    template<class... Args>
    explicit Trained(Args... args)
        : Training(args...)
    {
        REQUIRE(iterate());
        REQUIRE(iterate());
        REQUIRE(emulation->finish());
        replayEvents();
    }
};

} // namespace

TEST_CASE("the stash that was alive at most is what the schedule's order predicts")
{
    for (const auto& [scheme, precision] :
         std::initializer_list<std::pair<const char*, Precision>>{{"gpipe", Precision::Fp32},
                                                                  {"1f1b", Precision::Fp32},
                                                                  {"bitpipe", Precision::Fp32},
                                                                  {"1f1b", Precision::Bf16},
                                                                  {"zb-h1", Precision::Bf16},
                                                                  {"bitpipe", Precision::Bf16}}) {
        INFO(scheme << ' ' << nameIn(kPrecisionNames, precision));
        Trained trained(scheme, 8, Accumulate::Float, LinkCost{}, precision);
        const ExecutionPlan& plan = trained.emulation->pipeline().plan();
        for (int d = 0; d < 4; ++d) {
            const auto& device = plan.devices[{d}];
            LiveBytes& peak = trained.peak[static_cast<std::size_t>(d)];
            CHECK(of(peak, MemoryCategory::Stash) == device.stashPeak);
            CHECK(device.stashPeak > 0);
            CHECK(device.layout.bytes >= device.stashPeak);
        }
    }
}

TEST_CASE("after a run only what is held for the whole run is alive")
{
    Trained trained("bitpipe", 4);
    for (int d = 0; d < 4; ++d)
        CHECK(trained.live[d] == trained.emulation->pipeline().plan().devices[{d}].fixed);
}

// The replay once took the memory of the iteration that was cancelled: its stashes stayed alive.
TEST_CASE("after a cancelled run only what is held for the whole run is alive")
{
    Training training("1f1b", 8);
    for (int i = 0; i < 3; ++i)
        REQUIRE(training.iterate());
    training.emulation->pipeline().observeGradients(
        [&](int, StageId, std::span<const float>) { training.cancel = true; });
    REQUIRE(training.iterate().error().code == Error::Code::Cancelled);
    REQUIRE(training.emulation->finish());
    CHECK(training.run.timeline.iterations.back().kind == Iteration::Kind::Replay);
    training.replayEvents();
    for (int d = 0; d < 4; ++d)
        CHECK(training.live[d] == training.emulation->pipeline().plan().devices[{d}].fixed);
}

TEST_CASE("the sender's buffer is free when its SEND ends, not when the message has arrived")
{
    Trained trained("bitpipe", 4, Accumulate::Float, LinkCost{Nanoseconds(50'000), 1e9});
    const Bytes message = floatBytes(trained.model->sizes(StageId{0}).output);
    using Freed = std::tuple<std::int64_t, int, std::uint32_t>; // time, device, op
    std::vector<Freed> frees, sent;
    for (const MemoryEvent& event : trained.run.timeline.memory)
        if (event.category == MemoryCategory::Buffers && event.bytes == -message)
            frees.emplace_back(event.time, event.device, event.op);
    std::ranges::sort(frees);
    for (const Track& track : trained.run.timeline.tracks)
        if (track.kind == Track::Kind::Send)
            for (const Span& span : track.spans)
                sent.emplace_back(span.window().end, track.device.value, span.op);
    CHECK(sent.size() == 3 * 48); // iterations, and BitPipe's messages of one
    for (const Freed& send : sent)
        CHECK(std::ranges::binary_search(frees, send));
}

TEST_CASE("weights, gradients and optimizer state follow from the parameters of the stages held")
{
    const Bytes all = parameterCount(tests::narrowModel(8)) * 4;
    for (const auto accumulate : {Accumulate::Float, Accumulate::Exact})
        for (const char* scheme : {"1f1b", "bitpipe"}) {
            Trained trained(scheme, 4, accumulate);
            LiveBytes sum{};
            for (const LiveBytes& live : trained.live)
                for (const MemoryCategory c : sum.enumerators())
                    sum[c] += live[c];
            const Bytes replicas = trained.run.schedule.shape.replicas;
            CHECK(of(sum, MemoryCategory::Weights) == replicas * all);
            CHECK(of(sum, MemoryCategory::Optimizer) == 2 * replicas * all);
            CHECK(of(sum, MemoryCategory::Gradients)
                  == (accumulate == Accumulate::Exact ? 3 : 1) * replicas * all);
        }
}

TEST_CASE("at the peak an arena has the live bytes by category")
{
    for (const char* scheme : {"1f1b", "zb-h1", "bitpipe", "bpipe", "chimera", "pipedream-2bw"}) {
        CAPTURE(scheme);
        Trained trained(scheme, 4);
        for (const DevicePlan& plan : trained.emulation->pipeline().plan().devices) {
            const Bytes all = std::accumulate(plan.full.begin(), plan.full.end(), Bytes{0});
            CHECK(all <= plan.live());
            CHECK(static_cast<double>(all) >= 0.99 * static_cast<double>(plan.live())); // alignment
            LiveBytes full = plan.full;
            CHECK(of(full, MemoryCategory::Stash) > 0);
            for (const MemoryCategory c : plan.full.enumerators())
                CHECK(plan.full[c] >= plan.fixed[c]);
        }
    }
}

// bf16 weight 2, fp32 gradient 4, fp32 master 4, Adam 8 (Megatron-LM): engine/cost's TrainingSetup.
TEST_CASE("mixed precision holds 2, 4 and 12 bytes a parameter, and messages of half the size")
{
    const Bytes parameters = parameterCount(tests::narrowModel(8));
    Trained fp32("1f1b", 8), bf16("1f1b", 8, Accumulate::Float, LinkCost{}, Precision::Bf16);
    LiveBytes sum{};
    for (const LiveBytes& live : bf16.live)
        for (const MemoryCategory c : sum.enumerators())
            sum[c] += live[c];
    CHECK(of(sum, MemoryCategory::Weights) == 2 * parameters);
    CHECK(of(sum, MemoryCategory::Gradients) == 4 * parameters);
    CHECK(of(sum, MemoryCategory::Optimizer) == 12 * parameters);
    // Half of everything but the statistics of the norms: a number a row for mean and deviation.
    const auto stash = [](Trained& trained, int stage) {
        const StageSizes sizes = trained.model->sizes(StageId{stage});
        return storedBytes(sizes, sizes.stash);
    };
    const Bytes rows = Bytes{2} * 16, blocks = 2, norms = 2;
    CHECK(2 * stash(bf16, 1) == stash(fp32, 1) + rows * blocks * norms * 2 * 4);
    for (std::size_t m = 0; m < 3; ++m) {
        const auto& messages = bf16.emulation->pipeline().plan().messages;
        CHECK(messages[m].slot.bytes * 2
              == fp32.emulation->pipeline().plan().messages[m].slot.bytes);
        CHECK(messages[m].slot.bytes == rows * 16 * 2);
    }
}

TEST_CASE("GPipe keeps a stash for every micro-batch, 1F1B on device d for D - d")
{
    Trained gpipe("gpipe", 8), oneFOneB("1f1b", 8);
    for (int d = 0; d < 4; ++d) {
        const Bytes each = floatBytes(gpipe.model->sizes(StageId{d}).stash);
        const auto i = static_cast<std::size_t>(d);
        CHECK(of(gpipe.peak[i], MemoryCategory::Stash) == 8 * each);
        CHECK(of(oneFOneB.peak[i], MemoryCategory::Stash) == (4 - d) * each);
    }
}

TEST_CASE("both replicas of BitPipe keep the same weights, bit for bit")
{
    Trained trained("bitpipe", 8);
    for (int s = 0; s < trained.run.schedule.shape.stages; ++s) {
        const auto down = trained.emulation->pipeline().weights(0, StageId{s});
        const auto up = trained.emulation->pipeline().weights(1, StageId{s});
        CHECK(std::equal(down.begin(), down.end(), up.begin(), up.end()));
    }
}

TEST_CASE("touched bytes are known after the first iteration, and no later one touches more")
{
    for (const Mode mode : {Mode::Emulate, Mode::Live}) {
        INFO(modeName(mode));
        std::vector<IdVector<DeviceId, ArenaUse>> reported;
        RunObserver observer;
        observer.started = [&](const Run& run) {
            reported.push_back(run.info.arenas);
            return Result<void>();
        };
        observer.iteration = [&](const Run& run, std::size_t) {
            reported.push_back(run.info.arenas);
            return Result<void>();
        };
        Experiment experiment;
        experiment.schedule.scheme = "bitpipe";
        experiment.schedule.microBatches = 4;
        experiment.model = tests::narrowModel(8);
        experiment.iterations = 3;
        experiment.mode = mode;
        const auto result = tests::runOf(experiment, observer);
        REQUIRE(result);
        REQUIRE(reported.size() >= 5); // the start, the warm-up and three iterations
        REQUIRE(reported[0].size() == 4);
        for (const ArenaUse& use : reported[0])
            CHECK_FALSE(use.touched);
        for (const ArenaUse& use : reported[1]) {
            CHECK(use.touched.value_or(0) > 0);
            CHECK(use.touched <= use.arena);
        }
        CHECK(reported[1] == result->info.arenas);
    }
}
