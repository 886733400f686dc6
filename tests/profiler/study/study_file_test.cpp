#include "profiler/study/study_file.h"
#include "resources/resources.h"
#include "tests/profiler/study/small_study.h"

using namespace engine;
using namespace profiler;
using namespace tests;
using Texts = std::vector<std::string>;

TEST_CASE("a study that is written and read again is the same, as is every preset")
{
    const SmallStudy small;
    CHECK(readStudy(studyToml(small.study), "s.toml") == small.study);
    std::size_t presets = 0;
    for (const resources::Resource& file : resources::all()) {
        if (!file.path.starts_with("studies/"))
            continue;
        ++presets;
        INFO(file.path);
        const auto study = readStudy(file.text, file.path);
        REQUIRE(study);
        CHECK(readStudy(studyToml(*study), file.path) == *study);
    }
    CHECK(presets == 19);
}

TEST_CASE("only texts that return are written as numbers")
{
    Study study;
    study.grid = {{"a", {"8", "08", "0.5", "1e3", "true", "x\"y"}}};
    study.mode = Study::Mode::Emulate;
    const auto again = readStudy(studyToml(study), "s.toml");
    REQUIRE(again);
    CHECK(*again == study);
    CHECK(studyToml(study).find("'08'") != std::string::npos);
}

TEST_CASE("values are a list or a range")
{
    CHECK(parseValues("4, 8,8 ,16") == Texts{"4", "8", "16"});
    CHECK(parseValues("0 to 0.5, 6 steps") == Texts{"0", "0.1", "0.2", "0.3", "0.4", "0.5"});
    CHECK(parseValues("8 to 2, 4") == Texts{"8", "6", "4", "2"});
    CHECK(parseValues(" ") == Texts{});
    CHECK_THAT(parseValues("0 to x, 3 steps").error().message,
               Catch::Contains("write it as 0 to 0.5, 11 steps"));
    CHECK_THAT(parseValues("0 to 1, 1 steps").error().message, Catch::Contains("use 2 to 1000"));
    CHECK(valuesText({"0", "0.1", "0.2", "0.3", "0.4", "0.5"}) == "0 to 0.5, 6 steps");
    CHECK(valuesText({"4", "8", "16", "32", "64"}) == "4, 8, 16, 32, 64");
    CHECK(valuesText({"1", "2"}) == "1, 2");
}

TEST_CASE("several values make an option an axis, and none removes it")
{
    Study study = SmallStudy().study;
    setOption(study, "devices", {"4", "8"});
    CHECK(study.fixed.empty());
    CHECK(study.grid.front().key == "devices"); // in the order of a file
    CHECK(readStudy(studyToml(study), "s.toml") == study);
    setOption(study, "devices", {"8"});
    CHECK(optionValues(study, "devices") == Texts{"8"});
    setOption(study, "devices", {});
    CHECK(optionValues(study, "devices").empty());
    setOption(study, "chunks", {"4"});
    CHECK(study.fixed.front() == StudyAxis{"chunks", {"4"}});
}

TEST_CASE("ratios, charts and answers go with the value that they need")
{
    Study study = SmallStudy().study;
    setOption(study, "micro-batches", {"4", "16"});
    CHECK(study.charts.size() == 2); // one was at N = 8
    setOption(study, "p2p", {});
    CHECK(study.charts.empty()); // the phase map had its rows, the heat map its value
    CHECK(study.ratios.size() == 1);
    study.answers.emplace_back().y = "speed_up";
    setOption(study, "scheme", {"1f1b", "bitpipe"});
    CHECK(study.ratios.empty());
    CHECK(study.answers.empty());
    CHECK(readStudy(studyToml(study), "s.toml") == study);
}
