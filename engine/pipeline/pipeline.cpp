#include "engine/pipeline/pipeline.h"

#include "engine/base/check.h"
#include "engine/base/process.h"
#include "engine/schedule/notation.h"
#include "engine/transport/matched.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace engine {

Pipeline::Pipeline(const Setup& setup, InProcessTransport::SideWork sideWork)
    : m_setup(setup)
    , m_plan(setup.plan != nullptr
                 ? *setup.plan
                 : planExecution({setup.lowered, setup.model, setup.accumulate, setup.tokenBytes}))
    , m_numbers(m_plan, setup.lowered.shape.dataParallel)
{
    makeDevices();
    makeTransport(sideWork);
}

void Pipeline::makeDevices()
{
    const Setup& setup = m_setup;
    CHECK(setup.executorDevices.empty() || setup.device == nullptr);
    const int devices = setup.lowered.shape.devices;
    for (const DeviceId d : Ids<DeviceId>(devices * copies())) {
        const ExecutorDevice* executor
            = setup.executorDevices.empty() ? nullptr : &setup.executorDevices[d];
        if (executor != nullptr)
            executor->device.bindThread();
        m_devices.push_back(std::make_unique<PipelineDevice>(
            PipelineDevice::Setup{setup.lowered,
                                  executor != nullptr ? executor->model : setup.model,
                                  executor != nullptr ? executor->device.kernels() : setup.kernels,
                                  m_plan, setup.seed, setup.accumulate, setup.poison,
                                  executor != nullptr ? &executor->device : setup.device},
            DeviceId{d.value % devices}));
    }
    // Waits until the arenas are filled, because copies run on other streams, which do not wait for
    // the ops that fill them.
    for (const ExecutorDevice& executor : setup.executorDevices)
        executor.device.synchronize();
}

void Pipeline::makeTransport(InProcessTransport::SideWork sideWork)
{
    if (!m_setup.executorDevices.empty()) {
        IdVector<DeviceId, const Device*> devices;
        for (const ExecutorDevice& executor : m_setup.executorDevices)
            devices.push_back(&executor.device);
        if (m_setup.communicators)
            m_transport = std::make_unique<MatchedTransport>(traffic(), std::move(devices),
                                                             m_setup.communicators);
        else
            m_transport = std::make_unique<QueuedTransport>(traffic(), std::move(devices));
        return;
    }
    CHECK(m_setup.device == nullptr || sideWork == InProcessTransport::SideWork::Inline);
    auto transport = std::make_unique<InProcessTransport>(
        traffic(), m_devices.size(), sideWork, InProcessTransport::kSpin,
        m_setup.device == nullptr ? nullptr : &m_setup.kernels);
    m_sideThreads = transport->sideThreads();
    m_transport = std::move(transport);
}

const Device* Pipeline::executorDeviceOf(DeviceId id, int copy) const
{
    return m_setup.executorDevices.empty()
        ? nullptr
        : &m_setup.executorDevices[m_numbers.device(id, copy)].device;
}

Traffic Pipeline::traffic() const
{
    Traffic traffic = trafficOf(m_plan, m_numbers);
    for (int copy = 0; copy < copies(); ++copy) {
        addBuffers(copy, traffic);
        for (std::size_t i = 0; i < m_plan.collectives.size(); ++i)
            addBuffers(copy, m_plan.collectives[i], traffic.collectives[i]);
    }
    return traffic;
}

