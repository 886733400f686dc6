#include "engine/schedule/check/communication.h"
#include "engine/schedule/dataflow_visit.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace engine {
namespace {

// Identifies a communicator on all its ranks.
struct StreamKey
{
    bool reduces = false, gradients = false;
    int from = 0, to = 0; // sender and receiver

    friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};
constexpr StreamKey kReduceStream{true};

class StreamRun
{
public:
    StreamRun(const Schedule& schedule, Exchange exchange)
        : m_schedule(schedule)
        , m_exchange(exchange)
        , m_devices(schedule.program.size())
        , m_started(valueCount(schedule.shape), 0)
        , m_makerOn(valueCount(schedule.shape), kNowhere)
    {
        for (const DeviceId d : m_devices.ids())
            learn(d);
        for (const DeviceId d : m_devices.ids())
            m_running.push_back(d);
    }

    std::optional<TransportFault> find()
    {
        while (!m_running.empty()) {
            const DeviceId device = m_running.back();
            m_running.pop_back();
            while (advance(device)) { }
        }
        for (const DeviceId d : m_devices.ids())
            if (!isDone(d))
                return circleFrom(d);
        return std::nullopt;
    }

private:
    static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

    // The stream of a communicator on one device. Its running group is [first, end) of `ops`.
    struct Stream
    {
        std::vector<std::uint32_t> ops; // positions in the program
        std::size_t first = 0, end = 0; // equal if no group is running
        int missing = 0;                // transfers of the group whose other end has not started
    };
    struct Device
    {
        // The position in the program up to which all compute ops are complete.
        std::size_t computed = 0;
        std::map<StreamKey, Stream> streams;
        std::map<std::uint32_t, int> rounds; // position of an ALLREDUCE -> its round
    };
    // Identifies an all-reduce: its stage, whether it is for tied embeddings, and the index of the
    // update.
    using SumKey = std::tuple<StageId, bool, int>;
    struct Sum // an all-reduce
    {
        int devices = 0, started = 0;
        std::vector<DeviceId> waiting;
    };

    void learn(DeviceId d)
    {
        const auto& ops = m_schedule.program[d];
        std::map<SumKey, bool> seen;
        std::map<std::pair<std::uint8_t, StageId>, int> calls;
        for (std::uint32_t i = 0; i < ops.size(); ++i) {
            if (const auto stream = streamOf(d, ops[i])) {
                m_devices[d].streams[*stream].ops.push_back(i);
                if (*stream != kReduceStream)
                    continue;
                m_devices[d].rounds[i] = calls[{ops[i].replica, ops[i].stage}]++;
                if (!std::exchange(seen[sumKey(d, i)], true))
                    ++m_sums[sumKey(d, i)].devices;
            } else if (isCompute(ops[i].kind)) {
                visitProduced(ops[i], m_schedule.shape, [&](const Value& value) {
                    m_makerOn[valueIndex(value, m_schedule.shape)] = i;
                });
            }
        }
    }

    // The communicator of an op; none for compute, evicts and loads. If transfers block, all of a
    // device are on one stream.
    std::optional<StreamKey> streamOf(DeviceId d, const Op& op) const
    {
        const bool isSum = op.kind == OpKind::AllReduce;
        if (!isTransfer(op.kind) && !(isSum && m_exchange == Exchange::Streams))
            return std::nullopt;
        if (isSum || m_exchange != Exchange::Streams)
            return StreamKey{isSum};
        const bool gradients = op.kind == OpKind::SendGradient || op.kind == OpKind::RecvGradient;
        const DeviceId other = otherDevice(m_schedule, op);
        return isSend(op.kind) ? StreamKey{false, gradients, d.value, other.value}
                               : StreamKey{false, gradients, other.value, d.value};
    }

    const Op& at(DeviceId d, std::uint32_t position) const
    {
        return m_schedule.program[d][position];
    }
    // The k-th calls of all devices of a stage are one all-reduce.
    SumKey sumKey(DeviceId d, std::uint32_t position) const
    {
        const Op& op = at(d, position);
        return {allReduceStage(op), tiesEmbeddings(op), m_devices[d].rounds.at(position)};
    }
    std::uint32_t carried(const Op& transfer) const
    {
        return valueIndex(transferredValue(transfer, m_schedule.shape), m_schedule.shape);
    }

