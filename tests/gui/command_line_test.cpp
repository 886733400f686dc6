#include "app/window/command_line.h"
#include "app/window/main_window.h"
#include "tests/catch.h"

namespace app {

TEST_CASE("the command line accepts files and names unknown options")
{
    const CommandLine files
        = parseCommandLine({QStringLiteral("a.sqlite"), QStringLiteral("b.sqlite")});
    CHECK(files.files.size() == 2);
    CHECK(files.error.isEmpty());
    CHECK(parseCommandLine({QStringLiteral("--hlep")}).error.contains(QStringLiteral("--hlep")));
    CHECK(parseCommandLine({QStringLiteral("--version")})
              .print.startsWith(QStringLiteral("bubblescope ")));
    CHECK(parseCommandLine({QStringLiteral("--help")}).print.contains(QStringLiteral("figure")));
}

TEST_CASE("a wrong value of an option of the window is refused with the choices")
{
    const auto error = [](const char* line) {
        return parseCommandLine(QString::fromLatin1(line).split(QLatin1Char(' '))).error;
    };
    CHECK(error("--theme pink").contains(QStringLiteral("light, dark")));
    for (const PageKind& kind : pageKinds()) // and the dialogs
        CHECK(error("--page foo").contains(QLatin1String(kind.name)));
    CHECK(error("--page foo").contains(QStringLiteral("scheme, mapping")));
    for (const char* size : {"--size abc", "--size 100000x100000", "--size 10x10", "--size 1x2x3"})
        CHECK(error(size).contains(QStringLiteral("such as 1600x1000")));
    CHECK(error("--theme").contains(QStringLiteral("needs a value")));
    CHECK(error("--theme dark --page keys --size 800x600 --force").isEmpty());
    // A PNG was written to any file.
    CHECK(error("--screenshot a.jpg").contains(QStringLiteral("a.jpg does not end in .png")));
    CHECK(error("--screenshot a.png").isEmpty());
}

TEST_CASE("page and size need no screenshot, and a page about a run says that it needs one")
{
    const auto parse = [](const char* line) {
        return parseCommandLine(QString::fromLatin1(line).split(QLatin1Char(' ')));
    };
    CHECK(parse("--size 1000x700 --page runs").size == QSize(1000, 700));
    CHECK_FALSE(parse("--page runs").size.has_value());
    CHECK_FALSE(parse("--no-restore").restore);
    CHECK(parse("--page memory").error.contains(QStringLiteral("needs a run")));
    // It was "No memory was recorded".
    CHECK(parse("--page memory a.csv").error.contains(QStringLiteral("needs a run")));
    CHECK(parse("--page memory a.sqlite").error.isEmpty());
}

} // namespace app