void Pipeline::addBuffers(int copy, Traffic& traffic) const
{
    const auto number = [&](DeviceId device) { return m_numbers.device(device, copy); };
    const auto bytes = [&](DeviceId device, Extent extent) {
        return m_devices[number(device)]->arena().bytes(extent);
    };
    for (std::uint32_t i = 0; i < m_plan.messages.size(); ++i) {
        const ExecutionPlan::SentMessage& planned = m_plan.messages[i];
        Message& message = traffic.messages[m_numbers.message(i, copy)];
        message.source = bytes(planned.from, planned.source);
        message.slot = bytes(planned.to, planned.slot);
    }
    for (const ExecutionPlan::PlannedCopy& move : m_plan.copies) {
        const auto own = bytes(move.owner, move.own);
        const auto guest = move.usesHost() ? m_devices[number(move.owner)]->host().bytes(move.guest)
                                           : bytes(move.peer, move.guest);
        traffic.copies.push_back({number(move.owner), number(move.peer), move.evicts ? own : guest,
                                  move.evicts ? guest : own, move.evicts});
    }
}

void Pipeline::addBuffers(int copy, const ExecutionPlan::PlannedCollective& planned,
                          Collective& collective) const
{
    for (const auto& member : planned.members) {
        const DeviceId device = m_numbers.device(member.device, copy);
        Gradients& own = m_devices[device]->stage(member.replica, member.stage).gradients;
        if (m_setup.accumulate == Accumulate::Exact)
            collective.integers.push_back(own.sums().subspan(member.first, planned.count));
        else
            collective.floats.push_back(own.target().subspan(member.first, planned.count));
    }
}

void Pipeline::wrapTransport(
    const std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>& wrapper)
{
    m_transport = wrapper(std::move(m_transport));
}

const OpPlan& Pipeline::planOf(OpRef ref) const
{
    return m_plan.devices[ref.device].ops[ref.position];
}

void Pipeline::beginIteration(const TokenBatches& tokens)
{
    const Shape& shape = m_setup.lowered.shape;
    m_tokensPerMicroBatch = tokens.tokensPerMicroBatch();
    m_transport->beginIteration();
    for (int copy = 0; copy < copies(); ++copy)
        for (const DeviceId d : Ids<DeviceId>(shape.devices)) {
            device(d, copy).beginIteration(tokens, copy * shape.allMicroBatches());
            for (const std::uint32_t message : m_plan.devices[d].firstPosts)
                m_transport->post(m_numbers.device(d, copy), m_numbers.message(message, copy));
        }
}

bool Pipeline::awaitInputs(OpRef ref)
{
    for (const Fence fence : planOf(ref).waits)
        if (!m_transport->wait(numberOf(ref), m_numbers.fence(fence, ref.copy)))
            return false;
    return true;
}

void Pipeline::finish(OpRef ref)
{
    deviceOf(ref).finish(ref.position);
    for (const std::uint32_t message : planOf(ref).posts)
        m_transport->post(numberOf(ref), m_numbers.message(message, ref.copy));
}

bool Pipeline::transfer(OpRef ref)
{
    const std::uint32_t id = planOf(ref).transfer;
    const DeviceId self = numberOf(ref);
    switch (at(ref).kind) {
    case OpKind::SendActivation:
    case OpKind::SendGradient:
        return m_transport->send(self, m_numbers.message(id, ref.copy));
    case OpKind::AllReduce:
        for (const std::uint32_t reduction : planOf(ref).reductions)
            m_transport->allReduce(self, reduction);
        return !m_setup.blockingAllReduce || awaitInputs(ref);
    case OpKind::Evict:
    case OpKind::Load:
        m_transport->copy(self, m_numbers.move(id, ref.copy));
        return true;
    default: // a RECV does nothing; the op that uses its value waits
        CHECK(isTransfer(at(ref).kind));
        m_transport->receive(self, m_numbers.message(id, ref.copy));
        return true;
    }
}

void Pipeline::run(OpRef ref)
{
    if (!isCompute(at(ref).kind)) {
        CHECK(transfer(ref));
        return;
    }
    // In a valid order all inputs of the op are complete.
    for (const Fence fence : planOf(ref).waits)
        CHECK(hasPassed(fence, ref.copy));
    compute(ref);
    finish(ref);
}

