#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/process.h"
#include "engine/base/result.h"
#include "engine/base/try.h"
#include "engine/exec/executor.h"
#include "engine/experiment/check_experiment.h"
#include "engine/model/probe_model.h"
#include "engine/pipeline/run_devices.h"
#include "engine/schedule/passes/passes.h"
#include "engine/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace engine {
namespace {

constexpr ProbeModel::Size kSize;
constexpr std::int64_t kExact = 1 << 24; // floats represent all integers up to this one

using Integers = std::vector<std::int64_t>;

enum class Sign : std::uint8_t { Kept, Absolute };

// Trains the probe in int64, without kernels, stages and buffers. With Sign::Absolute all numbers
// are replaced by their absolute values, so that every sum is at least as large as any partial sum
// of the float run, in any order of summation.
class IntegerReference
{
public:
    IntegerReference(const ProbeModel& model, std::uint64_t seed, Sign sign)
        : m_sign(sign)
    {
        std::vector<float> weights(kWidth * kWidth);
        for (int s = 0; s < model.stages(); ++s) {
            model.initialize(StageId{s}, seed, std::as_writable_bytes(std::span(weights)), {});
            auto& own = m_weights.emplace_back();
            for (const float w : weights)
                own.push_back(signedOr(w));
        }
        gradients.assign(m_weights.size(), Integers(kWidth * kWidth));
    }

    void add(TokenBatch tokens)
    {
        for (std::size_t r = 0; r < tokens.inputs.size(); ++r)
            addRow(tokens.inputs[r], tokens.targets[r]);
    }

    // Since the last call, by stage, row-major.
    std::vector<Integers> takeGradients()
    {
        return std::exchange(gradients, {m_weights.size(), Integers(kWidth * kWidth)});
    }

    std::vector<Integers> gradients; // [stage], row-major
    std::int64_t largest = 0;        // largest absolute value of any intermediate result

private:
    static constexpr std::size_t kWidth = kSize.width;

    std::int64_t signedOr(std::int64_t value) const
    {
        return m_sign == Sign::Absolute ? std::abs(value) : value;
    }

    void addRow(std::int32_t input, std::int32_t target)
    {
        std::vector<Integers> x(m_weights.size() + 1, Integers(kWidth));
        for (std::size_t c = 0; c < kWidth; ++c)
            x[0][c] = signedOr(ProbeModel::number(input, c));
        for (std::size_t s = 0; s < m_weights.size(); ++s)
            for (std::size_t i = 0; i < kWidth * kWidth; ++i)
                note(x[s + 1][i % kWidth] += x[s][i / kWidth] * m_weights[s][i]);

        Integers d = x.back(); // y - target
        for (std::size_t c = 0; c < kWidth; ++c) {
            const std::int64_t t = ProbeModel::number(target, c);
            note(d[c] = m_sign == Sign::Absolute ? d[c] + std::abs(t) : d[c] - t);
        }
        for (std::size_t s = m_weights.size(); s-- > 0;) {
            Integers dx(kWidth);
            for (std::size_t i = 0; i < kWidth * kWidth; ++i) {
                note(gradients[s][i] += x[s][i / kWidth] * d[i % kWidth]);
                note(dx[i / kWidth] += d[i % kWidth] * m_weights[s][i]);
            }
            d = std::move(dx);
        }
    }

    void note(std::int64_t value) { largest = std::max(largest, std::abs(value)); }

    Sign m_sign;
    std::vector<Integers> m_weights; // [stage]
};

ModelSpec tokenShape()
{
    ModelSpec shape;
    shape.microBatchSize = 1;
    shape.sequence = kSize.rows;
    return shape;
}

int microBatchesOf(const Shape& shape) // per iteration, of all data-parallel pipelines
{
    return shape.allMicroBatches() * shape.dataParallel;
}

// By [update][stage].
Result<std::vector<std::vector<Integers>>> expectedGradients(const ProbeModel& model,
                                                             const Shape& shape, std::uint64_t seed)
{
    const int microBatches = microBatchesOf(shape);
    TokenBatches tokens(tokenShape(), microBatches);
    tokens.load(TextData::builtIn(seed), 0);
    const int updateEvery = shape.updateEvery > 0 ? shape.updateEvery : microBatches;
    IntegerReference reference(model, seed, Sign::Kept), bound(model, seed, Sign::Absolute);
    std::vector<std::vector<Integers>> expected;
    for (int m = 0; m < microBatches; ++m) {
        reference.add(tokens.of(m));
        bound.add(tokens.of(m));
        if ((m + 1) % updateEvery != 0)
            continue;
        expected.push_back(reference.takeGradients());
        bound.takeGradients();
    }
    if (bound.largest >= kExact)
        return invalid("with {} stages and {} micro-batches the integer probe exceeds 2^24, where "
                       "floats round: use fewer devices, chunks or micro-batches",
                       shape.stages, microBatches);
    return expected;
}

// Trains the probe. It owns everything that executor and threads refer to.
class ProbeTraining
{
public:
    struct Setup
    {
        const RunDevices& on;
        const Schedule& lowered;
        ProbeModel::Size unitSize; // size of a pass
        std::uint64_t seed = 1;
        std::vector<std::vector<Integers>> expected; // [update][stage]
        GradientCheck check;                         // the result
    };
    explicit ProbeTraining(Setup setup)
        : m_on(setup.on)
        , m_unitSize(setup.unitSize)
        , m_expected(std::move(setup.expected))
        , m_check(std::move(setup.check))
        , m_model(setup.lowered.shape.stages, m_unitSize, m_on.first().kernels())
        , m_tokens(tokenShape(), microBatchesOf(setup.lowered.shape))
    {
        m_tokens.load(TextData::builtIn(setup.seed), 0);
        m_run.schedule = setup.lowered;
        m_executor = makeExecutor({pipelineSetup(setup.seed), m_on.mode}, m_run);
        m_executor->pipeline().observeGradients(
            [this](int replica, StageId stage, std::span<const float> gradient) {
                const std::lock_guard lock(m_mutex);
                const Integers& own = m_expected.at(m_updates[{replica, stage}]++)[stage.value];
                compareGradients(std::vector<float>(own.begin(), own.end()), gradient, m_check);
            });
    }

