#include "engine/exec/pipeline_runner.h"

#include "engine/base/check.h"

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

std::size_t index(StageId stage)
{
    return static_cast<std::size_t>(stage.value);
}

std::size_t index(MicroBatchId microBatch)
{
    return static_cast<std::size_t>(microBatch.value);
}

} // namespace

PipelineRunner::PipelineRunner(const Setup& setup)
    : m_setup(setup)
    , m_plan(planMemory({setup.lowered, setup.model, setup.accumulate, setup.tokenBytes}))
    , m_stages(setup.lowered.deviceOf.size())
    , m_messages(valueCount(setup.lowered.shape))
    , m_allReduceCalls(static_cast<std::size_t>(setup.lowered.shape.stages))
    , m_allReduceMembers(m_allReduceCalls.size())
{
    const Shape& shape = setup.lowered.shape;
    std::vector<std::size_t> workspaces(static_cast<std::size_t>(shape.devices));
    for (std::size_t r = 0; r < m_stages.size(); ++r)
        for (int s = 0; s < shape.stages; ++s) {
            m_stages[r].push_back(makeStage(static_cast<int>(r), StageId{s}));
            const DeviceId holder = setup.lowered.device(static_cast<int>(r), StageId{s});
            auto& workspace = workspaces[static_cast<std::size_t>(holder.value)];
            workspace = std::max(workspace, setup.model.sizes(StageId{s}).workspace);
        }
    for (const std::size_t size : workspaces)
        m_devices.push_back(
            {MessageBuffers(messageNumbers(setup.model)), std::vector<float>(size)});
    for (const auto& program : setup.lowered.program)
        for (const Op& op : program)
            m_allReduceMembers[index(op.stage)] += op.kind == OpKind::AllReduce ? 1 : 0;
}

std::unique_ptr<PipelineRunner::Stage> PipelineRunner::makeStage(int replica, StageId id) const
{
    const auto slots
        = static_cast<std::size_t>(m_plan.stashSlots[static_cast<std::size_t>(replica)][index(id)]);
    const auto microBatches = static_cast<std::size_t>(m_setup.lowered.shape.microBatches);
    auto made = std::make_unique<Stage>(
        Stage{StageState(m_setup.model, id, m_setup.kernels, m_setup.accumulate),
              {slots, std::vector<float>(m_setup.model.sizes(id).stash)},
              std::vector<int>(slots),
              std::vector<int>(microBatches, -1)});
    std::iota(made->freeSlots.rbegin(), made->freeSlots.rend(), 0);
    m_setup.model.initialize(id, m_setup.seed, made->state.weights);
    return made;
}

void PipelineRunner::beginIteration(TokenBatches& tokens)
{
    m_tokens = &tokens;
    m_log.clear();
    m_losses.assign(static_cast<std::size_t>(m_setup.lowered.shape.microBatches), 0);
    std::ranges::fill(m_allReduceCalls, 0);
}

const Op& PipelineRunner::at(OpRef ref) const
{
    return m_setup.lowered.on(ref.device)[ref.position];
}

PipelineRunner::Stage& PipelineRunner::stage(const Op& op)
{
    return *m_stages[op.replica][index(op.stage)];
}

PipelineRunner::Message& PipelineRunner::message(const Value& value)
{
    return m_messages[valueIndex(value, m_setup.lowered.shape)];
}

PipelineRunner::Boundary PipelineRunner::boundary(const Op& op)
{
    const auto pick = [this](const Values& values) -> Message* {
        for (const Value& value : values)
            if (value.kind == Value::Kind::Activation || value.kind == Value::Kind::Gradient)
                return &message(value);
        return nullptr;
    };
    return {pick(consumes(op, m_setup.lowered.shape)), pick(produces(op, m_setup.lowered.shape))};
}

std::span<float> PipelineRunner::numbers(const Message* message, std::size_t count)
{
    if (message == nullptr)
        return {};
    CHECK(message->buffer >= 0); // an op runs after what it consumes
    return device(message->device).messages[message->buffer].first(count);
}

void PipelineRunner::log(std::uint32_t op, DeviceId device, MemoryCategory category, Bytes bytes)
{
    const auto at = bytes > 0 ? MemoryChange::At::Begin : MemoryChange::At::End;
    m_log.push_back({op, at, device, category, bytes});
}

void PipelineRunner::acquire(Message& message, OpRef ref)
{
    CHECK(message.buffer < 0);
    message.device = ref.device;
    message.buffer = device(ref.device).messages.acquire();
    log(ref.op, ref.device, MemoryCategory::Buffers, m_plan.message);
}

void PipelineRunner::release(Message& message, std::uint32_t op)
{
    device(message.device).messages.release(message.buffer);
    message.buffer = -1;
    log(op, message.device, MemoryCategory::Buffers, -m_plan.message);
}

void PipelineRunner::prepare(OpRef ref)
{
    const Op& op = at(ref);
    Stage& own = stage(op);
    if (op.kind == OpKind::OptimizerStep) {
        if (onGradient)
            onGradient(op.replica, op.stage, own.state.gradients.sum());
        return;
    }
    if (op.kind == OpKind::Forward) {
        CHECK(!own.freeSlots.empty());
        own.slotOf[index(op.microBatch)] = own.freeSlots.back();
        own.freeSlots.pop_back();
        log(ref.op, ref.device, MemoryCategory::Stash, stashBytes(m_setup.model, op.stage));
    }
    if (Message* output = boundary(op).output)
        acquire(*output, ref);
}

