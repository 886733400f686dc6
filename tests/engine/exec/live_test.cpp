#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/live.h"
#include "engine/exec/run_experiment.h"
#include "engine/model/probe_model.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"
#include "tests/support/forwarding_transport.h"
#include "tests/support/small_training.h"

#include <map>
#include <stdexcept>

using namespace engine;
using Catch::Contains;
using Catch::StartsWith;

namespace {

Experiment miniature(std::string scheme, Mode mode)
{
    Experiment experiment;
    experiment.schedule.scheme = std::move(scheme);
    experiment.schedule.devices = 4;
    experiment.schedule.microBatches = 4;
    experiment.model = tests::narrowModel(8);
    experiment.iterations = 3;
    experiment.warmup = 1;
    experiment.mode = mode;
    experiment.accumulate = Accumulate::Exact;
    return experiment;
}

// A probe in which one stage breaks.
class BrokenModel final : public PipelineModel<float>
{
public:
    BrokenModel(const ProbeModel& whole, StageId broken)
        : m_whole(whole)
        , m_broken(broken)
    { }
    int stages() const override { return m_whole.stages(); }
    StageSizes sizes(StageId stage) const override { return m_whole.sizes(stage); }
    StageFlops flops(StageId stage) const override { return m_whole.flops(stage); }
    std::span<const Parameter> parameters(StageId stage) const override
    {
        return m_whole.parameters(stage);
    }
    void initialize(StageId stage, std::uint64_t seed, std::span<std::byte> weights,
                    std::span<float> masters) const override
    {
        m_whole.initialize(stage, seed, weights, masters);
    }
    void forward(StageId stage, const ForwardPass<std::byte>& pass) const override
    {
        m_whole.forward(stage, pass);
    }
    void backward(StageId stage, const BackwardPass<std::byte, float>& pass) const override
    {
        if (stage == m_broken)
            throw std::runtime_error("out of cake");
        m_whole.backward(stage, pass);
    }
    void backwardInput(StageId, const BackwardPass<std::byte, float>&) const override { }
    void backwardWeight(StageId, const WeightPass<std::byte, float>&) const override { }
    float lossScale(double) const override { return 1; }
    void update(StageId, std::span<std::byte>, std::span<const float>, std::span<float>,
                int) const override
    { }

private:
    const ProbeModel& m_whole;
    StageId m_broken;
};

// Loses one message.
class LossyTransport final : public tests::ForwardingTransport
{
public:
    LossyTransport(std::unique_ptr<Transport> real, std::uint32_t lost)
        : ForwardingTransport(std::move(real))
        , m_lost(lost)
    { }
    bool send(DeviceId self, std::uint32_t message) override
    {
        return message == m_lost || ForwardingTransport::send(self, message);
    }

private:
    std::uint32_t m_lost;
};

// One live iteration of a scheme, D = 4, N = 4, with something wrong.
struct Broken
{
    explicit Broken(std::string scheme, int copies = 1)
        : device(openCpuDevice().value())
        , probe(4, {}, device->kernels())
        , tokens(
              [] {
                  ModelSpec shape;
                  shape.microBatchSize = 1;
                  shape.sequence = 16;
                  return shape;
              }(),
              4 * copies)
    {
        ScheduleRequest request;
        request.scheme = std::move(scheme);
        request.microBatches = 4;
        request.dataParallel = copies;
        run.schedule = lower(buildSchedule(request).value());
        tokens.load(TextData::builtIn(1), 0);
    }
    Result<void> iterate(Live& live)
    {
        return live.iterate(
            {}, tokens, [](auto, auto) {}, false);
    }

    std::shared_ptr<const CpuDevice> device;
    ProbeModel probe;
    TokenBatches tokens;
    Run run;
};

} // namespace