    Result<void> train()
    {
        return m_executor->iterate(
            {}, m_tokens, [](auto, auto) {}, m_never);
    }
    const GradientCheck& check() const { return m_check; }
    bool devicesAreLost() const { return m_executor->devicesAreLost(); }

private:
    Pipeline::Setup pipelineSetup(std::uint64_t seed)
    {
        Pipeline::Setup setup{m_run.schedule, m_model, m_on.first().kernels(), seed};
        if (m_on.isCuda())
            setup.tokenBytes
                = TokenBatches::bytes(tokenShape(), m_run.schedule.shape.allMicroBatches());
        setup.communicators = m_on.communicators;
        if (m_on.haveOwnGpus())
            setup.executorDevices
                = makeExecutorDevices(m_on, m_models, [this](const Device& device) {
                      return std::make_unique<const ProbeModel>(m_run.schedule.shape.stages,
                                                                m_unitSize, device.kernels());
                  });
        else if (m_on.isCuda())
            setup.device = &m_on.first();
        return setup;
    }

    RunDevices m_on;
    ProbeModel::Size m_unitSize;
    std::vector<std::vector<Integers>> m_expected;
    GradientCheck m_check;
    Run m_run;
    ProbeModel m_model;
    TokenBatches m_tokens;
    Models m_models;
    const std::atomic<bool> m_never{false};
    std::mutex m_mutex;                                       // live devices compare concurrently
    std::map<std::pair<int, StageId>, std::size_t> m_updates; // [replica, stage]: updates so far
    std::unique_ptr<Executor> m_executor;                     // last member: uses the other members
};

} // namespace

Result<GradientCheck> checkIntegerProbe(const ScheduleRequest& request, Mode mode,
                                        std::uint64_t seed)
{
    auto cpu = TRY(openCpuDevice());
    return checkIntegerProbe(request, RunDevices{{std::move(cpu)}, mode, {}}, seed);
}

Result<GradientCheck> checkIntegerProbe(const ScheduleRequest& request, const RunDevices& on,
                                        std::uint64_t seed)
{
    const auto order = TRY(buildSchedule(asStream(request, {})));
    return checkIntegerProbe(order, on, seed);
}

Result<GradientCheck> checkIntegerProbe(const Schedule& order, const RunDevices& on,
                                        std::uint64_t seed)
try {
    const Schedule lowered = lower(order);
    TRY(checkRunnable(lowered));
    on.first().bindThread();
    ProbeModel::Size unitSize = kSize;
    unitSize.rows /= unitsPerMicroBatch(lowered);
    if (unitSize.rows * unitsPerMicroBatch(lowered) != kSize.rows)
        return invalid("the integer probe has {} rows per micro-batch, which cannot be "
                       "divided into {} slices",
                       kSize.rows, lowered.shape.slices);
    auto expected = TRY(expectedGradients({lowered.shape.stages, kSize, on.first().kernels()},
                                          lowered.shape, seed));
    GradientCheck check{.what = fmt::format("integer probe, {}, D = {}, N = {}, {}", order.scheme,
                                            order.shape.devices, order.shape.microBatches,
                                            modeName(on.mode))};
    auto training = std::make_unique<ProbeTraining>(
        ProbeTraining::Setup{on, lowered, unitSize, seed, std::move(expected), std::move(check)});
    if (auto trained = training->train(); !trained) {
        if (training->devicesAreLost())
            keepForever(std::move(training));
        return tl::unexpected(trained.error());
    }
    return training->check();
} catch (const Cancelled& cancelled) {
    return fail(Error::Code::Cancelled, cancelled.what());
} catch (const std::exception& error) { // error of a GPU
    return fail(Error::Code::Device, messageOf(error));
}

} // namespace engine
