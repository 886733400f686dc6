#include "profiler/store/copy_run.h"
#include "profiler/store/notes.h"
#include "tests/profiler/store/store_support.h"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <limits>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {
const std::string kImportIt = "import it with bscope import, or File > Import traces";

void writeText(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

void runSql(const std::filesystem::path& file, const std::string& sql)
{
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    INFO(sql);
    const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
    INFO(sqlite3_errmsg(database));
    CHECK(code == SQLITE_OK);
    sqlite3_close(database);
}

// The message without the file's name.
std::string readError(const std::filesystem::path& file)
{
    const auto read = readRun(file);
    REQUIRE_FALSE(read);
    const std::string message = read.error().message;
    INFO(message);
    REQUIRE(message.starts_with(file.string() + " "));
    CHECK(message.find('\n') == std::string::npos);
    return message.substr(file.string().size() + 1);
}

// A good run changed by `sql`, and why it is refused then.
std::string refusalAfter(const std::string& sql)
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", fullRun()));
    runSql(folder / "run.sqlite", sql);
    return readError(folder / "run.sqlite");
}

} // namespace

TEST_CASE("a missing path, a folder and a file that is not SQLite give one line")
{
    const TemporaryFolder folder;
    CHECK(readError(folder / "missing.sqlite") == "does not exist: check the name");
    CHECK(readError(folder.path()) == "is a folder: name a run file in it");
    writeText(folder / "empty", "");
    CHECK(readError(folder / "empty") == "is empty (0 bytes): record the run again");
    writeText(folder / "notes.txt", "hello\n" + std::string(5000, 'x'));
    CHECK(readError(folder / "notes.txt") == "is not a SQLite file, so not a Bubblescope run");
    writeText(folder / "trace.json", "{\"traceEvents\":[]}" + std::string(5000, ' '));
    CHECK(readError(folder / "trace.json")
          == "is a JSON file, not a Bubblescope run: if it is a trace, " + kImportIt);
    writeText(folder / "run.sqlite.gz", "\x1F\x8B" + std::string(500, 'z'));
    CHECK(readError(folder / "run.sqlite.gz")
          == "is a gzip file, not a Bubblescope run: if it is a trace, " + kImportIt);
    CHECK(readError("/dev/null") == "is not a file");
}

TEST_CASE("the error for a truncated run has its size")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", fullRun()));
    const auto size = std::filesystem::file_size(folder / "run.sqlite");
    const auto refusalAt = [&](std::uintmax_t left) {
        std::filesystem::resize_file(folder / "run.sqlite", left);
        return readError(folder / "run.sqlite");
    };
    CHECK(refusalAt(size - 1).starts_with("is truncated to "));
    CHECK(refusalAt(size / 2).starts_with("is truncated to "));
    CHECK(refusalAt(4096) == "is truncated to 4.0 KiB: copy it again");
    CHECK(refusalAt(60) == "is truncated to 60 B: copy it again");
}

TEST_CASE("a SQLite file of another program is named as such")
{
    const TemporaryFolder folder;
    runSql(folder / "other.sqlite", "CREATE TABLE moz_places (id); CREATE TABLE moz_hosts (id)");
    CHECK(readError(folder / "other.sqlite")
          == "is a SQLite file of another program (with tables moz_hosts, moz_places), not a "
             "Bubblescope run");
    runSql(folder / "nsys.sqlite",
           "CREATE TABLE StringIds (id, value); CREATE TABLE "
           "CUPTI_ACTIVITY_KIND_KERNEL (start, end)");
    CHECK(readError(folder / "nsys.sqlite")
          == "is an Nsight Systems export, not a Bubblescope run: " + kImportIt);
    runSql(folder / "results.sqlite", "CREATE TABLE study (key, value); CREATE TABLE results (id)");
    CHECK(readError(folder / "results.sqlite")
          == "has the results of a study, not a run: open report.html beside it");
    runSql(folder / "nothing.sqlite", "PRAGMA user_version = 1");
    CHECK(readError(folder / "nothing.sqlite") == "is an empty SQLite file, not a Bubblescope run");
}