TEST_CASE("live training gives the losses of emulation, bit for bit, in any order of threads")
{
    for (const char* scheme :
         {"gpipe", "1f1b", "bitpipe", "zb-h1", "dualpipev", "pipedream", "pipedream-2bw"}) {
        INFO(scheme);
        Experiment experiment = miniature(scheme, Mode::Live);
        experiment.schedule.microBatches = 8;
        const auto live = tests::runOf(experiment);
        experiment.mode = Mode::Emulate;
        const auto emulated = tests::runOf(experiment);
        if (!live)
            FAIL(live.error().message);
        REQUIRE(emulated);
        CHECK(tests::lossesOf(*live) == tests::lossesOf(*emulated));
        const bool isStream = live->schedule.shape.windows > 1; // which also fills and drains
        CHECK(std::ssize(tests::lossesOf(*live)) == (isStream ? live->schedule.shape.windows : 4));
    }
}

TEST_CASE("on the wall clock every op runs after what it consumes, and one at a time on a device")
{
    const auto result = tests::runOf(miniature("bitpipe", Mode::Live));
    REQUIRE(result);
    const Schedule& schedule = result->schedule;
    const OpIndex index(schedule);
    const std::size_t iterations = result->timeline.iterations.size();
    CHECK(iterations == 4); // what was measured stands for itself: no replay
    std::size_t spans = 0;
    for (std::uint32_t k = 0; k < iterations; ++k) {
        std::map<std::uint32_t, std::int64_t> madeAt; // [valueIndex]
        for (const Track& track : result->timeline.tracks)
            for (const Span& span : track.spans) {
                spans += span.iteration == k ? 1 : 0;
                if (span.iteration == k)
                    for (const Value& value :
                         produces(opAt(schedule, index, span.op), schedule.shape))
                        madeAt[valueIndex(value, schedule.shape)] = span.end;
            }
        for (const Track& track : result->timeline.tracks) {
            std::int64_t before = 0;
            for (const Span& span : track.spans) {
                if (span.iteration != k || track.kind != Track::Kind::Compute)
                    continue;
                CHECK(span.begin >= before);
                before = span.end;
                for (const Value& value : consumes(opAt(schedule, index, span.op), schedule.shape))
                    CHECK(span.begin >= madeAt[valueIndex(value, schedule.shape)]);
            }
        }
    }
    CHECK(spans == iterations * opCount(schedule));
}

TEST_CASE("the info of a live run has its mode, threads and cores")
{
    const auto result = tests::runOf(miniature("bitpipe", Mode::Live));
    REQUIRE(result);
    CHECK(result->info.mode == Mode::Live);
    CHECK(result->info.timing == "wall clock");
    CHECK(result->info.threads == 4 + 2); // the pairs 0, 3 and 1, 2 reduce on threads of their own
    CHECK(result->info.cores >= 1);
    CHECK_THAT(result->info.command, Contains(" --mode live"));
    REQUIRE(result->info.cpuShare);
    CHECK(*result->info.cpuShare > 0);
    CHECK(*result->info.cpuShare <= 1);
    RunInfo info = result->info;
    info.cpuShare = 0.95; // of a machine without other load
    info.cores = 2;
    CHECK(modeDescription(info) == "live, oversubscribed (6 threads, 2 cores)");
    info.cores = 6;
    CHECK(modeDescription(info) == "live");
    info.cpuShare = 0.834;
    CHECK(modeDescription(info) == "live, disturbed (CPU share 83 %)");
}

TEST_CASE("a cancelled live run keeps whole iterations")
{
    std::atomic<bool> cancel{false};
    std::size_t iterations = 0;
    RunObserver observer;
    observer.iteration = [&](const Run& run, std::size_t) {
        iterations = run.timeline.iterations.size();
        cancel = iterations >= 2;
        return Result<void>();
    };
    Experiment endless = miniature("1f1b", Mode::Live);
    endless.iterations = 10'000;
    const auto result = runExperiment(endless, observer, cancel);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Error::Code::Cancelled);
    CHECK(iterations == 2);
}

