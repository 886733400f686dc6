#include "app/editor/editor_page.h"
#include "app/estimator/estimator_page.h"
#include "app/run/run_page.h"
#include "app/setup/setup_page.h"
#include "app/study/study_page.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/settings.h"
#include "app/window/main_window.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedules/scheme.h"
#include "profiler/store/trace_store.h"
#include "tests/app/fake_worker.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAction>
#include <QFile>
#include <QJsonDocument>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>

namespace app {
namespace {

using Tabs = WindowSession::Tabs;

// A folder with runs and settings that survives several windows.
struct Desk
{
    QString run(const char* name) const
    {
        QString file = folder.filePath(QString::fromLatin1(name));
        if (!QFile::exists(file))
            REQUIRE(profiler::writeRun(file.toStdString(),
                                       simulatedRun({.iterations = 3, .inNanoseconds = true}))
                        .has_value());
        return file;
    }
    QString iniFile() const { return folder.filePath(QStringLiteral("settings.ini")); }

    QTemporaryDir folder;
};

struct Start
{
    explicit Start(const Desk& desk, Tabs tabs = Tabs::Open)
        : settings(desk.iniFile())
        , window(theme, settings)
    {
        window.resize(1600, 1000);
        window.show();
        window.session().begin(tabs);
    }
    QStringList titles() const
    {
        QStringList all;
        for (const Page* page : window.tabs().pages())
            all.append(page->title());
        return all;
    }
    TimelineWidget* timeline() const { return window.currentPage()->findChild<TimelineWidget*>(); }
    bool isRead() const { return timeline() != nullptr && timeline()->iteration() >= 0; }
    Band* notice() const { return window.findChild<Band*>(QStringLiteral("notice")); }
    QPushButton* button(const char* name) const
    {
        return window.findChild<QPushButton*>(QString::fromLatin1(name));
    }

