#pragma once

#include "engine/base/id_vector.h"
#include "engine/base/result.h"
#include "engine/cost/layer_layout.h"
#include "engine/cost/mapping.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/data_flow.h"

#include <map>
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

// The measured times of one kind of work, in ticks of the run.
struct Samples
{
    std::vector<std::int64_t> times;

    std::int64_t median() const; // 0 if there are no times
    double spread() const;       // median absolute deviation, divided by the median
    bool isEmpty() const { return times.empty(); }
};

// The measured times of one stage, and the user's changes to them.
struct StageTimes
{
    Samples forward, backward, input, weight; // times for one micro-batch
    double factor = 1;                        // set by edits: all times are multiplied by it
    // Set by edits: the shares of measured stages that this stage executes.
    std::map<engine::StageId, double> parts;
};

// The text of the assumption that is made if a run did not split the backward.
inline constexpr std::string_view kHalvesAssumed
    = "The run has only B; I and W are assumed to take half of its time each, because each "
      "has half of its FLOPs.";

struct MeasuredTimes
{
    engine::IdVector<engine::StageId, StageTimes> stages;
    Samples message;   // from the end of the sending op to the arrival
    Samples optimizer; // optimizer step of each stage
    Samples allReduce; // all-reduce of each stage
    Samples copies;    // evict or load of a stage's stash; without them, BPipe is not predicted
    // The time of I as a share of B (the whole backward). It is measured if the backward is split.
    // Otherwise it is assumed, and `assumptions` says so.
    double inputShare = 0.5;
    bool backwardIsSplit = false; // whether I and W were measured separately
    double splitCost = 1;         // of I and W together, as a multiple of B, if only B was measured
    // Set by edits: the tensor-parallel size relative to the measured run. Every op takes
    // 1/tensorParallel of its measured time.
    double tensorParallel = 1;
    // Set by edits: the slow-down of ops, devices and links. An edit of a single op applies only
    // if the run's own order is simulated.
    std::vector<RunEdit> slowdowns;
    // Set by edits: the layers of the predicted stages. The embedding and the output layer stay
    // whole.
    engine::LayerLayout layout;
    std::vector<int> layers;       // of the measured stages; empty: equally many
    std::vector<int> nodes;        // set by WhatIfPredictor: engine::nodesOfDevices() of the run
    std::int64_t messageDelay = 0; // set by edits: extra time of every message, in ns
    std::vector<std::string> assumptions;
};

// Collects the measured times of a run by stage. Fails with Error::Code::InvalidArgument if the run
// has no stages, no measured iteration, or a stage without forward or backward ops.
engine::Result<MeasuredTimes> measuredTimes(const engine::Run& run);

// Moves `count` layers from one stage to another. `layers` is the number of layers that the stage
// `from` had in the run. Every layer takes an equal share of the time of its measured stage. Fails
// with Error::Code::InvalidArgument if `from` would keep none of its own layers, or if a stage does
// not exist.
engine::Result<void> moveLayers(MeasuredTimes& times, engine::StageId from, engine::StageId to,
                                int count, int layers);

// The sum of the medians of the stages of each device, in ns.
engine::IdVector<engine::DeviceId, double> deviceWork(const engine::Run& run,
                                                      const MeasuredTimes& times);
// Gives every device that is slower than the median device the times of the median device.
void removeStragglers(const engine::Run& run, MeasuredTimes& times);

// Returns a pointer to the member with the samples of a kind of compute op (F, B, I or W); nullptr
// for other kinds.
Samples StageTimes::*samplesOf(engine::OpKind kind);

// Scales the measured times of a kind so that their median is `median` ns and their relative spread
// is unchanged. Fails with Error::Code::InvalidArgument if the stage or its times do not exist, or
// if `median` is not positive.
engine::Result<void> setMedian(MeasuredTimes& times, engine::StageId stage, engine::OpKind kind,
                               std::int64_t median);

// Sets the share of W in B, from 0 to 1. Fails with Error::Code::InvalidArgument if the run
// measured I and W separately or the share is out of range.
engine::Result<void> setWeightShare(MeasuredTimes& times, double share);

// Divides the work of every op among `factor` times as many tensor-parallel ranks as in the run.
// Effects that are not predicted are listed in MeasuredTimes::assumptions. `factor` must be
// positive.
void setTensorParallel(MeasuredTimes& times, double factor);

// The recorded window of every op of one iteration, and the arrival of its inputs. The run must
// outlive this object.
class IterationTimes
{
public:
    IterationTimes(const engine::Run& run, int iteration);

    const DataFlow& flow() const { return m_flow; }
    engine::Window window() const { return m_iteration; } // of the iteration
    bool ran(std::uint32_t op) const { return m_windows[op].begin <= m_windows[op].end; }
    engine::Window of(std::uint32_t op) const { return m_windows[op]; }
    // Whether all compute ops were recorded. (Traces may lack messages.)
    bool isComplete() const;

    // The time when the last input of a compute op arrived on its device; nullopt if the op has no
    // input.
    std::optional<std::int64_t> arrival(std::uint32_t op) const;
    // Indexed by op (OpIndex): the previous compute op on the device of the op. kNone for the first
    // compute op of a device and for ops that do not compute. All ops of a joint group have the
    // same predecessor: the op before the group.
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    const std::vector<std::uint32_t>& before() const { return m_before; }

private:
    const engine::Schedule& m_schedule;
    DataFlow m_flow;
    engine::Window m_iteration;
    std::vector<engine::Window> m_windows;
    std::vector<std::uint32_t> m_before;
};

} // namespace profiler
