#pragma once

#include "profiler/predict/predict.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

// The options --scheme NAME --devices D --micro-batches N [--chunks v] [--set key=value], or
// --schedule FILE in a format of schedule-files.md, and the options of the passes.
struct ScheduleOptions
{
    std::vector<std::string> schemes;    // empty: the default scheme
    profiler::PredictionRequest request; // the request without its scheme
    // If set, the schedule of an asynchronous scheme becomes a stream of this length, that is,
    // several windows without a flush between them (scheme.h: asStream()).
    std::optional<engine::StreamLength> stream = {};
    int stages = 0; // schemes that can get chunks for this number of stages; 0: any number
};

enum class Schemes { One, Several };
// Adds the schedule options except --data-parallel and --mapping, which do not change the order of
// ops.
void addScheduleOptions(CLI::App& app, ScheduleOptions& options, Schemes schemes = Schemes::One);
// Adds --evict and --recompute.
void addPassOptions(CLI::App& app, profiler::PredictionRequest& request);

// Returns one request for each --scheme.
std::vector<engine::ScheduleRequest> requests(const ScheduleOptions& options);
// Builds the requested schedules, or reads the schedule file, and adds the ops of the passes.
engine::Result<std::vector<engine::Schedule>> schedules(const ScheduleOptions& options,
                                                        const engine::SizeLimit& limit = {});

// The options that say which schedules are simulated and at which costs: those of `bscope
// simulate`, `bscope search` and `bscope layout`.
struct PredictionOptions
{
    ScheduleOptions schedule;
    std::string recomputeKeeps; // "": the default for --recompute
    // The schedule of the run of --calibrate, if no option asks for another.
    std::optional<engine::Schedule> recordedOrder;
    int iterations = 1;
    int globalBatch = 0; // sequences per iteration; 0: N is given

    profiler::PredictionRequest& request() { return schedule.request; }
    const profiler::PredictionRequest& request() const { return schedule.request; }
};

// `model` has the names of the option --model; "MODEL,--model" is also a positional argument.
void addPredictionOptions(CLI::App& app, PredictionOptions& options,
                          std::string_view model = "--model");
// Completes the options after they were parsed, and reads the run of --calibrate. Fails if an
// option would have no effect.
engine::Result<void> complete(const CLI::App& app, PredictionOptions& options);
engine::Result<profiler::PredictionCosts> costsOf(const PredictionOptions& options);

// Like `bscope simulate ARGUMENTS` with one scheme, but without output. Thread-safe. Fails with
// Error::Code::Unsupported if an option is unknown or has an invalid value.
engine::Result<profiler::PredictedRun> simulateArguments(const std::vector<std::string>& arguments);

} // namespace cli
