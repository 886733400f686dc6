#include "engine/base/check.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/stage_state.h"

#include <algorithm>
#include <utility>

namespace engine {

PipelineDevice::PipelineDevice(const Setup& setup, DeviceId id)
    : m_setup(setup)
    , m_id(id)
    , m_plan(setup.plan.devices[id])
    , m_halves(hasHalves(setup.lowered))
    , m_arena(m_plan.arena, setup.device)
    , m_host(m_plan.host, setup.device, MemoryFor::Host)
    , m_losses(setup.lowered.shape.allMicroBatches(), setup.device)
    , m_squares(1, setup.device)
{
    for (const StagePlan& stage : m_plan.stages) {
        const StageMemory memory{m_arena.bytes(stage.weights), m_arena.of<float>(stage.optimizer),
                                 m_arena.of<float>(stage.gradients),
                                 m_arena.of<std::int64_t>(stage.sums)};
        m_stages.emplace_back(stage.stage, memory, setup.kernels, setup.accumulate);
        initialize(stage);
    }
    findTiedEmbeddings();
    for (const OpPlan& op : m_plan.ops) {
        auto& earlier = m_earlier.emplace_back();
        for (const Extent extent : op.earlier)
            earlier.push_back(m_arena.bytes(extent));
    }
}

void PipelineDevice::initialize(const StagePlan& stage)
{
    const std::size_t masters = m_setup.model.sizes(stage.stage).masters;
    if (m_setup.device == nullptr) {
        m_setup.model.initialize(stage.stage, m_setup.seed, m_stages.back().weights,
                                 m_stages.back().optimizer.first(masters));
        return;
    }
    std::vector<std::byte> weights(m_stages.back().weights.size());
    std::vector<float> wide(masters);
    m_setup.model.initialize(stage.stage, m_setup.seed, weights, wide);
    m_arena.write(stage.weights, weights);
    m_arena.write({stage.optimizer.offset, floatBytes(masters)}, std::as_bytes(std::span(wide)));
}

// Pairs the first and last stages on this device, unless an all-reduce sums the tied embeddings.
// All replicas have equal gradient sums, so any first stage may be paired with any last stage.
void PipelineDevice::findTiedEmbeddings()
{
    const auto tied = m_setup.model.tied();
    std::vector<std::size_t> firsts, lasts;
    for (std::size_t i = 0; i < m_plan.stages.size() && tied; ++i) {
        if (m_plan.stages[i].stage == tied->first)
            firsts.push_back(i);
        if (m_plan.stages[i].stage == tied->last)
            lasts.push_back(i);
    }
    for (std::size_t i = 0; i < std::min(firsts.size(), lasts.size()); ++i)
        m_tied.push_back({firsts[i], lasts[i]});
}

void PipelineDevice::beginIteration(const TokenBatches& tokens, int first)
{
    m_losses.clear();
    m_squares.clear();
    for (TiedEmbeddings& tied : m_tied)
        tied.oneIsReady = false;
    m_tokensPerMicroBatch = tokens.tokensPerMicroBatch();
    // The objective is the mean over the micro-batches of one update. Without updateEvery, an
    // update has all micro-batches of the iteration.
    const int updateEvery = m_setup.lowered.shape.updateEvery * m_setup.lowered.shape.dataParallel;
    m_lossScale = m_setup.model.lossScale(updateEvery > 0 ? m_tokensPerMicroBatch * updateEvery
                                                          : tokens.tokens());
    const TokenBatch mine = tokens.of(first, m_setup.lowered.shape.allMicroBatches());
    if (m_plan.tokens.bytes == 0) {
        m_tokens = mine;
        return;
    }
    const std::span<std::int32_t> own = m_arena.of<std::int32_t>(m_plan.tokens);
    CHECK(own.size() == mine.inputs.size() + mine.targets.size());
    const Extent inputs{m_plan.tokens.offset, Bytes(mine.inputs.size_bytes())};
    m_arena.write(inputs, std::as_bytes(mine.inputs));
    m_arena.write({inputs.end(), m_plan.tokens.bytes - inputs.bytes}, std::as_bytes(mine.targets));
    m_tokens = {own.first(mine.inputs.size()), own.last(mine.targets.size())};
}

StageState& PipelineDevice::stage(int replica, StageId stage)
{
    const auto found = std::ranges::find_if(m_plan.stages, [&](const StagePlan& s) {
        return s.replica == replica && s.stage == stage;
    });
    CHECK(found != m_plan.stages.end());
    return m_stages[found - m_plan.stages.begin()];
}

// The units of a micro-batch's boundary tensor are consecutive.
std::span<std::byte> PipelineDevice::unitPart(Extent extent, int unit, int units) const
{
    const Bytes bytes = extent.bytes / units;
    return m_arena.bytes({extent.offset + unit * bytes, bytes});
}

StashPieces<std::byte> PipelineDevice::piecesOf(const StashPlace& stash) const
{
    const auto at = [&](std::size_t piece) {
        return stash[piece].bytes > 0 ? m_arena.bytes(stash[piece]).data() : nullptr;
    };
    return {.headKept = at(1), .rest = at(2), .headRest = at(3)};
}

TokenBatch PipelineDevice::tokensOf(const Op& op, int unit) const
{
    const int microBatches = m_setup.lowered.shape.allMicroBatches();
    return partOf(partOf(m_tokens, op.microBatch.value, microBatches), unit, m_setup.plan.units);
}

SequenceSlice PipelineDevice::sliceOf(std::uint32_t position, const Op& op) const
{
    if (m_halves || op.slice == Op::kWhole)
        return {};
    return {op.slice, m_earlier[position]};
}

void PipelineDevice::compute(std::uint32_t position)
{
    const Op& op = m_setup.lowered.on(m_id)[position];
    switch (op.kind) {
    case OpKind::Forward:
        forward(position, op);
        break;
    case OpKind::Backward:
    case OpKind::BackwardInput:
        backward(position, op);
        break;
    case OpKind::BackwardWeight:
        backwardWeight(position, op);
        break;
    case OpKind::Recompute:
        recompute(position, op);
        break;
    default:
        CHECK(op.kind == OpKind::OptimizerStep);
        update(position, op);
    }
}

std::span<const std::byte> PipelineDevice::weightsOf(std::uint32_t position, const Op& op)
{
    const Extent version = m_plan.ops[position].version;
    if (version.bytes > 0)
        return m_arena.bytes(version);
    return stage(op.replica, op.stage).weights;
}

void PipelineDevice::update(std::uint32_t position, const Op& op)
{
    StageState& own = stage(op.replica, op.stage);
    if (const Extent kept = m_plan.ops[position].version; kept.bytes > 0)
        m_setup.kernels.copyBytes(own.weights, m_arena.bytes(kept));
    if (!updateTied(op))
        step(own, op.replica);
}

// Updates tied embeddings together. Returns false if the op's stage has none.
bool PipelineDevice::updateTied(const Op& op)
{
    const auto isOf = [&](std::size_t i) {
        return m_plan.stages[i].stage == op.stage && m_plan.stages[i].replica == op.replica;
    };
    const auto ends = std::ranges::find_if(
        m_tied, [&](const TiedEmbeddings& e) { return isOf(e.first) || isOf(e.last); });
    if (ends == m_tied.end())
        return false;
    const bool areTwo = ends->first != ends->last;
    if (areTwo && !std::exchange(ends->oneIsReady, !ends->oneIsReady))
        return true;
    sumTied(m_setup.kernels, *m_setup.model.tied(), m_stages[ends->first].gradients,
            m_stages[ends->last].gradients);
    step(m_stages[ends->first], m_plan.stages[ends->first].replica);
    if (areTwo)
        step(m_stages[ends->last], m_plan.stages[ends->last].replica);
    return true;
}

void PipelineDevice::step(StageState& stage, int replica)
{
    if (onGradient)
        tellGradient(stage, replica);
    if (replica == 0)
        addSquares(stage);
    stage.update(m_setup.model);
}

void PipelineDevice::addSquares(StageState& stage)
{
    std::span<const float> sum = stage.gradients.sum();
    const auto tied = m_setup.model.tied();
    if (tied && stage.stage == tied->last) {
        m_setup.kernels.addSquares(sum.first(tied->lastOffset), m_squares.of(0));
        sum = sum.subspan(tied->lastOffset + tied->count);
    }
    m_setup.kernels.addSquares(sum, m_squares.of(0));
}

void PipelineDevice::tellGradient(StageState& stage, int replica)
{
    const std::span<const float> sum = stage.gradients.sum();
    if (m_setup.device == nullptr) {
        onGradient(replica, stage.stage, sum);
        return;
    }
    if (awaitQueue)
        awaitQueue();
    std::vector<float> copied(sum.size());
    m_setup.device->download(std::as_bytes(sum).data(), std::as_writable_bytes(std::span(copied)));
    onGradient(replica, stage.stage, copied);
}

void PipelineDevice::forward(std::uint32_t position, const Op& op)
{
    const OpPlan& plan = m_plan.ops[position];
    const UnitRange units = unitsOf(op, m_setup.plan.units);
    const std::span<const std::byte> weights = weightsOf(position, op);
    for (int u = 0; u < units.count; ++u) {
        const StashPlace& stash = plan.stash[u];
        m_setup.model.forward(op.stage,
                              {weights, unitPart(plan.input, u, units.count),
                               m_arena.bytes(stash[0]), unitPart(plan.output, u, units.count),
                               m_arena.bytes(m_plan.workspace), tokensOf(op, units.first + u),
                               sliceOf(position, op), piecesOf(stash),
                               m_losses.of(op.microBatch.value)});
    }
}

void PipelineDevice::backward(std::uint32_t position, const Op& op)
{
    const OpPlan& plan = m_plan.ops[position];
    const UnitRange units = unitsOf(op, m_setup.plan.units);
    StageState& own = stage(op.replica, op.stage);
    const std::span<const std::byte> weights = weightsOf(position, op);
    for (int u = 0; u < units.count; ++u) {
        const StashPlace& stash = plan.stash[u];
        const BackwardPass<std::byte, float> pass{weights,
                                                  m_arena.bytes(stash[0]),
                                                  unitPart(plan.input, u, units.count),
                                                  unitPart(plan.output, u, units.count),
                                                  own.gradients.target(),
                                                  m_arena.bytes(m_plan.workspace),
                                                  tokensOf(op, units.first + u),
                                                  m_lossScale,
                                                  sliceOf(position, op),
                                                  piecesOf(stash)};
        if (op.kind == OpKind::Backward)
            m_setup.model.backward(op.stage, pass);
        else
            m_setup.model.backwardInput(op.stage, pass);
        own.gradients.endMicroBatch();
    }
}

void PipelineDevice::backwardWeight(std::uint32_t position, const Op& op)
{
    StageState& own = stage(op.replica, op.stage);
    for (const StashPlace& stash : m_plan.ops[position].stash) {
        m_setup.model.backwardWeight(
            op.stage, {m_arena.bytes(stash[0]), own.gradients.target(), piecesOf(stash).headKept});
        own.gradients.endMicroBatch();
    }
}

void PipelineDevice::recompute(std::uint32_t position, const Op& op)
{
    const OpPlan& plan = m_plan.ops[position];
    const UnitRange units = unitsOf(op, m_setup.plan.units);
    for (int u = 0; u < std::ssize(plan.stash); ++u)
        m_setup.model.recompute(op.stage,
                                {weightsOf(position, op), m_arena.bytes(plan.stash[u][0]),
                                 m_arena.bytes(plan.made[u][0]), m_arena.bytes(m_plan.workspace),
                                 tokensOf(op, units.first + u), piecesOf(plan.made[u])});
}

void PipelineDevice::finish(std::uint32_t position)
{
    if (m_setup.poison == Poison::Freed)
        for (const Extent extent : m_plan.ops[position].freed)
            m_arena.poison(extent);
}

} // namespace engine
