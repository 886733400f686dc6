#include "tests/support/source_tree.h"

#include <algorithm>
#include <cstddef>
#include <regex>
#include <set>

using namespace tests;

namespace {

using Complaints = std::vector<std::string>;

// Cells of a row of a Markdown table: "|" separates them, "\\|" does not.
int cellsOf(const std::string& row)
{
    int separators = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
        separators += row[i] == '|' && (i == 0 || row[i - 1] != '\\') ? 1 : 0;
    return separators - 1;
}

// Rows begin with "|"; the first row of a table sets the number of its columns.
Complaints unevenRows(const SourceFile& file)
{
    Complaints complaints;
    int columns = 0, line = 0;
    for (const std::string& row : file.lines()) {
        ++line;
        if (!row.starts_with('|')) {
            columns = 0;
            continue;
        }
        if (columns == 0)
            columns = cellsOf(row);
        if (cellsOf(row) != columns || !row.ends_with('|'))
            complaints.push_back(file.path + ':' + std::to_string(line));
    }
    return complaints;
}

// Documents that a comment or a document cites, and that the repository does not have.
Complaints deadReferences(const SourceFile& file, const std::set<std::string>& existing)
{
    static const std::regex kCited(R"re([\w-]+\.md\b|\bmock-?ups?\b)re");
    Complaints complaints;
    int number = 0;
    for (const std::string& line : file.lines()) {
        ++number;
        for (std::sregex_iterator at(line.begin(), line.end(), kCited), end; at != end; ++at)
            if (!existing.contains(at->str()))
                complaints.push_back(file.path + ':' + std::to_string(number) + ": " + at->str());
    }
    return complaints;
}

// Lines longer than 120 characters. Rows of tables cannot be wrapped, nor may commands be.
Complaints longLines(const SourceFile& file)
{
    constexpr std::ptrdiff_t kLongest = 120;
    Complaints complaints;
    int number = 0;
    for (const std::string& line : file.lines()) {
        ++number;
        const auto characters = std::ranges::count_if(
            line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
        if (characters > kLongest && !line.starts_with('|') && !line.starts_with("    "))
            complaints.push_back(file.path + ':' + std::to_string(number));
    }
    return complaints;
}

std::set<std::string> namesOfDocuments()
{
    std::set<std::string> names;
    for (const SourceFile& file : documents())
        names.insert(file.path.substr(file.path.rfind('/') + 1));
    return names;
}

SourceFile page(const std::string& text)
{
    return {"x.md", text};
}

} // namespace

TEST_CASE("every row of a table in a document has as many cells as its header")
{
    for (const SourceFile& file : documents())
        CHECK(unevenRows(file) == Complaints{});
    CHECK(unevenRows(page("| a | b |\n|---|---|\n| 1 | 2 |\n")).empty());
    CHECK(unevenRows(page("| a | b |\n|---|---|\n| 1 \\| 2 | 3 |\n")).empty());
    CHECK(unevenRows(page("| a | b |\n|---|---|\n| 1 |\n")) == Complaints{"x.md:3"});
    CHECK(unevenRows(page("| a | b |\n|---|---|\n| 1 | 2\n")) == Complaints{"x.md:3"});
}

TEST_CASE("the lines of a document have at most 120 characters, except tables and commands")
{
    for (const SourceFile& file : documents())
        CHECK(longLines(file) == Complaints{});
    CHECK(longLines(page("a\n" + std::string(121, 'x') + '\n')) == Complaints{"x.md:2"});
    CHECK(longLines(page('|' + std::string(121, 'x') + "|\n")).empty());
}

TEST_CASE("comments and documents cite only documents of the repository")
{
    const std::set<std::string> existing = namesOfDocuments();
    std::vector<SourceFile> files = sourcesBelow({"app", "engine", "profiler", "resources"});
    for (const SourceFile& file : documents())
        files.push_back(file);
    for (const SourceFile& file : files)
        CHECK(deadReferences(file, existing) == Complaints{});
    CHECK(deadReferences(page("see README.md"), {"README.md"}).empty());
    CHECK(deadReferences(page("as cli.md says (mockup run.png)"), {"README.md"}).size() == 2);
}

TEST_CASE("the formatter leaves documents alone")
{
    for (const SourceFile& file : filesBelow({"tests", "packaging"}, {".sh"}))
        for (const std::string& line : file.lines())
            if (line.find("clang-format") != std::string::npos) {
                INFO(file.path << ": " << line);
                CHECK(line.find(".md") == std::string::npos);
            }
}
