#include "tests/profiler/store/store_support.h"

#include <sqlite3.h>

#include <atomic>
#include <thread>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

// One iteration more at each call, as the observer of a run sees it.
class Grower
{
public:
    explicit Grower(const Run& whole)
        : m_whole(whole)
    {
        m_timeline.tracks = whole.timeline.tracks;
        for (Track& track : m_timeline.tracks)
            track.spans.clear();
    }
    Batch next()
    {
        const auto number = static_cast<std::uint32_t>(m_timeline.iterations.size());
        m_timeline.iterations.push_back(m_whole.timeline.iterations.at(number));
        for (std::size_t t = 0; t < m_timeline.tracks.size(); ++t)
            for (const Span& span : m_whole.timeline.tracks[t].spans)
                if (span.iteration == number)
                    m_timeline.tracks[t].spans.push_back(span);
        return batchOf(m_timeline, number, 0);
    }
    const Timeline& timeline() const { return m_timeline; }

private:
    const Run& m_whole;
    Timeline m_timeline;
};

} // namespace

TEST_CASE("a reader sees each iteration once it is flushed, and then its end")
{
    const TemporaryFolder folder;
    Run run = simulatedRun(5);
    run.info.outcome = Outcome::Running;
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    CHECK_FALSE(writer->growsSlowly());
    auto reader = TraceReader::open(folder / "run.sqlite");
    REQUIRE(reader);
    CHECK(reader->warning().empty());

    Run followed;
    REQUIRE(reader->poll(followed).value());
    CHECK(followed == Run{run.info, run.schedule, {}});
    Grower grower(run);
    std::int64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        writer->append(grower.next());
        const auto rows = writer->flush();
        REQUIRE(rows);
        CHECK(*rows > last);
        last = *rows;
        CHECK(reader->poll(followed).value());
        CHECK(followed.timeline == grower.timeline());
        CHECK_FALSE(reader->poll(followed).value());
    }
    REQUIRE(writer->finish(Outcome::Failed, "the driver hung"));
    CHECK(reader->poll(followed).value());
    CHECK(followed.info.outcome == Outcome::Failed);
    CHECK(followed.info.failure == "the driver hung");
    CHECK(followed.timeline == run.timeline);
    CHECK_FALSE(reader->poll(followed).value());
}

TEST_CASE("a reader of a growing run receives the touched bytes with the batch that has them")
{
    const TemporaryFolder folder;
    Run run = simulatedRun(2);
    run.info.outcome = Outcome::Running;
    run.info.arenas.resize(run.schedule.shape.devices, {100, 120, {}});
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    auto reader = TraceReader::open(folder / "run.sqlite");
    REQUIRE(reader);
    Run followed;
    REQUIRE(reader->poll(followed).value());
    CHECK(followed.info.arenas == run.info.arenas);
    Grower grower(run);
    Batch first = grower.next();
    for (ArenaUse& use : run.info.arenas)
        use.touched = 110;
    first.arenas = run.info.arenas;
    writer->append(std::move(first));
    REQUIRE(writer->flush());
    REQUIRE(reader->poll(followed).value());
    CHECK(followed.info.arenas == run.info.arenas);
    writer->append(grower.next()); // without arenas: they stay
    REQUIRE(writer->flush());
    REQUIRE(reader->poll(followed).value());
    CHECK(followed.info.arenas == run.info.arenas);
    REQUIRE(writer->finish(Outcome::Finished, {}, run.info.arenas));
}

TEST_CASE("readers that poll all the time neither stop a run nor keep it from finishing")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(60);
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    std::atomic<bool> finished = false;
    std::atomic<int> failures = 0;
    Run followed;
    std::thread follower([&] {
        auto reader = TraceReader::open(folder / "run.sqlite");
        while (reader && !finished)
            failures += reader->poll(followed) ? 0 : 1;
        failures += reader && reader->poll(followed) ? 0 : 1;
    });
    Grower grower(run);
    for (int i = 0; i < 60; ++i)
        writer->append(grower.next());
    const auto end = writer->finish(Outcome::Finished);
    finished = true;
    follower.join();
    CHECK(end);
    CHECK(failures == 0);
    CHECK(followed == run);
    CHECK(folder.files() == 1);
}

