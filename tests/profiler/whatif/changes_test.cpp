#include "profiler/whatif/changes.h"
#include "tests/catch.h"
#include "tests/profiler/whatif/measured_run.h"

namespace profiler {

using engine::OpKind;
using engine::StageId;

TEST_CASE("the options of changes are read as the same changes")
{
    WhatIfChanges changes;
    changes.times[{3, OpKind::Forward}] = 12'400'000;
    changes.speeds = {{1, 2}};
    changes.moves = {{StageId{3}, StageId{2}, 1}};
    changes.slowdowns = {parseRunEdit("0-1=1.5").value()};
    WhatIfChanges read;
    const std::vector<std::string> all = arguments(changes, 1, false);
    for (std::size_t k = 0; k + 1 < all.size(); k += 2)
        if (all[k] != "--layers")
            CHECK(addChange(read, all[k], all[k + 1]));
    CHECK(read == changes);
    CHECK(all
          == std::vector<std::string>{"--op-time", "3F=12.4", "--stage-speed", "1=2", "--layers",
                                      "0", "--move-layers", "3:2=1", "--slow", "0-1=1.5"});
    changes.slowdowns = {parseRunEdit("2F3=1.5").value()};
    CHECK(arguments(changes, 1, false).back() == "3:2=1"); // other schemes lack the op
    CHECK(arguments(changes, 1, true).back() == "2F3=1.5");
}

TEST_CASE("a change that cannot be applied is named by its option and value")
{
    const engine::Run run = whatif_test::measuredRun("1f1b");
    const auto error = [&](const char* flag, const char* value) {
        WhatIfChanges changes;
        const auto added = addChange(changes, flag, value);
        auto times = measuredTimes(run).value();
        const auto done = added ? apply(changes, run, times) : added;
        return done ? std::string() : done.error().message;
    };
    CHECK(error("--op-time", "9F=1").starts_with("--op-time 9F=1: the run has no stage 9"));
    CHECK(error("--op-time", "F").starts_with("--op-time F: give a stage"));
    CHECK(error("--stage-speed", "0=0").starts_with("--stage-speed 0=0: give a stage from 0"));
    CHECK(error("--slow", "99=2").starts_with("--slow 99=2: the run has no device 99"));
    CHECK(error("--move-layers", "1:0=1")
          == "--move-layers 1:0=1: the run does not state the layers of the model; add --layers L");
}

} // namespace profiler