TEST_CASE("a cancelled stream keeps nothing, because its windows end together")
{
    for (const Mode mode : {Mode::Emulate, Mode::Live}) {
        std::atomic<bool> cancel{false};
        std::size_t iterations = 0;
        RunObserver observer;
        observer.progress = [&](const OpsDone&) { cancel = true; };
        observer.iteration = [&](const Run& run, std::size_t) {
            iterations = run.timeline.iterations.size();
            return Result<void>();
        };
        Experiment experiment = miniature("pipedream", mode);
        experiment.iterations = 400;
        const auto result = runExperiment(experiment, observer, cancel);
        REQUIRE_FALSE(result);
        CHECK(result.error().code == Error::Code::Cancelled);
        CHECK(iterations == 0);
    }
}

TEST_CASE("a fault on one device ends the run with its cause")
{
    const std::string scheme = GENERATE("1f1b", "pipedream", "pipedream-2bw");
    Broken broken(scheme);
    const BrokenModel model(broken.probe, StageId{2});
    const Pipeline::Setup setup{broken.run.schedule, model, broken.device->kernels()};
    Live live({setup}, broken.run);
    const auto result = broken.iterate(live);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Error::Code::Device);
    CHECK_THAT(result.error().message, StartsWith("device 2, index "));
    CHECK_THAT(result.error().message, Contains(", 2B0: out of cake"));
    CHECK(broken.run.timeline.iterations.empty());
}

TEST_CASE("without progress the watchdog names the waiting devices and ends the run")
{
    const std::string scheme = GENERATE("1f1b", "pipedream", "pipedream-2bw");
    Broken broken(scheme);
    const Pipeline::Setup setup{broken.run.schedule, broken.probe, broken.device->kernels()};
    Live live({.pipeline = setup, .patience = std::chrono::milliseconds(300)}, broken.run);
    live.pipeline().wrapTransport([](std::unique_ptr<Transport> real) {
        return std::make_unique<LossyTransport>(std::move(real), 0); // what 0F0 makes
    });
    const auto result = broken.iterate(live);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Error::Code::Device);
    CHECK_THAT(result.error().message, StartsWith("no device makes progress; device 0 at index "));
    CHECK_THAT(result.error().message,
               Contains("1F0, waits for the activation of stage 0, micro-batch 0 from device 0"));
    CHECK_THAT(result.error().message,
               Contains("3F0, waits for the activation of stage 2, micro-batch 0 from device 2"));
}

TEST_CASE("with several pipeline copies the watchdog names the copy of the waiting device")
{
    Broken broken("1f1b", 2);
    const Pipeline::Setup setup{broken.run.schedule, broken.probe, broken.device->kernels()};
    Live live({.pipeline = setup, .patience = std::chrono::milliseconds(300)}, broken.run);
    CHECK(live.threads() == 2 * 4 + 4); // devices, and all-reduces of the stages
    const auto lost = static_cast<std::uint32_t>(live.pipeline().plan().messages.size());
    live.pipeline().wrapTransport([lost](std::unique_ptr<Transport> real) {
        return std::make_unique<LossyTransport>(std::move(real), lost); // the same of copy 1
    });
    const auto result = broken.iterate(live);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message,
               Contains("device 1 of copy 1 at index 1, 1F0, waits for the activation of stage 0, "
                        "micro-batch 0 from device 0"));
    CHECK_THAT(result.error().message, Contains("device 0 of copy 0 at index ")); // for its OPT
}

// The joint ops of a device were counted beyond its last op.
TEST_CASE("a live run with a joint op at the end of a device has a span for every op")
{
    Broken joint("1f1b");
    joint.run.schedule.program[{3}].back().flags = OpFlag::JointWithNext;
    const Pipeline::Setup setup{joint.run.schedule, joint.probe, joint.device->kernels()};
    Live live({setup}, joint.run);
    REQUIRE(joint.iterate(live));
    std::size_t spans = 0;
    for (const Track& track : joint.run.timeline.tracks)
        spans += track.spans.size();
    CHECK(spans == opCount(joint.run.schedule));
}
