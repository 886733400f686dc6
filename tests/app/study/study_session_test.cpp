#include "app/study/study_page.h"
#include "profiler/study/run_study.h"
#include "profiler/study/study_file.h"
#include "tests/app/fake_worker.h"
#include "tests/app/wait_for.h"

#include <optional>

using namespace app;
using How = WorkerEnd::How;

namespace {

profiler::Study smallStudy(const char* title)
{
    profiler::Study study;
    study.title = title;
    study.schemeArguments["zb-v"] = {title}; // another study has another folder
    study.grid = {{"micro-batches", {"4", "8"}}, {"scheme", {"1f1b", "gpipe"}}};
    return study;
}

struct WatchedStudy
{
    WatchedStudy()
    {
        QObject::connect(&session, &StudySession::dataRead, &session,
                         [this](const StudyPointer& of) { data = of; });
        QObject::connect(&session, &StudySession::progressed, &session,
                         [this](qint64 done, qint64 all, double left) {
                             progress = {double(done), double(all), left};
                         });
        QObject::connect(&session, &StudySession::ended, &session,
                         [this](const WorkerEnd& how) { end = how; });
    }
    void run(const profiler::Study& study)
    {
        end.reset();
        session.start(study);
        REQUIRE(waitFor([&] { return end.has_value(); }));
    }

    StudySession session;
    StudyPointer data;
    std::vector<double> progress;
    std::optional<WorkerEnd> end;
};

// Stores the result of one point, as a worker that was interrupted after it.
void storeFirst(const profiler::Study& study)
{
    const QString folder = studyFolder(study);
    REQUIRE(QDir().mkpath(folder));
    auto file = profiler::StudyFile::open(folder.toStdString() + "/results.sqlite", study);
    REQUIRE(file);
    profiler::StudyResult result;
    result.isDone = true;
    result.values.of[profiler::StudyMetric::Iteration] = 7;
    REQUIRE(file->write(profiler::pointsOf(study), {{0, result}}));
}

} // namespace

TEST_CASE("a study is computed by bscope, and its results are read before the end is reported")
{
    WatchedStudy watched;
    watched.run(smallStudy("all"));
    CHECK(watched.end->how == How::Finished);
    REQUIRE(watched.data);
    CHECK(watched.data->done() == 4);
    CHECK(watched.data->refused() == 0);
    CHECK(watched.data->results[0].values.of[profiler::StudyMetric::Iteration] == 21); // 1F1B, N 4
    CHECK(watched.progress == std::vector<double>{4, 4, 0});
    CHECK_FALSE(watched.session.isRunning());
    CHECK(watched.session.seconds() > 0);
}

TEST_CASE("stored points are kept, and only the missing ones are computed")
{
    const profiler::Study study = smallStudy("half");
    storeFirst(study);
    WatchedStudy watched;
    watched.session.open(study);
    REQUIRE(waitFor([&] { return watched.data != nullptr; }));
    CHECK(watched.data->done() == 1);
    watched.run(study);
    CHECK(watched.data->done() == 4);
    CHECK(watched.data->results[0].values.of[profiler::StudyMetric::Iteration] == 7);
}

TEST_CASE("a study that is opened does not have the duration of the one before")
{
    const profiler::Study other = smallStudy("opened");
    storeFirst(other);
    WatchedStudy watched;
    watched.run(smallStudy("timed"));
    REQUIRE(watched.session.seconds() > 0);
    watched.session.open(other);
    REQUIRE(waitFor([&] { return watched.data->done() == 1; }));
    CHECK(watched.session.seconds() == 0);
}

