// Monitoring of the device threads by the thread that calls Live::iterate().
#include "engine/exec/live.h"
#include "engine/exec/op_patience.h"
#include "engine/exec/patient_clock.h"
#include "engine/exec/standstill.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

constexpr std::chrono::milliseconds kGlance{20}; // interval between checks of the workers
// After an error, how long the threads may take to return before they stop waiting for GPUs, and
// then again before they are abandoned.
constexpr std::int64_t kGrace = 1'000'000'000;

} // namespace

// Detects that a run no longer makes progress.
class Live::Watch
{
public:
    explicit Watch(Live& live)
        : m_live(live)
        , m_running(live.m_workers.size())
    { }

    // Returns when all workers are done, one has failed, the run is cancelled, or no op makes
    // progress.
    Result<void> untilEnd(const Progress& progress, const std::atomic<bool>& cancel)
    {
        const std::size_t ops = m_live.opsToDo();
        while (!m_live.m_end.waitFor(kGlance)) {
            m_now = m_clock.look();
            if (m_live.hasFailed())
                giveUp({});
            else if (std::string fault = m_gaveUp > 0 ? "" : m_live.transportFault();
                     !fault.empty())
                giveUp(std::move(fault));
            if (m_gaveUp > 0) {
                if (!insist())
                    break;
            } else if (cancel.load(std::memory_order_relaxed)) {
                m_live.stop();
            }
            if (hasMoved())
                progress(m_live.opsDone(), ops);
            else if (m_gaveUp == 0)
                judge();
        }
        return outcome(ops);
    }

private:
    bool hasMoved()
    {
        std::size_t steps = 0;
        for (const auto& worker : m_live.m_workers)
            steps += worker->position() + worker->ended();
        if (steps == m_steps && m_moved > 0)
            return false;
        m_steps = steps;
        m_moved = m_now;
        return true;
    }

    void judge()
    {
        const std::string endless = endlessOp();
        const bool isBusy = !m_live.allWait() || isAnyRunning();
        if (isBusy)
            m_busy = m_now;
        const std::int64_t still = m_now - m_moved, idle = m_now - std::max(m_moved, m_busy);
        const std::int64_t patience = std::chrono::nanoseconds(m_live.m_setup.patience).count();
        if (!endless.empty()) {
            m_live.m_devicesAreLost = true;
            giveUp(endless);
        } else if (idle > patience) {
            giveUp(m_live.standstill());
        } else if (!m_live.m_setup.pipeline.executorDevices.empty() && !m_live.allWait()
                   && still > longestOp(m_live.m_setup.patience, 0)) {
            m_live.m_devicesAreLost = true;
            giveUp(fmt::format("the CUDA driver has not responded for {:.1f} s",
                               static_cast<double>(still) / 1e9));
        }
    }

    // The description of the first op that exceeds its time limit; "" if there is none.
    std::string endlessOp()
    try {
        for (const DeviceId i : m_running.ids()) {
            const Worker& worker = *m_live.m_workers[i];
            const auto op = worker.running();
            if (op != m_running[i].op)
                m_running[i] = {op, m_now};
            const std::int64_t since = m_now - m_running[i].since;
            if (op && since > longestOp(m_live.m_setup.patience, worker.tookBefore(*op)))
                return m_live.describe(worker, *op) + ": " + endlessText(since);
        }
        return {};
    } catch (const std::exception&) {
        return {}; // the worker of the failed GPU reports the error
    }
    bool isAnyRunning() const
    {
        return std::ranges::any_of(m_running,
                                   [](const Running& each) { return each.op.has_value(); });
    }

    // `why` is "" if a worker reports the cause.
    void giveUp(std::string why)
    {
        if (m_gaveUp > 0)
            return;
        m_gaveUp = m_now;
        m_why = std::move(why);
        m_live.stop();
    }
    // Returns false if threads were abandoned.
    bool insist()
    {
        if (!m_why.empty() || m_now - m_gaveUp > kGrace)
            for (const auto& worker : m_live.m_workers)
                worker->abandon();
        if (m_now - m_gaveUp < 2 * kGrace)
            return true;
        m_live.m_devicesAreLost = true;
        return false;
    }

    Result<void> outcome(std::size_t ops)
    {
        for (const auto& worker : m_live.m_workers)
            m_live.m_devicesAreLost = m_live.m_devicesAreLost || worker->hasUnfinished();
        if (!m_why.empty())
            return fail(Error::Code::Device, m_why);
        if (const std::string why = m_live.failure(); !why.empty())
            return fail(Error::Code::Device, why);
        if (m_live.opsDone() < ops)
            return fail(Error::Code::Cancelled, "cancelled");
        return {};
    }

    struct Running // an op on a device
    {
        std::optional<std::uint32_t> op; // position
        std::int64_t since = 0;          // ns; when it was first observed
    };

    Live& m_live;
    PatientClock m_clock;
    IdVector<DeviceId, Running> m_running;                         // [worker]
    std::int64_t m_now = 0, m_moved = 0, m_busy = 0, m_gaveUp = 0; // ns; 0: not yet
    std::size_t m_steps = 0;
    std::string m_why;
};

Result<void> Live::watch(const Progress& progress, const std::atomic<bool>& cancel)
{
    return Watch(*this).untilEnd(progress, cancel);
}

std::size_t Live::opsDone() const
{
    std::size_t done = 0;
    for (const auto& worker : m_workers)
        done += worker->position();
    return done;
}

std::vector<std::uint32_t> Live::positions() const
{
    if (!m_alone.empty())
        return m_alone;
    std::vector<std::uint32_t> positions;
    for (const auto& worker : m_workers)
        if (worker->copy() == 0)
            positions.push_back(isOnGpu() ? worker->ended() : worker->position());
    return positions;
}

std::size_t Live::opsToDo() const
{
    return opCount(m_setup.pipeline.lowered) * static_cast<std::size_t>(m_pipeline.copies());
}

bool Live::allWait() const
{
    return std::ranges::all_of(m_workers, [](const auto& w) { return w->waits() || w->isOver(); });
}

bool Live::hasFailed() const
{
    return std::ranges::any_of(m_workers, [](const auto& w) { return w->hasFailed(); });
}

// "device 2, index 5, 2F3"
std::string Live::describe(const Worker& worker, std::uint32_t position) const
{
    const OpRef ref{worker.device(), position, 0, worker.copy()};
    return fmt::format("{}, index {}, {}", deviceText(m_pipeline, ref), position,
                       toString(m_pipeline.at(ref)));
}

std::string Live::standstill()
{
    std::vector<std::uint32_t> positions;
    for (const auto& worker : m_workers)
        positions.push_back(worker->unfinished());
    return describeStandstill(m_pipeline, positions);
}

// The error of the transport that no op reports; "" if there is none.
std::string Live::transportFault()
try {
    m_pipeline.transport().poll();
    return {};
} catch (const std::exception& error) {
    return error.what();
}

std::string Live::failure() const
{
    for (const auto& worker : m_workers)
        if (worker->hasFailed())
            return worker->failure();
    return {};
}

// Called when the transport is no longer usable and the workers have stopped or are stopping.
void Live::stop()
{
    m_pipeline.transport().abort();
}

} // namespace engine
