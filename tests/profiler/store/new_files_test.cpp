#include "tests/profiler/store/store_support.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

std::string bytesOf(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string createError(const std::filesystem::path& file, IfExists ifExists = IfExists::Refuse)
{
    const Run run = simulatedRun(1);
    const auto created = TraceWriter::create(file, run.info, run.schedule, ifExists);
    const auto written = writeRun(file, run, ifExists);
    REQUIRE_FALSE(created);
    REQUIRE_FALSE(written);
    CHECK(created.error() == written.error());
    CHECK(created.error().code == Error::Code::Io);
    return written.error().message;
}

// Exit status of `work` in a process of its own.
template<class Work>
int statusOf(Work work)
{
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
        _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Writes until the disk is full: 0 when flush(), finish() and the file itself say it with `words`.
int writeUntilFull(const std::filesystem::path& file, const Run& run, const std::string& words)
{
    auto writer = TraceWriter::create(file, run.info, run.schedule);
    if (!writer)
        return 10;
    Batch batch = batchOf(run.timeline, 0, 0);
    Result<std::int64_t> flushed = 0;
    for (int i = 0; i < 10000 && flushed; ++i) {
        batch.iterations[0].number = i;
        for (auto& track : batch.spans)
            for (Span& span : track.spans)
                span.iteration = static_cast<std::uint32_t>(i);
        writer->append(batch);
        flushed = writer->flush();
    }
    const auto says = [&](const std::string& message) {
        return message.find(words) != std::string::npos
            && message.find(file.string()) != std::string::npos;
    };
    if (flushed || !says(flushed.error().message))
        return 11;
    const auto finished = writer->finish(Outcome::Finished);
    if (finished || !says(finished.error().message))
        return 12;
    const auto read = readRun(file);
    if (!read || read->timeline.iterations.empty())
        return 13;
    return read->info.outcome == Outcome::Failed && says(read->info.failure) ? 0 : 14;
}

} // namespace

TEST_CASE("an existing file is replaced only on request")
{
    const TemporaryFolder folder;
    std::ofstream(folder / "run.sqlite") << "precious";
    CHECK(createError(folder / "run.sqlite")
          == (folder / "run.sqlite").string()
              + " exists already: choose another name, or --force to replace it");
    CHECK(bytesOf(folder / "run.sqlite") == "precious");
    const Run run = simulatedRun(1);
    REQUIRE(writeRun(folder / "run.sqlite", run, IfExists::Replace));
    CHECK(readRun(folder / "run.sqlite").value() == run);
    CHECK(folder.files() == 1);
}

TEST_CASE("a file is lost only when its successor is there")
{
    const TemporaryFolder folder;
    std::ofstream(folder / "run.sqlite") << "precious";
    Run impossible = simulatedRun(1);
    impossible.timeline.tracks[0].spans[0].op = 1 << 20;
    REQUIRE_FALSE(writeRun(folder / "run.sqlite", impossible, IfExists::Replace));
    impossible.schedule.deviceOf.clear();
    REQUIRE_FALSE(TraceWriter::create(folder / "run.sqlite", impossible.info, impossible.schedule,
                                      IfExists::Replace));
    CHECK(bytesOf(folder / "run.sqlite") == "precious");
    CHECK(folder.files() == 1);
}

TEST_CASE("companion files of a replaced run do not affect the new one")
{
    const TemporaryFolder folder;
    Run old = simulatedRun(5);
    {
        auto writer = TraceWriter::create(folder / "run.sqlite", old.info, old.schedule);
        REQUIRE(writer);
        writer->append(batchOf(old.timeline, 0, 0));
        REQUIRE(writer->flush());
        std::filesystem::copy(folder / "run.sqlite-wal", folder / "saved-wal");
    }
    std::filesystem::rename(folder / "saved-wal", folder / "run.sqlite-wal");
    const Run run = simulatedRun(1);
    REQUIRE(writeRun(folder / "run.sqlite", run, IfExists::Replace));
    CHECK(readRun(folder / "run.sqlite").value() == run);
    CHECK(folder.files() == 1);
}

TEST_CASE("a folder that is missing, or a folder in place of the file, is named")
{
    const TemporaryFolder folder;
    CHECK(createError(folder / "no/run.sqlite")
          == "cannot write " + (folder / "no/run.sqlite").string() + ": the folder "
              + (folder / "no").string() + " does not exist; make it first");
    CHECK(createError(folder.path(), IfExists::Replace)
          == "cannot write " + folder.path().string() + ": it is a folder; name a file in it");
}

TEST_CASE("a read-only folder is reported")
{
    const TemporaryFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
    const Run run = simulatedRun(1);
    CHECK(statusOf([&] {
              if (getuid() == 0 && setuid(65534) != 0)
                  return 2;
              const auto written = writeRun(folder / "run.sqlite", run);
              return !written
                      && written.error().message
                          == "cannot write " + (folder / "run.sqlite").string() + ": the folder "
                              + folder.path().string() + " is not writable (Permission denied)"
                  ? 0
                  : 3;
          })
          == 0);
}

TEST_CASE("names with signs that mean something to SQLite are names")
{
    const TemporaryFolder folder;
    const Run run = simulatedRun(1);
    for (const std::string name : {"a b.sqlite", "50%.sqlite", "why?.sqlite", "#1.sqlite",
                                   "file:x.sqlite", "\xC3\xBC.sqlite"}) {
        REQUIRE(writeRun(folder / name, run));
        CHECK(std::filesystem::exists(folder / name));
        CHECK(readRun(folder / name).value() == run);
    }
}

TEST_CASE("flush() and finish() report a full disk")
{
    const TemporaryFolder folder;
    Run run = simulatedRun(1);
    run.info.outcome = Outcome::Running;
    const int status = statusOf([&] {
        if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
            || mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=600k") != 0)
            return 99;
        return writeUntilFull(folder / "run.sqlite", run, "no space left on the disk");
    });
    if (status == 99)
        WARN("SKIPPED: a small disk can only be mounted by root");
    else
        CHECK(status == 0);
}

TEST_CASE("a limit on the size of files reaches flush() and finish()")
{
    const TemporaryFolder folder;
    Run run = simulatedRun(1);
    run.info.outcome = Outcome::Running;
    CHECK(statusOf([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{300'000, 300'000};
              setrlimit(RLIMIT_FSIZE, &limit);
              return writeUntilFull(folder / "run.sqlite", run,
                                    "reached the largest size of a file");
          })
          == 0);
}
