#include "tests/profiler/store/store_support.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

Batch iterationOf(const Run& run, std::uint32_t number)
{
    Batch batch;
    batch.iterations = {run.timeline.iterations[number]};
    for (const Track& track : run.timeline.tracks) {
        Batch::TrackSpans& rows = batch.spans.emplace_back();
        rows.device = track.device;
        rows.kind = track.kind;
        for (const Span& span : track.spans)
            if (span.iteration == number)
                rows.spans.push_back(span);
    }
    return batch;
}

// Runs `work` in a process of its own; returns its number.
template<class Work>
pid_t inChild(Work work)
{
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        work();
        _exit(0);
    }
    return child;
}

// Writes `committed` iterations, tells the parent, goes on writing and is killed.
void writeAndBeKilled(const std::filesystem::path& file, const Run& run, std::uint32_t committed)
{
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    const pid_t child = inChild([&] {
        auto writer = TraceWriter::create(file, run.info, run.schedule);
        for (std::uint32_t i = 0; i < committed; ++i)
            writer->append(iterationOf(run, i));
        const char done = writer->flush() ? '+' : '-';
        if (::write(pipe[1], &done, 1) != 1)
            _exit(1);
        for (std::uint32_t i = committed; i < run.timeline.iterations.size(); ++i) {
            writer->append(iterationOf(run, i));
            (void)writer->flush();
        }
        pause();
    });
    char done = 0;
    REQUIRE(read(pipe[0], &done, 1) == 1);
    REQUIRE(done == '+');
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(pipe[0]);
    close(pipe[1]);
}

// The iterations that were read are whole and equal to the first ones of `run`.
void checkIsBeginningOf(const Run& read, const Run& run, std::size_t atLeast)
{
    const std::size_t count = read.timeline.iterations.size();
    CHECK(count >= atLeast);
    Run expected{read.info, run.schedule, {}};
    for (std::size_t i = 0; i < count; ++i)
        expected.timeline.iterations.push_back(run.timeline.iterations[i]);
    for (const Track& track : run.timeline.tracks) {
        Track& begun = expected.timeline.tracks.emplace_back();
        begun.device = track.device;
        begun.kind = track.kind;
        for (const Span& span : track.spans)
            if (span.iteration < count)
                begun.spans.push_back(span);
    }
    CHECK(read == expected);
}

Run runningRun(int iterations)
{
    Run run = simulatedRun(iterations);
    run.info.outcome = Outcome::Running;
    return run;
}

} // namespace

TEST_CASE("a run killed with SIGKILL half-way opens and shows what was recorded")
{
    const TemporaryFolder folder;
    const Run run = runningRun(40);
    for (const std::uint32_t committed : {1U, 7U, 20U}) {
        const auto file = folder / ("killed" + std::to_string(committed) + ".sqlite");
        writeAndBeKilled(file, run, committed);
        const auto read = readRun(file);
        REQUIRE(read);
        CHECK(read->info.outcome == Outcome::Running);
        checkIsBeginningOf(*read, run, committed);
    }
}

TEST_CASE("a killed run in a read-only folder is opened from a temporary copy")
{
    const TemporaryFolder folder;
    const Run run = runningRun(12);
    writeAndBeKilled(folder / "run.sqlite", run, 12);
    REQUIRE(std::filesystem::file_size(folder / "run.sqlite-wal") > 0);
    // As it lies in another user's folder: nothing can be locked, nothing can lie beside it.
    std::filesystem::remove(folder / "run.sqlite-shm");
    const TemporaryFolder temporary;
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
    std::filesystem::permissions(temporary.path(), std::filesystem::perms(0777));
    const pid_t child = inChild([&] {
        setenv("TMPDIR", temporary.path().c_str(), 1);
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(2);
        const auto read = readRun(folder / "run.sqlite");
        if (!read || read->timeline.iterations.size() != 12)
            _exit(3);
        _exit(temporary.files() == 0 ? 0 : 4);
    });
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a finished run is one file, not in WAL mode, and opens from a read-only folder")
{
    const TemporaryFolder folder;
    const Run run = runningRun(3);
    auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
    REQUIRE(writer);
    writer->append(batchOf(run.timeline, 0, 0));
    REQUIRE(writer->finish(Outcome::Finished));
    CHECK(folder.files() == 1);

    // Bytes 18 and 19 of a SQLite file: 1 = rollback journal, 2 = WAL.
    std::ifstream in(folder / "run.sqlite", std::ios::binary);
    std::string header(20, '\0');
    in.read(header.data(), 20);
    CHECK(static_cast<int>(header[18]) == 1);
    CHECK(static_cast<int>(header[19]) == 1);

    std::filesystem::permissions(folder / "run.sqlite", std::filesystem::perms(0444));
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
    const pid_t child = inChild([&] {
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(2);
        const auto read = readRun(folder / "run.sqlite");
        _exit(read && read->timeline == run.timeline ? 0 : 3);
    });
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a file left in WAL mode alone in a read-only folder opens")
{
    const TemporaryFolder folder;
    const Run run = runningRun(3);
    {
        auto writer = TraceWriter::create(folder / "run.sqlite", run.info, run.schedule);
        REQUIRE(writer);
        writer->append(batchOf(run.timeline, 0, 0)); // dropped without finish()
    }
    REQUIRE(folder.files() == 1);
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
    const pid_t child = inChild([&] {
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(2);
        const auto read = readRun(folder / "run.sqlite");
        _exit(read && *read == run ? 0 : 3);
    });
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 0);
}
