#include "profiler/store/copy_run.h"
#include "profiler/store/notes.h"
#include "tests/profiler/store/store_support.h"

#include <sqlite3.h>
#include <unistd.h>

using namespace profiler;
using tests::TemporaryFolder;

namespace {

engine::Note note(std::int64_t id, engine::Window window, std::string text)
{
    engine::Note result;
    result.id = id;
    result.window = window;
    result.text = std::move(text);
    result.created = "2026-11-21T22:00:00Z";
    return result;
}

void execute(const std::filesystem::path& file, const char* sql)
{
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
    CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
}

} // namespace

TEST_CASE("notes come back by time as they were made, the run beside them is unchanged")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    const engine::Run run = tests::fullRun();
    REQUIRE(writeRun(file, run));
    CHECK(readNotes(file)->empty());

    engine::Note later = note(70, {500, 900}, "the drain begins; \"quoted\", \xC3\xA4");
    later.iteration = 1;
    engine::Note ofOp = note(71, {20, 40}, "");
    ofOp.iteration = 2;
    ofOp.op = 5;
    ofOp.device = engine::DeviceId{3};
    REQUIRE(putNote(file, later));
    REQUIRE(putNote(file, ofOp));
    CHECK(*readNotes(file) == std::vector{ofOp, later});
    CHECK(*readRun(file) == run);

    later.text = "the drain";
    REQUIRE(putNote(file, later)); // in place of itself
    CHECK(readNotes(file)->size() == 2);
    CHECK(readNotes(file)->back().text == "the drain");
    REQUIRE(removeNote(file, ofOp.id));
    CHECK(*readNotes(file) == std::vector{later});
    const auto again = removeNote(file, ofOp.id);
    REQUIRE_FALSE(again);
    CHECK(again.error().code == engine::Error::Code::NotFound);
    CHECK(folder.files() == 1); // nothing is left beside the file
}

TEST_CASE("a note that points outside of its run is damage, not a crash")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    const engine::Run run = tests::fullRun();
    REQUIRE(writeRun(file, run));
    REQUIRE(putNote(file, note(1, {0, 10}, "fine")));
    for (const char* wrong :
         {"op = 100000, iteration = 0", "op = 1, iteration = NULL", "op = -1, iteration = 0",
          "iteration = 4", "iteration = 4294967296", "device = 4", "device = -2", "begin = 11",
          "begin = -9223372036854775807", "\"end\" = 9223372036854775807"}) {
        CAPTURE(wrong);
        execute(file, (std::string("UPDATE BS_annotation SET ") + wrong).c_str());
        const auto read = readNotes(file);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == engine::Error::Code::Corrupt);
        REQUIRE(putNote(file, note(1, {0, 10}, "fine")));
    }
    CHECK(readNotes(file));
}

TEST_CASE("a note is refused where the file is no run, is gone, or may not be written")
{
    const TemporaryFolder folder;
    const auto missing = putNote(folder / "none.sqlite", note(1, {0, 1}, "x"));
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == engine::Error::Code::NotFound);
    const auto other = folder / "other.sqlite";
    execute(other, "CREATE TABLE t (x)");
    CHECK_FALSE(putNote(other, note(1, {0, 1}, "x")));

    if (geteuid() == 0)
        return; // root may write everything
    const auto file = folder / "run.sqlite";
    REQUIRE(writeRun(file, tests::fullRun()));
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    const auto refused = putNote(file, note(1, {0, 1}, "x"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == engine::Error::Code::Io);
    CHECK(refused.error().message.find("save a copy") != std::string::npos);
}

TEST_CASE("a copy of a run is the run with its notes, and the run itself is never overwritten")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite", copy = folder / "copy.sqlite";
    const engine::Run run = tests::fullRun();
    REQUIRE(writeRun(file, run));
    REQUIRE(putNote(file, note(1, {0, 10}, "mine")));
    std::ofstream(copy) << "what was here before";
    REQUIRE(copyRun(file, copy));
    CHECK(*readRun(copy) == run);
    CHECK(*readNotes(copy) == *readNotes(file));
    REQUIRE(putNote(copy, note(2, {3, 4}, "only in the copy")));
    CHECK(readNotes(file)->size() == 1);
    const auto self = copyRun(file, file);
    REQUIRE_FALSE(self);
    CHECK(self.error().code == engine::Error::Code::InvalidArgument);
    CHECK(*readRun(file) == run);
    CHECK_FALSE(copyRun(folder / "none.sqlite", copy));
    CHECK(readNotes(copy)->size() == 2);
    CHECK_FALSE(copyRun(file, folder / "no folder" / "copy.sqlite"));
    CHECK(folder.files() == 2);
}