TEST_CASE("one poll reads a run of any length, and the file holds it in one piece")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(2200);
    REQUIRE(writeRun(folder / "run.sqlite", run));
    auto reader = TraceReader::open(folder / "run.sqlite");
    REQUIRE(reader);
    Run read;
    CHECK(reader->poll(read).value());
    CHECK(read == run);
    CHECK_FALSE(reader->poll(read).value());
}

TEST_CASE("spans and memory events that come late stand where their time is")
{
    const TemporaryFolder folder;
    const Run run = fullRun();
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    Batch first = batchOf(run.timeline, 0, 0), late;
    const std::span<const Span> spans = first.spans[0].spans;
    late.spans = {{first.spans[0].device, first.spans[0].kind, {spans[2], spans[3]}}};
    first.spans[0].spans.erase(first.spans[0].spans.begin() + 2, first.spans[0].spans.begin() + 4);
    late.memory = {first.memory.front()};
    first.memory.erase(first.memory.begin());
    auto reader = TraceReader::open(folder / "run.sqlite");
    REQUIRE(reader);
    Run followed;
    for (const Batch& batch : {first, late}) {
        writer->append(batch);
        REQUIRE(writer->flush());
        REQUIRE(reader->poll(followed).value());
    }
    REQUIRE(writer->finish(run.info.outcome, run.info.failure));
    REQUIRE(reader->poll(followed));
    CHECK(followed == run);
}

TEST_CASE("several threads may append")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(1);
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    Batch begun;
    begun.iterations = run.timeline.iterations;
    writer->append(begun);
    std::vector<std::thread> threads;
    for (const Track& track : run.timeline.tracks)
        threads.emplace_back([&] {
            Batch batch;
            batch.spans = {{track.device, track.kind, track.spans}};
            writer->append(batch);
        });
    for (std::thread& thread : threads)
        thread.join();
    REQUIRE(writer->finish(Outcome::Finished));
    CHECK(readRun(folder / "run.sqlite").value() == run);
}

TEST_CASE("a reader reports that another run replaced its file")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(1);
    REQUIRE(writeRun(folder / "run.sqlite", run));
    auto reader = TraceReader::open(folder / "run.sqlite");
    Run followed;
    REQUIRE(reader->poll(followed));
    REQUIRE(writeRun(folder / "run.sqlite", run, IfExists::Replace));
    const auto polled = reader->poll(followed);
    REQUIRE_FALSE(polled);
    CHECK(polled.error().message
          == (folder / "run.sqlite").string() + " was replaced by another run: open it again");
}

TEST_CASE("without WAL a run is still written, and reader and writer report this")
{
    // This way of locking has no shared memory, as network file systems.
    sqlite3_vfs* usual = sqlite3_vfs_find(nullptr);
    REQUIRE(sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1) == SQLITE_OK);
    const TemporaryFolder folder;
    const Run run = simulatedRun(2);
    {
        auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
        REQUIRE(writer);
        CHECK(writer->growsSlowly());
        writer->append(batchOf(run.timeline, 0, 0));
        REQUIRE(writer->flush());
        auto reader = TraceReader::open(folder / "run.sqlite");
        REQUIRE(reader);
        CHECK(reader->warning().find("does not support SQLite's WAL") != std::string::npos);
        Run followed;
        CHECK(reader->poll(followed).value());
        CHECK(followed.timeline == run.timeline);
        REQUIRE(writer->finish(Outcome::Finished));
        CHECK(readRun(folder / "run.sqlite").value() == run);
    }
    CHECK(folder.files() == 1);
    REQUIRE(sqlite3_vfs_register(usual, 1) == SQLITE_OK);
}
