#include "engine/base/check.h"
#include "engine/base/try.h"
#include "engine/cost/cost_model.h"
#include "engine/sim/placer.h"
#include "engine/sim/simulate.h"
#include "engine/timeline/stash_ledger.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <span>
#include <vector>

namespace engine::sim {
namespace {

// Adds up times without storing spans. If stashes move between devices, also stores the times of
// all stash changes: the peak then depends on them and not only on the order of the ops.
class SummaryRecorder
{
public:
    // `kept`: the share of a recomputed stash that is kept until its RECOMPUTE.
    SummaryRecorder(const Schedule& schedule, const OrderFacts& facts, double kept)
        : m_shape(schedule.shape)
        , m_rebuilt(facts.hasRecomputes ? RebuiltStashes(schedule) : RebuiltStashes())
        , m_kept(kept)
        , m_own(schedule.program.size())
        , m_reduced(schedule.program.size())
    {
        if (facts.hasCopies)
            m_ledger.emplace_back(schedule, kept);
    }

    void computed(DeviceId device, std::uint32_t, std::span<const Op> group, Window window)
    {
        Own& own = m_own[device];
        if (window.begin < window.end) {
            DeviceSummary& sums = own.sums;
            if (sums.compute == 0)
                sums.computed.begin = window.begin;
            sums.computed.end = window.end;
            sums.compute += window.duration();
        }
        if (m_rebuilt.any())
            countRebuilt(own, group);
        else
            count(own, group);
        if (!m_ledger.empty())
            for (const Op& op : group)
                m_ledger.front().add(device, op, window);
    }
    void sent(DeviceId device, std::uint32_t, Window) { ++m_own[device].sums.messagesSent; }
    void received(DeviceId device, std::uint32_t, Window) { ++m_own[device].sums.messagesReceived; }
    void copiedLocally(DeviceId device) { ++m_own[device].sums.localCopies; }
    void reduced(DeviceId device, std::uint32_t, Window window)
    {
        auto& windows = m_reduced[device];
        for (; !windows.empty() && window.begin <= windows.back().end; windows.pop_back())
            window = {std::min(window.begin, windows.back().begin),
                      std::max(window.end, windows.back().end)};
        if (window.duration() > 0)
            windows.push_back(window);
    }
    void copied(DeviceId device, std::uint32_t, const Op& op, Window window)
    {
        m_ledger.front().add(device, op, window);
    }

    // [device] The union of the windows of the device's all-reduces.
    IdVector<DeviceId, std::vector<Window>> allReduceWindows(std::size_t) const
    {
        return m_reduced;
    }
    IdVector<DeviceId, DeviceSummary> devices()
    {
        IdVector<DeviceId, DeviceSummary> devices;
        for (const DeviceId d : m_own.ids()) {
            DeviceSummary sums = m_own[d].sums;
            sums.own = sums.computed;
            if (!m_reduced[d].empty()) {
                const Window all{m_reduced[d].front().begin, m_reduced[d].back().end};
                sums.own.begin
                    = sums.compute == 0 ? all.begin : std::min(sums.own.begin, all.begin);
                sums.own.end = sums.compute == 0 ? all.end : std::max(sums.own.end, all.end);
            }
            const StashLedger::Peak peak = !m_ledger.empty() ? m_ledger.front().peak(d)
                : m_rebuilt.any()                            ? m_own[d].peak
                                  : StashLedger::Peak{static_cast<double>(m_own[d].most), 0};
            sums.peakStash = peak.parts;
            sums.peakKept = peak.kept;
            devices.push_back(sums);
        }
        return devices;
    }

private:
    struct Own
    {
        DeviceSummary sums;
        std::int64_t held = 0, most = 0; // current and largest amount, in parts
        HeldParts rebuilt;               // used instead of `held` if stashes are recomputed
        StashLedger::Peak peak;
    };

    void countRebuilt(Own& own, std::span<const Op> group) const
    {
        const auto add = [&](HeldParts HeldChange::*when) {
            for (const Op& op : group) {
                const HeldChange change = heldChange(op, m_shape, m_rebuilt.of(op));
                own.rebuilt.whole += (change.*when).whole;
                own.rebuilt.kept += (change.*when).kept;
            }
            const double parts = own.rebuilt.whole + m_kept * own.rebuilt.kept;
            own.peak.parts = std::max(own.peak.parts, parts);
            own.peak.kept = std::max(own.peak.kept, own.rebuilt.kept);
        };
        add(&HeldChange::ownAtBegin);
        add(&HeldChange::ownAtEnd);
    }
    void count(Own& own, std::span<const Op> group) const
    {
        for (const Op& op : group)
            own.held += stashChange(op.kind).ownAtBegin * stashParts(op, m_shape);
        own.most = own.held > own.most ? own.held : own.most;
        for (const Op& op : group)
            own.held += stashChange(op.kind).ownAtEnd * stashParts(op, m_shape);
    }

    Shape m_shape;
    RebuiltStashes m_rebuilt;
    double m_kept = 0;
    IdVector<DeviceId, Own> m_own;
    IdVector<DeviceId, std::vector<Window>> m_reduced;
    std::vector<StashLedger> m_ledger; // one if stashes move between devices, else none
};

} // namespace
} // namespace engine::sim

namespace engine {
namespace {

template<class Costs>
Result<IterationSummary> summarizeOne(const sim::Placement<Costs>& placement,
                                      double recomputeKeeps = 0)
{
    std::unique_ptr<sim::SummaryRecorder> sums;
    const auto window = TRY(sim::placeSteadily<sim::SummaryRecorder>(placement, sums, [&] {
        return std::make_unique<sim::SummaryRecorder>(placement.schedule, placement.facts,
                                                      recomputeKeeps);
    }));
    return IterationSummary{window, sums->devices(), placement.costs.linksAreBusy()};
}

} // namespace

Result<std::int64_t> iterationLength(const Schedule& lowered, const OpCosts& costs)
{
    CHECK(lowered.shape.windows <= 1);
    TRY(checkTicks(costs));
    const auto facts = TRY(sim::orderFacts(lowered));
    const auto one = TRY(
        summarizeOne(sim::Placement<sim::StoredCosts>{lowered, facts, {costs}, costs.rules, 0, 0}));
    return one.window.duration();
}

Result<std::vector<IterationSummary>> summarize(const Schedule& order, const OpPrices& prices,
                                                const SimulateOptions& options)
{
    const auto facts = TRY(sim::orderFacts(order));
    if (facts.hasTransfers)
        return invalid(
            "the schedule has SEND and RECV ops, which a simulation without spans does not "
            "support; remove them");
    if (prices.rules.receive == ReceiveRule::Deferred && !prices.isCommunicationFree())
        return fail(Error::Code::Unsupported,
                    "a simulation without spans has no RECV that could wait; use --receive eager "
                    "or a smaller schedule");
    TRY(checkTicks(prices.most(4.0 * opCount(order) * options.iterations), prices.rules));
    std::vector<IterationSummary> summaries;
    const bool busy = !prices.isCommunicationFree();
    for (int i = 0; i < options.iterations; ++i) {
        const std::int64_t start = summaries.empty() ? 0 : summaries.back().window.end;
        const sim::Placement<sim::ListedCosts> placement{
            order, facts, {prices, busy}, prices.rules, start, static_cast<std::uint64_t>(i)};
        auto one = TRY(summarizeOne(placement, options.recomputeKeeps));
        summaries.push_back(std::move(one));
    }
    return summaries;
}

} // namespace engine