TEST_CASE("traces are recognised by their first bytes, not by their names")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.json", fullRun()));
    writeText(folder / "trace.sqlite", "\n [{\"ph\": \"X\"}]");
    writeText(folder / "trace", "\x1F\x8B" + std::string(500, 'z'));
    writeText(folder / "notes.json", "hello");
    runSql(folder / "nsys.run", "CREATE TABLE StringIds (id, value)");
    CHECK_FALSE(mayBeTrace(folder / "run.json"));
    CHECK(mayBeTrace(folder / "trace.sqlite"));
    CHECK(mayBeTrace(folder / "trace"));
    CHECK_FALSE(mayBeTrace(folder / "notes.json"));
    CHECK(mayBeTrace(folder / "nsys.run"));
    CHECK(mayBeTrace(folder.path()));
    CHECK_FALSE(mayBeTrace("/dev/zero"));
    CHECK_FALSE(mayBeTrace(folder / "missing.json"));
}

TEST_CASE("a run with views, triggers or virtual tables is not opened")
{
    CHECK(refusalAfter("CREATE VIEW peek AS SELECT * FROM BS_span")
          == "has the view peek, but runs have no views, triggers, virtual tables or generated "
             "columns: another program has changed it; use another copy");
    CHECK(refusalAfter("CREATE TRIGGER t AFTER INSERT ON BS_span BEGIN DELETE FROM BS_run; END")
              .starts_with("has the trigger t,"));
    CHECK(refusalAfter("DROP TABLE BS_span; CREATE VIEW BS_span AS SELECT 1 AS id")
              .starts_with("has the view BS_span,"));
}

TEST_CASE("an index, as the documented recipes make one, does no harm")
{
    const TemporaryFolder folder;
    const Run run = fullRun();
    REQUIRE(writeRun(folder / "run.sqlite", run));
    runSql(folder / "run.sqlite", "CREATE INDEX nvtx_start ON NVTX_EVENTS(start); ANALYZE");
    CHECK(readRun(folder / "run.sqlite").value() == run);
}

TEST_CASE("a file of another format is refused in one line that says what to do")
{
    const std::string kAdvice = ", this Bubblescope reads format 1: open it with the Bubblescope "
                                "that recorded it, or record the run again";
    CHECK(refusalAfter("PRAGMA user_version = 2") == "has file format 2" + kAdvice);
    CHECK(refusalAfter("PRAGMA user_version = 0") == "has file format 0" + kAdvice);
}

TEST_CASE("numbers of iterations that no run can have are not believed")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", simulatedRun(1)));
    runSql(folder / "run.sqlite",
           "UPDATE BS_run SET planned_warmup = -5, planned_iterations = 9999999999999");
    const RunInfo info = readRun(folder / "run.sqlite").value().info;
    CHECK(info.plannedWarmup == 0);
    CHECK(info.plannedIterations == std::numeric_limits<int>::max());
}

// It was an index.
TEST_CASE("the confidence of a rule may be any number")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", fullRun()));
    for (const auto& [level, confidence] :
         {std::pair("'nan'", ""), {"-1", ""}, {"1", "low"}, {"1e300", "high"}}) {
        runSql(folder / "run.sqlite", std::string("UPDATE BS_import_report SET value = ") + level);
        const Run run = readRun(folder / "run.sqlite").value();
        CHECK(run.info.import.value().rules.at(0).confidence == confidence);
    }
}

// Texts were read as 0 and fractions as whole numbers, so that a run had other times.
TEST_CASE("a value of another type than its column's, or an infinite one, is damage")
{
    CHECK(refusalAfter("UPDATE BS_iteration SET begin = 'nan' WHERE id = 1")
              .starts_with("is damaged (BS_iteration, row "));
    CHECK(refusalAfter("UPDATE BS_span SET begin = 1.5 WHERE id = 20")
              .starts_with("is damaged (BS_span, row 20"));
    CHECK(refusalAfter("UPDATE BS_metric SET value = 9e999 WHERE name = 'tokens_per_iteration'")
              .starts_with("is damaged (BS_metric, tokens_per_iteration"));
}

