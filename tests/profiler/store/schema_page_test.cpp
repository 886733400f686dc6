#include "profiler/store/metrics.h"
#include "profiler/store/query.h"
#include "profiler/store/schema.h"
#include "tests/profiler/store/script.h"
#include "tests/support/paths.h"

#include <sstream>

using namespace engine;
using namespace profiler;
using namespace tests;

// run-files.md of the guide. After a change of the tables:
// BUBBLESCOPE_UPDATE_SCHEMA=1 build/dev/bin/test_store "run-files.md*"
namespace {

std::string ownTables()
{
    std::string page;
    for (const TableDescription& table : allTables()) {
        if (!table.text.name.starts_with("BS_"))
            continue;
        page += fmt::format("\n### {}\n{}.\nWhere: {}.\n\n| column | type | unit | meaning "
                            "|\n|---|---|---|---|\n",
                            table.text.name, table.text.holds, table.text.where);
        for (const ColumnText& column : table.columns)
            page += fmt::format("| `{}` | {} | {} | {} |\n", column.name, column.type, column.unit,
                                column.meaning);
    }
    return page;
}

std::string nsightTables()
{
    std::string page = "\n| table | where | what | columns |\n|---|---|---|---|\n";
    for (const TableDescription& table : allTables()) {
        if (table.text.name.starts_with("BS_"))
            continue;
        std::string columns;
        for (const ColumnText& column : table.columns)
            columns += fmt::format("{}{}", columns.empty() ? "" : " ", column.name);
        page += fmt::format("| `{}` | {} | {} | `{}` |\n", table.text.name, table.text.where,
                            table.text.holds, columns);
    }
    return page;
}

std::string metrics()
{
    std::string page = "\n| name | unit | meaning |\n|---|---|---|\n";
    const auto add = [&](const MetricText& metric, auto&&) {
        page += fmt::format("| `{}` | {} | {} |\n", metric.name, metric.unit, metric.meaning);
    };
    RunInfo info;
    runMetrics(info, add);
    GpuTraceHealth health;
    healthMetrics(health, add);
    return page;
}

std::string recipes()
{
    std::string page;
    for (const Recipe& recipe : queryRecipes()) {
        page += fmt::format("\n    -- {}\n", recipe.title);
        std::istringstream lines{std::string(recipe.sql)};
        for (std::string line; std::getline(lines, line);)
            page += "    " + line + "\n";
    }
    return page;
}

// `page` with what stands between the markers of a section replaced.
std::string withSection(const std::string& page, const std::string& name, const std::string& text)
{
    const std::string marker = "<!-- generated: " + name + " -->\n", end = "\n<!-- end -->";
    const std::size_t begin = page.find(marker);
    REQUIRE(begin != std::string::npos);
    const std::size_t after = page.find(end, begin);
    REQUIRE(after != std::string::npos);
    return page.substr(0, begin) + marker + text + page.substr(after);
}

std::string read(const std::string& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

} // namespace

TEST_CASE("run-files.md lists every table, column and metric as the store has them")
{
    const std::string file = sourcePath("resources/guide/run-files.md");
    const std::string page = read(file);
    std::string expected = withSection(page, "our tables", ownTables());
    expected = withSection(expected, "metrics", metrics());
    expected = withSection(expected, "Nsight's tables", nsightTables());
    expected = withSection(expected, "recipes", recipes());
    if (std::getenv("BUBBLESCOPE_UPDATE_SCHEMA") != nullptr)
        std::ofstream(file) << expected;
    CHECK(page == expected);
}

TEST_CASE("every table of a file is one of the list, with its columns in order")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "run.sqlite", fullRun()));
    const Script script(folder / "run.sqlite");
    const auto all = allTables();
    for (const auto& row : script("SELECT name FROM sqlite_schema WHERE type = 'table'")) {
        INFO(row[0]);
        const auto table = std::ranges::find(
            all, row[0], [](const TableDescription& each) { return std::string(each.text.name); });
        REQUIRE(table != all.end());
        Rows names;
        for (const ColumnText& column : table->columns)
            names.push_back({std::string(column.name)});
        CHECK(script("SELECT name FROM pragma_table_info('" + row[0] + "')") == names);
    }
}
