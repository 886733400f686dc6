#include "app/ui/text.h"
#include "tests/catch.h"

#include <QTextBoundaryFinder>

using namespace app;

TEST_CASE("numbers have a true minus sign and narrow spaces between thousands")
{
    CHECK(number(-1234567.23, 1) == QStringLiteral("\u22121\u202F234\u202F567.2"));
    CHECK(number(1184, 0) == QStringLiteral("1184")); // four digits stay together
    CHECK(number(41806, 0) == QStringLiteral("41\u202F806"));
    CHECK(number(-0.04, 1) == QStringLiteral("0.0")); // no minus zero
}

TEST_CASE("a difference is printed with its sign, or as 0 if it rounds to 0")
{
    CHECK(signedNumber(4, 1) == QStringLiteral("+4.0"));
    CHECK(signedNumber(-0.4, 1) == QStringLiteral("\u22120.4"));
    CHECK(signedNumber(0.04, 1) == QStringLiteral("0"));
}

// The earlier U+2009 allows a line break: "14" ended one line, "685.6 ms" began the next.
TEST_CASE("percent has a narrow space before its sign, at which lines never break")
{
    CHECK(percent(0.1296) == QStringLiteral("13.0\u202F%"));
    CHECK(signedPercent(-0.1296) == QStringLiteral("\u221213.0\u202F%"));
    CHECK(factorText(1 - 0.087) == QString::fromUtf8("0.91×"));
    const QString text = number(14685.6, 1);
    QTextBoundaryFinder finder(QTextBoundaryFinder::Line, text);
    CHECK(finder.toNextBoundary() == text.size());
}

TEST_CASE("times are in milliseconds with one decimal, in units where the run counts units")
{
    engine::RunInfo measured, simulated;
    simulated.ticksPerUnit = 2;
    CHECK(timeScale(measured, 115'300'000).withUnit(115'300'000) == QStringLiteral("115.3 ms"));
    CHECK(timeScale(measured, 812'400).withUnit(812'400) == QStringLiteral("812.4 µs"));
    CHECK(timeScale(measured, 31'000'000'000).withUnit(31e9) == QStringLiteral("31.0 s"));
    CHECK(timeScale(simulated, 28).withUnit(25) == QStringLiteral("12.5 units"));
    simulated.ticksPerUnit = 12; // thirds and quarters do not fit one decimal
    CHECK(timeScale(simulated, 28).text(3) == QStringLiteral("0.25"));
}

TEST_CASE("a column of one unit has it in its header")
{
    CHECK(labelled(QStringLiteral("Each, %1"), Unit::Millisecond) == QStringLiteral("Each, ms"));
    CHECK(scaleIn(Unit::Millisecond, 3).text(1'234'567) == QStringLiteral("1.235"));
    CHECK(scaleIn(Unit::GiB).text(1.5 * (1 << 30)) == QStringLiteral("1.5"));
    CHECK(scaleIn(Unit::GBPerSecond, 0).withUnit(50e9) == QStringLiteral("50 GB/s"));
    CHECK(timeScale(812'400).unit() == QStringLiteral("µs")); // of no run
}

TEST_CASE("bytes are GiB with two decimals, and MiB where GiB would say nothing")
{
    CHECK(byteScale(10'458'000'000).withUnit(10'458'000'000) == QStringLiteral("9.74 GiB"));
    CHECK(byteScale(3'000'000).withUnit(3'000'000) == QStringLiteral("2.86 MiB"));
}

TEST_CASE("chosen units replace those of the size, also in a scale that was made before")
{
    const Scale op = timeScale(812'400), iteration = timeScale(115'300'000),
                minute = timeScale(60'000'000'000), arena = byteScale(10'458'000'000),
                stash = byteScale(3'000'000), file = dataScale(3'000'000);
    engine::RunInfo simulated;
    simulated.ticksPerUnit = 2;
    setUnits({TimeUnits::Milliseconds, MemoryUnits::GiB});
    CHECK(op.withUnit(812'400) == QStringLiteral("0.8124 ms"));
    CHECK(op.finer(-2).text(812'400) == QStringLiteral("0.81"));
    CHECK(iteration.withUnit(115'300'000) == QStringLiteral("115.3 ms"));
    CHECK(minute.withUnit(31e9) == QStringLiteral("31\u202F000.0 ms"));
    CHECK(arena.withUnit(10'458'000'000) == QStringLiteral("9.74 GiB"));
    CHECK(stash.withUnit(3'000'000) == QStringLiteral("0.00279 GiB"));
    CHECK(file.withUnit(3'000'000) == QStringLiteral("2.86 MiB"));
    CHECK(timeScale(simulated, 28).withUnit(25) == QStringLiteral("12.5 units"));
    setUnits({});
    CHECK(op.withUnit(812'400) == QStringLiteral("812.4 µs"));
    CHECK(minute.unit() == QStringLiteral("s"));
    CHECK(stash.withUnit(3'000'000) == QStringLiteral("2.86 MiB"));
}

// A study of two days was "about 2880 min left".
TEST_CASE("a duration of more than 100 minutes is in hours")
{
    CHECK(takesText(12) == QStringLiteral("about 12 s"));
    CHECK(takesText(180) == QStringLiteral("about 3 min"));
    CHECK(takesText(9000) == QStringLiteral("about 2.5 h"));
    CHECK(remainingTime(2 * 86'400) == QStringLiteral("about 48 h left"));
}

// The & of a file's name was missing in menus and in the list of commands.
TEST_CASE("a menu shows the & of a text, and the list of commands shows its words")
{
    CHECK(menuText(QStringLiteral("R&D.sqlite")) == QStringLiteral("R&&D.sqlite"));
    CHECK(withoutMnemonic(QStringLiteral("R&&D.sqlite")) == QStringLiteral("R&D.sqlite"));
    CHECK(withoutMnemonic(QStringLiteral("Save &as&&&&")) == QStringLiteral("Save as&&"));
}
