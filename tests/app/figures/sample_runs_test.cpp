#include "app/figures/figure_recipe.h"
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

std::string textOf(const fs::path& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

TEST_CASE("the README of the sample runs names every sample")
{
    const std::string readme = textOf(kFolder / "README.md");
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
        const auto experiment = engine::experimentFromToml(textOf(file));
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
    CHECK(figure->title == "1F1B, D = 4, N = 8; BitPipe, D = 4, N = 8, v = 2");
}

TEST_CASE("the recipes of the sample schematics still draw the same figures")
{
    int recipes = 0;
    for (const auto& entry : fs::directory_iterator(kFolder / "schematics")) {
        const fs::path& file = entry.path();
        if (!file.string().ends_with(app::kRecipeEnding))
            continue;
        CAPTURE(file);
        ++recipes;
        const auto recipe = app::readRecipe(QString::fromStdString(file.string()));
        REQUIRE(recipe.has_value());
        const auto drawn = app::drawFigure(recipe->request);
        if (!drawn)
            FAIL(drawn.error().message);
        CHECK(drawn->runs == recipe->drawn);
        REQUIRE(drawn->files.size() == 1);
        CHECK(drawn->files[0].toStdString() == textOf(recipe->request.outputs[0].toStdString()));
    }
    CHECK(recipes == 7);
}

TEST_CASE("an experiment that was not run is drawn only as a schematic")
{
    app::FigureRequest request;
    request.runs = {QString::fromStdString((kFolder / "1f1b-d4-n8.toml").string())};
    request.outputs = {QStringLiteral("a.svg")};
    const auto refused = app::drawFigure(request);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message.find("add --times schematic") != std::string::npos);
    request.times = app::FigureTimes::Schematic;
    const auto drawn = app::drawFigure(request);
    REQUIRE(drawn.has_value());
    CHECK(drawn->runs[0].label == "1F1B");
    CHECK(drawn->runs[0].bubble == Approx(3.0 / 11)); // (D - 1) / (N + D - 1)
}
