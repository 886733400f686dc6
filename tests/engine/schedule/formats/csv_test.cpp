#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/passes/passes.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;

namespace {

const std::string kHeader = "device,index,op,stage,chunk,microbatch,replica,slice,joint,version\n";

std::string errorOf(const std::string& text)
{
    const auto schedule = readCsv(text);
    INFO(text);
    REQUIRE_FALSE(schedule);
    return schedule.error().message;
}

} // namespace

TEST_CASE("a schedule is one row per op, by device, then index")
{
    CHECK(writeCsv(scheduleOf("1f1b", 2, 1))
          == kHeader
              + "0,0,F,0,0,0,0,,0,\n"
                "0,1,B,0,0,0,0,,0,\n"
                "1,0,F,1,0,0,0,,0,\n"
                "1,1,B,1,0,0,0,,0,\n");
    CHECK_THAT(writeCsv(lower(scheduleOf("bitpipe", 2, 2))),
               Catch::Contains("0,3,F,1,0,1,1,,0,\n") && Catch::Contains("0,10,AR,3,1,,0,,0,\n")
                   && Catch::Contains("0,21,OPT,2,1,,1,,0,\n"));
}

TEST_CASE("a schedule written and read again is the same, and so is its text")
{
    for (const std::string scheme : {"gpipe", "1f1b", "bitpipe"})
        for (const Schedule& schedule :
             {scheduleOf(scheme, 4, 8), lower(scheduleOf(scheme, 4, 8))}) {
            const std::string text = writeCsv(schedule);
            const auto read = readCsv(text, scheme);
            REQUIRE(read);
            CHECK(*read == schedule);
            CHECK(writeCsv(*read) == text);
        }
}

TEST_CASE("a RECOMPUTE is written and read at its place")
{
    const Schedule schedule = scheduleFrom(
        {"0F0 0F1 0RECOMPUTE1 0RECOMPUTE0 0B0 0B1", "1F0 1RECOMPUTE0 1F1 1B0 1RECOMPUTE1 1B1"});
    const std::string text = writeCsv(schedule);
    CHECK_THAT(text, Catch::Contains("0,2,RC,0,0,1,0,,0,\n"));
    const auto read = readCsv(text, schedule.scheme);
    REQUIRE(read);
    CHECK(*read == schedule);
}

TEST_CASE("slices, halves, joint ops and weight versions survive the file")
{
    const std::string halves = kHeader
        + "0,0,F,0,0,0,0,,1,\n"
          "0,1,F,0,0,1,0,,0,\n"
          "0,2,B,0,0,0,0,0,0,\n"
          "0,3,B,0,0,0,0,1,0,\n";
    auto schedule = readCsv(halves);
    REQUIRE(schedule);
    CHECK(writeCsv(*schedule) == halves);
    CHECK(schedule->program[{0}][0].flags == OpFlag::JointWithNext);
    CHECK(schedule->program[{0}][2].flags == OpFlag::Half);

    const std::string slices = kHeader
        + "0,0,F,0,0,0,0,0,0,0\n"
          "0,1,F,0,0,0,0,1,0,3\n";
    schedule = readCsv(slices);
    REQUIRE(schedule);
    CHECK(writeCsv(*schedule) == slices);
    CHECK(schedule->program[{0}][1].flags == OpFlag::None);
    CHECK(schedule->program[{0}][1].version == 3);
    CHECK(schedule->shape.slices == 2);
}

TEST_CASE("the partner of an evict and its load follows from the devices")
{
    const std::string text = kHeader
        + "0,0,F,0,0,0,0,,0,\n"
          "0,1,EV,0,0,0,0,,0,\n"
          "0,2,LD,0,0,0,0,,0,\n"
          "0,3,B,0,0,0,0,,0,\n"
          "2,0,F,2,0,0,0,,0,\n";
    const auto schedule = readCsv(text);
    REQUIRE(schedule);
    CHECK(schedule->program[{0}][1].peer == 2);
    CHECK(schedule->program[{0}][2].peer == 2);
    CHECK(writeCsv(*schedule) == text);
}

TEST_CASE("evicts and loads of the host have names of their own")
{
    const Schedule schedule = *addOffload(scheduleOf("1f1b", 4, 6), 3);
    const std::string text = writeCsv(schedule);
    CHECK_THAT(text, Catch::Contains("0,2,EVH,0,0,1,0,,0,\n") && Catch::Contains("0,7,LDH,0,0,1"));
    CHECK(readCsv(text, schedule.scheme) == schedule);
}

