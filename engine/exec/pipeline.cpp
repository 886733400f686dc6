#include "engine/exec/pipeline.h"

#include "engine/base/check.h"
#include "engine/exec/tied_gradients.h"
#include "engine/schedule/notation.h"
#include "engine/transport/queued.h"

#include <fmt/format.h>

namespace engine {

Pipeline::Pipeline(const Setup& setup, InProcessTransport::SideLanes sideLanes)
    : m_setup(setup)
    , m_plan(setup.plan != nullptr
                 ? *setup.plan
                 : planExecution({setup.lowered, setup.unit, setup.accumulate, setup.tokenBytes}))
{
    makeDevices();
    makeTransport(sideLanes);
}

void Pipeline::makeDevices()
{
    const Setup& setup = m_setup;
    CHECK(setup.seats.empty() || setup.device == nullptr);
    for (int d = 0; d < setup.lowered.shape.devices; ++d) {
        const Seat* seat
            = setup.seats.empty() ? nullptr : &setup.seats[static_cast<std::size_t>(d)];
        if (seat != nullptr)
            seat->device.bindThread();
        m_devices.push_back(std::make_unique<PipelineDevice>(
            PipelineDevice::Setup{setup.lowered, seat != nullptr ? seat->unit : setup.unit,
                                  seat != nullptr ? seat->device.kernels() : setup.kernels, m_plan,
                                  setup.seed, setup.accumulate, setup.poison,
                                  seat != nullptr ? &seat->device : setup.device},
            DeviceId{d}));
    }
    for (const Seat& seat : setup.seats)
        seat.device.synchronize(); // copies beside the lanes do not wait for what fills the arenas
}

void Pipeline::makeTransport(InProcessTransport::SideLanes sideLanes)
{
    if (!m_setup.seats.empty()) {
        std::vector<const Device*> devices;
        for (const Seat& seat : m_setup.seats)
            devices.push_back(&seat.device);
        m_transport = std::make_unique<QueuedTransport>(traffic(), std::move(devices));
        return;
    }
    CHECK(m_setup.device == nullptr || sideLanes == InProcessTransport::SideLanes::Inline);
    auto transport = std::make_unique<InProcessTransport>(
        traffic(), m_setup.lowered.shape.devices, sideLanes, InProcessTransport::kSpin,
        m_setup.device == nullptr ? nullptr : &m_setup.kernels);
    m_sideLanes = transport->sideLanes();
    m_transport = std::move(transport);
}

const Device* Pipeline::seatOf(DeviceId id) const
{
    return m_setup.seats.empty() ? nullptr : &m_setup.seats[indexOf(id)].device;
}

Traffic Pipeline::traffic() const
{
    const auto bytes = [this](DeviceId device, Extent extent) {
        return m_devices[indexOf(device)]->arena().bytes(extent);
    };
    Traffic traffic;
    for (const ExecutionPlan::SentMessage& message : m_plan.messages)
        traffic.messages.push_back({message.from, message.to, bytes(message.from, message.source),
                                    bytes(message.to, message.slot)});
    for (const ExecutionPlan::PlannedCopy& copy : m_plan.copies) {
        const auto own = bytes(copy.owner, copy.own), guest = bytes(copy.peer, copy.guest);
        traffic.copies.push_back({copy.owner, copy.peer, copy.evicts ? own : guest,
                                  copy.evicts ? guest : own, copy.evicts});
    }
    const auto tied = m_setup.unit.tied();
    for (const ExecutionPlan::PlannedCollective& planned : m_plan.collectives) {
        Collective& collective = traffic.collectives.emplace_back();
        collective.members = planned.members;
        for (std::size_t i = 0; i < planned.members.size(); ++i) {
            Gradients& own = m_devices[indexOf(planned.members[i])]
                                 ->stage(planned.replicas[i], planned.stages[i])
                                 .gradients;
            const auto part = [&](auto numbers) {
                return planned.tied ? tiedPart(*tied, planned.stages[i], numbers) : numbers;
            };
            if (m_setup.accumulate == Accumulate::Exact)
                collective.integers.push_back(part(own.sums()));
            else
                collective.floats.push_back(part(own.target()));
        }
    }
    return traffic;
}

void Pipeline::wrapTransport(
    const std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>& wrapper)
{
    m_transport = wrapper(std::move(m_transport));
}

const OpPlan& Pipeline::planOf(OpRef ref) const
{
    return m_plan.devices[indexOf(ref.device)].ops[ref.position];
}

void Pipeline::beginIteration(TokenBatches& tokens)
{
    m_tokensPerMicroBatch = tokens.tokensPerMicroBatch();
    m_transport->beginIteration();
    for (std::size_t d = 0; d < m_devices.size(); ++d) {
        m_devices[d]->beginIteration(tokens);
        for (const std::uint32_t message : m_plan.devices[d].firstPosts)
            m_transport->post(DeviceId{static_cast<std::int32_t>(d)}, message);
    }
}

bool Pipeline::awaitInputs(OpRef ref)
{
    for (const Fence fence : planOf(ref).waits)
        if (!m_transport->wait(ref.device, fence))
            return false;
    return true;
}

void Pipeline::finish(OpRef ref)
{
    device(ref.device).finish(ref.position);
    for (const std::uint32_t message : planOf(ref).posts)
        m_transport->post(ref.device, message);
}

bool Pipeline::transfer(OpRef ref)
{
    const std::uint32_t id = planOf(ref).transfer;
    switch (at(ref).kind) {
    case OpKind::SendActivation:
    case OpKind::SendGradient:
        return m_transport->send(ref.device, id);
    case OpKind::AllReduce:
        m_transport->allReduce(ref.device, id);
        return !m_setup.blockingAllReduce || awaitInputs(ref);
    case OpKind::Evict:
    case OpKind::Load:
        m_transport->copy(ref.device, id);
        return true;
    default: // who uses what a RECV brings waits for it
        CHECK(isTransfer(at(ref).kind));
        return true;
    }
}

void Pipeline::run(OpRef ref)
{
    if (!isCompute(at(ref).kind)) {
        CHECK(transfer(ref));
        return;
    }
    for (const Fence fence : planOf(ref).waits)
        CHECK(m_transport->hasPassed(fence)); // an op runs after what it consumes
    compute(ref);
    finish(ref);
}

std::vector<float> Pipeline::microBatchLoss() const
{
    std::vector<float> means;
    for (std::size_t m = 0; m < static_cast<std::size_t>(m_setup.lowered.shape.microBatches); ++m) {
        double loss = 0;
        for (const auto& device : m_devices)
            loss += device->losses()[m];
        means.push_back(static_cast<float>(loss / static_cast<double>(m_tokensPerMicroBatch)));
    }
    return means;
}

double Pipeline::loss() const
{
    double sum = 0;
    for (std::size_t m = 0; m < static_cast<std::size_t>(m_setup.lowered.shape.microBatches); ++m)
        for (const auto& device : m_devices)
            sum += device->losses()[m] / static_cast<double>(m_tokensPerMicroBatch);
    return sum / m_setup.lowered.shape.microBatches;
}

std::span<const float> Pipeline::weights(int replica, StageId stage)
{
    return device(m_setup.lowered.device(replica, stage)).stage(replica, stage).weights;
}

void Pipeline::observeGradients(const GradientObserver& observer)
{
    for (const auto& device : m_devices)
        device->onGradient = observer;
}

Fence Pipeline::fenceOf(OpRef ref) const
{
    const std::uint32_t id = planOf(ref).transfer;
    switch (at(ref).kind) {
    case OpKind::AllReduce:
        return {Fence::Kind::Reduced, id};
    case OpKind::Evict:
    case OpKind::Load:
        return {Fence::Kind::Copied, id};
    default:
        return {Fence::Kind::Arrived, id};
    }
}

TransferTime Pipeline::timeOf(OpRef ref) const
{
    return m_transport->timeOf(fenceOf(ref));
}

bool Pipeline::hasPassed(OpRef ref) const
{
    return m_transport->hasPassed(fenceOf(ref));
}

std::string describeFault(const Pipeline& pipeline, OpRef ref, const std::exception& fault)
{
    return fmt::format("device {}, index {}, {}: {}", ref.device.value, ref.position,
                       toString(pipeline.at(ref)), fault.what());
}

} // namespace engine