// The bubble was computed from ops of 0 ns, and a device without ops counted as idle.
TEST_CASE("spans that no op has make the times of a recorded run unknown")
{
    const TemporaryFolder folder;
    Run emulated = simulatedRun();
    emulated.info.mode = Mode::Emulate;
    REQUIRE(writeRun(folder / "run.sqlite", emulated));
    CHECK(whyUnknown(readRun(folder / "run.sqlite").value().info).empty());
    runSql(folder / "run.sqlite",
           "UPDATE BS_span SET \"end\" = begin WHERE id = (SELECT min(id) FROM BS_span)");
    const Run edited = readRun(folder / "run.sqlite").value();
    CHECK(whyUnknown(edited.info) == "0F0 of device 0 takes 0 ns, which no op does");
    CHECK(whyIterationUnknown(edited) == whyUnknown(edited.info));
    for (const char* sql :
         {"UPDATE BS_iteration SET \"end\" = begin + 1",
          "UPDATE BS_span SET begin = begin + 1000000, \"end\" = \"end\" + 1000000"}) {
        REQUIRE(writeRun(folder / "shifted.sqlite", emulated, IfExists::Replace));
        runSql(folder / "shifted.sqlite", sql);
        CHECK(whyUnknown(readRun(folder / "shifted.sqlite").value().info)
                  .ends_with("is outside of its iteration"));
    }
    REQUIRE(writeRun(folder / "longer.sqlite", emulated));
    runSql(folder / "longer.sqlite", "UPDATE BS_iteration SET \"end\" = 3 * \"end\"");
    CHECK(whyUnknown(readRun(folder / "longer.sqlite").value().info)
          == "iteration 0 lasts twice as long as its ops");
    emulated.timeline.tracks.erase(
        std::remove_if(emulated.timeline.tracks.begin(), emulated.timeline.tracks.end(),
                       [](const Track& track) { return track.device == DeviceId{1}; }),
        emulated.timeline.tracks.end());
    REQUIRE(writeRun(folder / "other.sqlite", emulated));
    CHECK(whyUnknown(readRun(folder / "other.sqlite").value().info)
          == "device 1 has no recorded op");
}

TEST_CASE("rows that point at nothing are errors that name the table and the row")
{
    const std::string kAdvice = "): use another copy or record the run again";
    CHECK(refusalAfter("UPDATE BS_span SET op = 100000 WHERE id = 20")
          == "is damaged (BS_span, row 20" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_span SET op = -1 WHERE id = 20")
          == "is damaged (BS_span, row 20" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_span SET op = 4294967296 WHERE id = 20")
          == "is damaged (BS_span, row 20" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_span SET iteration = 4 WHERE id = 20")
          == "is damaged (BS_span, row 20" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_import_match SET \"end\" = begin - 1")
          == "is damaged (BS_import_match, row 0" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_span SET track = 3 WHERE id = 20")
          == "is damaged (BS_span, row 20" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_span SET \"end\" = begin - 1 WHERE id = 20")
          == "is damaged (BS_span, row 20" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_memory SET device = 4 WHERE op IS NULL")
              .starts_with("is damaged (BS_memory, row "));
    CHECK(refusalAfter("UPDATE BS_memory SET category = 6 WHERE op = 7")
              .starts_with("is damaged (BS_memory, row "));
    CHECK(refusalAfter("UPDATE BS_iteration SET iteration = 9 WHERE id = 1")
          == "is damaged (BS_iteration, row 1" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_iteration SET kind = 'sleeping' WHERE id = 1")
          == "is damaged (BS_iteration, row 1" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_loss SET microbatch = 77 WHERE id = 2")
          == "is damaged (BS_loss, row 2" + kAdvice);
    CHECK(refusalAfter("UPDATE BS_track SET lane = 'telepathy'")
              .starts_with("is damaged (BS_track, row "));
    CHECK(refusalAfter("UPDATE BS_track SET device = 70000")
              .starts_with("is damaged (BS_track, row "));
}

