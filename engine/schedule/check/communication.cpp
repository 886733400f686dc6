#include "engine/schedule/check/communication.h"

#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

enum class Exchange : std::uint8_t {
    OneByOne, // every transfer is posted and waited for separately
    Fused,    // the transfers between two compute ops are posted and waited for together
};

class ExchangeRun
{
public:
    ExchangeRun(const Schedule& schedule, Exchange exchange)
        : m_schedule(schedule)
        , m_exchange(exchange)
        , m_devices(schedule.program.size())
        , m_called(valueCount(schedule.shape))
    {
        for (const DeviceId d : m_devices.ids())
            m_running.push_back(d);
    }

    std::optional<TransportFault> find()
    {
        while (!m_running.empty()) {
            const DeviceId device = m_running.back();
            m_running.pop_back();
            run(device);
        }
        for (const DeviceId d : m_devices.ids())
            if (isStuck(d))
                return circleFrom(d);
        return std::nullopt;
    }

private:
    struct Device
    {
        std::size_t next = 0; // first op of the running group
        std::size_t end = 0;  // end of the running group; equal to next: none
        int missing = 0;      // transfers of the group whose other end has not started
    };

    // Advances the device until it must wait for transfers.
    void run(DeviceId d)
    {
        const auto& ops = m_schedule.program[d];
        Device& device = m_devices[d];
        device.next = device.end;
        while (device.next < ops.size()) {
            if (!isTransfer(ops[device.next].kind)) {
                device.end = ++device.next;
                continue;
            }
            call(d);
            if (device.missing > 0)
                return;
            device.next = device.end;
        }
    }

    // Posts the group of transfers that starts at `next`. Skips all-reduces, evicts and loads,
    // which run on other streams.
    void call(DeviceId d)
    {
        const auto& ops = m_schedule.program[d];
        Device& device = m_devices[d];
        for (device.end = device.next; device.end < ops.size(); ++device.end) {
            const Op& op = ops[device.end];
            if (isCompute(op.kind))
                break;
            if (!isTransfer(op.kind))
                continue;
            ++device.missing;
            meet(d, op);
            if (m_exchange == Exchange::OneByOne) {
                ++device.end;
                break;
            }
        }
    }

    void meet(DeviceId d, const Op& op)
    {
        DeviceId& called
            = m_called[valueIndex(transferredValue(op, m_schedule.shape), m_schedule.shape)];
        if (!called.isValid()) {
            called = d;
            return;
        }
        --m_devices[d].missing;
        if (--m_devices[called].missing == 0)
            m_running.push_back(called);
    }

    bool isStuck(DeviceId d) const { return m_devices[d].next < m_schedule.program[d].size(); }

    std::size_t waiting(DeviceId d) const
    {
        const Device& device = m_devices[d];
        std::size_t i = device.next;
        while (i + 1 < device.end && !isUnmet(m_schedule.program[d][i]))
            ++i;
        return i;
    }

    // Whether the other device has not posted its end of the transfer.
    bool isUnmet(const Op& op) const
    {
        if (!isTransfer(op.kind))
            return false;
        const Op other = otherEnd(op, m_schedule.shape);
        const DeviceId peer = otherDevice(m_schedule, op);
        const auto ops = m_schedule.on(peer).subspan(m_devices[peer].end);
        return std::ranges::any_of(ops, [&other](const Op& later) {
            return later.kind == other.kind && later.stage == other.stage
                && later.microBatch == other.microBatch && later.replica == other.replica
                && later.slice == other.slice;
        });
    }

    // Follows the waits until a device repeats, and reports the devices of that cycle.
    TransportFault circleFrom(DeviceId start) const
    {
        std::vector<DeviceId> path;
        DeviceId d = start;
        while (isStuck(d) && std::ranges::find(path, d) == path.end()) {
            path.push_back(d);
            d = otherDevice(m_schedule, m_schedule.program[d][waiting(d)]);
        }
        if (isStuck(d))
            path.erase(path.begin(), std::ranges::find(path, d));
        const std::size_t index = waiting(path.front());
        TransportFault fault{
            {path.front(), static_cast<int>(index), m_schedule.program[path.front()][index]}, {}};
        for (const DeviceId device : path)
            fault.reason += (fault.reason.empty() ? "" : "; ") + describe(device);
        return fault;
    }

    std::string describe(DeviceId d) const
    {
        const std::size_t index = waiting(d);
        const Op& op = m_schedule.program[d][index];
        return fmt::format("device {}, index {}: {} waits for {} of device {}", d.value, index,
                           toString(op), toString(otherEnd(op, m_schedule.shape)),
                           otherDevice(m_schedule, op).value);
    }

    const Schedule& m_schedule;
    Exchange m_exchange;
    IdVector<DeviceId, Device> m_devices;
    std::vector<DeviceId> m_called;  // [value] the device that posted its end first
    std::vector<DeviceId> m_running; // devices that can advance
};

// Executes the schedule without times, with transfers that block until both ends have called.
// Returns an op at which devices wait for each other; nullopt if the schedule finishes.
std::optional<TransportFault> findExchangeFault(const Schedule& lowered, Exchange exchange)
{
    return ExchangeRun(lowered, exchange).find();
}

struct TransportNames
{
    std::string_view name, title;
};

constexpr EnumArray<TransportKind, TransportNames, kTransports> kTransportNames{{{
    {"blocking", "blocking send and receive"},
    {"fused", "fused exchange"},
    {"one-communicator", "one communicator"},
    {"per-kind", "separate communicators for activations and gradients"},
    {"tagged", "tags or credits"},
    {"nccl", "NCCL as in Bubblescope"},
}}};

TransportVerdict verdictOf(TransportKind transport, std::optional<TransportFault> fault)
{
    TransportVerdict verdict;
    verdict.transport = transport;
    if (!fault)
        return verdict;
    verdict.safe = false;
    verdict.device = fault->place.device;
    verdict.index = fault->place.index;
    verdict.op = fault->place.op;
    verdict.reason = std::move(fault->reason);
    return verdict;
}

std::size_t countSends(const Schedule& schedule)
{
    std::size_t count = 0;
    for (const auto& ops : schedule.program)
        count += std::ranges::count_if(ops, [](const Op& op) { return isSend(op.kind); });
    return count;
}

} // namespace

std::string_view transportName(TransportKind transport)
{
    return kTransportNames[transport].name;
}

std::string_view transportTitle(TransportKind transport)
{
    return kTransportNames[transport].title;
}

CommunicationReport checkCommunication(const Schedule& lowered)
{
    CommunicationReport report;
    report.messages = countSends(lowered);
    const auto order = findOrderFault(lowered, Communicators::One);
    // Order faults come first, because a wrong message goes unnoticed; a deadlock does not.
    auto fused = order ? order : findExchangeFault(lowered, Exchange::Fused);
    report.verdicts = {
        verdictOf(TransportKind::Blocking, findExchangeFault(lowered, Exchange::OneByOne)),
        verdictOf(TransportKind::Fused, std::move(fused)),
        verdictOf(TransportKind::OneCommunicator, order),
        verdictOf(TransportKind::PerKind, findOrderFault(lowered, Communicators::PerKind)),
        verdictOf(TransportKind::Tagged, std::nullopt),
        verdictOf(TransportKind::Nccl, findNcclFault(lowered)),
    };
    return report;
}

} // namespace engine
