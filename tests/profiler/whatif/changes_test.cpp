#include "profiler/whatif/changes.h"
#include "tests/catch.h"
#include "tests/profiler/whatif/measured_run.h"

#include <algorithm>

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
    changes.layers = 16;
    changes.messageDelay = 1'500;
    changes.weightShare = 0.4;
    changes.removesStragglers = true;
    const std::vector<std::string> all = arguments(changes, 1, false);
    CHECK(all
          == std::vector<std::string>{"--stage-speed", "1=2", "--op-time", "3F=12.4",
                                      "--weight-share", "0.4", "--move-layers", "3:2=1", "--layers",
                                      "16", "--slow", "0-1=1.5", "--link-delay", "1.5",
                                      "--no-stragglers"});
    WhatIfChanges read;
    for (const auto& field : whatIfFields())
        if (const std::string text = field.get(changes); !text.empty())
            CHECK(engine::setChecked(field, read, text));
    CHECK(read == changes);
    changes.slowdowns = {parseRunEdit("2F3=1.5").value()};
    const auto slows = [&](bool ownOrder) {
        return std::ranges::count(arguments(changes, 1, ownOrder), "--slow");
    };
    CHECK(slows(false) == 0); // other schemes lack the op
    CHECK(slows(true) == 1);
    changes.microBatches = 16;
    CHECK(arguments(changes, 8, true)[1] == "16");
}

TEST_CASE("a change that cannot be applied is named by its option and value")
{
    const engine::Run run = whatif_test::measuredRun("1f1b");
    const auto error = [&](const char* flag, const char* value) {
        WhatIfChanges changes;
        const auto added = engine::findField(whatIfFields(), flag)->set(changes, value);
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

// An emulated run without --link-bandwidth has free copies: "+0.0 %", whatever the factor.
TEST_CASE("a slow-down of transfers that take no time says that it changes nothing")
{
    const engine::Run run = whatif_test::measuredRun("bpipe");
    const auto assumed = [&](const char* slow, std::int64_t copy, std::int64_t message) {
        WhatIfChanges changes;
        changes.slowdowns = {parseRunEdit(slow).value()};
        auto times = measuredTimes(run).value();
        times.copies.times.assign(3, copy);
        times.message.times.assign(3, message);
        times.assumptions.clear();
        REQUIRE(apply(changes, run, times));
        return times.assumptions;
    };
    using Texts = std::vector<std::string>;
    CHECK(assumed("EVICT=2", 0, 5)
          == Texts{"Evicts and loads take no time in the run, so --slow EV=2 changes nothing."});
    CHECK(assumed("0-1=2", 5, 0)
          == Texts{"Messages take no time in the run, so --slow 0-1=2 changes nothing."});
    CHECK(assumed("EVICT=2", 5, 0).empty());
    CHECK(assumed("0-1=2", 0, 5).empty());
    CHECK(assumed("F=2", 0, 0).empty());
}

// `--layers` alone changed nothing, and nothing said so.
TEST_CASE("layers have no effect without moved layers")
{
    const auto* layers = engine::findField(whatIfFields(), "--layers");
    WhatIfChanges changes;
    changes.layers = 16;
    CHECK(layers->off(changes) == "used only by --move-layers FROM:TO=COUNT and --layout");
    changes.moves = {{StageId{1}, StageId{0}, 1}};
    CHECK(layers->off(changes).empty());
}

} // namespace profiler
