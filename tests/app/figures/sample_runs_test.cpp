#include "engine/exec/run_experiment.h"
#include "profiler/analysis/metrics.h"
#include "profiler/figure/layout.h"
#include "profiler/store/trace_store.h"
#include "tests/catch.h"
#include "tests/support/paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

namespace fs = std::filesystem;

const fs::path kFolder = tests::sourcePath("sample_runs");

std::vector<fs::path> samples(const char* extension)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(kFolder))
        if (entry.path().extension() == extension)
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::string contents(const fs::path& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

TEST_CASE("the README of the sample runs names every sample")
{
    const std::string readme = contents(kFolder / "README.md");
    for (const char* extension : {".toml", ".sqlite", ".sh"})
        for (const auto& file : samples(extension)) {
            CAPTURE(file);
            CHECK(readme.find(file.filename().string()) != std::string::npos);
        }
}

TEST_CASE("every sample experiment is one that runs")
{
    CHECK(samples(".toml").size() == 5);
    for (const auto& file : samples(".toml")) {
        CAPTURE(file);
        const auto experiment = engine::experimentFromToml(contents(file));
        if (!experiment)
            FAIL(experiment.error().message);
        CHECK(engine::buildSchedule(experiment->schedule).has_value());
    }
}

TEST_CASE("the recorded samples are finished, small, and BitPipe's iteration is the shorter")
{
    std::vector<engine::Run> runs;
    for (const auto& file : samples(".sqlite")) {
        CAPTURE(file);
        CHECK(fs::file_size(file) < 1'000'000);
        auto run = profiler::readRun(file);
        if (!run)
            FAIL(run.error().message);
        CHECK(run->info.outcome == engine::Outcome::Finished);
        CHECK_FALSE(run->timeline.memory.empty());
        runs.push_back(*std::move(run));
    }
    REQUIRE(runs.size() == 2);
    const auto oneWay = profiler::metrics(runs[0]), twoWay = profiler::metrics(runs[1]);
    REQUIRE(runs[0].info.scheme == "1f1b");
    CHECK(twoWay->duration < oneWay->duration);
    CHECK(twoWay->bubbleRatio < oneWay->bubbleRatio);
    const engine::Run* pointers[] = {&runs[0], &runs[1]};
    const auto figure = profiler::layoutFigure(pointers, {});
    REQUIRE(figure.has_value());
    CHECK(figure->title == "1F1B, D 4, N 8; BitPipe, D 4, N 8, v 2");
}
