#pragma once

#include "engine/base/result.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

// The passes that add ops to a schedule, in addition to those for transfers and all-reduces.
struct PassOptions
{
    std::optional<engine::EvictPolicy> evict;
    engine::Recompute recompute = engine::Recompute::None;
};

// The options --scheme NAME --devices D --micro-batches N [--chunks v] [--set key=value], or
// --schedule FILE in a format of FORMAT.md.
struct ScheduleOptions
{
    std::vector<std::string> schemes; // empty: the default scheme
    std::string file;
    engine::ScheduleRequest request; // the request without its scheme
    PassOptions passes;
    // If set, the schedule of an asynchronous scheme becomes a stream of this length, that is,
    // several windows without a flush between them (scheme.h: asStream()).
    std::optional<engine::StreamLength> stream = {};
};

enum class Schemes { One, Several };
// Adds the schedule options except --data-parallel and --mapping, which do not change the order of
// ops.
void addScheduleOptions(CLI::App& app, ScheduleOptions& options, Schemes schemes = Schemes::One);
// Adds --data-parallel and --mapping.
void addCopyOptions(CLI::App& app, engine::ScheduleRequest& request);
void addSyncOption(CLI::App& app, engine::SyncPolicy& sync);
// Adds --evict and --recompute.
void addPassOptions(CLI::App& app, PassOptions& options);

// Returns one request for each --scheme.
std::vector<engine::ScheduleRequest> requests(const ScheduleOptions& options);
// Builds the requested schedules, or reads the schedule file, and adds the ops of the passes.
engine::Result<std::vector<engine::Schedule>> schedules(const ScheduleOptions& options,
                                                        const engine::SizeLimit& limit = {});

// Returns the title of a scheme without the part in parentheses: "BitPipe" for "bitpipe".
std::string labelOf(const std::string& scheme);

} // namespace cli
