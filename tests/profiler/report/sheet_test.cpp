#include "profiler/report/sheet.h"
#include "tests/catch.h"

#include <nlohmann/json.hpp>

using namespace profiler;

namespace {

struct Sample
{
    std::string name;
    Reading time, rare;
};

constexpr std::array kSamples{
    Measure<Sample>({"name", "run", Unit::None, kColumn}, Of<&Sample::name>()),
    Measure<Sample>(
        {"time", "Time", Unit::Time, kColumn, Better::Less, "end - start", "How long.", "a paper"},
        Of<&Sample::time>()),
    Measure<Sample>({"rare", "rare", Unit::Bytes, kColumn | kIfAny}, Of<&Sample::rare>()),
    Measure<Sample>({"length"}, [](const Sample& row) { return row.name.size(); }),
};

Reading ms(std::int64_t time)
{
    return time * 1'000'000;
}

} // namespace

TEST_CASE("a table aligns texts left and numbers right, and no line ends with a space")
{
    const Table table({"run", "ms", "why"}, {{"1F1B", 9, "x"}, {"µ", 123, Reading("")}});
    CHECK(table.text()
          == "run    ms  why\n"
             "1F1B    9  x\n"
             "µ     123\n");
}

TEST_CASE("text, page and JSON of a table agree, and only JSON has what has no title")
{
    const Table table(kSamples,
                      std::vector<Sample>{{"a", ms(9), {}}, {"b", Reading::unknown("?"), {}}});
    CHECK(table.text() == "run  time ms\na        9.0\nb          -\n");
    CHECK(
        table.html()
        == "<div class=\"wide\"><table><thead><tr><th>Run</th><th title=\"Time = end - start. How "
           "long. Source: a paper\">Time, ms</th></tr></thead><tbody>\n<tr><th>a</th><td>9.0</td>"
           "</tr>\n<tr><th>b</th><td>-</td></tr>\n</tbody></table></div>\n");
    CHECK(jsonText(table.json(), JsonLines::One)
          == R"([{"name":"a","time":9000000,"rare":null,"length":1},)"
             R"({"name":"b","time":null,"rare":null,"length":1}])"
             "\n");
}

TEST_CASE("a column is left out if no row has it, and an interval has its own")
{
    Reading time = ms(9);
    time.interval = engine::Interval{8'000'000, 10'000'000};
    const Table table(kSamples, std::vector<Sample>{{"a", time, std::int64_t{1 << 20}}});
    CHECK(table.text()
          == "run  time ms  95 % interval ms     rare\na        9.0       8.0 .. 10.0  1.0 MiB\n");
}

TEST_CASE("times in different units have them in their cells")
{
    Reading units(std::int64_t{12});
    units.ticksPerUnit = 2;
    const Table table(kSamples, std::vector<Sample>{{"a", ms(9), {}}, {"b", units, {}}});
    CHECK(table.text() == "run       time\na       9.0 ms\nb    6.0 units\n");
}

TEST_CASE("a sheet is text with blank lines between its parts, a page, or an object")
{
    Sheet sheet;
    sheet.data("answer", 42);
    sheet.sentence("First.");
    sheet.sentence("Second & last.");
    sheet.heading("Rows");
    sheet.table(Table(kSamples, std::vector<Sample>{{"a", ms(1), {}}}), "rows");
    sheet.note("A note.");
    sheet.sentence("Only on a page.", Sheet::For::Html);
    CHECK(sheet.text() == "First.\nSecond & last.\n\nrows:\nrun  time ms\na        1.0\nA note.\n");
    CHECK(
        sheet.html().starts_with("<p>First.</p>\n<p>Second &amp; last.</p>\n<h2>Rows</h2>\n<div"));
    CHECK(sheet.html().ends_with("<p>A note.</p>\n<p>Only on a page.</p>\n"));
    const auto json = nlohmann::json::parse(sheet.json());
    CHECK(json["answer"] == 42);
    CHECK(json["rows"][0]["name"] == "a");
}

// A run of 22 µs was a table of "0.0".
TEST_CASE("a time that is not 0 never reads as 0")
{
    using Row = std::int64_t;
    constexpr std::array kTime{
        Measure<Row>({"", "time", Unit::Time, kColumn}, [](const Row& row) { return row; })};
    CHECK(Table(kTime, std::vector<Row>{22'000, 1'000}).text() == "time µs\n   22.0\n    1.0\n");
    CHECK(Table(kTime, std::vector<Row>{2'000'000, 1'600}).text() == "time ms\n    2.0\n  0.002\n");
    CHECK(timeText(4, 1) == "0.004 µs");
}
