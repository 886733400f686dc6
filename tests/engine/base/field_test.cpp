#include "engine/base/field.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("memory is read with binary and decimal units and written with the largest that is exact")
{
    CHECK(parseMemory("16GiB") == 16LL << 30);
    CHECK(parseMemory("1.5 GiB") == 3LL << 29);
    CHECK(parseMemory("64mb") == 64'000'000);
    CHECK(parseMemory("9007199254740993B") == 9007199254740993);
    CHECK(parseMemory("0") == 0);
    for (const char* wrong : {"", "GiB", "-1", "-1GiB", "1XB", "1e999GiB", "nan", "99999999TiB"})
        CHECK_FALSE(parseMemory(wrong).has_value());
    CHECK(memoryText(16LL << 30) == "16GiB");
    CHECK(memoryText(1'000'000) == "1MB");
    CHECK(memoryText(1023) == "1023B");
}

TEST_CASE("numbers in other units are shifted by decimals, without rounding")
{
    CHECK(scaled("50", 9) == 50e9);
    CHECK(scaled("0.1", 9) == 1e8);
    CHECK(scaled("1e-3", 3) == 1);
    CHECK(scaledText(12'340'000'000, 9) == "12.34");
}

TEST_CASE("a text out of a field's range is refused with the range")
{
    const FieldFacts count{
        .flag = "-D,--devices", .kind = FieldKind::Integer, .least = 1, .most = 8};
    CHECK(count.check("8"));
    CHECK(count.check("9").error().message
          == "--devices must be a whole number from 1 to 8, not '9'");
    for (const char* wrong : {"", "0", "-1", "1.5", "x", "1 ", "18446744073709551616"})
        CHECK_FALSE(count.check(wrong).has_value());
    const FieldFacts choice{
        .table = "run", .key = "mode", .kind = FieldKind::Choice, .names = {"emulate", "live"}};
    CHECK(choice.check("alive").error().message
          == "run.mode must be one of emulate, live, not 'alive'");
}

// Of two values for one key, the first one, the last one or both applied.
TEST_CASE("a key that is given twice is refused")
{
    CHECK(itemsByKey("--slow", "1=1.5\n1:F=2").value().size() == 2);
    CHECK(itemsByKey("--slow", "1=1.5\n2=3\n1=2").error().message
          == "--slow 1=2: 1 is given twice; give it once");
}
