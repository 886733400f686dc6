#include "app/figures/figure_recipe.h"
#include "profiler/store/trace_store.h"
#include "profiler/study/run_study.h"
#include "profiler/study/study_file.h"
#include "tests/app/simulated_run.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <QFile>
#include <QGuiApplication>

using namespace app;

namespace {

QString text(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

QByteArray contents(const QString& file)
{
    QFile read(file);
    return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
}

// A run in DIR/runs and its figure and recipe in DIR/paper.
struct Paper
{
    Paper()
    {
        std::filesystem::create_directories(folder.path() / "runs");
        std::filesystem::create_directories(folder.path() / "paper");
        record({"1f1b", 4, 8, 1});
        FigureRequest request;
        request.runs = {run};
        request.outputs = {text(folder.path() / "paper" / "a.svg")};
        request.options.palette = "grey";
        const auto drawn = drawFigure(request);
        REQUIRE(drawn.has_value());
        REQUIRE(saveRecipe(recipe, {request, drawn->runs}).has_value());
        REQUIRE(updateFigures({recipe}) == 0); // writes the figure
    }
    void record(const SimulatedRun& wish)
    {
        QFile::remove(run);
        REQUIRE(profiler::writeRun(run.toStdString(), simulatedRun(wish)).has_value());
    }

    tests::TemporaryFolder folder;
    QString run = text(folder.path() / "runs" / "one.sqlite");
    QString figure = text(folder.path() / "paper" / "a.svg");
    QString recipe = text(folder.path() / "paper" / "a.figure.toml");
};

} // namespace

TEST_CASE("the options of a figure parse to the same settings")
{
    FigureSettings settings;
    CHECK(figureArguments(settings).isEmpty());
    settings.options.width = 5.5 * profiler::kPointsPerInch;
    settings.options.devices = {3, 0, 1};
    settings.options.legend = false;
    settings.options.memory = true;
    settings.options.iteration = 2;
    settings.options.range = {12.345678, 48};
    settings.options.colourBy = profiler::ColourBy::Duration;
    settings.dpi = 300;
    const auto parsed = parseFigureRequest(
        figureArguments(settings)
        + QStringList{QStringLiteral("-o"), QStringLiteral("f.pdf"), QStringLiteral("r.sqlite")});
    REQUIRE(parsed.has_value());
    CHECK(static_cast<const FigureSettings&>(*parsed) == settings);
}

TEST_CASE("a recipe stands beside its figure")
{
    CHECK(recipeOf(QStringLiteral("/a/b/compare.pdf"))
          == QStringLiteral("/a/b/compare.figure.toml"));
}

TEST_CASE("a recipe finds its runs after the folder was moved")
{
    Paper paper;
    tests::TemporaryFolder other;
    const auto moved = other.path() / "moved";
    std::filesystem::rename(paper.folder.path() / "runs", other.path() / "runs");
    std::filesystem::rename(paper.folder.path() / "paper", moved);
    const auto recipe = readRecipe(text(moved / "a.figure.toml"));
    REQUIRE(recipe.has_value());
    CHECK(recipe->request.runs == QStringList{text(other.path() / "runs" / "one.sqlite")});
    CHECK(recipe->request.outputs == QStringList{text(moved / "a.svg")});
    CHECK(recipe->request.options.palette == "grey");
    CHECK(recipe->drawn.size() == 1);
    CHECK(recipe->drawn[0].bubble > 0);
}

TEST_CASE("a figure is replaced only if its run has changed")
{
    Paper paper;
    const QByteArray before = contents(paper.figure);
    REQUIRE(before.contains("<svg"));
    CHECK(updateFigures({text(paper.folder.path())}) == 0);
    CHECK(contents(paper.figure) == before);

    paper.record({"gpipe", 4, 8, 1});
    CHECK(updateFigures({text(paper.folder.path())}) == 0);
    CHECK(contents(paper.figure) != before);
    CHECK(readRecipe(paper.recipe)->drawn[0].label == "GPipe");
}

TEST_CASE("a recipe that fails does not stop the others and gives status 1")
{
    Paper paper;
    const QString broken = text(paper.folder.path() / "paper" / "0.figure.toml");
    QFile file(broken);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("runs = [\"a.sqlite\"]\noutputs = \"a.pdf\"\noptions = []\n");
    file.close();
    const auto recipe = readRecipe(broken);
    REQUIRE_FALSE(recipe.has_value());
    CHECK(recipe.error().message.find("'outputs' is missing") != std::string::npos);
    QFile::remove(paper.figure);
    CHECK(updateFigures({text(paper.folder.path() / "paper")}) == 1);
    CHECK(QFile::exists(paper.figure));
    CHECK(updateFigures({text(paper.folder.path() / "runs")}) == 1); // has no recipe
}

TEST_CASE("a recipe replaces no file outside its folder")
{
    const Paper paper;
    const auto reason = [&](const char* outputs, const char* options) {
        const QString broken = text(paper.folder.path() / "paper" / "0.figure.toml");
        QFile file(broken);
        REQUIRE(file.open(QIODevice::WriteOnly));
        file.write(("runs = [\"a.sqlite\"]\noutputs = " + std::string(outputs)
                    + "\noptions = " + options + "\n")
                       .c_str());
        file.close();
        const auto recipe = readRecipe(broken);
        return recipe ? std::string() : recipe.error().message;
    };
    const auto names = [](const std::string& message, const char* words) {
        return message.find(words) != std::string::npos;
    };
    CHECK(reason("[\"a.pdf\", \"below/a.svg\"]", "[]").empty());
    CHECK(names(reason("[\"../a.pdf\"]", "[]"), "is not in the folder of the recipe"));
    CHECK(names(reason("[\"/a.pdf\"]", "[]"), "is not in the folder of the recipe"));
    CHECK(names(reason("[\"a.pdf\"]", "[\"-o\", \"/a.pdf\"]"), "is not in the folder"));
    CHECK(names(reason("[\"../.bashrc\"]", "[\"--help\"]"), "has --help or --update"));
}

TEST_CASE("what changed is said in the digits that are shown")
{
    engine::RunInfo info;
    const DrawnRun before{"1F1B", 29.84e6, 0.306, 14.0 * 1024 * 1024};
    DrawnRun now = before;
    CHECK(changeText(before, now, info).isEmpty());
    now.iteration = 28.14e6;
    now.bubble = 0.28;
    CHECK(
        changeText(before, now, info).startsWith(QStringLiteral("iteration 29.84 -> 28.14 ms (")));
    CHECK(changeText(before, now, info).endsWith(QStringLiteral("bubble 30.6 -> 28.0 %")));
    now = before;
    now.bubble = 0.30601;
    CHECK(changeText(before, now, info).isEmpty());
}

TEST_CASE("the folder of a study is drawn as the chart that --chart names")
{
    tests::TemporaryFolder folder;
    const char* const toml
        = "[grid]\nscheme = [\"1f1b\", \"bitpipe\"]\nmicro-batches = [4, 8]\n"
          "[[chart]]\nkind = \"bars\"\nx = \"micro-batches\"\ny = \"iteration\"\n"
          "[[chart]]\ntitle = \"Second\"\nx = \"micro-batches\"\ny = \"bubble\"\n";
    const auto study = profiler::readStudy(toml, "s.toml");
    REQUIRE(study);
    const auto point = [](const profiler::StudyPoint&) -> engine::Result<profiler::StudyValues> {
        profiler::StudyValues values;
        values.of[profiler::StudyMetric::Iteration] = 12;
        values.of[profiler::StudyMetric::Bubble] = 0.25;
        return values;
    };
    REQUIRE(profiler::runStudy(*study, toml, folder.path() / "s", point, {}));
    const auto drawn = [&](const char* chart) {
        const auto request = parseFigureRequest({text(folder.path() / "s"), QStringLiteral("-o"),
                                                 QStringLiteral("f.svg"), QStringLiteral("--chart"),
                                                 QLatin1String(chart)});
        REQUIRE(request);
        return drawFigure(*request);
    };
    const auto second = drawn("2");
    REQUIRE(second);
    CHECK(second->width == Approx(3.33));
    CHECK(second->runs.empty());
    CHECK(second->files.at(0).contains("<title>Second</title>"));
    CHECK(second->files.at(0).contains("Bubble, %"));
    CHECK(second->files.at(0).contains("BitPipe"));
    CHECK(drawn("3").error().message == "--chart 3: the study has 2 charts");
    // Options of runs were ignored for a study, and --chart for runs.
    const auto errorOf = [](const QString& input, const QStringList& options) {
        const auto request = parseFigureRequest(
            QStringList{input, QStringLiteral("-o"), QStringLiteral("f.svg")} + options);
        REQUIRE(request);
        const auto figure = drawFigure(*request);
        REQUIRE(!figure);
        return figure.error().message;
    };
    for (const char* option : {"--rows 0", "--range 0..1", "--notes", "--memory", "--communication",
                               "--times schematic", "--palette grey", "--iteration 1",
                               "--colour-by stage", "--bubbles blank", "--title", "--no-legend"}) {
        const QStringList words = QString::fromLatin1(option).split(QLatin1Char(' '));
        CHECK_THAT(errorOf(text(folder.path() / "s"), words),
                   Catch::StartsWith(words.front().toStdString() + " is an option of runs"));
    }
    const Paper paper;
    CHECK_THAT(errorOf(paper.run, {QStringLiteral("--chart"), QStringLiteral("2")}),
               Catch::StartsWith("--chart 2: runs have no charts"));
}
