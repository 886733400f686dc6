#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "tests/support/pipelines.h"

#include <random>

using namespace engine;
using namespace tests;

// Files that are no schedules: one clear sentence each, however large or strange.

namespace {

std::string sentenceOf(const std::string& text)
{
    const auto schedule = readScheduleText(text);
    REQUIRE_FALSE(schedule);
    const std::string message = schedule.error().message;
    CHECK(schedule.error().code == Error::Code::Corrupt);
    CHECK(message.size() < 400);
    CHECK(std::ranges::all_of(message, [](char c) { return c >= ' ' && c <= '~'; }));
    return message;
}

constexpr std::string_view kEmpty
    = "the file is empty; write a schedule with bscope schedule -o FILE";

} // namespace

TEST_CASE("a run in place of a schedule is named")
{
    CHECK(sentenceOf(std::string("SQLite format 3\0\x10", 17)).starts_with("is a recorded run"));
}

TEST_CASE("an empty file, blanks and a lone header give different errors")
{
    CHECK(sentenceOf("") == kEmpty);
    CHECK(sentenceOf(" \n\n \r\n") == kEmpty);
    CHECK(sentenceOf("\xEF\xBB\xBF") == kEmpty);
    CHECK_THAT(sentenceOf("device,index,op,stage,chunk,microbatch,replica,slice,joint,version"),
               Catch::Contains("no ops"));
    CHECK_THAT(sentenceOf("{\"scheme\": \"1f1b\"}"), Catch::Contains("starts with '{"));
}

TEST_CASE("a byte order mark is skipped in every format")
{
    const Schedule schedule = scheduleOf("1f1b", 2, 2);
    const std::string mark = "\xEF\xBB\xBF";
    CHECK(readScheduleText(mark + writeCsv(schedule), "1f1b") == schedule);
    CHECK(readScheduleText(mark + *writeTorch(schedule), "1f1b") == schedule);
    CHECK(readScheduleText(mark + "f0 f1 b0 b1\nf0 b0 f1 b1\n", "1f1b") == schedule);
}

TEST_CASE("a line of a hundred megabytes gives one short sentence")
{
    constexpr std::size_t kLong = 100'000'000;
    const std::string header
        = "device,index,op,stage,chunk,microbatch,replica,slice,joint,version\n";
    sentenceOf(header + std::string(kLong, ','));
    sentenceOf(header + std::string(kLong, '7'));
    sentenceOf("0F" + std::string(kLong, '1'));
    sentenceOf("(" + std::string(kLong, '0'));
    sentenceOf(std::string(kLong, 'f') + "0");
    sentenceOf(std::string(kLong, '\0'));
}

TEST_CASE("numbers too large for any schedule are refused, not built")
{
    const std::string header
        = "device,index,op,stage,chunk,microbatch,replica,slice,joint,version\n";
    sentenceOf(header + "0,0,F,99999999999999999999,0,0,0,,0,\n");
    sentenceOf(header + "4294967296,0,F,0,0,0,0,,0,\n");
    sentenceOf(header + "0,0,F,16777216,16777216,16777216,1,65534,0,\n");
    sentenceOf("0F16777216\n");
    sentenceOf("16777216F0,16777216F16777216\n");
    sentenceOf("f16777216\n");
    sentenceOf(std::string(200'000, '\n') + "0F0\n");
}

TEST_CASE("random bytes never crash a reader")
{
    std::mt19937 random(11);
    const auto number
        = [&random](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    static constexpr std::string_view kLetters
        = "0123456789,;()FBIWSRfbwsr_OVERLAP_F_BREDUCE_GRAD \n\r\t\0\xFF";
    int read = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (int length = number(60); length > 0; --length)
            text += kLetters[static_cast<std::size_t>(
                number(static_cast<int>(kLetters.size()) - 1))];
        for (const auto& schedule :
             {readScheduleText(text), readTorch(text), readSail(text), readCsv(text)})
            if (schedule) {
                ++read;
                validate(*schedule);
            }
    }
    CHECK(read > 20);
}

TEST_CASE("no mutation of PyTorch's or sail-sg's file crashes the validator")
{
    std::mt19937 random(5);
    const auto number = [&random](std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
    };
    static constexpr std::string_view kLetters = "0123456789,;()FBIWfbw_ \n";
    for (const std::string& text :
         {*writeTorch(scheduleOf("dualpipev", 2, 4)), *writeTorch(addP2P(scheduleOf("1f1b", 3, 4))),
          std::string("f0 f1 F0 b0 w0 B0 W0\nf0 F0 b0 B0 w0 W0\n")})
        for (int i = 0; i < 3000; ++i) {
            std::string mutated = text;
            for (int changes = 0; changes < 3; ++changes)
                mutated[number(mutated.size())] = kLetters[number(kLetters.size())];
            if (const auto schedule = readScheduleText(mutated))
                validate(*schedule);
        }
}
