#include "app/study/study_page.h"
#include "profiler/study/study_file.h"
#include "tests/catch.h"

using namespace app;

namespace {

StudyProblem problemWith(const char* key, std::vector<std::string> values)
{
    profiler::Study study = defaultStudy();
    profiler::setOption(study, key, std::move(values));
    const auto problem = studyProblem(study);
    REQUIRE(problem);
    return *problem;
}

} // namespace

TEST_CASE("the study of a new page and every preset have no problem")
{
    CHECK_FALSE(studyProblem(defaultStudy()));
    CHECK(studyPresets().size() == 19);
    for (const QString& name : studyPresets()) {
        INFO(name.toStdString());
        const auto study = openStudy(name);
        REQUIRE(study);
        CHECK_FALSE(studyProblem(*study));
    }
}

TEST_CASE("a problem of a grid names its option")
{
    CHECK(problemWith("devices", {"4", "four"}).key == "devices");
    CHECK(problemWith("devices", {"-1"}).text.contains(QStringLiteral("-1")));
    CHECK(problemWith("model", {"gpt-9"}).text
          == QStringLiteral("Model “gpt-9” is neither a preset nor a .toml file."));
    CHECK(problemWith("attention", {"fast"}).key == "attention");
    CHECK(problemWith("scheme", {}).text
          == QStringLiteral("No scheme is ticked; tick at least one."));
    profiler::Study single = defaultStudy();
    single.grid.clear();
    profiler::setOption(single, "scheme", {"1f1b"});
    CHECK(studyProblem(single)->text
          == QStringLiteral("No option varies; give one at least two values."));
}

TEST_CASE("a ratio goes with its baseline, so the grid has no problem")
{
    auto study = openStudy(QStringLiteral("best-scheme"));
    REQUIRE(study);
    profiler::setOption(*study, "scheme", {"gpipe", "bitpipe"});
    CHECK(study->ratios.empty());
    CHECK_FALSE(studyProblem(*study));
}

TEST_CASE("options have the labels and names of their fields")
{
    CHECK(studyOptionLabel("micro-batches") == QStringLiteral("Micro-batches N"));
    CHECK(studyOptionLabel("iterations") == QStringLiteral("Iterations"));
    CHECK(studyOptionLabel("seed") == QStringLiteral("Seed")); // of a run, not of the jitter
    CHECK(studyOptionLabel("case") == QStringLiteral("Case")); // no field has it
    CHECK(studyOptionNames("model").contains(QStringLiteral("bert-64")));
    CHECK(studyOptionNames("devices").isEmpty());
    const QStringList others = otherStudyOptions(defaultStudy());
    CHECK(others.contains(QStringLiteral("p2p")));
    CHECK_FALSE(others.contains(QStringLiteral("devices")));
    CHECK_FALSE(others.contains(QStringLiteral("scheme")));
}

TEST_CASE("a study with an option of simulations cannot be emulated")
{
    profiler::Study study = defaultStudy();
    CHECK(notRunnable(study).isEmpty());
    profiler::setOption(study, "hardware", {"a100-sxm-80"});
    CHECK(notRunnable(study) == QStringLiteral("hardware is an option of simulations only"));
}
