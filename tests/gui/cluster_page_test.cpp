#include "app/cluster/cluster_page.h"
#include "app/setup/setup_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/window/main_window.h"
#include "profiler/store/trace_store.h"
#include "tests/app/busy_pool.h"
#include "tests/app/wait_for.h"
#include "tests/gui/walk.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/temporary_folder.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

namespace app {
namespace {

struct Cluster
{
    Cluster()
    {
        window.resize(1600, 1000);
        window.show();
        activate();
    }
    void activate()
    {
        window.activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(&window, kNever));
    }
    // 1F1B with D = 4, N = 8 from the set-up page.
    void open()
    {
        RunPlan plan;
        plan.experiment.schedule.scheme = "1f1b";
        auto* setup = qobject_cast<SetupPage*>(window.open({"setup"}));
        setup->setPlan(plan);
        QTest::mouseClick(setup->findChild<QPushButton*>(QStringLiteral("runOnCluster")),
                          Qt::LeftButton);
        take();
    }
    void take()
    {
        page = dynamic_cast<ClusterPage*>(window.currentPage());
        REQUIRE(page != nullptr);
        REQUIRE(waitFor([&] { return page->outlook() != nullptr; }));
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    QString text(const char* label) const { return find<QLabel>(label)->text(); }
    // The ranks of the first node in this state.
    QString ranks(const char* state) const
    {
        const auto* model = find<DataTable>("rankTable")->model();
        for (int column = 0; column < model->columnCount(); ++column)
            if (model->headerData(column, Qt::Horizontal) == QLatin1String(state))
                return model->index(0, column).data().toString();
        return {};
    }
    QString command() const { return find<QLineEdit>("launchCommand")->text(); }
    bool isCompared() const { return find<ResultsPanel>("resultsPanel")->comparison() != nullptr; }
    void choose(const char* dialog, const QString& folder) const
    {
        auto* asked = page->findChild<QFileDialog*>(QString::fromLatin1(dialog));
        REQUIRE(asked != nullptr);
        Q_EMIT asked->fileSelected(folder);
        asked->close();
    }

    QTemporaryDir home;
    Settings settings{home.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
    ClusterPage* page = nullptr;
    tests::TemporaryFolder traces;
};

} // namespace

TEST_CASE("the kit of a changed plan is neither written nor started until it is made again")
{
    Cluster cluster;
    cluster.open();
    const QString folder = cluster.home.filePath(QStringLiteral("kit"));
    const auto isEnabled = [&] {
        std::vector<bool> enabled;
        for (const char* name : {"writeKit", "writeKitArchive", "copyLaunch"})
            enabled.push_back(cluster.find<QPushButton>(name)->isEnabled());
        for (const char* name : {"writeKitAction", "writeArchiveAction", "copyCluster"})
            enabled.push_back(cluster.find<QAction>(name)->isEnabled());
        return enabled;
    };
    CHECK(isEnabled() == std::vector(6, true));
    {
        const tests::BusyPool busy;
        cluster.find<SpinField>("gpusPerNode")->setValue(2);
        CHECK(isEnabled() == std::vector(6, false));
        cluster.page->writeTo(folder, engine::IfExists::Refuse);
    }
    REQUIRE(waitFor([&] { return isEnabled() == std::vector(6, true); }));
    CHECK_FALSE(QFile::exists(folder));
}

TEST_CASE("measured runs are compared with the prediction of the current plan")
{
    Cluster cluster;
    cluster.open();
    const auto choose = [&](const char* gpu) {
        cluster.find<QComboBox>("clusterHardware")->setCurrentText(QString::fromLatin1(gpu));
    };
    choose("h100-sxm");
    tests::writeTorchTraces(cluster.traces.path(), tests::simulatedRun("1f1b", 4, 8));
    cluster.page->results().take({QString::fromStdString(cluster.traces.path().string())});
    REQUIRE(waitFor([&] { return cluster.isCompared(); }));
    QStringList compared;
    QObject::connect(cluster.page, &Page::pageRequested,
                     [&](const PageRequest& asked) { compared = asked.files; });
    {
        const tests::BusyPool busy;
        choose("a100-sxm-80");
        cluster.find<QAction>("compareCluster")->trigger(); // writes the prediction for H100
    }
    REQUIRE(waitFor([&] { return !compared.isEmpty(); }));
    const auto written = profiler::readRun(compared.front().toStdString());
    REQUIRE(written.has_value());
    CHECK(written->timeline.tracks == cluster.page->outlook()->prediction->run->timeline.tracks);
}

TEST_CASE("the command of a cluster follows launcher, nodes, first node and port")
{
    Cluster cluster;
    cluster.open();
    CHECK(cluster.text("clusterRanks").startsWith(QStringLiteral("1 node, 4 ranks = D 4")));
    CHECK(cluster.command() == QStringLiteral("./run.sh"));
    CHECK_FALSE(cluster.find<QLineEdit>("firstNode")->isEnabled());
    cluster.find<SpinField>("gpusPerNode")->setValue(2);
    REQUIRE(
        waitFor([&] { return cluster.command() == QStringLiteral("FIRST_NODE=node-1 ./run.sh"); }));
    auto* first = cluster.find<QLineEdit>("firstNode");
    first->setFocus();
    first->selectAll();
    QTest::keyClicks(first, QStringLiteral("gpu7"));
    REQUIRE(
        waitFor([&] { return cluster.command() == QStringLiteral("FIRST_NODE=gpu7 ./run.sh"); }));
    auto* launcher = cluster.find<SegmentControl>("launcher");
    launcher->setFocus();
    QTest::keyClick(launcher, Qt::Key_Right);
    REQUIRE(waitFor([&] { return cluster.command() == QStringLiteral("sbatch slurm.sh"); }));
    QTest::mouseClick(cluster.find<QPushButton>("copyLaunch"), Qt::LeftButton);
    CHECK(QGuiApplication::clipboard()->text() == QStringLiteral("sbatch slurm.sh"));
    cluster.find<SpinField>("gpusPerNode")->setValue(3); // does not divide 4
    REQUIRE(waitFor(
        [&] { return cluster.text("launchHint").contains(QStringLiteral("use a divisor of 4")); }));
    CHECK_FALSE(cluster.find<QPushButton>("writeKit")->isEnabled());
    CHECK(cluster.text("checksNote").startsWith(QStringLiteral("1 problem")));
}

TEST_CASE("a kit is written as an archive, whose folder is not watched")
{
    Cluster cluster;
    cluster.open();
    auto* archive = cluster.find<QPushButton>("writeKitArchive");
    QTest::mouseClick(archive, Qt::LeftButton);
    cluster.choose("kitArchiveDialog", cluster.home.filePath(QStringLiteral("mine")));
    CHECK_FALSE(archive->isEnabled());
    const QString file = cluster.home.filePath(QStringLiteral("mine.zip"));
    REQUIRE(waitFor([&] { return cluster.text("kitWritten").contains(file); }));
    CHECK(archive->isEnabled());
    CHECK(QFileInfo(file).isFile());
    CHECK(cluster.page->results().watcher().results().folder.isEmpty());
    cluster.find<SpinField>("gpusPerNode")->setValue(2);
    CHECK(cluster.text("kitWritten").isEmpty()); // the file is not of this set-up
}

TEST_CASE("a kit that is being written can be cancelled, and its files have a purpose each")
{
    Cluster cluster;
    cluster.open();
    const auto* files = cluster.find<DataTable>("kitFiles")->model();
    REQUIRE(files->rowCount() > 8);
    for (int row = 0; row < files->rowCount(); ++row)
        CHECK_FALSE(files->index(row, 2).data().toString().isEmpty());
    auto* cancel = cluster.find<QPushButton>("cancelKit");
    CHECK_FALSE(cancel->isVisible());
    const QString folder = cluster.home.filePath(QStringLiteral("kit"));
    {
        const tests::BusyPool busy;
        cluster.page->writeTo(folder, engine::IfExists::Refuse);
        CHECK(cluster.text("kitWritten").startsWith(QStringLiteral("Writing")));
        cancel->click();
    }
    REQUIRE(waitFor([&] { return !cancel->isVisible(); }));
    CHECK(cluster.text("kitWritten").contains(QStringLiteral("cancelled")));
    CHECK_FALSE(QFile::exists(folder + QStringLiteral("/train.py")));
}

// It was named as the kit of the new set-up.
TEST_CASE("a kit whose set-up changed while it was written is named as the earlier one")
{
    Cluster cluster;
    cluster.open();
    const QString folder = cluster.home.filePath(QStringLiteral("kit"));
    {
        const tests::BusyPool busy;
        cluster.page->writeTo(folder, engine::IfExists::Refuse);
        cluster.find<SpinField>("gpusPerNode")->setValue(2);
    }
    REQUIRE(waitFor([&] { return cluster.text("kitWritten").contains(folder); }));
    CHECK(cluster.text("kitWritten").endsWith(QStringLiteral("before the last change.")));
    CHECK_FALSE(cluster.page->statusTexts().contains(QStringLiteral("written")));
    CHECK(cluster.page->results().watcher().results().folder.isEmpty());
}

TEST_CASE("a GPU of the cluster is predicted, and a written kit is watched for results")
{
    Cluster cluster;
    cluster.open();
    CHECK_FALSE(cluster.page->outlook()->prediction);
    auto* gpu = cluster.find<QComboBox>("clusterHardware");
    gpu->setCurrentText(QStringLiteral("h100-sxm"));
    REQUIRE(waitFor([&] {
        return cluster.page->outlook() && cluster.page->outlook()->prediction.has_value();
    }));
    CHECK(cluster.page->statusNote().startsWith(QStringLiteral("predicted ")));
    QTest::mouseClick(cluster.find<QPushButton>("writeKit"), Qt::LeftButton);
    const QString folder = cluster.home.filePath(QStringLiteral("kit"));
    REQUIRE(QDir().mkpath(folder));
    cluster.choose("kitFolderDialog", folder);
    auto* write = cluster.find<QPushButton>("writeKit");
    CHECK_FALSE(write->isEnabled());
    REQUIRE(waitFor([&] { return cluster.text("kitWritten").contains(folder); }));
    CHECK(write->isEnabled());
    CHECK(QFile::exists(folder + QStringLiteral("/train.py")));
    CHECK(cluster.page->results().watcher().results().folder == folder);
    CHECK(cluster.ranks("Waiting") == QStringLiteral("0 1 2 3"));
}

TEST_CASE("results that come into a watched folder are imported and compared when all are there")
{
    Cluster cluster;
    cluster.open();
    cluster.find<QComboBox>("clusterHardware")->setCurrentText(QStringLiteral("h100-sxm"));
    REQUIRE(waitFor([&] {
        return cluster.page->outlook() && cluster.page->outlook()->prediction.has_value();
    }));
    cluster.page->results().watcher().setInterval(20);
    QTest::mouseClick(cluster.find<QPushButton>("watchResults"), Qt::LeftButton);
    cluster.choose("resultsDialog", QString::fromStdString(cluster.traces.path().string()));
    const engine::Run trained = tests::simulatedRun("1f1b", 4, 8);
    tests::writeTorchTraces(cluster.traces.path(), trained, {}, 2);
    REQUIRE(waitFor(
        [&] { return cluster.text("ranksReceived") == QStringLiteral("3 of 4 received"); }));
    CHECK_FALSE(cluster.isCompared());
    CHECK(cluster.ranks("Waiting") == QStringLiteral("2"));
    CHECK(cluster.find<QPushButton>("importReceived")->text() == QStringLiteral("Import 3 traces"));
    tests::writeTorchTraces(cluster.traces.path(), trained);
    REQUIRE(waitFor([&] { return cluster.isCompared(); }));
    const auto* model = cluster.find<DataTable>("expectedTable")->model();
    CHECK(model->headerData(1, Qt::Horizontal).toString() == QStringLiteral("Predicted"));
    CHECK(model->headerData(2, Qt::Horizontal).toString() == QStringLiteral("Measured"));
    CHECK(model->index(model->rowCount() - 1, 0).data().toString() == QStringLiteral("iteration"));
    CHECK_FALSE(cluster.find<Band>("clusterFinding")->text().isEmpty());
    auto* use = cluster.find<QPushButton>("useLinks");
    use->setFocus();
    QTest::keyClick(use, Qt::Key_Space); // the messages of these traces take less than a latency
    CHECK(cluster.text("importProgress").contains(QStringLiteral("assumed latency")));
    // The note disabled this button, and nothing enabled it again.
    CHECK(cluster.find<QPushButton>("importReceived")->isEnabled());
    CHECK(cluster.isCompared());
    cluster.activate(); // dialogs take it away
    cluster.page->setFocus();
    QTest::keyClick(cluster.page, Qt::Key_Return, Qt::ControlModifier);
    CHECK(waitFor([&] {
        return cluster.window.currentPage()->objectName() == QStringLiteral("comparePage");
    }));
}

TEST_CASE("the received traces can be imported before all ranks have come, and dropped as files")
{
    Cluster cluster;
    cluster.open();
    cluster.find<QComboBox>("clusterHardware")->setCurrentText(QStringLiteral("h100-sxm"));
    REQUIRE(waitFor([&] {
        return cluster.page->outlook() && cluster.page->outlook()->prediction.has_value();
    }));
    tests::writeTorchTraces(cluster.traces.path(), tests::simulatedRun("1f1b", 4, 8), {}, 3);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(cluster.traces.path().string()))});
    cluster.page->results().watcher().setInterval(20);
    QDragEnterEvent enter({40, 40}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(cluster.find<ResultsPanel>("resultsPanel"), &enter);
    REQUIRE(enter.isAccepted());
    QDropEvent drop({40, 40}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(cluster.find<ResultsPanel>("resultsPanel"), &drop);
    auto* button = cluster.find<QPushButton>("importReceived");
    REQUIRE(waitFor([&] { return button->text() == QStringLiteral("Import 3 traces"); }));
    button->setFocus();
    QTest::keyClick(button, Qt::Key_Space);
    REQUIRE(waitFor([&] { return cluster.isCompared(); }));
    QTest::mouseClick(cluster.find<QPushButton>("stopWatching"), Qt::LeftButton);
    CHECK_FALSE(cluster.page->results().watcher().isWatching());
}

TEST_CASE("traces that cannot be imported say why, and so does a page without an expectation")
{
    Cluster cluster;
    cluster.open();
    tests::writeText(cluster.traces.path() / "rank0.json", "no trace");
    cluster.page->results().take(
        {QString::fromStdString((cluster.traces.path() / "rank0.json").string())});
    REQUIRE(waitFor([&] {
        const QString text = cluster.text("resultsEmpty");
        return !text.startsWith(QStringLiteral("Nothing has been measured")) && !text.isEmpty();
    }));
    tests::writeTorchTraces(cluster.traces.path(), tests::simulatedRun("1f1b", 4, 8));
    cluster.page->results().watcher().setInterval(20);
    cluster.page->results().take({QString::fromStdString(cluster.traces.path().string())});
    REQUIRE(waitFor([&] {
        return cluster.text("resultsEmpty")
            .contains(QStringLiteral("Choose the GPU of the cluster"));
    }));
    cluster.find<QComboBox>("clusterHardware")->setCurrentText(QStringLiteral("h100-sxm"));
    CHECK(waitFor([&] { return cluster.isCompared(); })); // now there is an expectation
}

TEST_CASE("a simulated run has nothing to train on a cluster")
{
    Cluster cluster;
    engine::Run run = tests::simulatedRun("1f1b", 4, 8);
    run.info.experiment.clear();
    run.info.outcome = engine::Outcome::Finished;
    const QString file = cluster.home.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(file.toStdString(), run));
    cluster.window.open({"run", {file}});
    REQUIRE(waitFor([&] { return cluster.window.currentPage()->file() == file; }));
    cluster.window.findChild<QAction*>(QStringLiteral("cluster"))->trigger();
    cluster.page = dynamic_cast<ClusterPage*>(cluster.window.currentPage());
    REQUIRE(cluster.page != nullptr);
    REQUIRE(waitFor([&] {
        return cluster.text("launchHint").contains(QStringLiteral("stores no experiment"));
    }));
    CHECK_FALSE(cluster.find<QPushButton>("writeKit")->isEnabled());
}

// The schedule file was opened as a run.
TEST_CASE("the cluster page of a schedule is about no run")
{
    Cluster cluster;
    QFile file(cluster.home.filePath(QStringLiteral("schedule.csv")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("no schedule");
    file.close();
    cluster.window.open({"editor", {file.fileName()}});
    cluster.window.findChild<QAction*>(QStringLiteral("cluster"))->trigger();
    cluster.take();
    CHECK(cluster.page->document() == nullptr);
    CHECK(cluster.window.library().runs().empty());
}

TEST_CASE("Tab reaches everything on the cluster page")
{
    Cluster cluster;
    cluster.open();
    cluster.activate();
    checkWalk(&cluster.window);
    cluster.window.resize(960, 640);
    settle();
    cluster.activate();
    checkWalk(&cluster.window);
}

} // namespace app