std::vector<double> Pipeline::microBatchLosses() const
{
    const std::size_t devices = m_setup.lowered.shape.devices;
    const std::size_t microBatches = m_setup.lowered.shape.allMicroBatches();
    std::vector<double> means(m_devices.size() / devices * microBatches);
    for (std::size_t d = 0; d < m_devices.size(); ++d) {
        const std::vector<double> losses = m_devices.begin()[d]->losses();
        for (std::size_t m = 0; m < microBatches; ++m)
            means[d / devices * microBatches + m] += losses[m];
    }
    for (double& mean : means)
        mean /= m_tokensPerMicroBatch;
    return means;
}

std::vector<float> Pipeline::microBatchLoss() const
{
    const std::vector<double> means = microBatchLosses();
    return {means.begin(), means.end()};
}

double Pipeline::loss() const
{
    const std::vector<double> means = microBatchLosses();
    return std::accumulate(means.begin(), means.end(), 0.0) / means.size();
}

std::optional<double> Pipeline::gradientNorm() const
{
    const Shape& shape = m_setup.lowered.shape;
    if (shape.updateEvery > 0)
        return {};
    double squares = 0;
    // Counts only the first data-parallel pipeline, because all of them have equal gradients.
    for (const DeviceId d : m_plan.devices.ids())
        squares += m_devices[d]->squaresOfGradients();
    return std::sqrt(squares);
}

std::span<const float> Pipeline::weights(int replica, StageId stage)
{
    const int own = replica % m_setup.lowered.shape.replicas;
    return device(m_setup.lowered.device(own, stage), replica / m_setup.lowered.shape.replicas)
        .stage(own, stage)
        .fullWeights();
}

void Pipeline::observeGradients(const GradientObserver& observer)
{
    const int replicas = m_setup.lowered.shape.replicas;
    for (int copy = 0; copy < copies(); ++copy)
        for (const DeviceId d : Ids<DeviceId>(m_setup.lowered.shape.devices))
            device(d, copy).onGradient
                = [observer, first = copy * replicas](int replica, StageId stage,
                                                      std::span<const float> gradient) {
                      observer(first + replica, stage, gradient);
                  };
}

TransferTime Pipeline::timeOfReductions(std::span<const std::uint32_t> reductions) const
{
    TransferTime all = m_transport->timeOf({Fence::Kind::Reduced, reductions.front()});
    for (const std::uint32_t id : reductions.subspan(1)) {
        const TransferTime one = m_transport->timeOf({Fence::Kind::Reduced, id});
        all = {std::min(all.begin, one.begin), std::max(all.end, one.end)};
    }
    return all;
}

Fence Pipeline::fenceOf(OpRef ref) const
{
    const std::uint32_t id = planOf(ref).transfer;
    const auto kind = isCopy(at(ref).kind) ? Fence::Kind::Copied : Fence::Kind::Arrived;
    return m_numbers.fence({kind, id}, ref.copy);
}

TransferTime Pipeline::timeOf(OpRef ref) const
{
    return at(ref).kind == OpKind::AllReduce ? timeOfReductions(planOf(ref).reductions)
                                             : m_transport->timeOf(fenceOf(ref));
}

bool Pipeline::hasPassed(OpRef ref) const
{
    if (at(ref).kind != OpKind::AllReduce)
        return m_transport->hasPassed(fenceOf(ref));
    return std::ranges::all_of(planOf(ref).reductions, [this](std::uint32_t id) {
        return m_transport->hasPassed({Fence::Kind::Reduced, id});
    });
}

std::string deviceText(const Pipeline& pipeline, OpRef ref)
{
    const std::string text = fmt::format("device {}", ref.device.value);
    return pipeline.copies() == 1 ? text : fmt::format("{} of copy {}", text, ref.copy);
}

std::string describeFault(const Pipeline& pipeline, OpRef ref, const std::exception& fault)
{
    return fmt::format("{}, index {}, {}: {}", deviceText(pipeline, ref), ref.position,
                       toString(pipeline.at(ref)), messageOf(fault));
}

} // namespace engine