    // Advances all streams of the device; returns whether any of them moved.
    bool advance(DeviceId d)
    {
        bool moved = compute(d);
        for (auto& [key, stream] : m_devices[d].streams)
            moved = start(d, stream) || moved;
        return moved;
    }

    // Executes compute ops up to the first one that must wait. Joint ops start when the inputs of
    // all of them are available.
    bool compute(DeviceId d)
    {
        Device& device = m_devices[d];
        const auto& ops = m_schedule.program[d];
        const std::size_t before = device.computed;
        while (device.computed < ops.size()) {
            std::size_t end = device.computed + 1;
            while (end < ops.size() && ops[end - 1].flags == OpFlag::JointWithNext)
                ++end;
            for (std::size_t i = device.computed; i < end; ++i)
                if (isCompute(ops[i].kind) && waitsFor(d, i))
                    return device.computed != before;
            device.computed = end;
        }
        return device.computed != before;
    }

    // Whether the op waits for another stream. Only transfers and all-reduces before the op are
    // tested, because a receive precedes the op that needs it, and an all-reduce precedes its OPT.
    bool waitsFor(DeviceId d, std::size_t position) const
    {
        const Op& op = m_schedule.program[d][position];
        return std::ranges::any_of(m_devices[d].streams, [&](const auto& each) {
            const Stream& stream = each.second;
            if (m_exchange != Exchange::Streams)
                return stream.first < stream.ops.size() && stream.ops[stream.first] < position;
            for (std::size_t k = stream.first; k < stream.ops.size() && stream.ops[k] < position;
                 ++k)
                if (needs(op, at(d, stream.ops[k])))
                    return true;
            return false;
        });
    }

    bool needs(const Op& op, const Op& transfer) const
    {
        bool found = false;
        visitConsumed(op, m_schedule.shape, [&](const Value& value) {
            if (transfer.kind == OpKind::AllReduce)
                found = found
                    || (value.kind == Value::Kind::ReducedGradient
                        && value.stage == allReduceStage(transfer)
                        && tiesEmbeddings(op) == tiesEmbeddings(transfer));
            else if (!isSend(transfer.kind))
                found = found || value == transferredValue(transfer, m_schedule.shape);
        });
        return found;
    }

    bool start(DeviceId d, Stream& stream)
    {
        if (stream.first < stream.end || stream.first == stream.ops.size())
            return false;
        std::size_t end = stream.first + 1;
        while (end < stream.ops.size() && m_exchange != Exchange::OneByOne
               && isBetween(d, stream.ops[end - 1], stream.ops[end]))
            ++end;
        for (std::size_t k = stream.first; k < end; ++k)
            if (!hasInput(d, stream.ops[k]))
                return false;
        stream.end = end;
        stream.missing = end - stream.first;
        for (std::size_t k = stream.first; k < end; ++k)
            meet(d, stream, stream.ops[k]);
        finish(stream);
        return true;
    }

    bool isBetween(DeviceId d, std::uint32_t from, std::uint32_t to) const
    {
        const auto ops = m_schedule.on(d).subspan(from, to - from);
        return std::ranges::none_of(ops, [](const Op& op) { return isCompute(op.kind); });
    }

    // Whether the inputs of a transfer or all-reduce are complete. An all-reduce needs the
    // gradients of all earlier backwards.
    bool hasInput(DeviceId d, std::uint32_t position) const
    {
        const Op& op = at(d, position);
        if (op.kind == OpKind::AllReduce || m_exchange != Exchange::Streams)
            return m_devices[d].computed >= position;
        return !isSend(op.kind) || m_makerOn[carried(op)] < m_devices[d].computed;
    }

    void meet(DeviceId d, Stream& stream, std::uint32_t position)
    {
        const Op& op = at(d, position);
        if (op.kind == OpKind::AllReduce)
            return join(d, stream, m_sums[sumKey(d, position)]);
        if (++m_started[carried(op)] < 2)
            return;
        --stream.missing;
        const DeviceId other = otherDevice(m_schedule, op);
        Stream& theirs = m_devices[other].streams[*streamOf(d, op)];
        --theirs.missing;
        finish(theirs);
        m_running.push_back(other);
    }