// Both were read, and analysis indexed the ops of the track's device, or a device by the missing
// peer.
TEST_CASE("a span on a track of another device or kind is damage")
{
    const auto refusalOn = [](const std::string& track, const std::string& spans) {
        return refusalAfter("UPDATE BS_span SET track = (SELECT id FROM BS_track WHERE " + track
                            + ") WHERE track = (SELECT id FROM BS_track WHERE " + spans + ")");
    };
    const std::string compute = "device = 0 AND lane = 'compute'";
    CHECK(refusalOn("device = 3 AND lane = 'compute'", compute)
              .starts_with("is damaged (BS_span, row "));
    CHECK(refusalOn("device = 0 AND lane = 'send'", compute)
              .starts_with("is damaged (BS_span, row "));
}

// The bubble of a run without the spans of a device was 48 % instead of 29 %.
TEST_CASE("a finished run of which rows were deleted is an error")
{
    const std::string finished = "UPDATE BS_run SET outcome = 'finished'; ";
    CHECK(refusalAfter(finished + "DELETE FROM BS_span WHERE id % 7 = 0")
              .starts_with("is damaged ("));
    CHECK(refusalAfter(finished + "DELETE FROM BS_iteration WHERE id = 1")
              .starts_with("is damaged ("));
    CHECK(refusalAfter(finished
                       + "DELETE FROM BS_span WHERE track = (SELECT min(track) FROM BS_span)")
              .find(" rows are missing")
          != std::string::npos);
}

TEST_CASE("a schedule that does not fit together is an error")
{
    for (const std::string sql : {"UPDATE BS_schedule SET kind = 'XX' WHERE op = 3",
                                  "DELETE FROM BS_schedule WHERE op = 3",
                                  "UPDATE BS_schedule SET stage = 99 WHERE op = 3",
                                  "UPDATE BS_schedule SET stage = NULL WHERE op = 3",
                                  "UPDATE BS_schedule SET microbatch = -2 WHERE op = 3",
                                  "UPDATE BS_schedule SET replica = 7 WHERE op = 3",
                                  "UPDATE BS_schedule SET peer = 4 WHERE peer IS NOT NULL",
                                  "UPDATE BS_schedule SET peer = NULL WHERE kind = 'SF'",
                                  "UPDATE BS_schedule SET device = 9 WHERE op = 100",
                                  "UPDATE BS_shape SET devices = 0",
                                  "UPDATE BS_shape SET devices = 2147483647",
                                  "UPDATE BS_shape SET devices = 65534", // of which 4 have ops
                                  "UPDATE BS_shape SET micro_batches = 1 << 40",
                                  "UPDATE BS_shape SET stages = 2000000000",
                                  "DELETE FROM BS_shape",
                                  "DELETE FROM BS_run",
                                  "UPDATE BS_run SET mode = 'dream'",
                                  "UPDATE BS_run SET ticks_per_unit = 0",
                                  "DELETE FROM BS_placement WHERE stage = 2",
                                  "UPDATE BS_placement SET device = 4",
                                  "DROP TABLE BS_span",
                                  "ALTER TABLE BS_span RENAME COLUMN op TO opus"}) {
        INFO(sql);
        CHECK(refusalAfter(sql).starts_with("is damaged ("));
    }
}

TEST_CASE("a file without read permission gives an error that says so")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", simulatedRun(1)));
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    std::filesystem::permissions(folder / "run.sqlite", std::filesystem::perms(0));
    const pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(2);
        const auto read = readRun(folder / "run.sqlite");
        _exit(!read && read.error().code == Error::Code::Io
                      && read.error().message.ends_with(
                          "cannot be read (Permission denied): ask its owner for permission")
                  ? 0
                  : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 0);
}

namespace {

// A rollback journal whose last record names a super-journal, as in pager.c: page 1's number, the
// name, its length, the sum of its bytes, the magic number.
void writeJournalOf(const std::filesystem::path& run, const std::filesystem::path& superJournal)
{
    const auto number = [](std::uint32_t value) {
        std::string bytes;
        for (const unsigned shift : {24U, 16U, 8U, 0U})
            bytes += static_cast<char>(value >> shift & 0xFFU);
        return bytes;
    };
    const std::string magic = "\xD9\xD5\x05\xF9\x20\xA1\x63\xD7", name = superJournal.string();
    std::uint32_t sum = 0;
    for (const char c : name)
        sum += static_cast<std::uint32_t>(static_cast<int>(c));
    std::string header = magic + number(0) + number(7)
        + number(static_cast<std::uint32_t>(std::filesystem::file_size(run) / 4096)) + number(512)
        + number(4096);
    header.resize(512);
    std::ofstream(run.string() + "-journal", std::ios::binary)
        << header << number((1U << 30U) / 4096 + 1) << name
        << number(static_cast<std::uint32_t>(name.size())) << number(sum) << magic;
}

} // namespace

