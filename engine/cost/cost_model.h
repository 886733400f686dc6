#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/cost/fraction.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// When a RECV is executed. Eager: its message arrives as soon as it was sent and its link is free,
// and blocks nothing. Deferred: at its place in the order of its device. The message begins when
// both ends have reached it, and the device computes nothing until it has arrived.
enum class ReceiveRule : std::uint8_t { Eager, Deferred };
std::string_view receiveName(ReceiveRule rule); // "eager", "deferred", as for --receive

// Effects that ops have on one another, in addition to their own durations.
struct TimingRules
{
    bool blockingSend = false; // a SEND occupies compute until it is complete
    bool blockingAllReduce
        = false; // an ALLREDUCE occupies compute until it is complete (SyncPolicy)
    ReceiveRule receive = ReceiveRule::Eager;
    Fraction joint{1};    // duration of joint ops relative to the sum of both
    Fraction slowDown{1}; // slow-down factor of compute during an all-reduce of its device
    // Every duration is multiplied by a factor that is uniform in [1 - jitter, 1 + jitter] and
    // depends only on op, iteration and seed.
    Fraction jitter{0};
    std::uint64_t seed = 0;

    friend bool operator==(const TimingRules&, const TimingRules&) = default;
};

// "; blocking sends" and similar: what messages block, as a part of RunInfo::link. "" by default.
std::string blockingText(const TimingRules& rules);

class SharedLinks;

// Costs in cost units. Each cost covers all work of a device on one micro-batch. If a device has v
// chunks, an op of one chunk costs 1/v of it, except for messages. An op of one slice costs
// 1/slices of that. The fields (unit_cost_fields.h) keep `backward` equal to I + W: setting
// `backward` sets I and W to half of it.
struct UnitCosts
{
    Fraction forward{1}, backward{2}, inputGradient{1}, weightGradient{1};
    // A message occupies its link for `p2p` and arrives `latency` later.
    Fraction p2p{0}, latency{0};
    // For all v stages of a device together; one stage costs 1/v.
    Fraction allReduce{0}, optimizer{0};
    Fraction transfer{0};              // evict or load of a device's stash for one micro-batch
    std::optional<Fraction> recompute; // duration relative to the forward; nullopt: 1

    int devicesPerNode = 0; // 0: one node. Mapping assigns devices to nodes
    // Costs of transfers between nodes; nullopt: as within a node.
    std::optional<Fraction> p2pAcross, latencyAcross, transferAcross, allReduceAcross;
    int nicsPerNode = 0; // 0: transfers do not share links; otherwise see SharedLinks

    // Costs of one stage (embedding, head) in cost units. I and W divide `backward` in the same
    // ratio as for the other stages. If `stages` has several entries for a stage, the last one
    // applies.
    struct Stage
    {
        int stage = 0;
        Fraction forward{1}, backward{2};

        friend bool operator==(const Stage&, const Stage&) = default;
    };
    std::vector<Stage> stages;
    TimingRules rules;

    friend bool operator==(const UnitCosts&, const UnitCosts&) = default;
};

// The duration of every op of a schedule in ticks of the timeline. The simulator takes it as input;
// emulation measures it.
struct OpCosts
{
    struct Cost
    {
        std::int64_t duration = 0; // ticks that the op occupies its lane of the timeline
        // For a SEND: time from its end on the lane to the arrival of the message.
        std::int64_t latency = 0;
    };
    // [device][position in its program]. The entry of a RECV is not used, because the SEND
    // determines when the message arrives.
    IdVector<DeviceId, std::vector<Cost>> of;
    std::int64_t ticksPerUnit = 1;            // 1: nanoseconds
    std::shared_ptr<const SharedLinks> links; // null: transfers do not slow one another down
    TimingRules rules;
};

// By unitPrices() (op_prices.h), with the default mapping.
Result<OpCosts> unitOpCosts(const Schedule& lowered, const UnitCosts& costs);
tl::unexpected<Error> costsTooLarge();

// Time of a message of `bytes`: latency + bytes / bandwidth (the alpha-beta model).
struct LinkCost
{
    Nanoseconds latency{};
    double bytesPerSecond = 0; // 0: transfers take no time

    // ns for which the message occupies the link
    std::int64_t busy(Bytes bytes) const;
    friend bool operator==(const LinkCost&, const LinkCost&) = default;
};

// Fails with costsTooLarge() if ops whose durations and latencies sum to `ticks` could take more
// than a quarter of the range of std::int64_t under the rules.
Result<void> checkTicks(double ticks, const TimingRules& rules);
// Fails in the same way if an iteration with these costs that begins at `start` could end after
// this limit.
Result<void> checkTicks(const OpCosts& costs, std::int64_t start = 0);
// Rounds a computed cost. Saturates instead of overflowing, at a cost that checkTicks() refuses.
std::int64_t roundedTicks(double ticks);

} // namespace engine
