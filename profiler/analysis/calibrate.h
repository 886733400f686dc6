#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/mapping.h"
#include "engine/timeline/run.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace profiler {

// The duration of each op of a run, indexed by OpIndex; nullopt if the op has no span.
//  * If the run has an iteration of typical ops (Replay), the duration is taken from it. Otherwise
//    (simulated, live) it is the median over the measured iterations.
//  * The cost of a SEND also contains the latency of its message.
//  * Joint ops share one span. It is divided among them in proportion to the times that ops of
//    their kind and stage take alone in this run.
//  * In an imported run an op begins when its inputs have arrived, so that its duration includes
//    the time that the host needs to launch it.
using RecordedTimes = std::vector<std::optional<engine::OpCosts::Cost>>;
RecordedTimes recordedTimes(const engine::Run& run);

// Returns for each measured iteration the window of each op, indexed by OpIndex; a stream is one
// iteration. The window of an op that did not run ends before it begins. In an imported run an op
// begins when its inputs have arrived, as in recordedTimes(), but as recorded on an idle device if
// the run has no messages, and a SEND is an empty window at the end of its producer.
std::vector<std::vector<engine::Window>> measuredWindows(const engine::Run& run);

// What a message takes in a run that has none, in ticks: the median time from the end of an op to
// the start of the op on an idle device that needs its output. A difference of the clocks of two
// devices lengthens these waits in one direction and shortens them in the other, so this is the
// mean of both directions. 0 if the run has messages, or if its waits do not show it. `windows` are
// measuredWindows(run).
std::int64_t messageTimeFromWaits(const engine::Run& run,
                                  const std::vector<std::vector<engine::Window>>& windows);

struct CalibrateOptions
{
    // Devices per node, both in the run and in the schedule. Transfers within a node and transfers
    // between nodes are priced separately.
    int devicesPerNode = 0; // 0: one node
    // The assumed time of I (backward of the input) as a share of the time of B (the whole
    // backward). It is used only for kinds of backward that the run lacks. If the run has only B, I
    // takes this share of the time of B, and W (backward of the weights) takes the rest. If the run
    // has only I and W, B takes their sum. If nullopt, a missing kind is an error.
    std::optional<engine::Fraction> inputShare = {};
    // Timing rules of the prediction. The measured times already include the interference
    // (slow-down during all-reduces) of the run. A slow-down factor in `rules` is applied in
    // addition.
    engine::TimingRules rules = {};
    // If true, an op that the run also has takes as long as in the run. If false, all ops of one
    // kind, stage and slice take the same time.
    bool ownTimes = true;
    // If false, the costs are those of typical ops, from which the recorded schedule takes less
    // than its median iteration.
    bool correctsVariation = true;
    // Mappings of the run and of the schedule; nullopt: consecutive devices share a node.
    std::optional<engine::Mapping> ofRun = {}, ofSchedule = {};
};

// Predicts the costs, in the ticks of `run`, that `lowered` has on the machine of that run. An op
// with the same kind, stage, micro-batch and slice as an op of the run takes the time of that op
// (recordedTimes()), any other op the median of its kind, stage and slice. All times are
// multiplied by the duration of the median iteration divided by that of typical ops, because op
// medians leave out what an iteration loses to its slowest ops; so the recorded schedule takes as
// long as its median iteration. If the run has no message or copy of that kind, stage and slice,
// the median is taken over other stages, or over the reverse direction, on the same class of link.
// All-reduces and optimizer steps that an imported run does not show are free, messages take
// messageTimeFromWaits(); evicts and loads must be measured. A stage is assumed to cost the same on
// every device.
//
// Fails with Error::Code::InvalidArgument if stages, slices or all-reduce groups differ, or if the
// run lacks kinds of op; the message says what to record.
engine::Result<engine::OpCosts> calibratedCosts(const engine::Run& run,
                                                const engine::Schedule& lowered,
                                                const CalibrateOptions& options = {});

// The error of a prediction that needs ops of these kinds, if the run has no times of them.
tl::unexpected<engine::Error> missingTimes(const std::set<engine::OpKind>& kinds,
                                           const std::string& scheme);

} // namespace profiler
