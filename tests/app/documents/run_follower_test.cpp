#include "app/documents/run_document.h"
#include "profiler/store/trace_store.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <thread>

using namespace app;

namespace {

std::filesystem::path fileIn(const QTemporaryDir& folder)
{
    return folder.filePath(QStringLiteral("run.sqlite")).toStdString();
}

// One iteration of `run` as the writer gets it.
profiler::Batch iteration(const engine::Run& run, std::size_t index)
{
    engine::Timeline part = run.timeline;
    part.iterations.resize(index + 1);
    for (auto& track : part.tracks)
        std::erase_if(track.spans, [&](const engine::Span& s) { return s.iteration > index; });
    return profiler::batchOf(part, index, 0);
}

} // namespace

TEST_CASE("a growing file is followed to its end, and what was read is what was written")
{
    const QTemporaryDir folder;
    const engine::Run run = simulatedRun({"bitpipe", 4, 8, 6});
    auto writer = profiler::TraceWriter::create(fileIn(folder), run.info, run.schedule);
    REQUIRE(writer.has_value());
    RunFollower follower(QString::fromStdString(fileIn(folder).string()));
    RunPointer last;
    std::size_t snapshots = 0;
    bool isFinished = false;
    QObject::connect(&follower, &RunFollower::grown, &follower, [&](const RunPointer& snapshot) {
        if (last)
            CHECK(snapshot->timeline.iterations.size() >= last->timeline.iterations.size());
        last = snapshot;
        ++snapshots;
    });
    QObject::connect(&follower, &RunFollower::finished, &follower, [&] { isFinished = true; });
    follower.start();
    std::atomic<bool> isWritten = false;
    std::thread writing([&] {
        for (std::size_t i = 0; i < run.timeline.iterations.size(); ++i) {
            writer->append(iteration(run, i));
            (void)writer->flush();
        }
        (void)writer->finish(engine::Outcome::Finished);
        isWritten = true;
    });
    REQUIRE(waitFor([&] { return isWritten.load(); }));
    writing.join();
    follower.finish();
    REQUIRE(waitFor([&] { return isFinished; }));
    REQUIRE(last != nullptr);
    CHECK(last->timeline.iterations == run.timeline.iterations);
    CHECK(last->timeline.tracks == run.timeline.tracks);
    CHECK(last->schedule == run.schedule);
    CHECK(snapshots >= 1);
}

// Two reads at a time were a data race of SnapshotPool, and each started two more.
TEST_CASE("a slot of grown() that calls finish() starts no second read at the same time")
{
    const QTemporaryDir folder;
    REQUIRE(profiler::writeRun(fileIn(folder), simulatedRun({"1f1b", 2, 2})).has_value());
    RunFollower follower(QString::fromStdString(fileIn(folder).string()));
    RunPointer last;
    int snapshots = 0, ends = 0;
    QObject::connect(&follower, &RunFollower::grown, &follower, [&](const RunPointer& snapshot) {
        last = snapshot;
        ++snapshots;
        follower.finish();
    });
    QObject::connect(&follower, &RunFollower::finished, &follower, [&] { ++ends; });
    follower.start();
    REQUIRE(waitFor([&] { return ends > 0; }));
    QThreadPool::globalInstance()->waitForDone();
    settle();
    CHECK(snapshots == 2); // one per buffer of the pool
    CHECK(ends == 1);
}

TEST_CASE("snapshots alternate: a growing run is never copied, and an old snapshot never changes")
{
    const QTemporaryDir folder;
    const engine::Run run = simulatedRun({"1f1b", 4, 8, 4});
    auto writer = profiler::TraceWriter::create(fileIn(folder), run.info, run.schedule);
    REQUIRE(writer.has_value());
    const auto pool = std::make_shared<SnapshotPool>(fileIn(folder));
    const auto grow = [&](std::size_t index) {
        writer->append(iteration(run, index));
        REQUIRE(writer->flush().has_value());
        auto next = pool->next();
        REQUIRE(next.has_value());
        REQUIRE(next->run != nullptr);
        return next->run;
    };
    RunPointer a = grow(0);
    RunPointer b = grow(1);
    CHECK(a->timeline.iterations.size() == 1); // held: it must not grow under the reader
    const engine::Run* first = a.get();
    a.reset();
    const RunPointer c = grow(2);
    CHECK(c.get() == first); // the released one grew in place
    CHECK(c->timeline.iterations.size() == 3);
    CHECK(b->timeline.iterations.size() == 2);
}

TEST_CASE("a snapshot outlives the follower that handed it out")
{
    const QTemporaryDir folder;
    const engine::Run run = simulatedRun({"1f1b", 2, 2});
    REQUIRE(profiler::writeRun(fileIn(folder), run).has_value());
    RunPointer snapshot;
    {
        RunFollower follower(QString::fromStdString(fileIn(folder).string()));
        QObject::connect(&follower, &RunFollower::grown, &follower,
                         [&](const RunPointer& grown) { snapshot = grown; });
        follower.start();
        REQUIRE(waitFor([&] { return snapshot != nullptr; }));
    }
    CHECK(snapshot->timeline.iterations.size() == 1);
}

TEST_CASE("a finished file is loaded completely, and the error for another file says what it is")
{
    const QTemporaryDir folder;
    const engine::Run run = simulatedRun({"bitpipe", 4, 4, 2});
    REQUIRE(profiler::writeRun(fileIn(folder), run).has_value());
    RunLoader loader;
    RunPointer loaded;
    QString reason;
    QObject::connect(&loader, &RunLoader::loaded, &loader,
                     [&](const RunPointer& whole, const QString&) { loaded = whole; });
    QObject::connect(&loader, &RunLoader::failed, &loader, [&](const QString& r) { reason = r; });
    loader.load(QString::fromStdString(fileIn(folder).string()));
    REQUIRE(waitFor([&] { return loaded != nullptr; }));
    CHECK(loaded->timeline.tracks == run.timeline.tracks);

    QFile text(folder.filePath(QStringLiteral("notes.txt")));
    REQUIRE(text.open(QIODevice::WriteOnly));
    text.write(QByteArray(4096, 'x'));
    text.close();
    loader.load(text.fileName());
    REQUIRE(waitFor([&] { return !reason.isEmpty(); }));
    CHECK(reason.contains(QStringLiteral("notes.txt")));
}

TEST_CASE("a cancelled load emits nothing")
{
    const QTemporaryDir folder;
    REQUIRE(profiler::writeRun(fileIn(folder), simulatedRun({"1f1b", 2, 2})).has_value());
    RunLoader loader;
    int told = 0;
    QObject::connect(&loader, &RunLoader::loaded, &loader, [&] { ++told; });
    QObject::connect(&loader, &RunLoader::failed, &loader, [&] { ++told; });
    loader.load(QString::fromStdString(fileIn(folder).string()));
    loader.cancel();
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
    CHECK(told == 0);
}
