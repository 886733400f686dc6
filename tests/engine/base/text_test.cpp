#include "engine/base/result.h"
#include "engine/base/text.h"
#include "tests/catch.h"

#include <array>

using namespace engine;

TEST_CASE("the nearest name differs by one typing mistake")
{
    constexpr std::array<std::string_view, 4> kNames{"gpipe", "1f1b", "bitpipe",
                                                     "interleaved-1f1b"};
    CHECK(nearestName("bitpip", kNames) == "bitpipe");
    CHECK(nearestName("gpip", kNames) == "gpipe");
    CHECK(nearestName("1b1f", kNames).empty());
    CHECK(nearestName("1f1", kNames) == "1f1b");
    CHECK(nearestName("BITPIPE", kNames) == "bitpipe");
    CHECK(nearestName("interleave1f1b", kNames) == "interleaved-1f1b");
    CHECK(nearestName("dualpipe-with-everything", kNames).empty());
    CHECK(nearestName("", kNames).empty());
    CHECK(nearestName(std::string(1'000'000, 'x'), kNames).empty());
}

TEST_CASE("natural order compares the numbers in names as numbers")
{
    constexpr std::array<std::string_view, 10> kInOrder{
        "", "0", "2", "10", "rank", "rank02", "rank2", "rank2.json", "rank10", "ranks"};
    for (std::size_t i = 0; i < kInOrder.size(); ++i)
        for (std::size_t j = 0; j < kInOrder.size(); ++j) {
            CAPTURE(kInOrder[i], kInOrder[j]);
            CHECK(naturalLess(kInOrder[i], kInOrder[j]) == (i < j));
        }
    CHECK(naturalLess("99999999999999999999", "100000000000000000000"));
}

TEST_CASE("names are joined with commas")
{
    constexpr std::array<std::string_view, 2> kNames{"fifo", "lifo"};
    CHECK(joined(kNames) == "fifo, lifo");
    CHECK(joined({}).empty());
}

TEST_CASE("lines are broken at blanks, and a wide word has a line of its own")
{
    CHECK(wrapped("a bc def", 20) == "a bc def");
    CHECK(wrapped("a bc def", 4) == "a bc\ndef");
    CHECK(wrapped("abcdefgh i j k", 4) == "abcdefgh\ni j\nk");
}

TEST_CASE("a word with special characters is quoted for the shell")
{
    CHECK(shellQuoted("a/b-1.sqlite") == "a/b-1.sqlite");
    CHECK(shellQuoted("lr=0.5,20%") == "lr=0.5,20%");
    CHECK(shellQuoted("my run.sqlite") == "'my run.sqlite'");
    CHECK(shellQuoted("it's") == "'it'\\''s'");
    CHECK(shellQuoted("$HOME") == "'$HOME'");
    CHECK(shellQuoted("~") == "'~'");
    CHECK(shellQuoted("\xC3\xA4.sqlite") == "'\xC3\xA4.sqlite'");
    CHECK(shellQuoted("") == "''"); // an empty word, not none
}

TEST_CASE("a cell of CSV is quoted if it has a comma, a quote or a line break")
{
    CHECK(csvCell("a b") == "a b");
    CHECK(csvCell("4,8") == "\"4,8\"");
    CHECK(csvCell("say \"a\"") == "\"say \"\"a\"\"\"");
    CHECK(csvCell("a\nb") == "\"a\nb\"");
}

TEST_CASE("an integer is read whole or not at all")
{
    CHECK(parseInteger<int>("42") == 42);
    CHECK(parseInteger<int>("-7") == -7);
    for (const std::string_view text : {"", " 1", "1 ", "1.5", "0x1", "+1", "99999999999", "one"})
        CHECK_FALSE(parseInteger<int>(text));
}

TEST_CASE("text of one line cannot start another line")
{
    CHECK(oneLine("a\nbscope: b\r\tc\033[2K\xC2\x9B")
          == "a\\u000abscope: b\\u000d\\u0009c\\u001b[2K\\u009b");
    CHECK(oneLine("Größe") == "Größe");
}

TEST_CASE("control characters are shown, colours and line ends are kept")
{
    CHECK(withoutControls("a\tb\n\x1B[1;31mred\x1B[0m\x1B[K")
          == "a\tb\n\x1B[1;31mred\x1B[0m\x1B[K");
    CHECK(withoutControls("\x1B]52;c;AAAA\x07") == "\\u001b]52;c;AAAA\\u0007");
    CHECK(withoutControls("\x1B[2J") == "\\u001b[2J");
    CHECK(withoutControls("\xC2\x9B"
                          "2J \xC2\xA0 \xC3\xBC")
          == "\\u009b2J \xC2\xA0 \xC3\xBC");
    CHECK(withoutControls("\x1B") == "\\u001b");
    CHECK(withoutControls("\x7F") == "\\u007f");
}

TEST_CASE("an error formats its values, and a message without values stays as it is")
{
    const Result<int> one = invalid("{} of {}", 2, "three"),
                      other = fail(Error::Code::Io, "{} is text");
    CHECK(one.error() == Error{Error::Code::InvalidArgument, "2 of three"});
    CHECK(other.error() == Error{Error::Code::Io, "{} is text"});
    CHECK(inContext("a.toml", other).error() == Error{Error::Code::Io, "a.toml: {} is text"});
    CHECK(withAdvice(other, "; try again").error()
          == Error{Error::Code::Io, "{} is text; try again"});
    CHECK(inContext("a.toml", Result<int>(3)) == 3);
}
