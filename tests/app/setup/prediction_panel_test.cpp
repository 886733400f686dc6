#include "app/setup/setup_page.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAction>
#include <QPushButton>
#include <QSignalSpy>

#include <memory>

using namespace app;

TEST_CASE("the panel judges a plan, and offers another one where it is impossible")
{
    ThemeController theme;
    QAction explain;
    const std::unique_ptr<PredictionPanel> made{PredictionPanel::make(theme, &explain)};
    PredictionPanel& panel = *made;
    panel.show();
    RunPlan plan;
    panel.setPlan(plan, {});
    REQUIRE(waitFor([&] { return panel.prediction() != nullptr; }));
    CHECK(panel.verdict().isRunnable);
    CHECK(panel.verdict().problem.isEmpty());

    plan.experiment.schedule.microBatches = 6;
    const Fault fault = findFault(plan.experiment.schedule);
    panel.setPlan(plan, fault);
    CHECK(panel.prediction() == nullptr);
    CHECK_FALSE(panel.verdict().isRunnable);
    CHECK_FALSE(panel.verdict().isEditable);
    CHECK(panel.verdict().problem == fault.message);
    QSignalSpy offered(&panel, &PredictionPanel::planOffered);
    panel.findChild<QPushButton*>(QStringLiteral("remedy0"))->click();
    REQUIRE(offered.count() == 1);
    CHECK(engine::checkRequest(offered.front().front().value<RunPlan>().experiment.schedule));
}

TEST_CASE("a plan that this machine cannot train is a command, and can be simulated")
{
    ThemeController theme;
    QAction explain;
    const std::unique_ptr<PredictionPanel> made{PredictionPanel::make(theme, &explain)};
    PredictionPanel& panel = *made;
    panel.show();
    RunPlan plan;
    plan.experiment.model.layers = 4; // too few for eight stages
    panel.setPlan(plan, {});
    REQUIRE(waitFor([&] { return panel.prediction() != nullptr; }));
    CHECK_FALSE(panel.verdict().isRunnable);
    CHECK(panel.verdict().isEditable);
    QSignalSpy offered(&panel, &PredictionPanel::planOffered);
    panel.findChild<QPushButton*>(QStringLiteral("simulateInstead"))->click();
    REQUIRE(offered.count() == 1);
    CHECK(offered.front().front().value<RunPlan>().experiment.mode == engine::Mode::Simulate);
}

TEST_CASE("a run that does not fit in memory is refused before it starts, and a change is offered")
{
    ThemeController theme;
    QAction explain;
    const std::unique_ptr<PredictionPanel> made{PredictionPanel::make(theme, &explain)};
    PredictionPanel& panel = *made;
    panel.show();
    RunPlan plan;
    plan.experiment.mode = engine::Mode::Emulate;
    plan.experiment.schedule.scheme = "gpipe";
    plan.experiment.schedule.microBatches = 32;
    const auto isJudged = [&] { return panel.verdict().isRunnable; };
    panel.setPlan(plan, {});
    REQUIRE(waitFor(isJudged));
    plan.experiment.deviceMemory = 12 << 20; // GPipe holds all micro-batches
    panel.setPlan(plan, {});
    REQUIRE(
        waitFor([&] { return panel.band().text().startsWith(QStringLiteral("Does not fit")); }));
    CHECK_FALSE(panel.verdict().isRunnable);
    CHECK(panel.verdict().isCommand);
    auto* remedy = panel.findChild<QPushButton*>(QStringLiteral("remedy0"));
    REQUIRE(remedy->isVisible());
    QSignalSpy offered(&panel, &PredictionPanel::planOffered);
    remedy->click();
    REQUIRE(offered.count() == 1);
    panel.setPlan(offered.front().front().value<RunPlan>(), {});
    REQUIRE(waitFor(isJudged));
}
