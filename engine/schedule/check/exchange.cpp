#include "engine/schedule/check/exchange.h"

#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

class ExchangeRun
{
public:
    ExchangeRun(const Schedule& schedule, Exchange exchange)
        : m_schedule(schedule)
        , m_exchange(exchange)
        , m_devices(schedule.program.size())
        , m_called(valueCount(schedule.shape), kNone)
    {
        for (std::size_t d = m_devices.size(); d-- > 0;)
            m_running.push_back(d);
    }

    std::optional<TransportFault> find()
    {
        while (!m_running.empty()) {
            const std::size_t device = m_running.back();
            m_running.pop_back();
            run(device);
        }
        for (std::size_t d = 0; d < m_devices.size(); ++d)
            if (isStuck(d))
                return circleFrom(d);
        return std::nullopt;
    }

private:
    static constexpr std::int32_t kNone = -1;

    struct Device
    {
        std::size_t next = 0; // first op of the running group
        std::size_t end = 0;  // end of the running group; equal to next: none
        int missing = 0;      // transfers of the group whose other end has not started
    };

    // Advances until transfers must be waited for.
    void run(std::size_t d)
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

    // Posts the group of transfers from `next` on. Other ops among them (all-reduce, evict) have
    // streams of their own.
    void call(std::size_t d)
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

    void meet(std::size_t d, const Op& op)
    {
        std::int32_t& called
            = m_called[valueIndex(transferredValue(op, m_schedule.shape), m_schedule.shape)];
        if (called == kNone) {
            called = static_cast<std::int32_t>(d);
            return;
        }
        --m_devices[d].missing;
        const auto other = static_cast<std::size_t>(called);
        if (--m_devices[other].missing == 0)
            m_running.push_back(other);
    }

    bool isStuck(std::size_t d) const { return m_devices[d].next < m_schedule.program[d].size(); }

    std::size_t waiting(std::size_t d) const
    {
        const Device& device = m_devices[d];
        std::size_t i = device.next;
        while (i + 1 < device.end && !isUnmet(m_schedule.program[d][i]))
            ++i;
        return i;
    }

    // Whether the other device has not posted its end.
    bool isUnmet(const Op& op) const
    {
        if (!isTransfer(op.kind))
            return false;
        const Op other = otherEnd(op, m_schedule.shape);
        const auto peer = static_cast<std::size_t>(otherDevice(m_schedule, op).value);
        const auto ops = std::span<const Op>(m_schedule.program[peer]).subspan(m_devices[peer].end);
        return std::ranges::any_of(ops, [&other](const Op& later) {
            return later.kind == other.kind && later.stage == other.stage
                && later.microBatch == other.microBatch && later.replica == other.replica
                && later.slice == other.slice;
        });
    }

    // Follows the waiting devices until one repeats; they form the cycle.
    TransportFault circleFrom(std::size_t start) const
    {
        std::vector<std::size_t> path;
        std::size_t d = start;
        while (isStuck(d) && std::ranges::find(path, d) == path.end()) {
            path.push_back(d);
            d = static_cast<std::size_t>(
                otherDevice(m_schedule, m_schedule.program[d][waiting(d)]).value);
        }
        if (isStuck(d))
            path.erase(path.begin(), std::ranges::find(path, d));
        const std::size_t index = waiting(path.front());
        TransportFault fault{{DeviceId{static_cast<std::int32_t>(path.front())},
                              static_cast<int>(index), m_schedule.program[path.front()][index]},
                             {}};
        for (const std::size_t device : path)
            fault.reason += (fault.reason.empty() ? "" : "; ") + describe(device);
        return fault;
    }

    std::string describe(std::size_t d) const
    {
        const std::size_t index = waiting(d);
        const Op& op = m_schedule.program[d][index];
        return fmt::format("device {}, index {}: {} waits for {} of device {}", d, index,
                           toString(op), toString(otherEnd(op, m_schedule.shape)),
                           otherDevice(m_schedule, op).value);
    }

    const Schedule& m_schedule;
    Exchange m_exchange;
    std::vector<Device> m_devices;
    std::vector<std::int32_t> m_called; // [value] the device that posted its end first
    std::vector<std::size_t> m_running; // devices that can advance
};

} // namespace

std::optional<TransportFault> findExchangeFault(const Schedule& lowered, Exchange exchange)
{
    return ExchangeRun(lowered, exchange).find();
}

} // namespace engine
