#pragma once

#include "engine/experiment/experiment.h"

namespace engine {

enum class Windows : std::uint8_t {
    Stream, // all windows of the run as one stream (asynchronous schemes)
    One,    // a single window, after which the pipeline drains
};
// Builds the lowered schedule of an experiment from its scheme or its file. The message of an error
// names the file or the invalid argument. Fails with Error::Code::Unsupported if the schedule can
// only be simulated.
Result<Schedule> scheduleOf(const Experiment& experiment, Windows windows = Windows::Stream);

// Prepares a schedule for training: evicts stashes as ModelSpec::offload says, adds RECOMPUTE
// before every backward if the model recomputes everything, moves them as ModelSpec::recomputeAhead
// says, lowers the schedule and checks it.
Result<Schedule> trainable(const Schedule& schedule, const ModelSpec& model,
                           SyncPolicy sync = SyncPolicy::Eager);

} // namespace engine
