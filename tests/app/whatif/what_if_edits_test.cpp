#include "app/whatif/what_if.h"
#include "tests/app/simulated_run.h"
#include "tests/catch.h"

#include <QStringList>

namespace app {
namespace {

profiler::RunEdit edit(const char* text)
{
    return profiler::parseRunEdit(text).value();
}

WhatIfChanges noChanges()
{
    WhatIfChanges changes;
    changes.microBatches = 8;
    return changes;
}

} // namespace

TEST_CASE("every change is one edit that can be removed alone")
{
    const engine::Run run = simulatedRun({"1f1b", 4, 8, 1, true});
    CHECK(editsOf(noChanges(), run).empty());
    WhatIfChanges changes = noChanges();
    changes.times[{3, engine::OpKind::Forward}] = 1'500'000;
    for (const char* text : {"2F3=1.5", "1:F=2", "B=0.5", "1=1.25", "0-1=3"})
        setSlowdown(changes, edit(text));
    changes.messageDelay = 50'000;
    changes.linkSpeed = 2;
    changes.removesStragglers = true;
    changes.microBatches = 16;
    changes.tensorParallel = 2;
    QStringList texts;
    for (const WhatIfEdit& one : editsOf(changes, run)) {
        texts << one.text;
        CHECK(editsOf(one.without, run).size() + 1 == editsOf(changes, run).size());
    }
    CHECK(texts.join(QLatin1Char(';')).toStdString()
          == "Stage 3: F takes 1.50 ms;2F3 × 1.5;F on device 1 × 2;B on all devices × 0.5;Device 1 "
             "× 1.25;Link 0–1 × 3;Every message delayed by 50.0 µs;Speed of the links × "
             "2;Stragglers removed;N = 16 micro-batches;Tensor parallelism × 2");
}

TEST_CASE("successive changes of one control are undone together, and a reset is undone")
{
    const engine::Run run = simulatedRun({"1f1b", 4, 8, 1, true});
    WhatIfEdits edits(run);
    const auto speed = [&](double factor) {
        edits.change(QStringLiteral("links"),
                     [&](WhatIfChanges& next) { next.linkSpeed = factor; });
    };
    edits.change({}, [](WhatIfChanges& next) { next.microBatches = 16; });
    speed(2);
    speed(3);
    edits.endStep();
    speed(4);
    edits.undo();
    CHECK(edits.changes().linkSpeed == 3);
    speed(5); // after an undo it is a step of its own, and nothing can be redone
    CHECK_FALSE(edits.canRedo());
    edits.reset();
    CHECK(edits.changes() == noChanges());
    edits.undo();
    CHECK(edits.changes().linkSpeed == 5);
    edits.undo();
    CHECK(edits.changes().linkSpeed == 3);
    edits.undo();
    CHECK(edits.changes().linkSpeed == 1);
    edits.undo();
    CHECK_FALSE(edits.canUndo());
    edits.redo();
    CHECK(edits.changes().microBatches == 16);
}

TEST_CASE("a slow-down is set, replaced and removed by a factor of 1")
{
    WhatIfChanges changes;
    setSlowdown(changes, edit("1=2"));
    setSlowdown(changes, edit("0-1=3"));
    setSlowdown(changes, edit("1-0=4"));
    CHECK(slowdown(changes, edit("1=1")) == 2);
    CHECK(slowdown(changes, edit("0-1=1")) == 4);
    CHECK(slowdown(changes, edit("2=1")) == 1);
    setSlowdown(changes, edit("1=1"));
    CHECK(changes.slowdowns.size() == 1);
    setSlowdown(changes, edit("0-1=1000000"));
    CHECK(slowdown(changes, edit("0-1=1")) == 1000);
}

TEST_CASE("the run's own order takes all edits, and its command repeats them")
{
    const engine::Run run = simulatedRun({"1f1b", 4, 8, 1, true});
    const auto measured = profiler::WhatIfPredictor::create(run).value();
    WhatIfChanges changes = noChanges();
    const auto iteration = [&] {
        const WhatIfDetails details = whatIfDetails(measured, run, changes, kOwnOrder);
        return details.run ? details.run->timeline.iterations.front().window.duration() : 0;
    };
    CHECK(iteration() == 33'000'000);
    setSlowdown(changes, edit("3=2"));
    setSlowdown(changes, edit("0B7=1.5"));
    CHECK(iteration() == (33 + 24 + 1) * 1'000'000);
    CHECK(whatIfCommand(QStringLiteral("a.sqlite"), kOwnOrder, changes, run.schedule.shape)
          == QStringLiteral("bscope whatif a.sqlite --own-order --slow 3=2 --slow 0B7=1.5"));
    CHECK(whatIfCommand(QStringLiteral("a.sqlite"), QStringLiteral("gpipe"), changes,
                        run.schedule.shape)
          == QStringLiteral("bscope whatif a.sqlite --scheme gpipe --slow 3=2"));
    changes.microBatches = 4;
    CHECK(whatIfDetails(measured, run, changes, kOwnOrder).row.reason
          == QStringLiteral("The run's own order has N = 8; set N to this number"));
}

TEST_CASE("the links of a run are those over which messages pass")
{
    engine::Run run = simulatedRun({"1f1b", 4, 8});
    REQUIRE(linksOf(run).size() == 3);
    CHECK(selectionText(linksOf(run)[2]) == QStringLiteral("Link 2–3"));
    run.info.import.emplace();
    for (int device = 0; device < 4; ++device)
        run.info.import->ranks.push_back({0, "", device < 2 ? "a" : "b", "", device});
    REQUIRE(linksOf(run).size() == 5);
    CHECK(selectionText(linksOf(run)[0]) == QStringLiteral("All links within nodes"));
    CHECK(selectionText(linksOf(run)[1]) == QStringLiteral("All links between nodes"));
}

} // namespace app