    // A device that holds both replicas of a stage is one rank, so the second all-reduce completes
    // with the first.
    void join(DeviceId d, Stream& stream, Sum& sum)
    {
        if (sum.started == sum.devices || std::ranges::count(sum.waiting, d) > 0) {
            --stream.missing;
            return;
        }
        sum.waiting.push_back(d);
        if (++sum.started < sum.devices)
            return;
        for (const DeviceId member : sum.waiting) {
            Stream& theirs = m_devices[member].streams[kReduceStream];
            --theirs.missing;
            if (member != d)
                finish(theirs);
            m_running.push_back(member);
        }
    }

    static void finish(Stream& stream)
    {
        if (stream.missing == 0)
            stream.first = stream.end;
    }

    bool isDone(DeviceId d) const
    {
        const Device& device = m_devices[d];
        return device.computed == m_schedule.program[d].size()
            && std::ranges::all_of(device.streams, [](const auto& each) {
                   return each.second.first == each.second.ops.size();
               });
    }

    // The device's earliest running transfer or all-reduce that another device has not started.
    std::optional<std::uint32_t> unmet(DeviceId d) const
    {
        std::optional<std::uint32_t> first;
        for (const auto& [key, stream] : m_devices[d].streams)
            for (std::size_t k = stream.first; k < stream.end; ++k) {
                const Op& op = at(d, stream.ops[k]);
                const bool meets = isTransfer(op.kind) && m_started[carried(op)] == 2;
                if (!meets && (!first || stream.ops[k] < *first))
                    first = stream.ops[k];
            }
        return first;
    }

    // The device that has not reached the other end of the transfer, or the all-reduce.
    DeviceId missingAt(DeviceId d, std::uint32_t position) const
    {
        const Op& op = at(d, position);
        if (isTransfer(op.kind))
            return otherDevice(m_schedule, op);
        const auto& waiting = m_sums.at(sumKey(d, position)).waiting;
        for (const DeviceId other : m_devices.ids())
            if (std::ranges::count(waiting, other) == 0)
                for (const Op& their : m_schedule.program[other])
                    if (their.kind == op.kind && allReduceStage(their) == allReduceStage(op)
                        && tiesEmbeddings(their) == tiesEmbeddings(op))
                        return other;
        return d;
    }

    // Follows the waits until a device repeats, and reports the devices of that cycle.
    TransportFault circleFrom(DeviceId start) const
    {
        std::vector<DeviceId> path;
        DeviceId d = start;
        while (std::ranges::find(path, d) == path.end()) {
            const auto keeps = unmet(d);
            if (!keeps)
                break;
            path.push_back(d);
            d = missingAt(d, *keeps);
        }
        if (const auto again = std::ranges::find(path, d); again != path.end())
            path.erase(path.begin(), again);
        if (path.empty())
            return {{start, 0, at(start, 0)},
                    fmt::format("device {} waits for a value that no op produces", start.value)};
        const std::uint32_t index = *unmet(path.front());
        TransportFault fault{{path.front(), static_cast<int>(index), at(path.front(), index)}, {}};
        for (const DeviceId device : path)
            fault.reason += (fault.reason.empty() ? "" : "; ") + describe(device);
        return fault;
    }

    std::string describe(DeviceId d) const
    {
        const std::uint32_t index = *unmet(d);
        const Op& op = at(d, index);
        const DeviceId other = missingAt(d, index);
        return fmt::format(
            "device {}, index {}: {} waits for {} of device {}", d.value, index, toString(op),
            toString(isTransfer(op.kind) ? otherEnd(op, m_schedule.shape) : op), other.value);
    }

    const Schedule& m_schedule;
    Exchange m_exchange;
    IdVector<DeviceId, Device> m_devices;
    std::vector<std::uint8_t> m_started; // [value] number of ends that have started
    // [value] position of its producer, on the producer's device
    std::vector<std::uint32_t> m_makerOn;
    std::map<SumKey, Sum> m_sums;
    std::vector<DeviceId> m_running; // devices that may be able to advance
};

} // namespace

std::optional<TransportFault> findExchangeFault(const Schedule& lowered, Exchange exchange)
{
    return StreamRun(lowered, exchange).find();
}

std::optional<TransportFault> findNcclFault(const Schedule& lowered)
{
    if (auto fault = findOrderFault(lowered, Communicators::PerKind))
        return fault;
    return findExchangeFault(lowered, Exchange::Streams);
}

} // namespace engine
