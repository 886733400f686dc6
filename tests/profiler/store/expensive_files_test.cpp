// Files that are small and would take hours, or all memory, to read.
#include "profiler/store/notes.h"
#include "profiler/store/open_file.h"
#include "tests/profiler/store/store_support.h"

#include <array>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

void putNumber(std::string& bytes, std::size_t at, std::uint64_t value, int size)
{
    for (int i = 0; i < size; ++i)
        bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> 8 * (size - 1 - i));
}

// An interior page of a table b-tree with 100 children, all of them `child`.
std::string interiorPage(std::size_t size, std::uint64_t child)
{
    constexpr std::size_t kCells = 100, kHeader = 12, kCellSize = 5;
    std::string page(size, '\0');
    const std::size_t content = size - kCells * kCellSize;
    putNumber(page, 0, 5, 1);
    putNumber(page, 3, kCells, 2);
    putNumber(page, 5, content, 2);
    putNumber(page, 8, child, 4);
    for (std::size_t i = 0; i < kCells; ++i) {
        const std::size_t cell = content + i * kCellSize;
        putNumber(page, kHeader + 2 * i, cell, 2);
        putNumber(page, cell, child, 4);
        putNumber(page, cell + 4, i + 1, 1);
    }
    return page;
}

// Moves the root of `table` below ten pages that lead to it 100^10 times.
void repeatTable(const std::filesystem::path& file, const std::string& table)
{
    std::int64_t pages = 0, size = 0, root = 0;
    {
        auto database = Database::open(file, Database::Access::ReadWrite).value();
        const std::string where = " WHERE name = '" + table + "'";
        pages = database.integer("PRAGMA page_count").value();
        size = database.integer("PRAGMA page_size").value();
        root = database.integer("SELECT rootpage FROM sqlite_schema" + where).value();
        REQUIRE(database.execute("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = "
                                 + std::to_string(pages + 1) + where));
    }
    constexpr int kLevels = 10;
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(0, std::ios::end);
    for (int level = 1; level <= kLevels; ++level)
        out << interiorPage(static_cast<std::size_t>(size),
                            static_cast<std::uint64_t>(level < kLevels ? pages + level + 1 : root));
    std::string count(4, '\0');
    putNumber(count, 0, static_cast<std::uint64_t>(pages + kLevels), 4);
    out.seekp(28);
    out << count;
}

std::string refusalOf(const char* sql)
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", simulatedRun(1)));
    auto open = openFile(folder / "run.sqlite");
    REQUIRE(open);
    const auto answer = open->database.text(sql);
    REQUIRE_FALSE(answer);
    return answer.error().message.substr((folder / "run.sqlite").string().size());
}

} // namespace

TEST_CASE("a statement that does not end is an error")
{
    CHECK(refusalOf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                    "SELECT max(i) FROM n")
          == " takes too long to read for its size, so it is damaged: use another copy or record "
             "the run again");
}

TEST_CASE("a statement that needs all memory is an error")
{
    CHECK(
        refusalOf("SELECT max(a || b || c || d || e || f || g || h || i) FROM (SELECT "
                  "hex(zeroblob(30000000)) AS a, hex(zeroblob(30000001)) AS b, "
                  "hex(zeroblob(30000002)) AS c, hex(zeroblob(30000003)) AS d, "
                  "hex(zeroblob(30000004)) AS e, hex(zeroblob(30000005)) AS f, "
                  "hex(zeroblob(30000006)) AS g, hex(zeroblob(30000007)) AS h, "
                  "hex(zeroblob(30000008)) AS i)")
        == " needs more than 512 MiB to be read, so it is damaged: use another copy or record the "
           "run again");
}

TEST_CASE("a b-tree that leads to a page many times is read once or refused")
{
    const TemporaryFolder folder;
    const auto file = folder / "run.sqlite";
    Note note;
    note.id = 1;
    const Run whole = simulatedRun(1);
    for (const char* table :
         {"BS_schedule", "BS_span", "BS_iteration", "BS_annotation", "BS_run"}) {
        CAPTURE(table);
        REQUIRE(writeRun(file, whole, IfExists::Replace));
        REQUIRE(putNote(file, note));
        repeatTable(file, table);
        const auto run = readRun(file);
        CHECK((run ? *run == whole : run.error().code == Error::Code::Corrupt));
        const auto notes = readNotes(file);
        CHECK((notes ? notes->size() == 1 : notes.error().code == Error::Code::Corrupt));
    }
}
