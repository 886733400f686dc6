#include "profiler/store/query.h"
#include "tests/profiler/store/script.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

struct Queried
{
    Queried() { REQUIRE(writeRun(file, fullRun())); }
    Result<QueryResult> operator()(std::string_view sql, const QueryLimits& limits = {}) const
    {
        return runQuery(file, sql, limits);
    }
    std::string reason(std::string_view sql, const QueryLimits& limits = {}) const
    {
        const auto result = (*this)(sql, limits);
        return result ? std::string() : result.error().message;
    }

    TemporaryFolder folder;
    std::filesystem::path file = folder / "run.sqlite";
};

constexpr std::string_view kEndless
    = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

} // namespace

TEST_CASE("a query returns typed values under the names of its columns")
{
    const Queried run;
    const auto result
        = run("SELECT 7 AS i, 0.5 AS r, 'F' AS t, NULL AS n, x'00ff' AS b -- a comment\n;");
    REQUIRE(result);
    CHECK(result->columns == std::vector<std::string>{"i", "r", "t", "n", "b"});
    REQUIRE(result->rows.size() == 1);
    CHECK(result->rows[0]
          == std::vector<QueryValue>{std::int64_t{7}, 0.5, std::string("F"), std::monostate(),
                                     std::string("x'00ff'")});
    CHECK_FALSE(result->isCut);
    CHECK(run("SELECT device FROM BS_device WHERE 0")->rows.empty());
}

TEST_CASE("rows and bytes beyond the limits are cut")
{
    const Queried run;
    QueryLimits limits;
    limits.rows = 3;
    const auto three = run("SELECT op FROM BS_schedule", limits);
    REQUIRE(three);
    CHECK(three->rows.size() == 3);
    CHECK(three->isCut);
    CHECK_FALSE(run("SELECT op FROM BS_schedule LIMIT 3", limits)->isCut);
    limits = {};
    limits.bytes = 1000;
    CHECK(run("SELECT name FROM BS_schedule", limits)->isCut);
}

TEST_CASE("an endless query ends at the limit of time, or when it is cancelled")
{
    const Queried run;
    QueryLimits limits;
    limits.time = std::chrono::milliseconds(0);
    CHECK(run.reason(kEndless, limits).find("takes longer than 0 s") != std::string::npos);
    int asked = 0;
    const auto stopped = runQuery(run.file, kEndless, {}, [&] { return ++asked == 3; });
    CHECK(stopped.error().code == Error::Code::Cancelled);
}

TEST_CASE("a query cannot change the run, nor open other files")
{
    const Queried run;
    const auto before = std::filesystem::last_write_time(run.file);
    for (const char* sql :
         {"DELETE FROM BS_span", "UPDATE BS_run SET label = ''", "DROP TABLE BS_span",
          "CREATE TABLE t (a)", "CREATE TEMP TABLE t (a)", "PRAGMA journal_mode = WAL",
          "PRAGMA user_version = 2", "ATTACH 'other.sqlite' AS other",
          "VACUUM INTO 'bubblescope-query-copy'", "BEGIN", "SELECT load_extension('x')"}) {
        INFO(sql);
        CHECK(run.reason(sql) != "");
    }
    CHECK(run.reason("DELETE FROM BS_span")
          == "only SELECT is possible here, because runs are not changed");
    CHECK(std::filesystem::last_write_time(run.file) == before);
    CHECK_FALSE(std::filesystem::exists("bubblescope-query-copy"));
}

TEST_CASE("an error has its position in the query")
{
    const Queried run;
    CHECK(run.reason("SELECT absent FROM BS_span") == "no such column: absent");
    CHECK(run.reason("SELECT op\nFROM BS_span\nWHERE oops = 1") == "line 3: no such column: oops");
    CHECK(run.reason("SELEC 1") == "near \"SELEC\": syntax error");
    CHECK(run.reason(" -- nothing\n;") == "the query is empty; enter a SELECT");
    CHECK(run.reason("SELECT 1;\nSELECT 2")
          == "line 1: only one statement can be run; remove what comes after the first ;");
    CHECK(runQuery(run.folder / "missing.sqlite", "SELECT 1").error().message.find("missing.sqlite")
          != std::string::npos);
}

TEST_CASE("the schema lists the tables of the file")
{
    const Queried run;
    const auto tables = schemaOf(run.file);
    REQUIRE(tables);
    const auto has = [&](std::string_view name) {
        return std::ranges::count(*tables, name, &SchemaTable::name) == 1;
    };
    CHECK(has("BS_span"));
    CHECK_FALSE(has("CUPTI_ACTIVITY_KIND_KERNEL"));
    CHECK(tables->front().name == "BS_run");
    CHECK_FALSE(tables->front().columns.empty());
}

TEST_CASE("every recipe runs, or needs a table that only some runs have")
{
    const Queried run;
    const auto recipes = queryRecipes();
    CHECK(recipes.size() >= 8);
    for (const Recipe& recipe : recipes) {
        INFO(recipe.title);
        const auto result = run(recipe.sql);
        if (recipe.title.ends_with("(runs with kernels)"))
            CHECK(result.error().message.find("no such table") != std::string::npos);
        else
            CHECK((result && !result->rows.empty()));
    }
}