TEST_CASE("a journal that would delete another file is refused and nothing is deleted")
{
    const TemporaryFolder folder;
    const auto run = folder / "run.sqlite", precious = folder / "precious";
    REQUIRE(writeRun(run, simulatedRun(1)));
    std::ofstream(precious) << "precious";
    writeJournalOf(run, precious);
    for (const auto& done :
         {TraceReader::open(run).map([](const auto&) {}), readRun(run).map([](const auto&) {}),
          putNote(run, Note{}), copyRun(run, folder / "copy.sqlite")}) {
        REQUIRE_FALSE(done);
        CHECK(done.error().message.find("run.sqlite-journal would make SQLite delete another file")
              != std::string::npos);
    }
    CHECK(std::filesystem::exists(precious));
    CHECK(std::filesystem::exists(run.string() + "-journal"));
}

TEST_CASE("a companion file that is a link is refused, and the linked file is not touched")
{
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
        const TemporaryFolder folder;
        const auto run = folder / "run.sqlite", precious = folder / "precious";
        REQUIRE(writeRun(run, simulatedRun(1)));
        std::ofstream(precious) << "precious";
        std::filesystem::create_symlink(precious, run.string() + suffix);
        const auto read = readRun(run);
        REQUIRE_FALSE(read);
        CHECK(read.error().message.find("is not a regular file") != std::string::npos);
        CHECK(std::filesystem::file_size(precious) == 8);
    }
}

TEST_CASE("numbers that no run has are refused before memory is allocated for them")
{
    const TemporaryFolder folder;
    for (const char* change :
         {"UPDATE BS_placement SET replica = -1", "UPDATE BS_placement SET replica = 3",
          "UPDATE BS_shape SET micro_batches = 67108864", "UPDATE BS_shape SET slices = 65000",
          "UPDATE BS_span SET \"end\" = 9223372036854775807",
          "UPDATE BS_iteration SET begin = -9223372036854775807",
          "UPDATE BS_run SET ticks_per_unit = 9223372036854775807",
          "UPDATE BS_shape SET stages = 2147483647", "UPDATE BS_shape SET replicas = 2147483647",
          "UPDATE BS_schedule SET device = -1", "UPDATE BS_track SET device = 70000",
          "UPDATE BS_span SET iteration = 4000000000",
          "UPDATE BS_shape SET data_parallel = 2147483647",
          "UPDATE BS_shape SET update_every = 1, micro_batches = 1; "
          "UPDATE BS_schedule SET microbatch = 2147483647 WHERE op = 0"}) {
        CAPTURE(change);
        const auto file = folder / "run.sqlite";
        REQUIRE(writeRun(file, simulatedRun(1), IfExists::Replace));
        runSql(file, change);
        const auto read = readRun(file);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == Error::Code::Corrupt);
    }
}

TEST_CASE("rows with ids of any size are read once each")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    const Run run = simulatedRun(2);
    REQUIRE(writeRun(file, run));
    runSql(file,
           "UPDATE BS_run SET outcome = 'cancelled'; "
           "UPDATE BS_span SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM BS_span)");
    const auto read = readRun(file);
    REQUIRE(read);
    CHECK(read->timeline.tracks == run.timeline.tracks);
}

TEST_CASE("a generated column is refused like a view")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    REQUIRE(writeRun(file, simulatedRun(1)));
    runSql(file, "ALTER TABLE BS_run ADD COLUMN big AS (hex(zeroblob(30000000)))");
    const auto read = readRun(file);
    REQUIRE_FALSE(read);
    CHECK(read.error().message.find("generated column big") != std::string::npos);
}