TEST_CASE("results appear while a study is computed, and a cancelled one keeps them")
{
    const profiler::Study study = smallStudy("cancelled");
    storeFirst(study);
    const FakeWorker worker("trap 'echo \"{\\\"event\\\":\\\"failed\\\",\\\"message\\\":"
                            "\\\"cancelled\\\"}\"; exit 1' TERM\n"
                            "echo '{\"event\":\"points\",\"done\":1,\"all\":4,\"left\":2.5}'\n"
                            "while :; do sleep 0.05; done\n");
    WatchedStudy watched;
    watched.session.setWorkerProgram(worker.path());
    watched.session.start(study);
    REQUIRE(waitFor([&] { return watched.data != nullptr; }));
    CHECK(watched.progress == std::vector<double>{1, 4, 2.5});
    CHECK(watched.data->done() == 1);
    CHECK(watched.session.isRunning());
    watched.session.cancel();
    REQUIRE(waitFor([&] { return watched.end.has_value(); }));
    CHECK(watched.end->how == How::Cancelled);
    CHECK(watched.data->done() == 1);
}

TEST_CASE("the reason why a study failed is that of the worker")
{
    profiler::Study study = smallStudy("impossible");
    study.grid[1].values = {"bitpipe", "chimera"};
    study.grid[0].values = {"3", "5"};
    WatchedStudy watched;
    watched.run(study);
    CHECK(watched.end->how == How::Failed);
    CHECK(watched.end->text.startsWith(QStringLiteral("no point of the study is possible: ")));
    CHECK(watched.data->refused() == 4);
}

TEST_CASE("simulations of another build are not shown")
{
    const profiler::Study simulated = smallStudy("build");
    profiler::Study emulated = simulated;
    emulated.mode = profiler::Study::Mode::Emulate;
    CHECK(studyFolder(simulated) != studyFolder(emulated));
    CHECK(studyFolder(simulated) != studyFolder(smallStudy("other")));
    profiler::Study drawn = simulated;
    drawn.charts.push_back({});
    CHECK(studyFolder(simulated) == studyFolder(drawn)); // charts change no result
}

TEST_CASE("the cache of studies loses its oldest folders, but not the one that is used")
{
    const QTemporaryDir root;
    const auto folderOf = [&](const char* name, int daysAgo) {
        const QString folder = root.filePath(QString::fromLatin1(name));
        REQUIRE(QDir().mkpath(folder));
        QFile file(folder + QStringLiteral("/results.sqlite"));
        REQUIRE(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(1000, 'x'));
        file.flush();
        REQUIRE(file.setFileTime(QDateTime::currentDateTime().addDays(-daysAgo),
                                 QFileDevice::FileModificationTime));
        return folder;
    };
    const QString used = folderOf("used", 9), old = folderOf("old", 5), middle = folderOf("b", 3),
                  young = folderOf("a", 1);
    cleanStudyCache(root.path(), 4000, used);
    CHECK(QDir(old).exists());
    cleanStudyCache(root.path(), 2500, used);
    CHECK_FALSE(QDir(old).exists());
    CHECK_FALSE(QDir(middle).exists());
    CHECK(QDir(young).exists());
    CHECK(QDir(used).exists());
}

TEST_CASE("points are simulated into new runs, one after the other")
{
    PointRuns runs;
    QStringList files;
    QObject::connect(&runs, &PointRuns::simulated, &runs,
                     [&files](const QStringList& all) { files = all; });
    const QStringList point{QStringLiteral("--scheme"), QStringLiteral("1f1b"),
                            QStringLiteral("--devices"), QStringLiteral("4")};
    runs.simulate({point, point});
    CHECK(runs.isRunning());
    REQUIRE(waitFor([&] { return !runs.isRunning(); }));
    REQUIRE(files.size() == 2);
    CHECK(files[0] != files[1]);
    for (const QString& file : files)
        CHECK(QFile::exists(file));
}

TEST_CASE("a point that cannot be simulated has the reason of the worker")
{
    PointRuns runs;
    QString reason;
    QObject::connect(&runs, &PointRuns::failed, &runs,
                     [&reason](const QString& text) { reason = text; });
    runs.simulate({{QStringLiteral("--devices"), QStringLiteral("three")}});
    REQUIRE(waitFor([&] { return !reason.isEmpty(); }));
    CHECK(reason.contains(QStringLiteral("--devices")));
    CHECK_FALSE(runs.isRunning());
}
