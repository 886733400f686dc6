#include "engine/exec/check_runnable.h"
#include "engine/exec/gradient_comparison.h"
#include "engine/exec/index.h"
#include "engine/exec/make_executor.h"
#include "engine/model/probe_model.h"
#include "engine/schedule/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace engine {
namespace {

constexpr ProbeModel::Size kSize;
constexpr std::int64_t kExact = 1 << 24; // floats count every integer below it

using Integers = std::vector<std::int64_t>;

enum class Sign : std::uint8_t { Kept, Absolute };

// The probe in int64, without kernels, stages or buffers. With absolute values of everything the
// sums bound each partial sum of the float run, whatever its order.
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
                own.push_back(signedOr(static_cast<std::int64_t>(w)));
        }
        gradients.assign(m_weights.size(), Integers(kWidth * kWidth));
    }

    void add(TokenBatch tokens)
    {
        for (std::size_t r = 0; r < tokens.inputs.size(); ++r)
            addRow(tokens.inputs[r], tokens.targets[r]);
    }

    // Of what was added since they were last taken. [stage], row-major
    std::vector<Integers> takeGradients()
    {
        return std::exchange(gradients, {m_weights.size(), Integers(kWidth * kWidth)});
    }

    std::vector<Integers> gradients; // [stage], row-major
    std::int64_t largest = 0;        // of every intermediate value

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
            x[0][c] = signedOr(ProbeModel::number(input, static_cast<int>(c)));
        for (std::size_t s = 0; s < m_weights.size(); ++s)
            for (std::size_t i = 0; i < kWidth * kWidth; ++i)
                note(x[s + 1][i % kWidth] += x[s][i / kWidth] * m_weights[s][i]);

        Integers d = x.back(); // y - target
        for (std::size_t c = 0; c < kWidth; ++c) {
            const std::int64_t t = ProbeModel::number(target, static_cast<int>(c));
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

Result<Schedule> loweredSchedule(const ScheduleRequest& request)
{
    auto schedule = buildSchedule(request);
    if (!schedule)
        return schedule;
    Schedule all = lower(*schedule);
    if (auto runnable = checkRunnable(all); !runnable)
        return tl::unexpected(runnable.error());
    return all;
}

} // namespace

Result<GradientCheck> checkIntegerProbe(const ScheduleRequest& request, Mode mode,
                                        std::uint64_t seed)
{
    const auto cpu = openDevices(Backend::Cpu, mode, 1);
    if (!cpu)
        return tl::unexpected(cpu.error());
    return checkIntegerProbe(request, *cpu, seed);
}

Result<GradientCheck> checkIntegerProbe(const ScheduleRequest& request, const RunDevices& on,
                                        std::uint64_t seed)
{
    const auto lowered = loweredSchedule(request);
    if (!lowered)
        return tl::unexpected(lowered.error());
    on.first().bindThread();
    const Kernels<float>& kernels = on.first().kernels();
    const ProbeModel model(lowered->shape.stages, kSize, kernels);
    ProbeModel::Size unitSize = kSize;
    unitSize.rows /= unitsPerMicroBatch(*lowered);
    if (unitSize.rows * unitsPerMicroBatch(*lowered) != kSize.rows)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("the integer probe has {} rows a micro-batch, which {} slices do "
                                "not divide",
                                kSize.rows, lowered->shape.slices));
    const ProbeModel unit(lowered->shape.stages, unitSize, kernels);
    ModelSpec tokenShape;
    tokenShape.microBatchSize = 1;
    tokenShape.sequence = kSize.rows;
    const Shape& shape = lowered->shape;
    const int microBatches = shape.microBatches * shape.dataParallel; // of an iteration
    TokenBatches tokens(tokenShape, microBatches);
    tokens.load(TextData::builtIn(seed), 0);

    const int updateEvery = shape.updateEvery > 0 ? shape.updateEvery : microBatches;
    IntegerReference reference(model, seed, Sign::Kept), bound(model, seed, Sign::Absolute);
    std::vector<std::vector<Integers>> expected; // [update][stage]
    for (int m = 0; m < microBatches; ++m) {
        reference.add(tokens.of(m));
        bound.add(tokens.of(m));
        if ((m + 1) % updateEvery == 0)
            expected.push_back(reference.takeGradients());
    }
    if (bound.largest >= kExact)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("the integer probe of {} stages and {} micro-batches reaches 2^24, "
                                "where floats round: use fewer devices, chunks or micro-batches",
                                shape.stages, microBatches));

    GradientCheck check{.what
                        = fmt::format("integer probe, {}, D = {}, N = {}, {}", request.scheme,
                                      request.devices, request.microBatches, modeName(on.mode))};
    Run run;
    run.schedule = *lowered;
    Pipeline::Setup setup{run.schedule, unit, kernels, seed};
    Units units;
    if (on.isCuda())
        setup.tokenBytes = TokenBatches::bytes(tokenShape, lowered->shape.microBatches);
    setup.communicators = on.communicators;
    if (on.haveOwnGpus())
        setup.seats = makeSeats(on, units, [&](const Device& device) {
            return std::make_unique<const ProbeModel>(lowered->shape.stages, unitSize,
                                                      device.kernels());
        });
    else if (on.isCuda())
        setup.device = &on.first();
    const auto executor = makeExecutor({setup, on.mode}, run);
    std::mutex mutex;                                       // live devices compare at the same time
    std::map<std::pair<int, StageId>, std::size_t> updates; // of a replica's stage so far
    executor->pipeline().observeGradients(
        [&](int replica, StageId stage, std::span<const float> gradient) {
            const std::lock_guard lock(mutex);
            const Integers& own = expected.at(updates[{replica, stage}]++)[indexOf(stage)];
            compareGradients(std::vector<float>(own.begin(), own.end()), gradient, check);
        });
    if (auto trained = executor->iterate(
            {}, tokens, [](auto, auto) {}, false);
        !trained)
        return tl::unexpected(trained.error());
    return check;
}

} // namespace engine
