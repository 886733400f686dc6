#include "profiler/store/ledger/ledger.h"
#include "profiler/store/sqlite.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <fstream>

namespace profiler {

using tests::TemporaryFolder;

namespace {

LedgerRow row(const char* file, const char* facts)
{
    LedgerRow row;
    row.file = file;
    row.size = 10;
    row.modified = 20;
    row.facts = facts;
    return row;
}

} // namespace

TEST_CASE("a run that is read again keeps what the user added")
{
    const TemporaryFolder folder;
    LedgerRow one = row("/runs/a.sqlite", "first");
    {
        Ledger ledger = Ledger::open(folder / "sub/ledger.sqlite").value();
        REQUIRE(ledger.putContents(one));
        const LedgerRow before = one;
        one.name = "baseline";
        one.tags = "paper\nslow link";
        REQUIRE(ledger.putUserData(before, one));
        one.facts = "second";
        REQUIRE(ledger.putContents(one));
        REQUIRE(ledger.putContents(row("/runs/b.sqlite", "")));
    }
    Ledger ledger = Ledger::open(folder / "sub/ledger.sqlite").value();
    const auto rows = ledger.rows().value();
    REQUIRE(rows.size() == 2);
    one.number = 1;
    CHECK(rows[0] == one);
    REQUIRE(ledger.move("/runs/a.sqlite", "/runs/trash/a.sqlite", "/runs"));
    REQUIRE(ledger.remove("/runs/b.sqlite"));
    one.file = "/runs/trash/a.sqlite";
    one.origin = "/runs";
    CHECK(ledger.rows().value() == std::vector{one});
}

TEST_CASE("a number is given once, also after its run was deleted, and a greater one is accepted")
{
    const TemporaryFolder folder;
    Ledger ledger = Ledger::open(folder / "ledger.sqlite").value();
    const auto put = [&](const char* file, std::int64_t expected) {
        LedgerRow one = row(file, "");
        one.number = expected;
        REQUIRE(ledger.putContents(one));
        const auto rows = ledger.rows().value();
        return std::ranges::find(rows, file, &LedgerRow::file)->number;
    };
    CHECK(put("/a", 0) == 1);
    CHECK(put("/b", 0) == 2);
    CHECK(put("/a", 7) == 1); // it keeps its number
    REQUIRE(ledger.remove("/b"));
    CHECK(put("/c", 2) == 3); // 2 was given to a run that is gone
    CHECK(put("/d", 10) == 10);
    CHECK(put("/e", 0) == 11);
    CHECK(ledger.lastNumber().value() == 11);
}

// Of two runs that took turns, the one that was read last got a new number.
TEST_CASE("runs get the numbers that they were expected to get, in whichever order they end")
{
    const TemporaryFolder folder;
    REQUIRE(Ledger::open(folder / "ledger.sqlite")); // each window had a counter of its own
    Ledger ledger = Ledger::open(folder / "ledger.sqlite").value();
    const auto put = [&](const char* file, std::int64_t expected) {
        LedgerRow one = row(file, "");
        one.number = expected;
        REQUIRE(ledger.putContents(one));
        return ledger.numbers().value().byFile[file];
    };
    CHECK(put("/a", 3) == 3);
    CHECK(put("/b", 2) == 2);
    CHECK(put("/c", 2) == 4); // another window expected it, too
    REQUIRE(ledger.remove("/b"));
    CHECK(put("/d", 2) == 5);
    CHECK(put("/e", 1) == 1);
    CHECK(ledger.numbers().value().last == 5);
}

TEST_CASE("the queue of a process that ended is returned once, in its order")
{
    const TemporaryFolder folder;
    using Options = std::vector<std::string>;
    {
        Ledger ledger = Ledger::open(folder / "ledger.sqlite").value();
        REQUIRE(ledger.setQueue(11, {"--scheme gpipe", "--scheme 1f1b"}));
        REQUIRE(ledger.setQueue(11, {"--scheme zb-v", "--scheme 1f1b"}));
        REQUIRE(ledger.setQueue(12, {"--scheme chimera"}));
    }
    Ledger ledger = Ledger::open(folder / "ledger.sqlite").value();
    const auto exists = [](std::int64_t process) { return process == 12; };
    CHECK(ledger.takeQueues(exists).value() == Options{"--scheme zb-v", "--scheme 1f1b"});
    CHECK(ledger.takeQueues(exists).value() == Options{});
    CHECK(ledger.takeQueues([](auto) { return false; }).value() == Options{"--scheme chimera"});
}

TEST_CASE("a file that is not a ledger is refused and kept")
{
    const TemporaryFolder folder;
    std::ofstream(folder / "ledger.sqlite") << "no database, but long enough to be read as one";
    const auto ledger = Ledger::open(folder / "ledger.sqlite");
    REQUIRE_FALSE(ledger);
    CHECK(ledger.error().message.find("move it away") != std::string::npos);
    CHECK(std::filesystem::file_size(folder / "ledger.sqlite") > 40);
}

} // namespace profiler
