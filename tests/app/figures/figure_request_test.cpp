#include "app/figures/figure_recipe.h"
#include "tests/catch.h"

using namespace app;

namespace {

FigureRequest parsed(const char* arguments)
{
    const auto request = parseFigureRequest(QString::fromLatin1(arguments).split(QLatin1Char(' ')));
    if (!request)
        FAIL(request.error().message);
    return *request;
}

std::string refusal(const char* arguments)
{
    const auto request = parseFigureRequest(QString::fromLatin1(arguments).split(QLatin1Char(' ')));
    REQUIRE_FALSE(request.has_value());
    return request.error().message;
}

} // namespace

TEST_CASE("a figure is a run and a file, everything else has a default")
{
    const FigureRequest request = parsed("a.sqlite -o b.pdf");
    CHECK(request.runs == QStringList{QStringLiteral("a.sqlite")});
    CHECK(request.outputs == QStringList{QStringLiteral("b.pdf")});
    CHECK(request.options == profiler::FigureOptions());
    CHECK(request.times == FigureTimes::Measured);
    CHECK(request.dpi == 600);
}

TEST_CASE("every option of a figure reaches its place")
{
    const FigureRequest request = parsed(
        "a.sqlite b.sqlite -o f.pdf -o f.svg --preset neurips --font-size 8 --palette grey "
        "--iteration 2 --times schematic --rows 3,0-1 --bubbles blank --no-legend "
        "--no-axis --no-numbers --no-direction --no-shares --title --dpi 300 --colour-by chunk");
    const profiler::FigureOptions& options = request.options;
    CHECK(request.runs.size() == 2);
    CHECK(request.outputs.size() == 2);
    CHECK(options.width == Approx(5.5 * 72));
    CHECK(options.fontSize == 8);
    CHECK(options.palette == "grey");
    CHECK(options.iteration == 2);
    CHECK(request.times == FigureTimes::Schematic);
    CHECK(options.devices == std::vector<int>{3, 0, 1});
    CHECK(options.bubbles == profiler::BubbleStyle::Blank);
    CHECK_FALSE((options.legend || options.timeAxis || options.microBatches));
    CHECK_FALSE((options.directionMark || options.bubbleShare));
    CHECK(options.title);
    CHECK(parsed("a.sqlite -o f.pdf --memory").options.memory);
    CHECK(parsed("a.sqlite -o f.pdf --communication").options.communication);
    CHECK(parsed("a.sqlite -o f.pdf --notes").options.notes);
    CHECK(request.dpi == 300);
    CHECK(options.colourBy == profiler::ColourBy::Chunk);
    CHECK(parsed("a.sqlite -o f.pdf --range 12..48.5").options.range
          == profiler::FigureRange{12, 48.5});
}

TEST_CASE("wrong usage names the option and what it takes")
{
    CHECK(refusal("-o f.pdf").starts_with("name the run to draw"));
    CHECK(refusal("a.sqlite -o f.pdf --notes --times schematic")
              .starts_with("notes need recorded times"));
    CHECK(refusal("a.sqlite").starts_with("name the output file"));
    CHECK(refusal("a.sqlite -o f.tiff")
          == "f.tiff has an unknown format; use the extension .pdf, .svg, .tex or .png");
    CHECK(refusal("a.sqlite -o f.pdf --memory --times schematic")
          == "memory needs recorded times; leave out --memory or --times schematic");
    for (const char* range : {"48..12", "12", "12..", "-1..4", "a..b"})
        CHECK(refusal(("a.sqlite -o f.pdf --range " + std::string(range)).c_str())
              == "--range " + std::string(range) + ": not a range of time; write it as 12..48");
    CHECK(refusal("a.sqlite -o f.pdf --range 1..2 --times schematic")
          == "a range needs recorded times; leave out --range or --times schematic");
    CHECK(refusal("a.sqlite -o f.pdf --palette mauve")
          == "--palette must be one of default, bitpipe, dualpipe, grey, megatron, zero-bubble, "
             "not 'mauve'");
    CHECK(refusal("a.sqlite -o f.pdf --width wide")
          == "--width must be a number from 1 to 100, not 'wide'");
    CHECK(refusal("a.sqlite -o f.pdf --preset acm").starts_with("unknown preset 'acm'; use"));
    CHECK(refusal("a.sqlite -o f.pdf --rows 3-1")
          == "rows 3-1 do not name devices; write them as 0,2-3 or all");
    CHECK(refusal("a.sqlite -o a/f.pdf -o b/f.svg --recipe")
              .find("is not in the folder of the recipe, a;")
          != std::string::npos);
    std::string rows = "0-99999";
    while (rows.size() < 1000)
        rows += ",0-99999";
    CHECK(refusal(("a.sqlite -o f.pdf --rows " + rows).c_str()).starts_with("rows 0-99999,"));
    CHECK(refusal("a.sqlite -o f.pdf --iteration -1")
              .starts_with("--iteration must be a whole number"));
    CHECK(refusal("a.sqlite -o f.pdf --dpi 0")
          == "--dpi must be a whole number from 72 to 1200, not '0'");
    CHECK(refusal("a.sqlite -o f.pdf --colour red").find("colour") != std::string::npos);
}

TEST_CASE("the help of a figure names every preset and palette")
{
    CHECK(parsed("--help").help);
    const std::string help = figureHelp().toStdString();
    for (const auto& preset : profiler::figurePresets())
        CHECK(help.find(preset.name) != std::string::npos);
    for (const auto& palette : profiler::paletteNames())
        CHECK(help.find(palette) != std::string::npos);
}

// Lines had up to 129 columns.
TEST_CASE("the help of a figure has at most 100 columns")
{
    const QString help = figureHelp();
    for (const QString& line : help.split(QLatin1Char('\n'))) {
        CAPTURE(line.toStdString());
        CHECK(line.size() <= 100);
    }
    CHECK(help.contains(QLatin1String("\n  --height INCHES     Height in inches; ")));
}
