#pragma once

#include "engine/base/result.h"
#include "engine/cost/mapping.h"
#include "engine/schedule/schedule.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// A change to the recorded times of some ops: they take `factor` times as long. An edit selects ops
// in exactly one of these ways: one op, a kind of op (on all devices or on one), a device, the link
// between two devices in both directions, or all links of a class.
struct RunEdit
{
    std::optional<engine::Op> op;
    std::optional<engine::OpKind> kind;
    std::optional<engine::DeviceId> device;
    std::optional<engine::DeviceId> peer;  // other end of a link that begins at `device`
    std::optional<engine::LinkTier> links; // InNode or AcrossNodes
    double factor = 1;

    static constexpr double kLeastFactor = 0.001, kMostFactor = 1000;

    // Whether both edits select the same ops. Their factors may differ.
    bool selectsAs(const RunEdit& other) const;
    // Whether the edit selects the op `one` of device `on`. If the op is a transfer, `to` is the
    // device at the other end, otherwise `to` equals `on`. An edit of a device selects only its
    // compute ops; transfers belong to links. `nodes` is as for checkEdit().
    bool selects(const engine::Op& one, engine::DeviceId on, engine::DeviceId to,
                 std::span<const int> nodes) const;
    friend bool operator==(const RunEdit&, const RunEdit&) = default;
};

// The text of an edit. "2F3=1.5" is an edit of one op, "F=1.5" of a kind, "1:F=1.5" of a kind on
// device 1, "1=1.5" of a device, "0-1=1.5" of a link. "node=1.5" and "network=1.5" are edits of all
// links within and between nodes. parseRunEdit() inverts toString().
std::string toString(const RunEdit& edit);
engine::Result<RunEdit> parseRunEdit(std::string_view text);

// Fails with Error::Code::InvalidArgument if the schedule lacks the op, device or link that the
// edit selects, or if the factor is out of range. `nodes` is the result of
// engine::nodesOfDevices(); empty: unknown.
engine::Result<void> checkEdit(const RunEdit& edit, const engine::Schedule& schedule,
                               std::span<const int> nodes = {});

// The product of the factors of the edits that select the op.
double slowdownOf(std::span<const RunEdit> edits, std::span<const int> nodes,
                  const engine::Schedule& schedule, const engine::Op& op, engine::DeviceId device);

} // namespace profiler