    Settings settings;
    ThemeController theme;
    MainWindow window;
};

} // namespace

TEST_CASE("tabs come back in their order, and the current one is current again")
{
    const Desk desk;
    {
        Start first(desk);
        engine::Experiment experiment;
        experiment.schedule.scheme = "chimera";
        experiment.schedule.devices = 8;
        first.window.open(
            {.kind = "setup",
             .plan = planFromExperiment(QString::fromStdString(engine::toToml(experiment)))});
        first.window.open({"run", {desk.run("a.sqlite")}});
        first.window.open({"runs"});
        first.window.open({"memory", {desk.run("a.sqlite")}});
        first.window.open({"run", {desk.run("a.sqlite")}}); // current
        first.window.close();
    }
    Start second(desk);
    REQUIRE(second.window.tabs().pages().size() == 5);
    CHECK(second.titles().at(3) == QStringLiteral("Runs"));
    CHECK(second.titles().at(4).startsWith(QStringLiteral("Memory")));
    const auto* setup = qobject_cast<SetupPage*>(second.window.tabs().pages().at(1));
    REQUIRE(setup != nullptr);
    CHECK(setup->plan().experiment.schedule.scheme == "chimera");
    CHECK(setup->plan().experiment.schedule.devices == 8);
    CHECK(second.window.currentPage() == second.window.tabs().pages().at(2));
    CHECK(second.window.currentPage()->file() == desk.run("a.sqlite"));
    CHECK_FALSE(second.notice()->isVisible());
}

// Only the experiment was stored, so the prediction had the default costs.
TEST_CASE("a set-up page comes back with its costs and the run that they are from")
{
    const Desk desk;
    RunPlan plan;
    plan.experiment.schedule.microBatches = 12;
    plan.source.kind = CostSource::Kind::Recorded;
    plan.source.hardware = "a800-sxm-80";
    plan.source.setup.tensorParallel = 8;
    plan.source.file = desk.run("a.sqlite").toStdString();
    plan.source.inputShare = engine::Fraction{2, 5};
    plan.costs.backward = engine::Fraction{4};
    plan.costs.inputGradient = engine::Fraction{3};
    plan.costs.stages = {{0, engine::Fraction{2}, engine::Fraction{4}}};
    plan.evict = engine::EvictPolicy::Steady;
    {
        Start first(desk);
        first.window.open({.kind = "setup", .plan = plan});
        first.window.close();
    }
    Start second(desk);
    const auto* setup = qobject_cast<SetupPage*>(second.window.currentPage());
    REQUIRE(setup != nullptr);
    REQUIRE(waitFor([&] { return setup->plan().source.run != nullptr; }));
    RunPlan restored = setup->plan();
    restored.source.run = nullptr;
    CHECK(restored.source == plan.source);
    CHECK(restored.costs == plan.costs);
    CHECK(restored.evict == plan.evict);
    CHECK(restored.experiment.schedule.microBatches == 12); // not those of the run
}

// They had the default costs, and the estimator its default inputs.
TEST_CASE("an editor comes back with its costs, and the estimator with its inputs")
{
    const Desk desk;
    QFile file(desk.folder.filePath(QStringLiteral("schedule.csv")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(engine::writeCsv(*engine::buildSchedule(engine::Experiment().schedule)).c_str());
    file.close();
    RunPlan plan;
    plan.source.kind = CostSource::Kind::Recorded;
    plan.source.file = desk.run("a.sqlite").toStdString();
    plan.costs.forward = engine::Fraction{4};
    EstimateRequest inputs;
    inputs.source.model = "llama-65b";
    inputs.source.setup.dataParallel = inputs.source.setup.tensorParallel = 8;
    inputs.sizes = {1, 4};
    inputs.stageMfu = {40, 50}; // kept, although the roofline is selected
    const QJsonObject state{
        {QStringLiteral("estimate"), fieldTexts(profiler::estimateFields(), inputs)},
        {QStringLiteral("hasStageMfu"), false}};
    {
        Start first(desk);
        first.window.open({"estimator"});
        first.window.currentPage()->restoreState(state);
        first.window.open({"editor", {file.fileName()}});
        dynamic_cast<EditorPage*>(first.window.currentPage())->setPlan(plan);
        first.window.close();
    }
    Start second(desk);
    REQUIRE(second.window.tabs().pages().size() == 3);
    CHECK(second.window.tabs().pages().at(1)->state() == state);
    const auto* editor = dynamic_cast<EditorPage*>(second.window.currentPage());
    REQUIRE(editor != nullptr);
    CHECK(editor->plan().costs == plan.costs);
    CHECK(waitFor([&] { return editor->plan().source.run != nullptr; }));
}

TEST_CASE("cluster pages, presets of studies and several comparisons come back")
{
    const Desk desk;
    const auto summary = [](const Start& start) {
        QStringList all;
        for (const Page* page : start.window.tabs().pages())
            all.append(page->title() + QLatin1Char('|') + page->statusTexts().value(0)
                       + QLatin1Char('|')
                       + QString::fromUtf8(QJsonDocument(page->state()).toJson()));
        return all;
    };
    QStringList before;
    {
        Start first(desk);
        RunPlan plan;
        plan.experiment.schedule.scheme = "zb-v";
        plan.experiment.schedule.devices = 4;
        plan.experiment.schedule.dataParallel = 2;
        first.window.open({.kind = "cluster", .plan = plan});
        first.window.open({"study"});
        static_cast<StudyPage*>(first.window.currentPage())->open(QStringLiteral("chunks"));
        first.window.open({"compare", {desk.run("a.sqlite"), desk.run("b.sqlite")}});
        first.window.open({"compare", {desk.run("a.sqlite"), desk.run("c.sqlite")}});
        before = summary(first);
        REQUIRE(before.size() == 5);
        CHECK(before[1].contains(QLatin1String("zb-v")));
        CHECK(before[2].contains(QLatin1String("chunks")));
        first.window.close();
    }
    const Start second(desk);
    CHECK(summary(second).join(QLatin1Char('\n')).toStdString()
          == before.join(QLatin1Char('\n')).toStdString());
    REQUIRE(second.window.tabs().pages().size() == 5);
    CHECK(second.window.tabs().pages()[3]->title() == second.window.tabs().pages()[4]->title());
    CHECK(second.window.tabs().pages()[3]->files() != second.window.tabs().pages()[4]->files());
}

TEST_CASE("a second window says that another is open, and leaves the tabs of that one alone")
{
    const Desk desk;
    {
        Start first(desk);
        first.window.open({"run", {desk.run("a.sqlite")}});
        Start second(desk);
        CHECK(second.notice()->text().startsWith(
            QStringLiteral("Another window of Bubblescope is open.")));
        first.settings.setRestoring(true);
        second.window.open({"runs"});
        second.window.close();
        CHECK(first.settings.isRestoring());
        first.window.close();
    }
    const Start third(desk);
    CHECK_FALSE(third.notice()->isVisible());
    REQUIRE(third.window.tabs().pages().size() == 2);
    CHECK(third.window.currentPage()->file() == desk.run("a.sqlite"));
}

TEST_CASE("missing files are reported in one sentence, and the other tabs are restored")
{
    const Desk desk;
    {
        Start first(desk);
        for (const char* name : {"a.sqlite", "b.sqlite", "c.sqlite", "d.sqlite"})
            first.window.open({"run", {desk.run(name)}});
        first.window.close();
    }
    for (const char* name : {"a.sqlite", "b.sqlite", "c.sqlite"})
        QFile::remove(desk.folder.filePath(QString::fromLatin1(name)));
    Start second(desk);
    CHECK(second.window.tabs().pages().size() == 2);
    CHECK(second.window.currentPage()->file() == desk.run("d.sqlite"));
    REQUIRE(second.notice()->isVisible());
    CHECK(second.notice()->text()
          == QStringLiteral("3 files not found. Moved or deleted since the last session: a.sqlite "
                            "and 2 others."));
    second.button("closeNotice")->click();
    CHECK_FALSE(second.notice()->isVisible());
}

TEST_CASE("a start that did not finish opening the tabs is not repeated, but the tabs are offered")
{
    const Desk desk;
    {
        Start first(desk);
        first.window.open({"run", {desk.run("a.sqlite")}});
        first.window.close();
        first.settings.setRestoring(true); // as a crash leaves it
    }
    {
        Start second(desk);
        CHECK(second.window.tabs().pages().size() == 1);
        REQUIRE(second.notice()->isVisible());
        CHECK(second.notice()->text().startsWith(
            QStringLiteral("The tabs of the last session were not opened.")));
        second.window.close(); // without having opened them: they are kept
    }
    Start third(desk);
    CHECK(third.window.tabs().pages().size() == 2);
    CHECK_FALSE(third.notice()->isVisible());
}

TEST_CASE("offered tabs open with the button of the sentence or with Ctrl+Shift+R, and only once")
{
    const Desk desk;
    {
        Start first(desk);
        first.window.open({"run", {desk.run("a.sqlite")}});
        first.window.close();
    }
    Start second(desk, Tabs::LeaveClosed);
    CHECK(second.window.tabs().pages().size() == 1);
    auto* reopen = second.window.findChild<QAction*>(QStringLiteral("reopenTabs"));
    REQUIRE(reopen->isEnabled());
    reopen->trigger();
    CHECK(second.window.tabs().pages().size() == 2);
    CHECK_FALSE(reopen->isEnabled());
    CHECK(second.settings.isRestoring()); // until the runs are read
    second.window.close();
    CHECK_FALSE(second.settings.isRestoring());

    second.settings.setRestoring(true);
    Start third(desk);
    REQUIRE(third.button("noticeAction")->isVisible());
    third.button("noticeAction")->click();
    CHECK(third.window.tabs().pages().size() == 2);
    CHECK_FALSE(third.notice()->isVisible());
}

// They were reported as files that were not found.
TEST_CASE("runs that have no file yet are not among the tabs of the next session")
{
    const Desk desk;
    const FakeWorker worker(FakeWorker::kForEver);
    ThemeController theme;
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    library.start({});
    const auto queued = library.start({}), recorded = library.open(desk.run("a.sqlite"));
    const auto tabOf = [&](const std::shared_ptr<RunDocument>& document) {
        const std::unique_ptr<Page> made(makeRunPage(theme, library, document));
        Page& page = *made;
        page.setKind(*findPageKind(u"run"));
        return sessionTab(page);
    };
    CHECK(tabOf(queued).kind.isEmpty());
    CHECK(tabOf(recorded).files == QStringList{desk.run("a.sqlite")});
}

// A program that is killed does not close its window.
TEST_CASE("tabs of the command line are saved without closing the window")
{
    const Desk desk;
    Settings settings(desk.iniFile());
    ThemeController theme;
    MainWindow window(theme, settings);
    window.show();
    window.open({"run", {desk.run("a.sqlite")}});
    window.session().begin(Tabs::LeaveClosed);
    CHECK(waitFor([&] { return settings.session().tabs.size() == 1; }));
}

TEST_CASE("with the setting off no tab comes back")
{
    const Desk desk;
    {
        Start first(desk);
        first.window.open({"run", {desk.run("a.sqlite")}});
        first.settings.setValue(key::kRestore, false);
        first.window.close();
    }
    Start second(desk);
    CHECK(second.window.tabs().pages().size() == 1);
}

TEST_CASE("a damaged settings file gives the defaults, one sentence and a copy of the file")
{
    const Desk desk;
    QFile file(desk.iniFile());
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("[theme\n\x01\x02 no equals sign\n");
    file.close();
    Start start(desk);
    CHECK(start.window.tabs().pages().size() == 1);
    REQUIRE(start.notice()->isVisible());
    CHECK(start.notice()->text().startsWith(QStringLiteral("The settings were reset.")));
    CHECK(QFile::exists(desk.iniFile() + QStringLiteral(".damaged")));
    start.settings.setTheme(ThemeController::Choice::Dark); // and new settings are kept
    CHECK(Settings(desk.iniFile()).theme() == ThemeController::Choice::Dark);
}

TEST_CASE("a damaged list of tabs opens what it can")
{
    const Desk desk;
    for (
        const char* json :
        {"", "{", "[1, 2]", R"({"tabs": 3})", R"({"tabs": [5, {"kind": "nonsense"}]})",
         R"({"tabs": [{"kind": "run"}, {"kind": "compare", "files": ["/nowhere"]}], "current": 9})"}) {
        INFO(json);
        QSettings(desk.iniFile(), QSettings::IniFormat)
            .setValue(QStringLiteral("session/tabs"), QString::fromLatin1(json));
        Start start(desk);
        CHECK(start.window.tabs().pages().size() == 1);
        start.window.session().save();
    }
    const ThemeController theme;
    const std::unique_ptr<SetupPage> made(SetupPage::make(theme));
    SetupPage& page = *made;
    page.restoreState({{QStringLiteral("plan"), 3}});
}

} // namespace app
