#pragma once

#include "engine/base/result.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

// What passes add to the order of a scheme or a file, beside transfers and all-reduces.
struct PassOptions
{
    enum class Evict : std::uint8_t { None, Lazy, Steady };
    enum class Recompute : std::uint8_t { None, Attention, Full };

    Evict evict = Evict::None;
    Recompute recompute = Recompute::None;
};

// SCHEDULE of cli.md: --scheme NAME --devices D --micro-batches N [--chunks v] [--set key=value] or
// --schedule FILE (of any format of FORMAT.md).
struct ScheduleOptions
{
    std::vector<std::string> schemes; // empty: the default
    std::string file;
    engine::ScheduleRequest request; // everything but the scheme
    PassOptions passes;
};

enum class Schemes { One, Several };
// Without --data-parallel, which changes no order.
void addScheduleOptions(CLI::App& app, ScheduleOptions& options, Schemes schemes = Schemes::One);
void addDataParallelOption(CLI::App& app, engine::ScheduleRequest& request);
void addSyncOption(CLI::App& app, engine::SyncPolicy& sync);
// --evict and --recompute.
void addPassOptions(CLI::App& app, PassOptions& options);

std::vector<engine::ScheduleRequest> requests(const ScheduleOptions& options); // one per --scheme
// The schedules asked for: built, or read from the file (then one), with what passes add.
engine::Result<std::vector<engine::Schedule>> schedules(const ScheduleOptions& options,
                                                        const engine::SizeLimit& limit = {});

// "BitPipe" of scheme "bitpipe": what people call it, without the words in brackets.
std::string labelOf(const std::string& scheme);

} // namespace cli
