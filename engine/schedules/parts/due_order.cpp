#include "engine/schedules/parts/due_order.h"

#include "engine/schedules/parts/program.h"

#include <queue>

#include <algorithm>
#include <optional>

namespace engine::parts {
namespace {

// Tasks are compared member by member, so the smallest task is executed first.
struct Task
{
    std::int64_t due = 0;
    bool forward = true; // false sorts backwards first
    int replica = 0, stage = 0, microBatch = 0;

    friend auto operator<=>(const Task&, const Task&) = default; // NOLINT: false alarm
};

using Queue = std::priority_queue<Task, std::vector<Task>, std::greater<>>;

struct Device
{
    Queue begins; // first forwards on this device, which may have to wait for memory
    Queue others;
    std::optional<Task> running;
    std::int64_t until = 0;
    // stash: chunks that the device holds. promised: forwards that the device must still run for
    // micro-batches that it has started.
    int stash = 0, promised = 0;
};

class ListScheduler
{
public:
    ListScheduler(Schedule& schedule, const DueOrder& order)
        : m_schedule(schedule)
        , m_order(order)
        , m_devices(schedule.program.size())
        , m_waiting(schedule.shape.replicas)
        , m_mostStash(order.mostStash)
    { }

    void run()
    {
        enter();
        std::size_t left = 2 * m_order.replicaOf.size() * stages();
        for (std::int64_t now = 0; left > 0; ++now) {
            for (Device& device : m_devices)
                if (device.running && device.until == now) {
                    finish(device);
                    --left;
                }
            for (const DeviceId d : m_devices.ids())
                if (!m_devices[d].running)
                    start(d, now);
            // Raises the limit if all devices are blocked.
            if (std::ranges::none_of(m_devices, [](const Device& d) { return !!d.running; }))
                ++m_mostStash;
        }
    }

private:
    int stages() const { return m_schedule.shape.stages; }
    int chunks() const { return m_schedule.shape.chunks(); }
    bool isFirst(const Task& task) const
    {
        return task.forward && task.stage < m_schedule.shape.devices;
    }

    // Makes the first micro-batches of each direction ready; later micro-batches wait until an
    // earlier one is complete.
    void enter()
    {
        for (int m = 0; m < m_schedule.shape.microBatches; ++m)
            m_waiting[m_order.replicaOf[m]].push(m);
        for (std::size_t replica = 0; replica < m_waiting.size(); ++replica) {
            const std::size_t all = m_waiting[replica].size();
            const std::size_t most = m_order.mostUnderWay;
            for (std::size_t i = 0; i < (most == 0 ? all : std::min(all, most)); ++i)
                enterNext(replica);
        }
    }

    void enterNext(std::size_t replica)
    {
        if (m_waiting[replica].empty())
            return;
        makeReady(true, 0, m_waiting[replica].front());
        m_waiting[replica].pop();
    }

    void makeReady(bool forward, int stage, int microBatch)
    {
        const int replica = m_order.replicaOf[microBatch];
        const Task task{m_order.due(forward, stage, microBatch), forward, replica, stage,
                        microBatch};
        const DeviceId device = m_schedule.device(replica, StageId{stage});
        Device& holder = m_devices[device];
        (isFirst(task) ? holder.begins : holder.others).push(task);
    }

    void start(DeviceId number, std::int64_t now)
    {
        Device& device = m_devices[number];
        const bool room = device.stash + device.promised <= m_mostStash - chunks();
        const bool begins = !device.begins.empty() && room
            && (device.others.empty() || device.begins.top() < device.others.top());
        Queue& queue = begins ? device.begins : device.others;
        if (queue.empty())
            return;
        const Task task = queue.top();
        queue.pop();
        device.running = task;
        device.until = now + (task.forward ? 1 : 2);
        Program program(m_schedule, number.value);
        if (!task.forward) {
            program.backward(task.stage, task.microBatch, task.replica);
            return;
        }
        program.forward(task.stage, task.microBatch, task.replica);
        ++device.stash;
        device.promised += begins ? chunks() - 1 : -1;
    }

    void finish(Device& device)
    {
        const Task task = *device.running;
        device.running.reset();
        if (!task.forward)
            --device.stash;
        if (task.forward && task.stage + 1 < stages())
            makeReady(true, task.stage + 1, task.microBatch);
        else if (task.forward)
            makeReady(false, task.stage, task.microBatch);
        else if (task.stage > 0)
            makeReady(false, task.stage - 1, task.microBatch);
        else
            enterNext(task.replica);
    }

    Schedule& m_schedule;
    const DueOrder& m_order;
    IdVector<DeviceId, Device> m_devices;
    std::vector<std::queue<int>> m_waiting; // [replica] micro-batches that have not started
    int m_mostStash = 0;
};

} // namespace

void writeByDue(Schedule& schedule, const DueOrder& order)
{
    ListScheduler(schedule, order).run();
}

} // namespace engine::parts