void PipelineRunner::compute(OpRef ref)
{
    const Op& op = at(ref);
    Stage& own = stage(op);
    if (op.kind == OpKind::OptimizerStep) {
        own.state.update(m_setup.model);
        return;
    }
    const StageSizes sizes = m_setup.model.sizes(op.stage);
    const Boundary values = boundary(op);
    const TokenBatch tokens = m_tokens->of(op.microBatch.value);
    auto& stash = own.stashes[static_cast<std::size_t>(own.slotOf[index(op.microBatch)])];
    auto& workspace = device(ref.device).workspace;
    if (op.kind == OpKind::Forward) {
        m_losses[index(op.microBatch)]
            += m_setup.model.forward(op.stage,
                                     {own.state.weights, numbers(values.input, sizes.input), stash,
                                      numbers(values.output, sizes.output), workspace, tokens});
        return;
    }
    m_setup.model.backward(op.stage,
                           {own.state.weights, stash, numbers(values.input, sizes.output),
                            numbers(values.output, sizes.input), own.state.gradients.target(),
                            workspace, tokens,
                            m_setup.model.lossScale(static_cast<double>(m_tokens->tokens()))});
    own.state.gradients.endMicroBatch();
}

void PipelineRunner::finish(OpRef ref)
{
    const Op& op = at(ref);
    if (op.kind == OpKind::OptimizerStep)
        return;
    if (Message* input = boundary(op).input)
        release(*input, ref.op);
    if (op.kind == OpKind::Backward) {
        Stage& own = stage(op);
        own.freeSlots.push_back(own.slotOf[index(op.microBatch)]);
        own.slotOf[index(op.microBatch)] = -1;
        log(ref.op, ref.device, MemoryCategory::Stash, -stashBytes(m_setup.model, op.stage));
    }
}

void PipelineRunner::run(OpRef ref)
{
    if (!isCompute(at(ref).kind)) {
        transfer(ref);
        return;
    }
    prepare(ref);
    compute(ref);
    finish(ref);
}

void PipelineRunner::transfer(OpRef ref)
{
    const Op& op = at(ref);
    switch (op.kind) {
    case OpKind::SendActivation:
    case OpKind::SendGradient:
        message(transferredValue(op, m_setup.lowered.shape)).sentBy = ref.op;
        break;
    case OpKind::RecvActivation:
    case OpKind::RecvGradient:
        receive(ref, op);
        break;
    default:
        CHECK(op.kind == OpKind::AllReduce);
        joinAllReduce(op);
    }
}

// The message moves into a buffer of the receiver; the sender's is free once its SEND ends.
void PipelineRunner::receive(OpRef ref, const Op& op)
{
    Message& value = message(transferredValue(op, m_setup.lowered.shape));
    CHECK(value.buffer >= 0 && value.device != ref.device);
    Message sent = value;
    value.buffer = -1;
    acquire(value, ref);
    std::ranges::copy(device(sent.device).messages[sent.buffer],
                      device(value.device).messages[value.buffer].begin());
    release(sent, sent.sentBy);
}

// The last replica to call adds them up, in the order of the devices.
void PipelineRunner::joinAllReduce(const Op& op)
{
    if (++m_allReduceCalls[index(op.stage)] < m_allReduceMembers[index(op.stage)])
        return;
    std::vector<std::pair<DeviceId, Gradients*>> members;
    for (std::size_t r = 0; r < m_stages.size(); ++r)
        members.emplace_back(m_setup.lowered.device(static_cast<int>(r), op.stage),
                             &m_stages[r][index(op.stage)]->state.gradients);
    std::ranges::stable_sort(members, {}, &std::pair<DeviceId, Gradients*>::first);
    std::vector<Gradients*> gradients(members.size());
    std::ranges::transform(members, gradients.begin(), &std::pair<DeviceId, Gradients*>::second);
    Gradients::allReduce(gradients);
}

std::vector<float> PipelineRunner::microBatchLoss() const
{
    const auto tokens = static_cast<double>(m_tokens->tokensPerMicroBatch());
    std::vector<float> means;
    for (const double loss : m_losses)
        means.push_back(static_cast<float>(loss / tokens));
    return means;
}

double PipelineRunner::loss() const
{
    const auto tokens = static_cast<double>(m_tokens->tokensPerMicroBatch());
    double sum = 0;
    for (const double loss : m_losses)
        sum += loss / tokens;
    return sum / static_cast<double>(m_losses.size());
}

Bytes PipelineRunner::stashReserved(DeviceId id) const
{
    Bytes bytes = 0;
    for (std::size_t r = 0; r < m_stages.size(); ++r)
        for (const auto& stage : m_stages[r])
            if (m_setup.lowered.device(static_cast<int>(r), stage->state.stage) == id)
                for (const auto& stash : stage->stashes)
                    bytes += static_cast<Bytes>(stash.size() * sizeof(float));
    return bytes;
}

bool PipelineRunner::messagesAllFree() const
{
    return std::ranges::all_of(m_devices, [](const Device& d) { return d.messages.allFree(); });
}

std::span<const float> PipelineRunner::weights(int replica, StageId stage) const
{
    return m_stages[static_cast<std::size_t>(replica)][index(stage)]->state.weights;
}

} // namespace engine