TEST_CASE("line ends of either kind, and none behind the last row, are read")
{
    std::string text = writeCsv(scheduleOf("bitpipe", 4, 4));
    const auto expected = readCsv(text);
    REQUIRE(expected);
    text.pop_back();
    CHECK(readCsv(text) == expected);
    std::string windows;
    for (const char c : text)
        windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    CHECK(readCsv(windows) == expected);
}

TEST_CASE("the scheme of a file is the caller's to name")
{
    const std::string text = writeCsv(scheduleOf("1f1b", 2, 1));
    CHECK(readCsv(text)->scheme == "file");
    CHECK(readCsv(text, "mine")->scheme == "mine");
}

TEST_CASE("errors of a file name line and column")
{
    const auto row = [](const std::string& text) { return errorOf(kHeader + text + '\n'); };
    CHECK(row("0,0,F,0,0,0,0,,0,,7")
          == "line 2: unexpected column '7' after 'version'; a row has 10 columns");
    CHECK(row("0,0,F,0,0,0,0,,0") == "line 2: column 'version' is missing; a row has 10 columns");
    CHECK(row("x,0,F,0,0,0,0,,0,")
          == "line 2, column device: 'x': must be a whole number, at least 0");
    CHECK_THAT(row("0,0,FF,0,0,0,0,,0,"), Catch::StartsWith("line 2, column op: 'FF'"));
    CHECK_THAT(row("0,0,F,-1,0,0,0,,0,"), Catch::StartsWith("line 2, column stage: '-1'"));
    CHECK_THAT(row("0,0,F,0,0,,0,,0,"), Catch::StartsWith("line 2, column microbatch: ''"));
    CHECK_THAT(row("0,0,F,0,0,0,2,,0,"), Catch::StartsWith("line 2, column replica: '2'"));
    CHECK_THAT(row("0,0,F,0,0,0,0,a,0,"), Catch::StartsWith("line 2, column slice: 'a'"));
    CHECK_THAT(row("0,0,F,0,0,0,0,,2,"), Catch::StartsWith("line 2, column joint: '2'"));
    CHECK_THAT(row("0,0,F,0,0,0,0,,0,256"), Catch::StartsWith("line 2, column version: '256'"));
    CHECK_THAT(row("0,0,OPT,0,0,3,0,,0,"), Catch::StartsWith("line 2, column microbatch: '3'"));
    CHECK_THAT(row("0,0,F,0,1,0,0,,0,"), Catch::StartsWith("line 2, column chunk: 1"));
    CHECK_THAT(row("70000,0,F,0,0,0,0,,0,"), Catch::StartsWith("line 2, column device: '70000'"));
    CHECK_THAT(row("0,1,F,0,0,0,0,,0,\n0,1,F,0,0,1,0,,0,"),
               Catch::StartsWith("line 3, column index: 1 follows 1"));
    CHECK_THAT(row("1,0,F,0,0,0,0,,0,\n0,0,F,0,0,1,0,,0,"),
               Catch::StartsWith("line 3, column device: rows must be sorted"));
}

TEST_CASE("errors of a header name the column")
{
    CHECK_THAT(errorOf(""), Catch::StartsWith("line 1: column '' instead of 'device'"));
    CHECK_THAT(errorOf("device,index,op\n"),
               Catch::StartsWith("line 1: column 'stage' is missing"));
    CHECK_THAT(errorOf("device,index,op,chunk,microbatch,direction,stage\n"),
               Catch::StartsWith("line 1: column 'chunk' instead of 'stage'"));
    CHECK_THAT(errorOf("device,index,op,stage,chunk,microbatch,replica,slice,joint,version,note\n"),
               Catch::StartsWith("line 1: unexpected column 'note' after 'version'"));
    CHECK_THAT(errorOf(kHeader), Catch::Contains("no ops"));
}

TEST_CASE("a wrong digit does not ask for gigabytes")
{
    CHECK_THAT(errorOf(kHeader + "0,0,F,0,0,16000000,0,,0,\n"),
               Catch::Contains("16000001 micro-batches"));
    CHECK_THAT(errorOf(kHeader + "0,0,F,9000000,9000000,0,0,,0,\n"),
               Catch::Contains("9000001 stages"));
    CHECK_THAT(errorOf(kHeader + "60000,0,F,0,0,0,0,,0,\n"), Catch::Contains("60001 devices"));
}

TEST_CASE("a file with a row taken out is read, and the missing op named")
{
    std::string text = writeCsv(scheduleOf("1f1b", 2, 3));
    const std::string row = "1,2,F,1,0,1,0,,0,\n";
    text.erase(text.find(row), row.size());
    const auto schedule = readCsv(text);
    REQUIRE(schedule);
    const std::vector<Violation> violations = validate(*schedule);
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].message == "device 1: 1F1 is missing");
}
