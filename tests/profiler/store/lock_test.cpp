#include "tests/profiler/store/store_support.h"

#include <sqlite3.h>

#include <memory>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

// Another program that has locked the file, until release().
class ForeignLock
{
public:
    ForeignLock(const std::filesystem::path& file, const char* how)
    {
        sqlite3* handle = nullptr;
        REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
        m_database.reset(handle);
        REQUIRE(sqlite3_exec(handle, how, nullptr, nullptr, nullptr) == SQLITE_OK);
    }
    void release() { m_database.reset(); }

private:
    struct Close
    {
        void operator()(sqlite3* handle) const { sqlite3_close(handle); }
    };
    std::unique_ptr<sqlite3, Close> m_database;
};

constexpr std::chrono::milliseconds kAtOnce{10};

} // namespace

TEST_CASE("a reader reports a foreign lock and continues when it is released")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    Run run = simulatedRun(2);
    run.info.outcome = Outcome::Running;
    REQUIRE(writeRun(file, run));
    auto reader = TraceReader::open(file, kAtOnce);
    Run followed;
    REQUIRE(reader->poll(followed).value());
    ForeignLock lock(file,
                     "BEGIN EXCLUSIVE; UPDATE BS_run SET outcome = 'finished'; COMMIT; "
                     "BEGIN EXCLUSIVE");
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto polled = reader->poll(followed);
        REQUIRE_FALSE(polled);
        CHECK(polled.error().code == Error::Code::Locked);
        CHECK(polled.error().message
              == "another program has locked " + file.string() + ": close it and try again");
    }
    lock.release();
    CHECK(reader->poll(followed).value());
    CHECK(followed.info.outcome == Outcome::Finished);
}

TEST_CASE("a writer waits for a lock of another process while its caller waits, and loses nothing")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    const Run run = simulatedRun(2);
    auto writer = TraceWriter::create(file, run.info, run.schedule);
    REQUIRE(writer);
    ForeignLock lock(file, "BEGIN IMMEDIATE");
    writer->append(batchOf(run.timeline, 0, 0));
    int reported = 0;
    const auto rows = writer->flush([&] {
        if (++reported == 2)
            lock.release();
        return true;
    });
    CHECK(reported == 2);
    REQUIRE(rows);
    REQUIRE(writer->finish(Outcome::Finished));
    CHECK(readRun(file).value() == run);
}

TEST_CASE("a writer whose caller does not wait for a foreign lock fails with the reason")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    const Run run = simulatedRun(1);
    auto writer = TraceWriter::create(file, run.info, run.schedule);
    const ForeignLock lock(file, "BEGIN IMMEDIATE");
    writer->append(batchOf(run.timeline, 0, 0));
    const auto rows = writer->flush([] { return false; });
    REQUIRE_FALSE(rows);
    CHECK(rows.error().code == Error::Code::Locked);
}

TEST_CASE("reader and writer report at once that the file was deleted or replaced")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    const Run run = simulatedRun(1);
    for (const bool isReplaced : {false, true}) {
        CAPTURE(isReplaced);
        std::filesystem::remove(file);
        auto writer = TraceWriter::create(file, run.info, run.schedule);
        REQUIRE(writer);
        auto reader = TraceReader::open(file);
        Run followed;
        REQUIRE(reader->poll(followed));
        std::filesystem::rename(file, folder / "moved.sqlite");
        if (isReplaced)
            std::filesystem::copy_file(folder / "moved.sqlite", file);
        const auto polled = reader->poll(followed);
        REQUIRE_FALSE(polled);
        CHECK(polled.error().code == Error::Code::NotFound);
        CHECK_THAT(polled.error().message,
                   Catch::Contains(isReplaced ? "replaced by another run"
                                              : "was deleted or moved: its timeline no longer "
                                                "grows"));
        writer->append(batchOf(run.timeline, 0, 0));
        const auto rows = writer->flush();
        REQUIRE_FALSE(rows);
        CHECK_THAT(rows.error().message,
                   Catch::Contains("was deleted or replaced while it was recorded"));
    }
}
