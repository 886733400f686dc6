#include "tests/fuzz/mutate.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <sstream>
#include <vector>

namespace tests {
namespace {

const std::vector<std::string> kUnusual{"0",
                                        "-1",
                                        "1",
                                        "2",
                                        "3",
                                        "7",
                                        "255",
                                        "256",
                                        "65535",
                                        "65536",
                                        "2147483647",
                                        "-2147483648",
                                        "4294967296",
                                        "67108864",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "1e308",
                                        "-0.0",
                                        "nan",
                                        "inf",
                                        "",
                                        "x",
                                        "true",
                                        "F",
                                        "B",
                                        "W",
                                        "OPT",
                                        "ALLREDUCE"};

const std::string& oneOf(const std::vector<std::string>& words, Random& random)
{
    return words[random() % words.size()];
}

std::vector<std::string> rowsOf(sqlite3* database, const std::string& sql)
{
    std::vector<std::string> rows;
    const auto add = [](void* out, int, char** values, char**) {
        static_cast<std::vector<std::string>*>(out)->emplace_back(values[0] ? values[0] : "");
        return 0;
    };
    sqlite3_exec(database, sql.c_str(), add, &rows, nullptr);
    return rows;
}

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
}

// Replaces a random word of the line.
std::string withOtherWord(const std::string& line, Random& random)
{
    if (line.empty())
        return oneOf(kUnusual, random);
    std::size_t begin = random() % line.size();
    while (begin > 0 && isWord(line[begin - 1]))
        --begin;
    std::size_t end = begin;
    while (end < line.size() && isWord(line[end]))
        ++end;
    return line.substr(0, begin) + oneOf(kUnusual, random) + line.substr(end);
}

} // namespace

std::string mutateBytes(std::string content, Random& random)
{
    // Half of the time in the first pages, which have the schema of a database.
    const std::size_t reach
        = random() % 2 == 0 ? content.size() : std::min<std::size_t>(content.size(), 8192);
    for (std::uint64_t flips = 1 + random() % 8; flips > 0 && reach > 0; --flips)
        content[random() % reach] = static_cast<char>(random());
    return content;
}

std::string mutateLines(const std::string& content, Random& random)
{
    std::vector<std::string> lines;
    std::istringstream in(content);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    for (std::uint64_t changes = 1 + random() % 3; changes > 0 && !lines.empty(); --changes) {
        const auto at = static_cast<std::ptrdiff_t>(random() % lines.size());
        const auto other = static_cast<std::ptrdiff_t>(random() % lines.size());
        switch (random() % 6) {
        case 0:
            lines.insert(lines.begin() + other, lines[static_cast<std::size_t>(at)]);
            break;
        case 1:
            lines.erase(lines.begin() + at);
            break;
        case 2:
            std::swap(lines[static_cast<std::size_t>(at)], lines[static_cast<std::size_t>(other)]);
            break;
        default:
            lines[static_cast<std::size_t>(at)]
                = withOtherWord(lines[static_cast<std::size_t>(at)], random);
        }
    }
    return fmt::format("{}\n", fmt::join(lines, "\n"));
}

void mutateValues(const std::filesystem::path& file, Random& random)
{
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    const auto tables = rowsOf(database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    for (std::uint64_t changes = 1 + random() % 3; changes > 0 && !tables.empty(); --changes) {
        const std::string& table = oneOf(tables, random);
        const auto columns
            = rowsOf(database, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
        const std::string row = fmt::format(
            "rowid = (SELECT rowid FROM {} LIMIT 1 OFFSET abs(random()) % max(1, (SELECT count(*) "
            "FROM {})))",
            table, table);
        std::string sql;
        if (const auto kind = random() % 8; kind == 0)
            sql = fmt::format("DELETE FROM {} WHERE {}", table, row);
        else if (kind == 1)
            sql = fmt::format("UPDATE {} SET \"{}\" = zeroblob(100000)", table,
                              oneOf(columns, random));
        else
            sql = fmt::format("UPDATE {} SET \"{}\" = '{}'{}", table, oneOf(columns, random),
                              oneOf(kUnusual, random), kind == 2 ? "" : " WHERE " + row);
        sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr); // a key may be refused
    }
    sqlite3_close(database);
}

} // namespace tests
